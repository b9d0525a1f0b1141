"""Benchmarks: one file per bench. Each compares side by side, in one run, after a warm-up.

A bench is a module with `HEADLINE`, the names of the figures that it is about, and `run(effort, progress)`. What it
measures in full and in its quick form is a table by effort; the headline is the same.
"""
