"""Binding: every name becomes a column, every expression gets its type, every clause its operator.

May import `text`, `functions`, `types` and the catalog. Must not know statements other than queries.
"""
