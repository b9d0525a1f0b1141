"""The face at work: a cell carries out statements, runs streams and queries, and delivers answers.

`cell` is what users call, `statements` carries out what they say, `intake` and `deliveries` run receptors and emitters,
`listing` is SHOW. May import everything below it. Nothing but `cli`, `bench` and `testing` imports it.
"""

from datacell.cell.cell import Cell, connect
from datacell.cell.result import Result
from datacell.cell.running_query import RunningQuery

__all__ = ["Cell", "Result", "RunningQuery", "connect"]
