"""`auto`: one strategy for any program, for who doesn't schedule, and to go on from.

- `plan`: which way each nest goes, and its holes;
- `products`: nests that multiply matrices, as calls of a product in blocks and tiles;
- `triangles`: triangles in blocks of rows, whose rectangles are products;
- `strides`: the contiguous loop innermost.
"""

from __future__ import annotations

from .plan import auto
from .products import as_product, in_order
from .strides import contiguous_innermost
from .triangles import in_rectangles, reductions_apart

__all__ = ["as_product", "auto", "contiguous_innermost", "in_order", "in_rectangles", "reductions_apart"]
