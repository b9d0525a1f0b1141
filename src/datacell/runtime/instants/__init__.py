"""Answers at every instant: stateful operators over rows with a validity, and the cut points between them.

May import `streams` and `plans`. Must not know which engine runs a plan, or who reads the answer.
"""
