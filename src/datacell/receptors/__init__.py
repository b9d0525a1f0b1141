"""Receptors: pick rows up from outside, let them pass the gate, put them in a basket.

The contract. A receptor is a Structured Streaming query: Spark reads, parses, and remembers how far it has read. For
every micro-batch it calls `deposit(batch number, frame)`, one call at a time, in order, which makes what is wanted of
the batch. What that gives takes it: also one at a time, in order, maybe while the next batch is made. A batch that was
not taken before a crash comes again with the same number, and with the same rows or more. The frame has the stream's
columns and two more, computed in the same Spark job from the stream's conditions (`runtime.streams.conditions`):
`__reason`, why a row must not enter, and `__row`, the beginning of its text; both NULL for a row that may. A source may
have a last look at the fetched rows (`Source.vet`).

The gate is the same for every way in. What only a source can know is whether a row can be parsed: it says so in
`__malformed`, with the row's text. Rows of INSERT INTO pass the same gate without a receptor; late rows are told apart
behind the gate, by the stream.

What cannot be replayed comes through a spool: `push` and the TCP listener write rows down before they acknowledge them.
So `push` passes the gate when the spool is read, but a value that is no value of its column's type is refused at once.

Backpressure: a full basket delays that a batch is taken; meanwhile at most one more is made. Of files that stay where
they are Spark writes down meanwhile what it has read, and plans the next batch (`behind`); what it has counted as read
and the stream has not taken in the end is taken back by the next start (`spark_log`). Of every other source a batch is
taken before Spark counts it as read.

Guaranteed: a malformed or unwanted row never stops a stream; it is a dead letter in `<stream>__rejected`. Not
guaranteed: that rows of one micro-batch come in the order in which the source has them, unless it is made of files,
whose rows come in the order of the files.
"""
