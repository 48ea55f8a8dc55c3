"""Where blocks and gaps go: a block goes on to cover all of its code, and what came in its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat import Proc, proc_from_source
from exo_strat.cursors.cursor import BlockCursor, GapCursor, GoneCursor
from exo_strat.direct import (
    add_loop,
    bind_expr,
    cut_loop,
    delete_pass,
    divide_loop,
    extract_subproc,
    fission,
    fuse,
    inline,
    join_loops,
    lift_alloc,
    merge_writes,
    remove_loop,
    reorder_loops,
    reorder_stmts,
    replace,
    simplify,
    sink_alloc,
    specialize,
    split_write,
    stage_mem,
    unroll_loop,
)
from exo_strat.ir.printing import print_lines

ZERO = proc_from_source("def zero(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
HEAD = "def foo(n: size, x: f32[n + 8], y: f32[n + 8]):\n"


def parsed(body: str) -> Proc:
    lines = "\n".join("    " + line for line in body.split("\n"))
    return proc_from_source(HEAD + lines, {"zero": ZERO})


def covered(q: Proc, c: object) -> str:
    """The statements of a block, as text."""
    assert isinstance(c, BlockCursor), "the block is gone"
    lines = [line.strip() for path, line in print_lines(q.tree) if path is not None and c.span.covers(path)]
    return "; ".join(lines)


CLEAR = "for i in seq(0, n):\n    x[i] = 0.0"
TWO = "for i in seq(0, 2):\n    x[i] = 0.0\ny[0] = 1.0"
NEST = "for i in seq(0, 4):\n    for j in seq(0, 4):\n        x[i + j] = 0.0\n    y[i] = 1.0"
TWINS = "for i in seq(0, 4):\n    x[i] = 0.0\nfor j in seq(0, 4):\n    y[j] = 1.0\ny[4] = 2.0"
HALVES = "for i in seq(0, 4):\n    x[i] = 0.0\nfor j in seq(4, 8):\n    x[j] = 0.0\ny[4] = 2.0"
TEMP = "for i in seq(0, 4):\n    a: f32\n    a = x[i]\n    y[i] = a"

# what it shows; a program; a rewrite; the block, as its first statement and how many follow; what it is then
Case = tuple[str, str, Callable[[Proc], Proc], str, int, str]
CASES: list[Case] = [
    ("a call in the place of the first", CLEAR + "\ny[0] = 1.0", lambda p: replace(p, "i", ZERO), "i", 1,
     "zero(n, x[0:n]); y[0] = 1.0"),
    ("a call in the place of the last", "y[0] = 1.0\n" + CLEAR, lambda p: replace(p, "i", ZERO), "y[_] = _", 1,
     "y[0] = 1.0; zero(n, x[0:n])"),
    ("a call in the place of all", CLEAR + "\ny[0] = 1.0", lambda p: replace(p, "i", ZERO), "i", 0,
     "zero(n, x[0:n])"),
    ("a call of a part of it and the statement before", "x[1] = 0.0\n" + TWO,
     lambda p: extract_subproc(p, p.body()[:2], "sub")[0], "i", 1, "sub(n, x); y[0] = 1.0"),
    ("a body in the place of a call", "zero(n, x[0:n])\ny[0] = 1.0", lambda p: inline(p, "zero(_)"), "zero(_)", 1,
     "for i in seq(0, n):; x[i] = 0.0; y[0] = 1.0"),
    ("the first is unrolled", TWO, lambda p: unroll_loop(p, "i"), "i", 1, "x[0] = 0.0; x[1] = 0.0; y[0] = 1.0"),
    ("all is unrolled", TWO, lambda p: unroll_loop(p, "i"), "i", 0, "x[0] = 0.0; x[1] = 0.0"),
    ("the body of what is unrolled", TWO, lambda p: unroll_loop(p, "i"), "x[_] = _", 0, "x[0] = 0.0"),
    ("the second half of a loop", CLEAR, lambda p: cut_loop(p, "i", 1), "i", 0,
     "for i in seq(0, 1):; x[i] = 0.0; for i in seq(1, n):; x[i] = 0.0"),
    ("the rest of a loop", CLEAR, lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="cut"), "i", 0,
     "for io in seq(0, n / 4):; for ii in seq(0, 4):; x[4 * io + ii] = 0.0; for ii in seq(0, n % 4):; "
     "x[4 * (n / 4) + ii] = 0.0"),
    ("a loop that is split", NEST, lambda p: fission(p, p.find_loop("j").after()), "i", 0,  # type: ignore[union-attr]
     "for i in seq(0, 4):; for j in seq(0, 4):; x[i + j] = 0.0; for i in seq(0, 4):; y[i] = 1.0"),
    ("a body that is split", NEST, lambda p: fission(p, p.find_loop("j").after()), "j", 1,  # type: ignore[union-attr]
     "for i in seq(0, 4):; for j in seq(0, 4):; x[i + j] = 0.0; for i in seq(0, 4):; y[i] = 1.0"),
    ("a loop that is fused into the one before", TWINS, lambda p: fuse(p, "i", "j"), "j", 1,
     "for i in seq(0, 4):; x[i] = 0.0; y[i] = 1.0; y[4] = 2.0"),
    ("a loop that is joined to the one before", HALVES, lambda p: join_loops(p, "i", "j"), "j", 1,
     "for i in seq(0, 8):; x[i] = 0.0; y[4] = 2.0"),
    ("a sum that is merged into a write", "x[0] = 1.0\nx[0] += 2.0\ny[0] = 1.0",
     lambda p: merge_writes(p, p.body()[:2]), "x[_] += _", 1, "x[0] = 1.0 + 2.0; y[0] = 1.0"),
    ("a write that is split", "x[0] = y[0] + y[1]", lambda p: split_write(p, "x[_] = _"), "x[_] = _", 0,
     "x[0] = y[0]; x[0] += y[1]"),
    ("a value that gets a name", "x[0] = y[0] + y[1]\ny[2] = 0.0", lambda p: bind_expr(p, "y[0]", "a"), "x[_] = _", 1,
     "a: f32 @ DRAM; a = y[0]; x[0] = a + y[1]; y[2] = 0.0"),
    ("loops that change places", NEST.replace("\n    y[i] = 1.0", ""), lambda p: reorder_loops(p, "i"), "i", 0,
     "for j in seq(0, 4):; for i in seq(0, 4):; x[i + j] = 0.0"),
    ("a statement that changes places with one outside", TWO + "\ny[1] = 2.0",
     lambda p: reorder_stmts(p, "y[0] = _", "y[1] = _"), "i", 1,
     "for i in seq(0, 2):; x[i] = 0.0; y[1] = 2.0; y[0] = 1.0"),
    ("the first is deleted", "pass\nx[0] = 1.0\ny[0] = 1.0", delete_pass, "pass", 1, "x[0] = 1.0"),
    ("the last is deleted", "x[0] = 1.0\npass\ny[0] = 1.0", delete_pass, "x[_] = _", 1, "x[0] = 1.0"),
    ("the first comes to a part of it", "if 0 < n:\n    x[0] = 1.0\ny[0] = 1.0", simplify, "if _: _", 1,
     "x[0] = 1.0; y[0] = 1.0"),
    ("the loop around the first goes", "for i in seq(0, 2):\n    x[0] = 1.0\ny[0] = 1.0",
     lambda p: remove_loop(p, "i"), "i", 1, "x[0] = 1.0; y[0] = 1.0"),
    ("a part of it is wrapped", "x[0] = 1.0\ny[0] = 1.0", lambda p: add_loop(p, "y[_] = _", "i", 2), "x[_] = _", 1,
     "x[0] = 1.0; for i in seq(0, 2):; y[0] = 1.0"),
    ("all of it is wrapped", "x[0] = 1.0\ny[0] = 1.0", lambda p: add_loop(p, p.body(), "i", 2), "x[_] = _", 1,
     "x[0] = 1.0; y[0] = 1.0"),
    ("code is copied", "x[0] = 1.0", lambda p: specialize(p, "x[_] = _", "n > 4"), "x[_] = _", 0,
     "if n > 4:; x[0] = 1.0; x[0] = 1.0"),
    ("the first moves out", TEMP, lambda p: lift_alloc(p, "a"), "a: _", 2,
     "a: f32 @ DRAM; for i in seq(0, 4):; a = x[i]; y[i] = a"),
    ("one in it moves out", TEMP, lambda p: lift_alloc(p, "a"), "i", 0,
     "a: f32 @ DRAM; for i in seq(0, 4):; a = x[i]; y[i] = a"),
    ("the first moves in", "a: f32\nfor i in seq(0, 4):\n    a = x[i]\n    y[i] = a", lambda p: sink_alloc(p, "a: _"),
     "a: _", 1, "for i in seq(0, 4):; a: f32 @ DRAM; a = x[i]; y[i] = a"),
    ("copies around it are no part of it", "x[0] = 1.0\nx[1] = 1.0", lambda p: stage_mem(p, p.body(), "x[0:2]", "t"),
     "x[_] = _", 1, "t[0] = 1.0; t[1] = 1.0"),
]  # fmt: skip


def block_at(p: Proc, first: str, more: int) -> BlockCursor:
    if first.isidentifier() and first != "pass":
        return p.find_loop(first).expand(0, more)  # type: ignore[union-attr, no-any-return]
    return p.find(first).expand(0, more)  # type: ignore[union-attr, no-any-return]


@pytest.mark.parametrize("case", CASES, ids=[c[0] for c in CASES])
def test_a_block_covers_its_code(case: Case) -> None:
    _, body, rewritten, first, more, text = case
    p = parsed(body)
    q = rewritten(p)
    assert covered(q, q.forward(block_at(p, first, more))) == text


def test_what_is_extracted_is_all_of_a_block() -> None:
    p = parsed(TWO)
    block = p.body()
    q, sub = extract_subproc(unroll_loop(p, "i"), block, "sub")
    assert len(q.body()) == 1 and len(sub.body()) == 3
    q, sub = extract_subproc(replace(p, "i", ZERO), block, "sub")
    assert len(q.body()) == 1 and len(sub.body()) == 2


def test_gaps_stand_beside_what_came() -> None:
    p = parsed(TWO)
    loop = p.find_loop("i")
    q = unroll_loop(p, "i")
    assert q.forward(loop.before()) == q.body()[0].before()  # type: ignore[union-attr]
    assert q.forward(loop.after()) == q.body()[1].after()  # type: ignore[union-attr]
    q = replace(p, "i", ZERO)
    for gap in (loop.before(), loop.after()):  # type: ignore[union-attr]
        there = q.forward(gap)
        assert isinstance(there, GapCursor) and there.anchor() == q.find("zero(_)") and there.is_after == gap.is_after


def test_what_is_deleted_with_nothing_in_its_place_is_gone() -> None:
    p = parsed("pass\nx[0] = 1.0")
    q, at = delete_pass(p), p.find("pass")
    for c in (at, at.as_block(), at.before(), at.after()):  # type: ignore[union-attr]
        assert q.forward(c) == GoneCursor(q)
