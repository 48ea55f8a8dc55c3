"""What is evaluated, under which conditions, and what of that may have no value.

A run traps where something is read that was never written, and where an operation on data has no value for its
operands. (Bounds, extents, assertions and aliasing are the static checks' affair.) So whoever evaluates what was not
evaluated before, or earlier, or under fewer conditions, must show that it has a value there.

An operator evaluates its operands, but `and` and `or` the second one only if the first does not decide, and
`a if c else b` the one that c says. A call
evaluates its arguments: of a place that it is passed only where that lies. What stands there is read if the callee
reads it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...ir.externs import (
    CONVERSIONS,
    DIVISIONS,
    SHIFTS,
    WRAPS,
    abs_,
    bitand,
    bitnot,
    bitor,
    bitxor,
    cos,
    erf,
    expf,
    fma,
    fmax,
    fmin,
    relu,
    rint,
    select,
    sigmoid,
    sin,
    tanh,
)
from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Arg,
    Binary,
    Call,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Select,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowExpr,
)
from ...ir.precisions import bits_of, precision
from ...ir.printing import names_at
from ...ir.span import Span
from ...ir.types import Type
from ...ir.walk import LOGICAL, Path, asked_at_entry, children, get, is_control, mentions, unknown_node, walk
from ..effects.accesses import Access, Buffer, block_accesses, windows_at
from ..effects.config_data import data_types
from ..effects.config_state import Conditions, values_at
from ..effects.contents import covered, readable
from ..effects.context import asked_first, env_of, facts_at, stable_facts
from ..effects.coverage import cover
from ..effects.dependence import SAFE, Clash, Given, Readiness, Undecided, buffer_name
from ..effects.same_value import Pair, place_of, same_value
from ..forms.formula import Formula, conj, disj, neg
from ..forms.translate import cond
from ..solver.proofs import prove

_TOTAL = (
    abs_, cos, erf, expf, fma, fmax, fmin, relu, rint, select, sigmoid, sin, tanh,
    bitand, bitnot, bitor, bitxor, *CONVERSIONS.values(), *WRAPS.values(),
)  # fmt: skip


# -- what is evaluated ----------------------------------------------------------------------------------


class Evaluation(NamedTuple):
    """A read, or an operation that has no value for some operands, and the conditions, asked by `and`, `or` and
    `a if c else b`, on which it is evaluated."""

    node: Expr
    given: Conditions = ()


def evaluations(n: Node, given: Conditions = ()) -> Iterator[Evaluation]:
    """What evaluating an expression comes to, or a statement without the blocks that it holds."""
    if isinstance(n, Binary) and n.op in LOGICAL:
        yield from evaluations(n.lhs, given)
        yield from evaluations(n.rhs, (*given, (n.lhs, n.op == "and")))
        return
    if isinstance(n, Select):
        yield from evaluations(n.cond, given)
        yield from evaluations(n.then, (*given, (n.cond, True)))
        yield from evaluations(n.other, (*given, (n.cond, False)))
        return
    if isinstance(n, Cell) and n.steady:  # the caller has initialised all of them
        for i in n.read.idx:
            yield from evaluations(i, given)
        return
    if not isinstance(n, _PLAIN):
        unknown_node(n, "which of its parts it evaluates")
    for part in _parts(n):
        yield from evaluations(part, given)
    if isinstance(n, (Read, ReadConfig)) or (isinstance(n, Expr) and undefined(n) is not None):
        yield Evaluation(n, given)


def _parts(n: Node) -> Iterator[Node]:
    """What a node evaluates for itself."""
    if isinstance(n, Call):
        yield from (e for a in n.args for e in argument_values(a))
        yield from _fields_asked_first(n.f.tree)
    else:
        yield from (c for (label, _), c in children(n) if label not in ("body", "orelse"))


def _fields_asked_first(tree: ProcDef) -> Iterator[ReadConfig]:
    """The config fields that a procedure asks before its body."""
    return (e for p in asked_at_entry(tree) for _, e in walk(p) if isinstance(e, ReadConfig))


def argument_values(actual: Expr) -> list[Expr]:
    """What a call evaluates of an argument, once: the value, or where the place lies that is passed."""
    match actual:
        case Read(idx=idx):
            return list(idx)
        case WindowExpr(idx=idx):
            return [e for d in idx for e in ((d.pt,) if isinstance(d, Point) else (d.lo, d.hi))]
        case _:
            return [actual]


def maybe_skipped(tree: ProcDef, stmt: Path, path: Path) -> bool:
    """Whether the statement at `stmt` may run without evaluating the expression at `path` that it holds, as that is
    the second part of an `and` or `or`, or a side of `a if c else b`."""
    above = ((get(tree, path[:n]), path[n][0]) for n in range(len(stmt), len(path)))
    return any(asked_first(n, label) is not None for n, label in above)


# -- what may have no value -----------------------------------------------------------------------------


def undefined(n: Node) -> str | None:
    """What an operation on data lacks for a value at some operands; None if it has one for all."""
    match n:
        case ExternCall(f=f, args=args) if f in DIVISIONS and isinstance(args[1], Const) and args[1].value != 0:
            return None
        case ExternCall(f=f) if not any(f is t for t in _TOTAL):
            return f"{f.shown} may have no value"
        case Binary(op="/", rhs=rhs) if not is_control(n) and not (isinstance(rhs, Const) and rhs.value != 0):
            return "it may divide by zero"
        case _ if isinstance(n, _DEFINED):
            return None
        case _:
            unknown_node(n, "whether it has a value for all operands")


_VALUES = (Var, Const, Read, ReadConfig, StrideExpr, WindowExpr, ViewExpr, Unary, Binary, ExternCall, Cell, Claim)
_AROUND = (Stmt, ProcDef, Arg, Interval, Point, Type)
_PLAIN = (*_VALUES, *_AROUND)
_DEFINED = (*_PLAIN, Select)


def has_value(tree: ProcDef, blk: Span, n: Node) -> Readiness:
    """Whether what an expression, or a statement itself, evaluates surely has a value wherever control reaches a run
    of statements, if it is in bounds there: what it reads was written by then, or the statements read it anyway
    before they change it; and its operations have values for all operands that they may get."""
    return _all(_exists(tree, blk, e) for e in evaluations(n))


def no_more(tree: ProcDef, stmt: Path, old: Sequence[Expr], new: Expr) -> Readiness:
    """Whether an expression in the statement at `stmt` has a value where others have one: all that it evaluates is
    evaluated there by one of `old`, whenever it is, or surely has a value."""
    given = [o for e in old for o in evaluations(e)]
    blk = Span(stmt[:-1], stmt[-1][0], stmt[-1][1] or 0, (stmt[-1][1] or 0) + 1)
    return _all(_exists(tree, blk, e) for e in evaluations(new) if not _also(tree, stmt, e, given))


def _all(answers: Iterable[Readiness]) -> Readiness:
    """The first that is refused, or what all together need."""
    needs: set[Sym] = set()
    for answer in answers:
        if isinstance(answer, Given):
            needs |= answer.needs
        elif not answer:
            return answer
    return Given(frozenset(needs)) if needs else SAFE


def _also(tree: ProcDef, stmt: Path, e: Evaluation, others: Sequence[Evaluation]) -> bool:
    """Whether whenever something is evaluated, some of others is, too, that has the same value."""
    found = [o for o in others if _same(tree, stmt, e.node, o.node)]
    if any(set(o.given) <= set(e.given) for o in found):
        return True
    goal = disj(*(_asked(tree, o.given) for o in found))
    facts = (*facts_at(tree, stmt), _asked(tree, e.given))
    return bool(found) and bool(prove(facts, goal, "what is evaluated was evaluated before"))


def _same(tree: ProcDef, stmt: Path, x: Expr, y: Expr) -> bool:
    return x == y or (type(x) is type(y) and same_value(Pair(tree, facts_at(tree, stmt), lambda _: True), x, y))


def _asked(tree: ProcDef, given: Conditions) -> Formula:
    env = env_of(tree)
    return conj(*(cond(e, env) if truth else neg(cond(e, env)) for e, truth in given))


def _exists(tree: ProcDef, blk: Span, e: Evaluation) -> Readiness:
    """Whether what is evaluated before a run of statements surely has a value there."""
    if isinstance(e.node, Read | ReadConfig):
        return _written(tree, blk, e)
    first = () if blk.lo == blk.hi else evaluations(blk.members(tree)[0])
    if any(o.node == e.node and set(o.given) <= set(e.given) for o in first):
        return SAFE
    if _is_in_width(tree, e.node):
        return SAFE
    if not isinstance(e.node, Binary):
        return Clash(f"{e.node.f.shown if isinstance(e.node, ExternCall) else 'the expression'} surely has a value")
    divisor = e.node.rhs
    if any(_excludes_zero(c, truth, divisor) for c, truth in e.given):
        return SAFE
    return Clash("the expression surely has a value: it does not divide by zero")


def _is_in_width(tree: ProcDef, e: Node) -> bool:
    """Whether an expression is a shift by a literal that the precision has bits for."""
    if not isinstance(e, ExternCall) or e.f not in SHIFTS or not isinstance(by := e.args[1], Const):
        return False
    return 0 <= by.value < bits_of(precision(e, data_types(tree)))


_AT_ZERO: Mapping[str, Callable[[float, float], bool]] = {
    "!=": operator.ne, "==": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_FALSE = {"!=": "==", "==": "!=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _excludes_zero(c: Expr, truth: bool, e: Expr) -> bool:
    """Whether a condition that is `truth` says that a data expression is not zero."""
    match c:
        case Unary(op="not", arg=x):
            return _excludes_zero(x, not truth, e)
        case Binary(op=op, lhs=x, rhs=y) if op == ("and" if truth else "or"):
            return _excludes_zero(x, truth, e) or _excludes_zero(y, truth, e)
        case Binary(op=op, lhs=x, rhs=Const(value=v)) if op in _AT_ZERO and x == e:
            return not _AT_ZERO[op if truth else _FALSE[op]](0, v)
        case Binary(op=op, lhs=Const(value=v), rhs=x) if op in _AT_ZERO and x == e:
            return not _AT_ZERO[op if truth else _FALSE[op]](v, 0)
        case _:
            return False


# -- reads ----------------------------------------------------------------------------------------------


def _written(tree: ProcDef, blk: Span, e: Evaluation) -> Readiness:
    """Whether what is read before a run of statements was written, or is read by them anyway."""
    assert isinstance(e.node, Read | ReadConfig)
    guard = conj(*(f for c, truth in e.given for f in stable_facts(c, env_of(tree), truth)))
    read = place_of(tree, e.node)
    if isinstance(e.node, ReadConfig) and _is_set(tree, blk.path(), e.node):
        return SAFE
    verdict = readable(tree, blk, [read.placed((), (), guard)])
    if verdict or isinstance(verdict, Given):
        return verdict
    what = f"{buffer_name(read.buffer, names_at(tree))}, which the expression reads, is surely written before"
    return replace(verdict, obligation=what)


def _is_set(tree: ProcDef, path: Path, field: ReadConfig) -> bool:
    """Whether a config field is known, or was evaluated by what led to a place."""
    return field in values_at(tree, path) or field in _fields_asked(tree, path)


def _fields_asked(tree: ProcDef, path: Path) -> frozenset[ReadConfig]:
    """The config fields that extents and assertions, and the conditions and bounds around a place, have surely read."""
    asked: list[Node] = list(asked_at_entry(tree))
    for n in range(1, len(path)):
        around = get(tree, path[:n])
        if isinstance(around, For | If) and path[n][0] in ("body", "orelse"):
            asked.append(around)
    found = (e for n in asked for e in evaluations(n) if not e.given)
    return frozenset(e.node for e in found if isinstance(e.node, ReadConfig))


# -- calls ----------------------------------------------------------------------------------------------


@memo_by_identity
def partial(tree: ProcDef) -> str | None:
    """Why a procedure may trap though its arguments are initialised; None if it surely does not."""
    for path, n in walk(tree):
        if (lack := undefined(n)) is not None and not _is_in_width(tree, n):
            return lack
        match n:
            case ReadConfig(config=c, field=f) if path[0][0] == "body" and n not in _fields_asked(tree, path):
                return f"{c.name}.{f} may not be set"
            case Call(f=callee):
                unset = (e for e in _fields_asked_first(callee.tree) if e not in _fields_asked(tree, path))
                why = partial(callee.tree) or next((f"{e.config.name}.{e.field} may not be set" for e in unset), None)
                if why is not None:
                    return why
            case Alloc(sym=s) if not _written_first(tree, path, s):
                return f"{s.name} may be read before it is written"
            case _:
                pass
    return None


def reads_own(tree: ProcDef) -> bool:
    """Whether all that a procedure allocates is read only where it was written."""
    return all(_written_first(tree, path, n.sym) for path, n in walk(tree) if isinstance(n, Alloc))


def _written_first(tree: ProcDef, path: Path, sym: Sym) -> bool:
    """Whether the buffer allocated at `path` is read only where it was written."""
    label, k = path[-1]
    assert k is not None
    scope = Span(path[:-1], label, k + 1, len(getattr(get(tree, path[:-1]), label)))
    return scope.lo == scope.hi or bool(covered(tree, scope, sym))


def runs(tree: ProcDef, blk: Span, call: Call) -> Readiness:
    """Whether the call, which may stand right before a run of statements, or in the place of the first, surely runs
    to its end."""
    callee = call.f.tree
    why = partial(callee)
    if why is not None:
        return Clash(f"{callee.name} surely runs to its end ({why})")
    return arguments_ready(tree, blk, call, frozenset(a.sym for a in callee.args))


def arguments_ready(tree: ProcDef, blk: Span, call: Call, formals: frozenset[Sym]) -> Readiness:
    """Whether all that a call reads of the buffers that it gets by some arguments, before it writes it, is initialised
    right before a run of statements, where the call is to stand; or is read by the statements themselves."""
    callee, views = call.f.tree, windows_at(tree, blk.path())
    body = Span((), "body", 0, len(callee.body))
    asserted = frozenset[Sym]().union(*map(mentions, callee.preds))
    bases: set[Buffer] = set()
    for formal, actual in zip(callee.args, call.args, strict=True):
        if formal.sym not in formals or not isinstance(actual, Read | WindowExpr):
            continue
        if formal.sym in asserted or not covered(callee, body, formal.sym):
            bases.add(_base(actual.sym, views))
    if not bases:
        return SAFE
    found = [a for a in block_accesses([call], views) if a.buffer in bases]
    facts, writes = facts_at(tree, blk.path()), [a for a in found if a.kind == "W"]
    needs: set[Sym] = set()
    for read in reversed(found):  # code for what is left over, of which least is known, comes last
        # if the caller's caller is asked about an argument, so it is about all of it
        if not read.reads or read.buffer in needs or cover(tree, facts, read, writes, "the call writes it first"):
            continue
        verdict = _ready_for(tree, blk, read, callee.name)
        if isinstance(verdict, Given):
            needs |= verdict.needs
        elif not verdict:
            return verdict
    return Given(frozenset(needs)) if needs else SAFE


def _ready_for(tree: ProcDef, blk: Span, read: Access, callee: str) -> Readiness:
    """Whether what a callee reads is there."""
    verdict = readable(tree, blk, [read])
    if verdict or isinstance(verdict, Given):
        return verdict
    what = f"{buffer_name(read.buffer, names_at(tree))}, which {callee} reads, is initialised"
    return Undecided(what) if isinstance(verdict, Undecided) else Clash(what)


def _base(sym: Sym, views: Mapping[Sym, WindowExpr | ViewExpr]) -> Sym:
    """The buffer that a window views."""
    while sym in views:
        sym = views[sym].sym
    return sym
