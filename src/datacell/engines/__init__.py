"""Engines: Spark and DuckDB behind one small protocol. An engine runs a relational fragment over tables.

A fragment is a plan without windows: whoever runs it has taken the snapshot, and its streams and tables are named
inputs.
"""
