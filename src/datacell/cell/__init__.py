"""The face at work: a cell carries out statements, runs streams and queries, and delivers answers.

May import everything below it. Nothing but `cli`, `bench` and `testing` imports it.
"""
