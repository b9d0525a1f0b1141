"""Equivalent plans: rules that rewrite one operator at a time, and the driver that applies them.

A rule keeps the snapshot of every plan at every instant (the third law); the driver checks what can be checked after
each step, and tests run both sides.
"""
