"""A sample of the spoilt scripts and the odd names; `python -m fuzz.scripts` tries all of them."""

from __future__ import annotations

from fuzz.scripts import failures, fixtures, mutated

SAMPLE = 200


def test_spoilt_scripts_and_odd_names_end_in_a_message() -> None:
    assert len(fixtures()) > 300
    assert not list(failures(range(SAMPLE), range(SAMPLE // 4)))


def test_a_script_is_known_by_its_number() -> None:
    assert mutated(7) == mutated(7)
    assert len({mutated(number) for number in range(50)}) > 45
