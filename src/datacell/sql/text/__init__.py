"""Text and tokens: places for messages, comments, parsing with sqlglot, windows cut out of the tokens.

May import the algebra's windows and durations. Must not know what a name stands for.
"""
