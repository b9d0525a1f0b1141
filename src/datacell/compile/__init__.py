"""The one path from a bound query to what runs: `compile` gives a `Compiled` with every stage in it.

EXPLAIN prints a `Compiled` (`compile.explain`), the cell runs one. May import every stage and must not run anything.
No other package puts the stages together.
"""

from datacell.compile.compiled import Compiled, compile
from datacell.compile.setting import Setting

__all__ = ["Compiled", "Setting", "compile"]
