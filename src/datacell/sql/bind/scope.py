"""What names mean at a point of a query: the relations in sight, nearest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from datacell.algebra.types import Type
from datacell.algebra.window import WindowSpec


@dataclass(frozen=True)
class Visible:
    """A column as a user names it, and the plan's column behind it.

    `qualified_only` holds for the side of a USING join whose column the merged one hides. `of` is the relation that a
    star took it from.
    """

    name: str
    column: str
    type: Type
    qualified_only: bool = False
    of: str | None = None


@dataclass(frozen=True)
class Relation:
    """One item of a FROM clause. Merged columns of a USING join stand in a relation without alias, in front."""

    alias: str | None
    columns: tuple[Visible, ...]
    window: WindowSpec | None = None

    def called(self, alias: str) -> bool:
        return self.alias is not None and self.alias.lower() == alias.lower()

    def find(self, name: str) -> tuple[Visible, ...]:
        return tuple(c for c in self.columns if c.name.lower() == name.lower())


@dataclass(frozen=True)
class Scope:
    """The relations of a FROM clause, inside those of the enclosing query."""

    relations: tuple[Relation, ...] = ()
    parent: Scope | None = None

    def beside(self, *relations: Relation) -> Scope:
        return Scope(self.relations + relations, self.parent)

    def relation(self, alias: str) -> Relation | None:
        """What stands under the name; its columns may stand apart from each other."""
        found = [r for r in self.relations if r.called(alias)]
        if len(found) < 2:
            return found[0] if found else None
        return replace(found[0], columns=tuple(c for r in found for c in r.columns))

    def find(self, name: str) -> tuple[Visible, ...]:
        """The columns that a bare name may mean."""
        return tuple(c for r in self.relations for c in r.find(name) if not c.qualified_only)

    def star(self) -> Iterator[Visible]:
        return (replace(c, of=r.alias) for r in self.relations for c in r.columns if not c.qualified_only)

    def column_names(self) -> Iterable[str]:
        return [c.name for c in self.star()]

    def owns(self, column: str) -> bool:
        """Is this one of the plan columns of this very level?"""
        return any(c.column == column for r in self.relations for c in r.columns)


class Names:
    """Hands out names that are unique within a query."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._taken)

    def fresh(self, wish: str) -> str:
        key = wish.lower()
        name, count = wish, self._counts.get(key, 1)
        while name.lower() in self._taken:
            count += 1
            name = f"{wish}_{count}"
        self._counts[key] = count
        self._taken.add(name.lower())
        return name


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each once: the second ``a`` is ``a_2``."""
    fresh, given = Names(), {name.lower() for name in names}
    found = []
    for name in names:
        new = fresh.fresh(name)
        while new != name and new.lower() in given:
            new = fresh.fresh(name)
        found.append(new)
    return tuple(found)
