"""Questions about object code, in plain Python: pure functions over public cursors. Paper: section 4.

- `structure`: loops and branches around and below a cursor, the shape of a nest;
- `uses`: buffers read and written, declarations, names, what depends on a loop, precisions;
- `bounds`: the window of a buffer that a scope accesses (bounds inference), and what iterations share;
- `cost`: how much a scope computes and touches.

What is not there raises `InvalidCursorError`, which in a `@strategy` is a failure.
"""

from __future__ import annotations

from .accesses import Access, accesses
from .amounts import Amount
from .bounds import Bounds, Range, bounds, halo, staging_window
from .cost import Intensity, flops, footprint, intensity
from .structure import (
    Shape,
    affine_bound,
    enclosing_ifs,
    enclosing_loop,
    enclosing_loops,
    enclosing_scopes,
    enclosing_stmt,
    growth,
    inner_loop,
    innermost_loops,
    is_perfect_nest,
    is_rectangle,
    loops_inside,
    nest,
    nest_shape,
    nth_inner_loop,
    slope,
    statements,
    trip_count,
)
from .uses import (
    declaration,
    depends_on,
    is_constant,
    is_invariant,
    is_reduction,
    precision,
    sums,
    symbol,
    symbols_read,
    symbols_written,
    unique_name,
    unique_names,
    updates,
)

__all__ = [
    "Access",
    "accesses",
    "affine_bound",
    "Amount",
    "Bounds",
    "bounds",
    "declaration",
    "depends_on",
    "enclosing_ifs",
    "enclosing_loop",
    "enclosing_loops",
    "enclosing_scopes",
    "enclosing_stmt",
    "flops",
    "footprint",
    "growth",
    "halo",
    "inner_loop",
    "innermost_loops",
    "Intensity",
    "intensity",
    "is_constant",
    "is_invariant",
    "is_perfect_nest",
    "is_rectangle",
    "is_reduction",
    "loops_inside",
    "nest",
    "nest_shape",
    "nth_inner_loop",
    "precision",
    "Range",
    "Shape",
    "slope",
    "staging_window",
    "statements",
    "sums",
    "symbol",
    "symbols_read",
    "symbols_written",
    "trip_count",
    "unique_name",
    "unique_names",
    "updates",
]
