"""Arrow inputs: tables of DuckDB that show whatever Arrow table was put in last; naming a new one each time costs more.

An Arrow stream is read where it is, at no cost of its own, but only once. What can be read again and again is read
through a scanner of pyarrow, which costs half a millisecond before the first row.
"""

from __future__ import annotations

import ctypes
from typing import Protocol

import pyarrow as pa

MORSEL = 122_880
"""Rows that a thread of DuckDB takes at a time."""

_NAME = b"arrow_array_stream"
_POINTERS = ("get_schema", "get_next", "get_last_error", "release", "private_data")
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class ArrowInput(Protocol):
    source: object
    """What is registered."""

    def put(self, table: pa.Table) -> None: ...

    def clear(self) -> None: ...


class ReadOnce:
    """A capsule of the Arrow C stream interface. Who reads it moves the stream out, so that it can be filled again."""

    def __init__(self) -> None:
        self._stream = _Stream()
        self._address = ctypes.addressof(self._stream)
        self.source = _capsule(self._address, _NAME, None)

    def put(self, table: pa.Table) -> None:
        self.clear()
        table.to_reader(max_chunksize=MORSEL)._export_to_c(self._address)

    def clear(self) -> None:
        """Take over what nobody has read, and drop it."""
        if self._stream.release:
            pa.RecordBatchReader._import_from_c(self._address)


class ReadAgain:
    """An object that gives a new stream whenever it is asked."""

    def __init__(self) -> None:
        self.source: object = self
        self._table: pa.Table | None = None

    def put(self, table: pa.Table) -> None:
        self._table = table

    def clear(self) -> None:
        self._table = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        assert self._table is not None
        return self._table.__arrow_c_stream__(requested_schema)


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream; it is empty if there is nothing to call for its release."""

    _fields_ = [(name, ctypes.c_void_p) for name in _POINTERS]
