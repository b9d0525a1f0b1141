"""The running net, in rooms: `net` (transitions and their scheduler), `streams` (rows come in), `windows` and
`instants` (queries are answered), `plans` (an engine runs a plan), `storage` (what a restart reads).

All state is files in the checkpoint directory, each written once under its final name, so that doing something twice
leaves the same files: processing is exactly-once. `evaluation` is the contract between `net` and those that answer.
"""
