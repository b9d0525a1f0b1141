"""Receptors: pick rows up from outside, let them pass the gate, put them in a basket.

The contract. A receptor is a Structured Streaming query: Spark reads, parses, and remembers how far it has read. For
every micro-batch it calls `deposit(batch number, frame)`, one call at a time, in order; a batch that was not finished
before a crash is called again with the same number and the same rows. The frame has the stream's columns and two more,
computed in the same Spark job from the stream's conditions (`runtime.streams.conditions`): `__reason`, why a row must
not enter, and `__row`, the beginning of its text; both NULL for a row that may. A source may have a last look at the
fetched rows (`Source.vet`).

The gate is the same for every way in. What only a source can know is whether a row can be parsed: it says so in
`__malformed`, with the row's text. Rows of INSERT INTO pass the same gate without a receptor; late rows are told apart
behind the gate, by the stream.

What cannot be replayed comes through a spool: `push` and the TCP listener write rows down before they acknowledge them.
So `push` passes the gate when the spool is read, but a value that is no value of its column's type is refused at once.

Backpressure: `deposit` returns when the batch is taken, which a full basket delays; meanwhile nothing more is read.

Guaranteed: a malformed or unwanted row never stops a stream; it is a dead letter in `<stream>__rejected`. Not
guaranteed: that rows of one micro-batch come in the order in which the source has them, unless it is made of files,
whose rows come in the order of the files.
"""
