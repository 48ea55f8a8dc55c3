"""`auto`: one strategy for any program, for who doesn't schedule, and to go on from.

- `plan`: which way each nest goes, and its holes;
- `fusion`: nests that read one matrix as one, rows that become a matrix, sums of products apart;
- `conversions`: what is computed in one precision and converted to another, a part for each;
- `products`: nests that multiply matrices, as calls of a product in blocks and tiles;
- `semirings`: nests like products, with other operations, in tiles that stay in registers;
- `dynamic`: squares that are updated by rows and columns of their own, in panels;
- `mirrored`: vectors that are updated by themselves turned round, in place;
- `recurrences`: rows whose elements wait for each other, several at a time;
- `sweeps`: which way what has an order to keep goes, and its holes;
- `triangles`: triangles in blocks of rows, whose rectangles are products;
- `rows`: rows in vectors, several at a time;
- `strides`: the contiguous loop innermost;
- `precisions`: in which vectors a nest computes, and how it rounds;
- `threads`: loops that threads share;
- `private`: private sums for blocks of rows, for threads;
- `arrays`: the plan for functions of NumPy arrays.
"""

from __future__ import annotations

from .arrays import for_numpy
from .conversions import conversions_apart
from .dynamic import in_panels
from .fusion import in_one_pass, inner_loops_fused, rows_expanded, sums_apart
from .mirrored import mirrored_in_place
from .plan import auto
from .precisions import as_written, one_precision
from .private import private_sums
from .products import as_product, in_order
from .recurrences import rows_in_turns
from .rows import rows_together
from .semirings import as_like_product, like_product
from .strides import contiguous_innermost
from .threads import share
from .triangles import in_rectangles, reductions_apart

__all__ = [
    "as_like_product",
    "as_product",
    "as_written",
    "auto",
    "contiguous_innermost",
    "conversions_apart",
    "for_numpy",
    "in_one_pass",
    "in_order",
    "in_panels",
    "in_rectangles",
    "inner_loops_fused",
    "like_product",
    "mirrored_in_place",
    "one_precision",
    "private_sums",
    "reductions_apart",
    "rows_expanded",
    "rows_in_turns",
    "rows_together",
    "share",
    "sums_apart",
]
