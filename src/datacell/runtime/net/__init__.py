"""Places and transitions, the scheduler that fires them, factories, and the clock.

May import every other room. Must not know how an answer is computed, only when one is due.
"""
