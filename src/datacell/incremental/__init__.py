"""Evaluation by increments: plans over slices.

Where a stream is cut (`cuts`, `boundaries`), how a plan is split into what is kept per slice and a rest (`split`,
`relations`), how partial results are merged (`merge`), and one fragment that answers all due boundaries (`lift`).
Knows no engine and no running stream.
"""
