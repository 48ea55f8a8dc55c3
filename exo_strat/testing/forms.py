"""Forms of the object language, each written into random programs: for trials of every primitive on programs that have
it, whatever their shape.

A form is not a shape: any program may have it. So a program is drawn as always, of a shape that suits the primitive,
and a few of its expressions or loops are written in the form. What is then not well-formed is drawn anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..cursors.cursor import BlockCursor, Cursor
from ..cursors.proc import Proc
from ..frontend.errors import FrontendError
from ..ir.externs import WRAPS
from ..ir.nodes import Binary, Cell, ExternCall, ProcDef, Select, ViewExpr
from ..ir.precisions import index_value
from ..ir.span import Span
from ..ir.walk import EXTREMA, Path, is_control
from .choices import Choices
from .form_calls import call_spots, calls
from .form_loops import cells, early_exit, exit_spots, range_spots, ranges, row_spots, rows
from .form_places import where
from .form_sizes import size_spots, sizes
from .form_values import (
    OPERATIONS,
    STORED,
    WHOLE,
    bf16_spots,
    is_stepped,
    minmax,
    numbers,
    of_precisions,
    select,
    short,
)
from .form_views import views

DRAWS: Final = 10
"""How often a form is tried to be written into one program."""


@dataclass(frozen=True)
class Form:
    """A form: where a procedure has it, how one is given it, and shapes of programs that mostly have it."""

    spots: Callable[[ProcDef], Iterator[Path]]
    write: Callable[[Choices, Proc], Proc | None]
    shapes: str = ""

    def has(self, tree: ProcDef) -> bool:
        """Whether a procedure has the form anywhere."""
        return next(self.spots(tree), None) is not None


def formed(ch: Choices, p: Proc, form: Form) -> Proc | None:
    """The procedure in a form, which it may have already; None if it was not drawn so.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(n: size, x: f32[n]):\\n    for i in seq(0, n):\\n        x[i] = 1.0", {})
    >>> print(formed(Choices.seeded(4), p, FORMS["minmax"]))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[max(i, 0)] = 1.0
    """
    if form.has(p.tree) and ch.chance(50):
        return p
    for _ in range(DRAWS):
        try:
            q = form.write(ch, p)
        except FrontendError:  # such as an index that may be out of bounds
            continue
        if q is not None and form.has(q.tree):
            return q
    return None


def near(c: Cursor, spots: Sequence[Path]) -> bool:
    """Whether a form is in the target, or the target in the statement or the head of a loop that has it."""
    if isinstance(c, BlockCursor):
        return any(_within(spot, c.span) for spot in spots)
    place = c.place()
    return any(spot[: len(place)] == place or place[: len(_of_stmt(spot))] == _of_stmt(spot) for spot in spots)


def _within(spot: Path, block: Span) -> bool:
    at = len(block.parent)
    if spot[:at] != block.parent or len(spot) <= at:
        return False
    label, k = spot[at]
    return label == block.label and k is not None and block.lo <= k < max(block.hi, block.lo + 1)


def _of_stmt(path: Path) -> Path:
    """The statement that a path leads into."""
    while path and path[-1][0] not in ("body", "orelse"):
        path = path[:-1]
    return path


def _mixed(ch: Choices, p: Proc) -> Proc | None:
    """Two forms, or three."""
    for _ in range(2 + ch.upto(1)):
        q = formed(ch, p, SINGLE[ch.pick(sorted(SINGLE))])
        p = q or p
    return p


def _mixed_spots(tree: ProcDef) -> Iterator[Path]:
    """The places of all forms, of a procedure that has two."""
    found = [list(f.spots(tree)) for f in SINGLE.values()]
    if sum(map(bool, found)) >= 2:
        yield from (path for paths in found for path in paths)


SINGLE: Final[Mapping[str, Form]] = {
    "bf16": Form(bf16_spots, of_precisions(STORED)),
    "calls": Form(call_spots, calls),
    "cells": Form(where(lambda n: isinstance(n, Cell)), cells, "gathered scattered clamped fetched"),
    "exit": Form(exit_spots, early_exit),
    "index": Form(where(lambda n: index_value(n) is not None), numbers),
    "integers": Form(where(lambda n: isinstance(n, ExternCall) and n.f in OPERATIONS), of_precisions(WHOLE)),
    "minmax": Form(where(lambda n: isinstance(n, Binary) and n.op in EXTREMA and is_control(n)), minmax, "clamped"),
    "ranges": Form(range_spots, ranges),
    "rows": Form(row_spots, rows, "rows"),
    "select": Form(where(lambda n: isinstance(n, Select)), select, "choices"),
    "sizes": Form(size_spots, sizes, "rectangle"),
    "short": Form(where(is_stepped), short),
    "views": Form(where(lambda n: isinstance(n, ViewExpr)), views, "reshaped"),
    "wraps": Form(where(lambda n: isinstance(n, ExternCall) and n.f in WRAPS.values()), of_precisions(WHOLE)),
}
FORMS: Final[Mapping[str, Form]] = {**SINGLE, "mixed": Form(_mixed_spots, _mixed)}
"""The forms, by name: numbers stored as bf16; calls of procedures that have forms;
indices from buffers; loops that end early; numbers of control integers;
operations on integers of data; minima and maxima of control integers; loops whose ranges were changed; bounds from
buffers; `a if c else b`; products and quotients by sizes; short forms; buffers with other extents; wrapped integers;
and programs with several of these."""
