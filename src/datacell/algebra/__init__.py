"""The temporal algebra: what a continuous query means, before any engine is involved.

The laws every node and every later stage keep (the rest of them stand where they are used):

1. *Validity.* A row with timestamp ``ts`` under a window is valid during ``[ts, te)``; the window sets ``te``.
2. *Snapshot.* The snapshot of a stream at instant *t* is the multiset of rows valid at *t*.
3. *Snapshot-reducibility.* The snapshot at *t* of *Q(streams)* is the plain SQL answer of *Q* over the snapshots at
   *t*. This is the only definition of correct: multisets, SQL's NULL rules.

A row's timestamp and validity are not columns: they travel beside the record, so a map may drop the event-time column
without losing the row's place in time.
"""
