"""Statements: CREATE, DROP, INSERT, SHOW, EXPLAIN, and those that are Spark's own.

May import all of `sql`. Must not carry anything out.
"""
