"""Simplification (paper, appendix A.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

from ..cursors.cursor import ExprCursor, ProcCursor, StmtCursor
from ..cursors.kinds import ForCursor, IfCursor, SelectCursor
from ..cursors.rewrite import Rewrite
from ..frontend.exprs import parse_data
from ..frontend.precisions import precision_at, put_at
from ..frontend.scope import scope_at, types_at
from ..ir import build as b
from ..ir.difference import where_apart
from ..ir.externs import ExternFn
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import (
    Assign,
    Binary,
    Call,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Node,
    Pass,
    ProcDef,
    Read,
    Reduce,
    Select,
    Stmt,
    Unary,
    Var,
    ViewExpr,
    WindowExpr,
)
from ..ir.numbers import is_number
from ..ir.precisions import element, index_value, precision
from ..ir.reductions import NEUTRAL
from ..ir.span import Span
from ..ir.types import Scalar, Type, bool_
from ..ir.walk import Path, Step, children, get, get_stmt, is_bool, is_control, parts, put, walk
from ..logic.forms import Env, is_opaque, le, lin, trip_count
from ..logic.questions import (
    Facts,
    affine_normal,
    asked_first,
    branches,
    env_of,
    evaluation,
    facts_after,
    facts_at,
    facts_given,
    facts_inside,
    held_in,
    known_truth,
    normalize_expr,
    prove,
    safety,
)
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.references import ExprLike, expr_arg, in_scope_at, ref
from .helpers.refusing import applicable, argument, require
from .helpers.scoping import no_new_races, ready
from .helpers.wellformed import in_bounds, well_formed, well_formed_at

__all__ = ["eliminate_dead_code", "rewrite_expr", "simplify"]

BLOCKS = ("body", "orelse")


@primitive(
    "A.6",
    same_values=True,
    cursors={
        "target": "stay, replaced, gone",
        "inside": "stay, replaced, gone",
        "elsewhere": "stay, replaced, gone",
        "values inside": "stay, replaced, gone, lost",
        "values elsewhere": "stay, replaced, gone, lost",
    },
    by_form=True,
    total=True,
    trial=Trial(chains="seldom"),
)
def simplify(rw: Rewrite, target: ProcCursor | StmtCursor) -> Where:
    """Control expressions in normal form, decided branches and empty loops resolved, `0` and `1` dropped from data.

    Acts on the whole procedure, or on the statement in focus. What is decided is decided by the assertions,
    loop ranges and conditions around the place; so is `a if c else b`. Loops and branches that do nothing
    go. Data values are numbers: `0.0 * e` is `0.0`, and what is not needed is not evaluated. A value that is
    passed to a call is not turned into a variable, which would be passed by reference. An assignment converts, so
    `x = f64(e)` of an f64 is `x = e`. Idempotent. Never fails.
    Returns the target, or the procedure if that is gone.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[64 * n]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 64 * io + 64 - 64 * io):
    ...             if (64 * io + ii) / 64 < n:
    ...                 x[64 * ((64 * io + ii) / 64) + ii % 64] = 1.0 * x[ii] + 0.0
    ... ''')
    >>> print(simplify.direct(p, p.root()))
    def foo(n: size, x: f32[64 * n] @ DRAM):
        for io in seq(0, n):
            for ii in seq(0, 64):
                x[64 * io + ii] = x[ii]
    """
    tree = rw.proc.tree
    run = _Simplification(rw, tree, env_of(tree))
    known = facts_at(tree, target.path)
    if target.path:
        run.statement(target.path, target.path, known)
    else:
        run.block((), (), "body", known)
    return None


@dataclass(frozen=True)
class _Simplification:
    """One run over a procedure. A place has two paths: `old` in the tree that there was, whose facts still
    hold and are known already, and `now` in the tree as it stands. Blocks are done from their end, so that
    what is still to be done keeps its place."""

    rw: Rewrite
    tree: ProcDef
    env: Env

    def block(self, old: Path, now: Path, label: str, known: Facts) -> None:
        """Simplify the statements of a block, and drop the `pass`es that it does not need."""
        stmts: Sequence[Stmt] = getattr(get(self.tree, old), label)
        facts = [known]
        for s in stmts:
            facts.append(facts_after(facts[-1], s))
        for i in reversed(range(len(stmts))):
            self.statement((*old, (label, i)), (*now, (label, i)), facts[i])
        left: Sequence[Stmt] = getattr(get(self.rw.tree, now), label)
        passes = [i for i, s in enumerate(left) if isinstance(s, Pass)]
        if label == "body" and len(passes) == len(left):
            passes = passes[1:]
        for i in reversed(passes):
            self.rw.delete(Span(now, label, i, i + 1))

    def statement(self, old: Path, now: Path, known: Facts) -> None:
        """Simplify a statement and all that is in it, where some facts are known."""
        s = get_stmt(self.tree, old)
        if known in _settled(s) or (isinstance(s, For) and _is_simple(s)):
            return
        edits = len(self.rw.edits)
        self._resolve(s, old, now, known)
        if len(self.rw.edits) == edits:
            _settled(s).add(known)

    def _resolve(self, s: Stmt, old: Path, now: Path, known: Facts) -> None:
        """Simplify a statement, or put what it comes to in its place."""
        if isinstance(s, If) and self._choose(s, old, now, known):
            return
        if isinstance(s, For) and self._never_runs(s, known):
            self.rw.replace(now, Pass())
            return
        self.own_parts(s, old, now, known)
        if isinstance(s, For | If):
            for label in BLOCKS[: 1 if isinstance(s, For) else 2]:
                self.block(old, now, label, facts_inside(known, s, label, self.env))
        if _does_nothing(get(self.rw.tree, now)):
            self.rw.replace(now, Pass())

    def _never_runs(self, s: For, known: Facts) -> bool:
        n = trip_count(s)
        if n is not None:
            return n <= 0
        if is_opaque(s.lo) or is_opaque(s.hi):
            return False
        empty = le(lin(s.hi, self.env), lin(s.lo, self.env))
        return bool(prove(known, empty, "the loop never runs"))

    def _choose(self, s: If, old: Path, now: Path, known: Facts) -> bool:
        """Replace an `if` whose condition is known by its branch."""
        if known in _settled(s.cond):
            return False
        truth = self._truth(s.cond, known)
        if truth is None:
            return False
        label = "body" if truth else "orelse"
        if not getattr(s, label):
            self.rw.replace(now, Pass())
            return True
        branch = self.rw.unwrap(now, label)
        for i in reversed(range(branch.hi - branch.lo)):
            at = (*old, (label, i))
            self.statement(at, branch.path(i), facts_at(self.tree, at))
        return True

    def _truth(self, condition: Expr, known: Facts) -> bool | None:
        """Whether a condition is true or false where some facts are known; None if that is not decided."""
        truth = known_truth(condition, known, self.env)
        if truth is not None or not is_opaque(condition):
            return truth
        normal = normalize_expr(condition, known, self.env)  # a part that does not read data may decide the whole
        return bool(normal.value) if isinstance(normal, Const) else None

    def own_parts(self, s: Stmt, old: Path, now: Path, known: Facts) -> None:
        """Simplify the expressions, windows and types of a statement, which is one edit."""
        new, changed = s, list[Path]()
        for step, e in heads(s):
            done = _settled(e) if isinstance(s, If) else set()
            if known in done:
                continue
            simple = self.expression(e, _Spot(old, known), (step,), changed, isinstance(s, Call))
            if isinstance(s, Assign) and step[0] == "rhs" and (bare := self._stored(s, simple, old)) is not simple:
                changed.append((step,))
                simple = bare
            if simple is e:
                done.add(known)
            else:
                new = put(new, step, simple)
        if new is not s:
            self.rw.replace(now, new, [label for label, _ in s.CHILDREN], changed)

    def _stored(self, s: Assign, e: Node, old: Path) -> Node:
        """A value that is assigned, less the conversions that the assignment does: `x = f64(e)` of an f64."""
        types = types_at(self.tree, old)
        while (
            isinstance(e, ExternCall)
            and e.f.converts
            and e.f.result == element(types[s.sym]).name
            and index_value(e) is None
            and precision(e.args[0], types) is not None
        ):
            e = e.args[0]
        return e

    def expression(self, e: Node, spot: _Spot, at: Path, changed: list[Path], passed: bool = False) -> Node:
        """An expression, window or type of the statement at a spot, simplified. `at` is its place in the statement;
        the places that something else stands at are added to `changed`. `passed`: it is a call's argument."""
        if not e.CHILDREN:
            return e
        if isinstance(e, _OPERATORS) and is_control(e):
            normal = affine_normal(e) or normalize_expr(e, spot.known, self.env)
            if normal is not e:
                changed.append(at)
            if not is_opaque(normal):
                return normal
            e = normal
        for step, c in children(e):
            asked = asked_first(e, step[0]) if isinstance(e, Select) else None
            where = spot if asked is None else spot._replace(known=facts_given(spot.known, *asked, self.env))
            simple = self.expression(c, where, (*at, step), changed) if c.CHILDREN else c
            if simple is not c:
                e = put(e, step, simple)
        shorter = self._decided(e, spot.known) if isinstance(e, Select) else _shorter(e)
        if shorter is None or (passed and isinstance(shorter, Read)):
            return e
        changed.append(at)
        types = types_at(self.tree, spot.path)
        own = precision(e, types)
        return shorter if own is None else put_at(self.tree, (*spot.path, *at), shorter, own, types)

    def _decided(self, e: Select, known: Facts) -> Expr | None:
        """The side of a choice that is taken where some facts are known; None if that is not decided."""
        truth = self._truth(e.cond, known)
        return None if truth is None else e.then if truth else e.other


class _Spot(NamedTuple):
    """A statement of the tree that there was, and what is known there."""

    path: Path
    known: Facts


@memo_by_identity
def _settled(n: Node) -> set[Facts]:
    """What was known where there was nothing to simplify in a statement, or in an expression of one. It depends on
    nothing else: no variable is ever of another type."""
    return set()


def heads(s: Stmt) -> Iterator[tuple[Step, Node]]:
    """The expressions, windows and types of a statement itself, with their steps."""
    if isinstance(s, For | If):
        return iter(((label, None), getattr(s, label)) for label, _ in s.CHILDREN if label not in BLOCKS)
    return children(s)


def _does_nothing(s: Node) -> bool:
    """Whether a statement is a loop or branch around nothing, or accumulates nothing."""
    match s:
        case For(body=body):
            return all(isinstance(c, Pass) for c in body)
        case If(body=body, orelse=orelse):
            return all(isinstance(c, Pass) for c in (*body, *orelse))
        case Reduce(op=op, rhs=rhs) if op in NEUTRAL:
            return _is(rhs, NEUTRAL[op])
        case _:
            return False


def _is(e: Node, value: float) -> bool:
    return isinstance(e, Const) and isinstance(e.type, Scalar) and e.value == value


def _shorter(e: Node) -> Expr | None:
    """A data expression without a neutral or absorbing constant, if it has one."""
    if not isinstance(e, Binary) or is_control(e):
        return None
    x, y = e.lhs, e.rhs
    if e.op == "+":
        return y if _is(x, 0) else x if _is(y, 0) else None
    if e.op == "*":
        if _is(x, 0) or _is(y, 0):
            return b.data(0.0)
        return y if _is(x, 1) else x if _is(y, 1) else None
    neutral = {"-": 0, "/": 1}.get(e.op)
    return x if neutral is not None and _is(y, neutral) else None


@memo_by_identity
def _is_simple(s: Stmt) -> bool:
    """Whether there is surely nothing to simplify in a statement: no operator, branch or `pass`, and no loop that
    may not run."""
    match s:
        case If() | Pass():
            return False
        case For(lo=lo, hi=hi, body=body):
            runs = _is_plain(lo) and _is_plain(hi) and (trip_count(s) or 0) > 0
            return runs and all(map(_is_simple, body))
        case Assign(rhs=ExternCall(f=ExternFn(result=str()))):
            return False
        case _:
            return all(map(_is_plain, parts(s))) and not _does_nothing(s)


def _is_plain(e: Node) -> bool:
    """Whether an expression, window or type is without operators."""
    return not isinstance(e, (*_OPERATORS, Select)) and all(map(_is_plain, parts(e)))


_OPERATORS = (Binary, Unary)


# -- dead code ----------------------------------------------------------------------------------------


@primitive(
    "A.6",
    same_values=True,
    cursors={"target": "replaced, gone", "inside": "stay, gone", "values inside": "stay, gone"},
    trial=Trial(programs="decided decided decided choices"),
)
def eliminate_dead_code(rw: Rewrite, scope: ForCursor | IfCursor | SelectCursor) -> Where:
    """A loop that never runs becomes `pass`; an `if` whose condition is known becomes its branch, and `a if c else b`
    its side.

    What is known are the assertions, and the loop ranges and conditions around the place; a condition on data is
    known only in a branch of an `if` with that condition, where nothing writes what it reads. Returns what stands
    in its place.

    Fails with `Unsafe` and values for which the loop runs, or the condition is false.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         if i < n + 1:
    ...             x[i] = 0.0
    ... ''')
    >>> print(eliminate_dead_code.direct(p, "if _: _"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0

    Refused: the loop runs if n is at least 3.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(2, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(eliminate_dead_code()(q, q.find_loop("i")).failure())
    eliminate_dead_code(): not true: the loop never runs
    for instance with n = 3
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(2, n):
                x[i] = 0.0
    """
    tree, path = rw.proc.tree, scope.path
    if isinstance(scope, SelectCursor):
        return _side(rw, path, scope.node, _is_true(rw, scope, scope.stmt().path))
    if isinstance(scope, ForCursor):
        node = scope.node
        require(safety.holds(tree, path, Binary("<=", node.hi, node.lo), "the loop never runs"), scope)
        rw.replace(path, Pass())
        return path
    if _is_true(rw, scope, path):
        return rw.unwrap(path)
    if scope.node.orelse:
        return rw.unwrap(path, "orelse")
    rw.replace(path, Pass())
    return path


def _is_true(rw: Rewrite, c: IfCursor | SelectCursor, stmt: Path) -> bool:
    """Whether the condition at a cursor is always true; owed: it is, or else always false."""
    tree, what, condition = rw.proc.tree, "the condition is always true or always false", c.node.cond
    truth = safety.holds(tree, c.path, condition, what)
    known = branches.taken(tree, stmt, condition) if is_opaque(condition) else None
    if truth or known:
        return True
    if known is None and not safety.holds(tree, c.path, Unary("not", condition), what):
        require(truth, c)
    return False


def _side(rw: Rewrite, path: Path, e: Select, truth: bool) -> Path:
    """One side in the place of a choice, computed at the precision at which it was."""
    side = e.then if truth else e.other
    by_place = isinstance(side, Read) and isinstance(get(rw.proc.tree, path[:-1]), Call)
    applicable(not by_place, "the side would be passed by reference, and not as a value")
    types = types_at(rw.proc.tree, path)
    own = precision(e, types)
    rw.replace(path, side if own is None else put_at(rw.proc.tree, path, side, own, types))
    return path


# -- rewriting by hand --------------------------------------------------------------------------------


@primitive("A.6", same_values=True, cursors={"target": "replaced", "values inside": "gone"}, again=True)
def rewrite_expr(rw: Rewrite, e: ExprCursor, new: Annotated[ExprLike | float, Kind("an equal expression")]) -> Where:
    """`e  ~>  e'`, for expressions that are equal where `e` stands. Returns the expression.

    A config field equals what it is known to hold. Data is equal if it is the same operations on equal places;
    operands of sums and products may come in another order. The signature and the assertions stay as they are: they
    are what the equality may rest on.

    Fails with `NotApplicable` on windows, and on what a call gets by reference; with `BadArgument` if `new` is of
    another kind; with `Unsafe` if the two may differ, or `new` may read what `e` does not.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n % 4 == 0
    ...     for i in seq(0, n / 4):
    ...         x[4 * i] = 0.0
    ... ''')
    >>> print(rewrite_expr.direct(p, p.find_loop("i").hi(), "(n + 3) / 4"))
    def foo(n: size, x: f32[n] @ DRAM):
        assert n % 4 == 0
        for i in seq(0, (n + 3) / 4):
            x[4 * i] = 0.0

    Refused: n need not be a multiple of 4.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n / 4):
    ...         x[i] = 0.0
    ... ''')
    >>> print(rewrite_expr("(n + 3) / 4")(q, q.find_loop("i").hi()).failure())
    rewrite_expr('(n + 3) / 4'): not true: the two expressions are equal
    n is not n + 3, in `n / 4` and `(n + 3) / 4`
    for instance with n = 1
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(0, n / 4):
                x[i] = 0.0
    """
    tree = rw.proc.tree
    applicable(not isinstance(e.node, Claim), "what is asserted of all elements of a buffer stays", e)
    control = is_control(e.node)
    passed = not control and isinstance(get(tree, e.path[:-1]), Call)
    shown = isinstance(e.node, WindowExpr | ViewExpr)
    applicable(not passed and not shown, "this may stand for a place, not for a value", e)
    applicable(e.path[0][0] == "body", "what a procedure takes and asserts cannot be rewritten", e)
    value = _data_arg(rw, new, e.path) if not control or isinstance(new, float) else expr_arg(rw, new, e.path)
    in_scope_at(rw, value, e.path, new)
    types = types_at(tree, e.path)
    kind = "control expression" if control else "data value"
    argument(is_control(value) == control, f"{new!r} is no {kind}")
    same_kind = not control or _is_truth(e.node, types) == _is_truth(value, types)
    argument(same_kind, f"{new!r} is a condition where an integer stands, or the other way round")
    _equal_and_evaluated(rw, e, value)
    rw.replace(e.path, value)
    if not control:
        before, after = precision_at(tree, e.path), precision_at(rw.tree, e.path)
        applicable(before == after, f"{new!r} would be computed at {after}, not at {before}", e)
    if control and not is_opaque(value):  # the same integer, of which facts say as much as of the old one
        well_formed_at(rw, e.stmt().path)
    else:
        well_formed(rw)
        no_new_races(rw, e.path)
    return e.path


def _equal_and_evaluated(rw: Rewrite, e: ExprCursor, value: Expr) -> None:
    """Owed: the new value is equal, and evaluates nothing that may have no value and was not evaluated. What a config
    field is known to hold was evaluated when it was set."""
    tree, old, stmt = rw.proc.tree, e.node, e.stmt().path
    before, after = (held_in(tree, stmt, x) for x in (old, value))
    what = "the two expressions are equal"
    verdict = safety.equal_at(tree, stmt, old, value, what)
    if not verdict and not safety.equal_at(tree, stmt, before, after, what):
        for cell in (n for _, n in walk(value) if isinstance(n, Cell)):  # no counterexample is of one that is not there
            in_bounds(tree, cell, stmt)
        require(verdict if verdict.details else replace(verdict, details=where_apart(tree, old, value)), e)
    ready(rw, evaluation.no_more(tree, stmt, (old, before), value), e)


def _data_arg(rw: Rewrite, value: ExprLike | float, at: Path) -> Expr:
    """A data value argument: a number, object code in the scope at `at`, or a cursor."""
    if is_number(value):
        return b.data(value)
    if isinstance(value, str):
        return parse_data(value, scope_at(rw.proc.tree, at))
    found: Expr = ref(rw, value, ExprCursor).node
    argument(not isinstance(found, WindowExpr), f"{value!r} is no data value")
    return found


def _is_truth(e: Expr, types: dict[Sym, Type]) -> bool:
    return is_bool(e) or (isinstance(e, Var) and types[e.sym] == bool_)
