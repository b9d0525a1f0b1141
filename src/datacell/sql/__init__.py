"""From text to algebra, in this order: `text` (tokens, places, windows cut out), `statements` (what a script asks for),
`bind` (names resolved, plans built), with `functions` and `types` beside it.

`script` reads a script, `catalog` says what names stand for. Knows no engine and no running stream.
"""
