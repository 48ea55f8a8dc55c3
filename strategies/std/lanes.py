"""Loops over vector lanes for which no instruction was found."""

from __future__ import annotations

import warnings
from inspect import currentframe
from typing import TypeAlias

from toolz import unique

from exo_strat import (
    AssignCursor,
    Cursor,
    ForCursor,
    IfCursor,
    Memory,
    Proc,
    ReduceCursor,
    Script,
    Sym,
    Tensor,
    attempt,
    declarators,
    fail,
    identity,
    mentions,
    names_at,
    nodes,
    on,
    print_stmt,
    strategy,
    traversals,
    walk,
)

from ..inspect import enclosing_loop, enclosing_scopes, statements
from .writing import text

Update: TypeAlias = AssignCursor | ReduceCursor
OURS = ("exo_strat", "strategies")
"""The packages through which a plan is applied."""


class NoInstructionWarning(UserWarning):
    """A loop over the lanes of a vector was left as a loop, as no instruction of the machine does what it computes. C
    can be made of it if the lanes are in memory. If they are in vector registers, the backend refuses it: only
    instructions write those.

    >>> issubclass(NoInstructionWarning, UserWarning)
    True
    """


@strategy
def check_lanes(p: Proc, c: Cursor, memory: Memory, strict: bool = False) -> Script:
    """`s  ~>  s`: warn of loops over the lanes of a buffer in `memory` that were not replaced by an instruction.

    All such loops at and below the focus are named in one `NoInstructionWarning`, and `explain` shows them. With
    `strict`, the strategy fails at the first of them instead. Loops that were unrolled are not found. Focus: any code
    after it was vectorised; it is returned.

    >>> from exo_strat import DRAM_STACK, proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     v: f32[8] @ DRAM_STACK
    ...     for l in seq(0, 8):
    ...         v[l] = expf(x[l])
    ... ''')
    >>> print(check_lanes(DRAM_STACK, strict=True)(p).failure().message)
    no instruction computes `v[l] = expf(x[l])`: a loop over lanes of DRAM_STACK is left
    """
    found = by_lanes(c, memory)
    left = tuple(unique(map(_shown, found)))
    named, loops = ",\n    ".join(left), "a loop" if len(left) == 1 else "for each a loop"
    message = f"no instruction computes {named}: {loops} over lanes of {memory} is left"
    if found and strict:
        yield on(enclosing_loop(found[0]), fail(message))
    for update in unique(found, key=_shown):  # what `explain` shows
        yield attempt(on(enclosing_loop(update), fail(f"no instruction computes {_shown(update)}")))
    if found:
        warnings.warn(f"{message}. {_advice(found)}", NoInstructionWarning, stacklevel=levels_out())
    yield identity
    return c


def by_lanes(c: Cursor, memory: Memory) -> list[Update]:
    """The assignments to and from registers that loops at and below a cursor make themselves, one lane at a time."""
    registers = {n.sym for n in declarators(c.proc.tree) if isinstance(n, nodes.Alloc) and n.mem == memory}
    block = c.as_block() if isinstance(c, ForCursor) else c
    inside = (s for loop in traversals.inner_loops(block) if isinstance(loop, ForCursor) for s in statements(loop))
    found = (s for s in inside if isinstance(s, AssignCursor | ReduceCursor))
    return [s for s in found if not mentions(s.node).isdisjoint(registers)]


def _condition(s: Update) -> IfCursor | None:
    """The `if` right around a statement, in a loop over lanes."""
    around = enclosing_scopes(s)[-1]
    return around if isinstance(around, IfCursor) else None


def _shown(s: Update) -> str:
    """A statement, and the condition on which it is done: there may be an instruction for one without the other."""
    branch = _condition(s)
    assert isinstance(s.node, nodes.Assign | nodes.Reduce)
    shown = f"`{print_stmt(s.node, names_at(s.proc.tree))}`"
    if branch is None:
        return shown
    return f"{shown} under `if {text(branch.cond())}`"


def _advice(left: list[Update]) -> str:
    """What to do about it."""
    conditions = [branch.cond().node for s in left if (branch := _condition(s)) is not None]
    on_data = [any(isinstance(n, nodes.Read) for _, n in walk(e)) for e in conditions]
    apart = _maybe_apart(left)
    ways = ["put what has none in a loop of its own (fission, std.stage_expr)"]
    if apart:
        ways.insert(0, f"instructions take contiguous elements: `assert {' and '.join(apart)}`, if they are")
    if any(on_data):
        ways.append("instructions choose between two values: `evaluate_both` at the `if` on data says why it stays")
    if any(isinstance(n, nodes.Select) for s in left for _, n in walk(s.node)):
        ways.append("cut the loop where the condition of `a if c else b` changes (cut_loop, simplify)")
    if not all(on_data):
        ways.append("take tail='cut', which needs no mask")
    said = f"{'; '.join(ways)}; with strict=True the plan fails instead"
    return said[0].upper() + said[1:]


def _maybe_apart(left: list[Update]) -> list[str]:
    """Of the windows that the procedure is handed and these statements use: that their elements are contiguous, where
    no assertion speaks of it."""
    p = left[0].proc
    asked = {(n.sym, n.dim) for e in p.tree.preds for _, n in walk(e) if isinstance(n, nodes.StrideExpr)}
    used = frozenset[Sym]().union(*(mentions(s.node) for s in left))
    windows = ((a.sym, len(a.type.shape) - 1) for a in p.tree.args if isinstance(a.type, Tensor) and a.type.window)
    names = names_at(p.tree)
    return [f"stride({names[x]}, {d}) == 1" for x, d in windows if x in used and (x, d) not in asked]


def levels_out() -> int:
    """How many calls up the first one is that is not of these packages: whoever applied the plan."""
    here = currentframe()
    frame, levels = here and here.f_back, 1
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in OURS:
        frame, levels = frame.f_back, levels + 1
    return levels
