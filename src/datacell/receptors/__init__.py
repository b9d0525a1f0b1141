"""Receptors: pick rows up from outside, check them, put them in a basket.

The contract. A receptor is a Structured Streaming query: Spark reads, parses, and remembers how far it has read. For
every micro-batch it calls `deposit(batch number, frame)`, one call at a time, in order; a batch that was not finished
before a crash is called again with the same number and the same rows. The frame has the stream's columns and
`__malformed`: the text of a row that could not be parsed, else NULL.

Guaranteed: a malformed or unwanted row never stops a stream. Not guaranteed: that rows of one micro-batch come in the
order in which the source has them, unless it is made of files, whose rows come in the order of the files.
"""
