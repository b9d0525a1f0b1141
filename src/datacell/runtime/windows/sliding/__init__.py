"""Sliding aggregation with two stacks: as few partial rows as possible whose combination is a window's.

A window is the end of one block and the beginning of the next. The *front* is the combination of what was shown so far
of the present block, with the rows since. The *back* is the block before, which is full: the positions where a window
may still begin in it are grouped in *segments*; for each segment there is the combination of all that comes after it,
and for the present segment there are the *suffixes*, one combination for each position. So no slide has to wait until
those of a whole block are made. All of it is made from slices and can be made again: it is not saved.

With many boundaries at once the combinations run over the boundaries (`many`); over more than two blocks they run over
the slices themselves, which then costs no more than the boundaries do.
"""
