"""Complex numbers, level 3: the sizes of blocks."""

DEEP = 256
"""Rows of B at a time: as many reals as a product of reals takes."""
WIDE = 128
"""Columns of B at a time."""
TALL = 1024
"""Rows of A that are copied at a time."""
APART = 16
"""Reals by which rows of a block are farther apart, as no power of two is good: a cache line, and more."""
SMALL = 8
"""Rows of a triangle that are part of a square."""
SLICE = 128
"""Rows of a triangle that are taken together, at most DEEP."""
STRIP = 64
"""Rows of a triangle that a product takes at a time."""
FEW = 12
"""Rows of a triangle that are taken one by one."""
TURNED = 128
"""Rows that are turned at a time, to come from the left."""
EIGHT = 8
"""Columns that are turned at a time."""
