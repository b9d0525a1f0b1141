"""datacell calibrate"""

from __future__ import annotations


def calibrate() -> None:
    """Measure what operators cost on both engines of this machine, and keep it: placement then goes by it."""
    from datacell.engines.duckdb import DuckDBEngine
    from datacell.engines.spark import SparkEngine
    from datacell.placement import unit_costs
    from datacell.tools.calibration import calibrate as measured

    engines = SparkEngine(), DuckDBEngine()
    try:
        found = measured(engines, print)
    finally:
        for engine in engines:
            engine.close()
    print(f"runs took {found.error:.2f} times what these costs say, or that much less, in the median")
    print(f"saved as {unit_costs.save(found.units)}")
