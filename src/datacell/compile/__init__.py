"""The one path from a bound query to what runs: `compile` gives a `Compiled` with every stage in it.

EXPLAIN prints a `Compiled`, the cell runs one. May import every stage; must not run anything.
"""
