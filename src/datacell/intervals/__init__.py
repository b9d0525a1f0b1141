"""Answers at every instant: queries over windows without SLIDE.

Everything is a relation of rows with a validity: `valid_from` and `valid_to`, in microseconds. `translate` turns a plan
into operators over such relations, each a few fragments that an engine runs over what it kept and what is new.
"""
