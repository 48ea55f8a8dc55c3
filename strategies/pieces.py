"""Small strategies that the kernels share. Imports the root of `exo_strat` only."""

from __future__ import annotations

from collections.abc import Iterator

from returns.result import Success

from exo_strat import (
    CallCursor,
    Cursor,
    ForCursor,
    Machine,
    NotApplicable,
    Op,
    Proc,
    attempt,
    divide_loop,
    fail,
    focus,
    repeat_n,
    replace,
    seq,
    simplify,
    strategy,
    traversals,
    try_else,
    unroll_loop,
)

Script = Iterator[Op]


def on(target: Cursor, op: Op) -> Op:
    """`op` at a cursor; the focus is then what `op` returns."""
    return seq(focus(target), op)
