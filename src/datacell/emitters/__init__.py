"""Emitters: deliver a query's answers to a client and forget them.

The contract. A delivery calls `deliver(firing)` for one firing after the other, in order, from a thread of its own;
when it returns, the firing counts as delivered. After a crash the last firing may be delivered again with the same
number and the same rows. `deliver` may raise: it is tried again, and nobody else waits for it.

What a client can count on is up to the emitter: files exactly once (a firing's file has the firing's number), sockets
and Spark sinks at least once.
"""
