"""Plans at work: prepared once, placed on engines, observed, and moved where that is clearly cheaper.

May import `placement` and `engines`. Must not know what a plan is part of.
"""
