"""Answers at boundaries: slices, sliding aggregation, delta joins, chunking, re-evaluation.

May import `streams`, `plans` and `storage`. Must not know which engine runs a plan, or who reads the answer.
"""
