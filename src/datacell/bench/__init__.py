"""Benchmarks: one file per bench. Each compares side by side, in one run, after a warm-up."""
