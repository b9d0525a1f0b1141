"""Baskets: numbered arrivals, batches that leave, and what is there after a crash."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.runtime.streams.basket import Aside, SharedBasket
from datacell.runtime.streams.batch import Axis


def basket_of(directory: Path) -> SharedBasket:
    return SharedBasket(directory, pa.schema([("x", pa.int64())]))


def take(basket: SharedBasket, number: int, *values: int) -> None:
    rows = pa.table({"x": pa.array(values, pa.int64())})
    batch = basket.numbered(rows, np.array(values, dtype=np.int64))
    basket.take("receptor", number, batch, [(Axis.NUMBER, 0)], Aside())


def test_a_basket_numbers_arrivals_and_comes_back_as_it_was(tmp_path: Path) -> None:
    basket = basket_of(tmp_path)
    take(basket, 0, 5, 3)
    take(basket, 1)
    take(basket, 2, 9)
    again = basket_of(tmp_path)
    assert again.between(Axis.TIME, 0, 99, "at").to_pydict() == {"x": [5, 3, 9], "at": [5, 3, 9]}
    assert again.between(Axis.NUMBER, 0, 99, "at").to_pydict() == {"x": [5, 3, 9], "at": [1, 2, 3]}
    assert (again.progress, again.holds("receptor", 2), again.holds("receptor", 3)) == (basket.progress, True, False)


def test_a_batch_that_was_only_half_written_is_taken_again(tmp_path: Path) -> None:
    take(basket_of(tmp_path), 0, 1)
    saved = (tmp_path / "progress.json").read_bytes()
    take(basket_of(tmp_path), 1, 2, 3)
    (tmp_path / "progress.json").write_bytes(saved)  # as if the crash had come between the two writes
    basket = basket_of(tmp_path)
    take(basket, 1, 2, 3)
    assert basket_of(tmp_path).between(Axis.NUMBER, 0, 99, "at")["at"].to_pylist() == [1, 2, 3]


def test_a_batch_leaves_when_no_reader_needs_any_of_its_rows(tmp_path: Path) -> None:
    basket = basket_of(tmp_path)
    take(basket, 0, 1, 2)
    take(basket, 1, 2, 7)
    assert basket.expire([(Axis.TIME, 3)]) == 1
    assert [b.rows["x"].to_pylist() for b in basket.batches] == [[2, 7]]
    assert len(list(tmp_path.glob("*.arrow"))) == 1
    assert basket.expire([]) == 1


def test_between_live_batches_others_may_have_left(tmp_path: Path) -> None:
    basket = basket_of(tmp_path)
    for number, values in enumerate([(100,), (95, 96), (101, 102), (103,)]):
        take(basket, number, *values)
    assert basket.expire([(Axis.TIME, 97), (Axis.NUMBER, 6)]) == 1
    assert basket.between(Axis.NUMBER, 5, 7, "at").to_pydict() == {"x": [102, 103], "at": [5, 6]}
    assert basket.between(Axis.NUMBER, 1, 5, "at").to_pydict() == {"x": [100, 101], "at": [1, 4]}
    assert basket.between(Axis.TIME, 101, 103, "at").to_pydict() == {"x": [101, 102], "at": [101, 102]}
