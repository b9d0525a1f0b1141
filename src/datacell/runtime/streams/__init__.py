"""Streams at work: the gate that rows pass, baskets, progress, side outputs.

The way of a row. It comes from a receptor, from a query that inserts into the stream, or from an INSERT statement. The
gate says whether it may enter (`gate`, by `conditions`); what may not is a dead letter and stays in
`<stream>__rejected`. Rows that some query has missed are late: a side output, `<stream>__late`, names those queries.
The rest becomes a batch of the basket. All of this is the same whatever way a row takes; only who evaluates the gate
differs: Spark's executors inside the receptor's one job, or an engine for rows that are in the driver already.

Progress is what a stream has seen so far: its rows, how many of them were late, how many rejected, the greatest event
time.

May import `storage` and the clock. Must not know queries or engines by name, only readers: what they make of a batch
ahead of time, how far they have answered, and what of the rows they still need.
"""
