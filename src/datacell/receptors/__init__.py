"""Receptors: pick rows up from outside, check them, put them in a basket.

The contract. A receptor is a Structured Streaming query: Spark reads, parses, and remembers how far it has read. For
every micro-batch it calls `deposit(batch number, frame)`, one call at a time, in order; a batch that was not finished
before a crash is called again with the same number and the same rows. The frame has the stream's columns and
`__reason`: why a row is rejected, with the beginning of its text in `__row`; NULL for a row that is taken. A source may
have a last look at the fetched rows (`Source.vet`).

What cannot be replayed comes through a spool: `push` and the TCP listener write rows down before they acknowledge them.

Guaranteed: a malformed or unwanted row never stops a stream. Not guaranteed: that rows of one micro-batch come in the
order in which the source has them, unless it is made of files, whose rows come in the order of the files.
"""
