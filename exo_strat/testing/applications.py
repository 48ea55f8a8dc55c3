"""Random applications of primitives: at which targets, and after what.

Arguments are drawn by the annotations of a primitive's parameters (see `arguments`), mostly sensible ones; what else
there is to know is declared with the primitive (`Trial`). So a new primitive is tested without a word here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import reject
from hypothesis import strategies as st
from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, GapCursor, NodeCursor
from ..cursors.kinds import ForCursor
from ..cursors.proc import Proc
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC
from ..ops.strategy import Op
from ..primitives import PRIMITIVES, Primitive, PrimitiveForm, parallelize_loop, vectorize_loop
from .arguments import arguments
from .choices import Choices
from .forms import Form, near
from .suitable import SUITABLE
from .targets import targets

MEMORIES = (DRAM_STACK, DRAM_STATIC, DRAM)

MOST = 6
"""How many targets of one primitive in one procedure are tried."""


@st.composite
def cursors(draw: st.DrawFn, p: Proc) -> Cursor:
    """Cursors to any statement, expression, argument, block or gap of a procedure."""
    kinds: tuple[type[Cursor], ...] = (NodeCursor, BlockCursor, GapCursor)
    return draw(st.sampled_from([c for kind in kinds for c in targets(p, (kind,))]))


@st.composite
def ops(draw: st.DrawFn, p: Proc, names: Sequence[str] = ()) -> tuple[Op, Cursor]:
    """A primitive (one of those named, or any) with arguments, and a target for it in `p`. Many are refused."""
    ch = Choices(draw)
    op = PRIMITIVES[ch.pick(names or sorted(PRIMITIVES))]
    drawn = application(ch, p, op)
    return drawn or reject()


def application(ch: Choices, p: Proc, op: PrimitiveForm[...]) -> tuple[Op, Cursor] | None:
    """A primitive with arguments, and a target for it in a procedure, if there is any."""
    found = targets(p, op.spec.targets)
    if not found:
        return None
    c = ch.pick(found)
    return Primitive(op.spec, arguments(ch, op, c)), c


def applications(
    ch: Choices, p: Proc, op: PrimitiveForm[...], form: Form | None = None
) -> Iterator[tuple[Proc, Op, Cursor]]:
    """A primitive at its targets in a procedure, or in one made of it that suits the primitive better; given a form,
    only in one that has it, and mostly where it is."""
    p, chosen = prepared(ch, p, op)
    if form is not None:
        spots = list(form.spots(p.tree))
        mine = [c for c in chosen if near(c, spots)] if ch.chance(75) else []
        chosen = (mine or chosen) if spots else []
    for c in ch.some(chosen, MOST):
        yield p, Primitive(op.spec, arguments(ch, op, c)), c


def prepared(ch: Choices, p: Proc, op: PrimitiveForm[...]) -> tuple[Proc, list[Cursor]]:
    """The procedure, sometimes after other rewrites, and the targets of a primitive in it: see `Trial`."""
    trial = op.spec.trial
    if trial.undoes and (before := application(ch, p, PRIMITIVES[trial.undoes])) is not None:
        undone, c = before
        outcome = undone(p, c)
        if isinstance(outcome, Success):
            q, made = outcome.unwrap()
            return q, [made]
    for name, percent in trial.after:
        p = _after(ch, p, (name,), percent)
    p = in_parallel(ch, p) if ch.chance(20) else p
    p = _after(ch, p, sorted(PRIMITIVES), 30)
    found = targets(p, op.spec.targets)
    for words, percent in trial.at:
        if ch.chance(percent) and (few := [c for c in found if SUITABLE[words](c)]):
            return p, few
    return p, found


def _after(ch: Choices, p: Proc, names: Sequence[str], percent: int) -> Proc:
    """The procedure after a random rewrite, if one is drawn and succeeds."""
    drawn = application(ch, p, PRIMITIVES[ch.pick(names)]) if ch.chance(percent) else None
    outcome = drawn and drawn[0](p, drawn[1])
    return outcome.unwrap()[0] if isinstance(outcome, Success) else p


def in_parallel(ch: Choices, p: Proc) -> Proc:
    """The procedure with loops in parallel or as vectors, where they may be: the outermost first, and mostly not
    all."""
    for loop in targets(p, (ForCursor,))[:MOST]:
        if ch.chance(70):
            c = p.forward(loop)
            outcome = ch.pick([parallelize_loop(), parallelize_loop(), vectorize_loop()])(p, c)
            p = outcome.unwrap()[0] if isinstance(outcome, Success) else p
    return p
