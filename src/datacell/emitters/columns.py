"""Whole columns as text, the same text as `text` gives value by value.

Each column becomes an array of strings by Arrow's kernels, the arrays are joined to an array of lines, and the lines
lie in memory one after the other: what is written is that memory. What Arrow spells differently (very large and very
small floats, nested values) is spelled by `text`, for those values only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.emitters import text

_ROWS = 65_536
"""Rows that are turned into text at a time: their text stays in the processor's cache, mostly."""

_STRING = pa.large_string()
_PLAINLY_SPELLED = (1e-3, 1e9)
"""Sizes of floats that Arrow and Python spell alike, but for the `.0` of a whole number."""


def csv(table: pa.Table, separator: str = ",") -> Iterator[memoryview]:
    """The rows as lines of csv, in blocks, without a header."""
    for batch in table.combine_chunks().to_batches(max_chunksize=_ROWS):
        yield _content(_csv_lines([_csv_field(column, separator) for column in batch.columns], separator))


def json(table: pa.Table, prefix: str = "") -> Iterator[memoryview]:
    """The rows as lines of JSON, in blocks; `prefix` is put before the first key of each."""
    for batch in table.combine_chunks().to_batches(max_chunksize=_ROWS):
        yield _content(_json_lines(batch, prefix))


def _csv_lines(fields: list[pa.Array], separator: str) -> pa.Array:
    last = _joined([fields[-1], "\n"])
    return _joined([*fields[:-1], last], separator)


def _json_lines(batch: pa.RecordBatch, prefix: str) -> pa.Array:
    parts: list[pa.Array | str] = []
    for index, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
        before = "{" + prefix if index == 0 else ", "
        parts += [f"{before}{text.json_text(name)}: ", _json_value(column)]
    return _joined([*parts, "}\n"])


def _joined(parts: list[pa.Array | str], separator: str = "") -> pa.Array:
    strings = [pa.scalar(part, _STRING) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*strings, pa.scalar(separator, _STRING), null_handling="replace")


def _content(lines: pa.Array) -> memoryview:
    """Where the strings of an array lie, one after the other."""
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int64)[lines.offset : lines.offset + len(lines) + 1]
    return memoryview(data)[ends[0] : ends[-1]] if data is not None else memoryview(b"")


def _csv_field(column: pa.Array, separator: str) -> pa.Array:
    if _is_text(column.type):
        return _csv_quoted(column.cast(_STRING), separator)
    shown = _shown(column)
    if shown is not None:
        return shown
    return pa.array([text.csv_field(value) for value in text.plain_column(column)], _STRING, from_pandas=False)


def _csv_quoted(strings: pa.Array, separator: str) -> pa.Array:
    special = pc.or_(
        pc.match_substring_regex(strings, '["\n\r]'),
        pc.or_(pc.match_substring(strings, separator), pc.equal(strings, "")),
    )
    if not pc.any(special).as_py():
        return strings
    return pc.if_else(special, _joined(['"', pc.replace_substring(strings, '"', '""'), '"']), strings)


def _json_value(column: pa.Array) -> pa.Array:
    kind = column.type
    if _is_text(kind):
        return _or_null(column, _json_string(column.cast(_STRING)))
    shown = _shown(column)
    if shown is None:
        return pa.array(map(text.json_text, text.plain_column(column)), _STRING)
    if pa.types.is_floating(kind):
        shown = pc.if_else(pc.is_finite(column), shown, _joined(['"', shown, '"']))
    elif not (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        shown = _joined(['"', shown, '"'])
    return _or_null(column, shown)


def _or_null(column: pa.Array, shown: pa.Array) -> pa.Array:
    return pc.if_else(pc.is_null(column), pa.scalar("null", _STRING), shown) if column.null_count else shown


def _json_string(strings: pa.Array) -> pa.Array:
    if pc.any(pc.match_substring_regex(strings, "[\\x00-\\x1f]")).as_py():
        return pa.array([text.json_text(value) for value in strings.to_pylist()], _STRING)
    if pc.any(pc.match_substring_regex(strings, r'["\\]')).as_py():
        strings = pc.replace_substring(pc.replace_substring(strings, "\\", "\\\\"), '"', '\\"')
    return _joined(['"', strings, '"'])


def _shown(column: pa.Array) -> pa.Array | None:
    """The values as text, NULL where they are; None for types that only `text` knows."""
    kind = column.type
    if pa.types.is_floating(kind):
        return _floats(column)
    if pa.types.is_timestamp(kind):
        return _instants(column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_date(kind):
        return column.cast(_STRING)
    if pa.types.is_decimal(kind):
        shown = column.cast(_STRING)
        return shown if not pc.any(pc.match_substring(shown, "E")).as_py() else _decimals(column)
    return None


def _floats(column: pa.Array) -> pa.Array:
    sizes = pc.abs(column)
    least, most = (pa.scalar(bound, column.type) for bound in _PLAINLY_SPELLED)
    alike = pc.or_(pc.and_(pc.greater(sizes, least), pc.less(sizes, most)), pc.equal(sizes, pa.scalar(0, column.type)))
    shown = column.cast(_STRING)
    whole = pc.equal(column, pc.trunc(column))
    if pc.any(whole).as_py():
        shown = pc.if_else(whole, _joined([shown, ".0"]), shown)
    if pc.all(alike).as_py() is not False:
        return shown
    odd = pc.fill_null(pc.invert(alike), False)
    spelled = [str(text.number(value.item(), column.type)) for value in column.filter(odd).to_numpy()]
    return pc.replace_with_mask(shown, odd, pa.array(spelled, _STRING))


def _instants(column: pa.Array) -> pa.Array:
    local = column.cast(pa.timestamp("us"), safe=False)
    shown = local.cast(pa.timestamp("s"), safe=False).cast(_STRING)
    exact = pc.equal(local, pc.floor_temporal(local, unit="second"))
    if pc.all(exact).as_py() is False:
        seconds = pc.floor_temporal(local, unit="second").cast(pa.timestamp("s"), safe=False).cast(_STRING)
        shown = pc.if_else(exact, seconds, local.cast(_STRING))
    marked = pc.replace_substring(shown, " ", "T", max_replacements=1)
    return marked if column.type.tz is None else _joined_or_null(column, marked, "Z")


def _joined_or_null(column: pa.Array, shown: pa.Array, end: str) -> pa.Array:
    joined = _joined([shown, end])
    return pc.if_else(pc.is_null(column), pa.scalar(None, _STRING), joined) if column.null_count else joined


def _decimals(column: pa.Array) -> pa.Array:
    return pa.array([None if value is None else format(value, "f") for value in column.to_pylist()], _STRING)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
