"""Streams at work: the gate that rows pass, baskets, progress, side outputs.

May import `storage`. Must not know queries, only what of the rows somebody still needs.
"""
