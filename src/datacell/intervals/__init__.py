"""Answers at every instant: queries over windows without SLIDE.

Everything is a relation of rows with a validity: `valid_from` and `valid_to`, in microseconds. `translate` turns a plan
into a program of stateful operators (`operators`) with flows between them (`flow`); one file for each operator has the
plans that it runs over what it kept and what is new. Pure: knows no engine and no running stream.
"""
