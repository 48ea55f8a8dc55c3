"""What the kernel computes and proves of a program, for strategies and backends that look at its nodes.

    analysis.iterations_apart(tree, path)    whether no iteration of a loop touches what another one writes: a verdict,
                                             true or false, which says what stands against it
    analysis.holds_everywhere(tree, path, e) whether a condition surely holds whenever control gets to a place
    analysis.has_cells(tree)                 whether a procedure or expression takes indices from buffers
    analysis.indexing(tree)                  the arguments that a procedure takes indices from
    analysis.trip_count(loop)                how often a loop runs, if that is a number
    analysis.precision_at(tree, path)        at which precision the data at a place is computed
    analysis.concrete(precision)             a precision as it is computed with: `R` is f32
    analysis.size_of(precision)              how many bytes an element takes
    analysis.written_args(tree)              the data arguments that a procedure may write
    analysis.modular(e)                      the operands that may be taken modulo 2^n where the result is

Control expressions are calculated with as `forms`; cursors are asked by `strategies.inspect`.
"""

from __future__ import annotations

from .frontend.precisions import precision_at
from .ir.cells import has_cells, indexing, written_args
from .ir.precisions import concrete, modular, size_of
from .logic.forms import trip_count
from .logic.questions import holds_everywhere
from .logic.questions import parallel as iterations_apart

__all__ = [
    "concrete",
    "has_cells",
    "holds_everywhere",
    "indexing",
    "iterations_apart",
    "modular",
    "precision_at",
    "size_of",
    "trip_count",
    "written_args",
]
