"""Halide's references: a stage is the buffer it writes, a loop the pair of stage and name.

A name finds what stands there now: a loop by its own name or by the one it prints with. Of several loops of one name
around what a stage writes, the innermost of the last nest is meant: what comes before it is a head that a sliding
window starts with, or a loop of another stage around this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolz import concat, unique

from exo_strat import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BlockCursor,
    CallCursor,
    ForCursor,
    IfCursor,
    InvalidCursorError,
    Proc,
    ReduceCursor,
    StmtCursor,
    Sym,
    forms,
    nodes,
)

from ..inspect import declaration, enclosing_loops, enclosing_scopes, statements, symbol, symbols_read, symbols_written

Write = AssignCursor | ReduceCursor


def stage_symbol(p: Proc, stage: str) -> Sym:
    """The buffer of a stage. Raises `InvalidCursorError` if there is none of this name."""
    try:
        return symbol(p.root(), stage)
    except InvalidCursorError:
        written = (s for s in statements(p.root()) if isinstance(s, AssignCursor | ReduceCursor))
        stages = ", ".join(unique(s.sym.name for s in written))
        raise InvalidCursorError(f"there is no stage {stage}: the stages are {stages}") from None


def writes(p: Proc, stage: str) -> tuple[Write, ...]:
    """The statements that write a stage, in textual order, also where a cut loop left it a second buffer.

    Raises `InvalidCursorError` if there are none.
    """
    name = stage_symbol(p, stage).name
    found = tuple(s for s in statements(p.root()) if isinstance(s, AssignCursor | ReduceCursor) and s.sym.name == name)
    if not found:
        raise InvalidCursorError(f"nothing computes {stage}: it is an input, or its value was put in where it is used")
    return found


def has_name(loop: ForCursor, name: str) -> bool:
    """Whether a loop is called so, or prints so."""
    return name in (loop.name(), loop.sym.name)


def stage_loops(p: Proc, stage: str, name: str) -> tuple[ForCursor, ...]:
    """All loops of a name around what a stage writes: of each statement the innermost, in textual order."""
    found: dict[tuple[object, ...], ForCursor] = {}
    around: dict[str, None] = {}
    for s in writes(p, stage):
        loops = enclosing_loops(s)
        around |= {x.name(): None for x in loops}
        named = [x for x in loops if has_name(x, name)]
        found |= {named[-1].path: named[-1]} if named else {}
    if not found:
        known = ", ".join(around) or "none at all"
        raise InvalidCursorError(f"{stage} has no loop {name}: its loops are {known}")
    return tuple(found.values())


def own_loops(p: Proc, stage: str, name: str) -> tuple[ForCursor, ...]:
    """Those of `stage_loops` that are the stage's own, not of another stage for which it is computed there.

    Raises `InvalidCursorError` if all are another stage's: what is done to them would be done to that stage.
    """
    found = stage_loops(p, stage, name)
    if own := tuple(x for x in found if owner(x, stage) is None):
        return own
    around = unique(concat(map(enclosing_loops, writes(p, stage))))
    known = list(unique(x.name() for x in around if owner(x, stage) is None))
    mine = f"{stage}'s own loops are {', '.join(known)}" if known else f"{stage} has no loop of its own"
    raise InvalidCursorError(f"{name} is a loop of {owner(found[-1], stage)}, in which {stage} is computed; {mine}")


def owner(loop: ForCursor, stage: str) -> str | None:
    """The other stage whose loop this is: the last to be written in it, if the stage is used there before that."""
    name = stage_symbol(loop.proc, stage).name
    steps = [s for s in statements(loop) if isinstance(s, AssignCursor | ReduceCursor | CallCursor)]
    last = [s.name for s in symbols_written(steps[-1])] if steps else []
    others = (s for s in steps if name not in [x.name for x in symbols_written(s)])
    used = any(name in [x.name for x in symbols_read(s)] for s in others)
    return last[0] if last and name not in last and used else None


def stage_loop(p: Proc, stage: str, name: str) -> ForCursor:
    """The loop of a name around what a stage writes: the deepest, of these the last."""
    return _deepest(stage_loops(p, stage, name))


def own_loop(p: Proc, stage: str, name: str) -> ForCursor:
    """The same of the stage's own loops."""
    return _deepest(own_loops(p, stage, name))


def _deepest(loops: tuple[ForCursor, ...]) -> ForCursor:
    return max(enumerate(loops), key=lambda x: (len(enclosing_loops(x[1])), x[0]))[1]


def check_place(p: Proc, stage: str, consumer: str, loop: str) -> None:
    """Raises `InvalidCursorError` if there is no such stage to be computed, or no such loop of a consumer."""
    writes(p, stage)
    stage_loop(p, consumer, loop)


def last_write(p: Proc, stage: str, loop: ForCursor) -> Write:
    """The last statement in a loop that writes the stage."""
    return next(s for s in reversed(writes(p, stage)) if is_inside(s, loop))


def storage(p: Proc, stage: str) -> AllocCursor:
    """Where a stage's buffer is allocated. Raises `InvalidCursorError` for an argument, which the caller holds."""
    found = declaration(writes(p, stage)[-1], stage_symbol(p, stage))
    if isinstance(found, ArgCursor) or not isinstance(found, AllocCursor):
        raise InvalidCursorError(f"{stage} is not held in a buffer of this procedure, but passed to it")
    return found


def is_inside(s: StmtCursor, scope: StmtCursor) -> bool:
    """Whether a statement is in a scope of the same procedure."""
    return len(s.path) > len(scope.path) and s.path[: len(scope.path)] == scope.path


def scope_of(s: StmtCursor) -> ForCursor | IfCursor | None:
    """The loop or branch that a statement is in; None at the top of the procedure."""
    return (None, *enclosing_scopes(s))[-1]


def siblings(s: StmtCursor) -> BlockCursor:
    """The block that a statement is in."""
    return s.expand(None, None)


def form(e: nodes.Expr) -> forms.Lin | None:
    """An integer expression as an affine form of what is in scope."""
    return forms.affine(e)


def factor(x: forms.Lin | None, loop: ForCursor) -> int:
    """By how much a form grows with each iteration of a loop."""
    return 0 if x is None else x.coefficient(forms.V(loop.sym))


@dataclass(frozen=True)
class Axis:
    """A loop that counts along one dimension of a stage: index `dim` of what it writes is `iteration + offset`."""

    loop: ForCursor
    dim: int
    factor: int
    offset: forms.Lin


def axes(s: Write, dim: int, within: StmtCursor) -> tuple[Axis, ...]:
    """The loops at or below `within` with which an index of what is written moves, the outermost first."""
    x = form(s.idx()[dim].node)
    loops = [y for y in enclosing_loops(s) if y == within or is_inside(y, within)]
    moving = [y for y in loops if factor(x, y)]
    assert x is not None or not moving
    if x is None:
        return ()
    return tuple(Axis(y, dim, factor(x, y), forms.subst_lin(x, {forms.V(y.sym): forms.Lin(0)})) for y in moving)
