"""Cursors to expressions go with what they point to when it moves within a statement or to another one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat import Proc, proc_from_source
from exo_strat.cursors.cursor import GoneCursor
from exo_strat.direct import (
    bind_expr,
    commute_expr,
    cut_loop,
    divide_dim,
    expand_dim,
    fold_into_reduce,
    inline_assign,
    join_loops,
    left_reassociate_expr,
    merge_writes,
    mult_dim,
    split_write,
)

HEAD = "def foo(n: size, x: f32[n + 8], y: f32[n + 8]):\n    "
TEMP = "t: f32[8, 4]\nfor i in seq(0, 8):\n    for j in seq(0, 4):\n        t[i, j] = x[i]\n        y[i] = t[i, j]"

# what it shows; a program; a rewrite; the expression; the place of the same in the result, None where it is gone
Case = tuple[str, str, Callable[[Proc], Proc], str, str | None]
CASES: list[Case] = [
    ("an operand", "x[0] = y[1] * y[2]", lambda p: commute_expr(p, "y[1] * y[2]"), "y[2]", "y[2]"),
    ("a part of an operand", "x[0] = y[1] + (y[2] + y[3])", lambda p: left_reassociate_expr(p, "y[1] + _"), "y[2]",
     "y[2]"),
    ("a part of what gets a name", "x[0] = y[1] * (y[2] + y[3])", lambda p: bind_expr(p, "y[2] + y[3]", "a"), "y[3]",
     "y[3]"),
    ("what comes first", "x[0] = y[1] + y[2]", lambda p: split_write(p, "x[_] = _"), "y[1]", "y[1]"),
    ("what is added then", "x[0] = y[1] + y[2]", lambda p: split_write(p, "x[_] = _"), "y[2]", "y[2]"),
    ("what was added then", "x[0] = y[1]\nx[0] += y[2]", lambda p: merge_writes(p, p.body()), "y[2]", "y[2]"),
    ("what was there before", "x[0] = y[1]\nx[0] += y[2]", lambda p: merge_writes(p, p.body()), "y[1]", "y[1]"),
    ("what is folded", "x[0] = x[0] + y[1]", lambda p: fold_into_reduce(p, "x[_] = _"), "y[1]", "y[1]"),
    ("what it is folded into", "x[0] = x[0] + y[1]", lambda p: fold_into_reduce(p, "x[_] = _"), "x[0] #0", None),
    ("a value that is put in", "a: f32\na = y[1] + y[2]\nx[0] = a", lambda p: inline_assign(p, "a = _"), "y[2]",
     "y[2]"),
    ("an index that is divided", TEMP, lambda p: divide_dim(p, "t", 1, 2), "t[i, j]", "t[i, _, _]"),
    ("an index beside one that is new", TEMP, lambda p: expand_dim(p, "t", 2, "0"), "x[i]", "x[i]"),
    ("an index that is part of another", TEMP, lambda p: mult_dim(p, "t", 0, 1), "t[i, j]", "t[_]"),
    ("where the second half ends", "for i in seq(0, n + 3):\n    x[i] = 0.0", lambda p: cut_loop(p, "i", 1), "n + 3",
     "n + 3"),
    ("where the joined loop ends", "for i in seq(0, 1):\n    x[i] = 0.0\nfor i in seq(1, n + 3):\n    x[i] = 0.0",
     lambda p: join_loops(p, "i", "i #1"), "n + 3", "n + 3"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[c[0] for c in CASES])
def test_a_cursor_goes_with_its_expression(case: Case) -> None:
    _, body, rewritten, pattern, there = case
    p = proc_from_source(HEAD + body.replace("\n", "\n    "))
    q = rewritten(p)
    assert q.forward(p.find(pattern)) == (GoneCursor(q) if there is None else q.find(there))  # type: ignore[arg-type]
