"""Small questions about loops and scopes that several primitives ask."""

from __future__ import annotations

from dataclasses import replace

from pyrsistent import pvector

from ...cursors.cursor import Cursor, ExprCursor
from ...cursors.kinds import AllocCursor, ForCursor
from ...cursors.rewrite import Rewrite
from ...frontend.checks import check
from ...frontend.errors import CheckError
from ...frontend.scope import types_at
from ...ir import build as b
from ...ir.cells import has_cells
from ...ir.names import Sym
from ...ir.nodes import Alloc, Binary, Expr, For, If, ProcDef, ReadConfig, Var, WindowDef
from ...ir.precisions import may_not_fit
from ...ir.span import Span, span_of
from ...ir.types import bool_
from ...ir.walk import Path, get, get_as, is_bool, is_control, mentions, statements, walk
from ...logic.forms import Lin, Opaque, eq, is_opaque, lin, trip_count
from ...logic.questions import (
    Clash,
    Given,
    Readiness,
    Sat,
    env_of,
    facts_at,
    may_last,
    prove,
    safety,
    satisfiable,
    unread_after,
)
from ...ops.failure import About
from .references import ExprLike, expr_arg, positive
from .refusing import applicable, argument, of_kind, require
from .wellformed import in_bounds, well_formed


def loop_at(tree: ProcDef, path: Path) -> For:
    """The loop at a path."""
    return get_as(tree, path, For)


def body_span(rw: Rewrite, path: Path, label: str = "body") -> Span:
    """The whole block of a compound statement of the current tree."""
    return Span(path, label, 0, len(getattr(rw.node(path), label)))


def rest_of_block(tree: ProcDef, path: Path) -> Span:
    """The statement at a path, and those after it in its block."""
    s = span_of(path)
    return Span(s.parent, s.label, s.lo, len(getattr(get(tree, s.parent), s.label)))


def escaping(tree: ProcDef, span: Span) -> frozenset[Sym]:
    """The buffers and windows that a run of statements defines and later statements of its block use."""
    defined = {s.sym for s in span.members(tree) if isinstance(s, Alloc | WindowDef)}
    later = getattr(get(tree, span.parent), span.label)[span.hi :]
    return frozenset(defined).intersection(frozenset[Sym]().union(*map(mentions, later)))


def fits_alone(e: ExprCursor) -> None:
    """Owed: what an expression comes to fits its precision, as what is stored must."""
    what = "this need not fit its precision, as a `wrap_..` around reduces it: take that one, or convert parts of this"
    applicable(not may_not_fit(e.proc.tree, e.path), what, e)


def known_count(tree: ProcDef, path: Path) -> int | None:
    """How often the loop at a path runs (maybe a number below 1), if that is one number wherever control gets there."""
    loop = loop_at(tree, path)
    n = trip_count(loop)
    if n is not None or is_opaque(loop.lo) or is_opaque(loop.hi):
        return n
    env = env_of(tree)
    count, facts, what = Opaque("count"), facts_at(tree, path), "the loop runs a constant number of times"
    runs = eq(Lin.of(count), lin(loop.hi, env) - lin(loop.lo, env))
    answer = satisfiable([*facts, runs], what)
    if not isinstance(answer, Sat) or count not in answer.model:
        return None
    n = int(answer.model[count])
    return n if prove([*facts, runs], eq(Lin.of(count), n), what) else None


def joint_mode(one: For, two: For) -> str:
    """The mode of a loop that takes the place of two: parallel only if both are."""
    return one.mode if one.mode == two.mode else "seq"


def nest(outer: For) -> For:
    """The loop that is all of another one's body."""
    what = "the loop's body must be one loop and nothing else"
    applicable(len(outer.body) == 1, what)
    return of_kind(outer.body[0], For, what)


def into_one(rw: Rewrite, path: Path, k: Sym, count: Expr) -> None:
    """One loop over k in place of the one at `path` and of that in it, which runs so many times in each iteration."""
    outer = loop_at(rw.tree, path)
    inner = nest(outer)
    hi = b.times(b.sub(outer.hi, outer.lo), count)
    rw.set(path, iter=k, lo=b.ZERO, hi=hi, mode=joint_mode(outer, inner))
    body = rw.unwrap((*path, ("body", 0)))
    rw.substitute_in(body, inner.iter, b.add(inner.lo, b.mod(b.var(k), count)))
    rw.substitute_in(body, outer.iter, b.add(outer.lo, b.div(b.var(k), count)))


def into_tiles(
    rw: Rewrite,
    path: Path,
    iters: tuple[Sym, Sym],
    c: Expr,
    tiles: Expr,
    width: Expr,
    modes: tuple[str, str],
    guarded: bool,
) -> None:
    """Two loops in place of the one at `path`: so many tiles that start c iterations apart, each of `width`
    iterations; those beyond the end are skipped if `guarded`."""
    old, (io, ii) = loop_at(rw.tree, path), iters
    i_new = b.add(old.lo, b.add(b.times(c, b.var(io)), b.var(ii)))
    rw.set(path, iter=io, lo=b.ZERO, hi=tiles, mode=modes[0])
    body = body_span(rw, path)
    rw.substitute_in(body, old.iter, i_new)
    if guarded:
        body = span_of(rw.wrap(body, If(b.lt(i_new, old.hi), pvector(), pvector())))
    rw.wrap(body, For(ii, b.ZERO, width, pvector(), modes[1]))


# -- obligations --------------------------------------------------------------------------------------


def bounds_stay(tree: ProcDef, path: Path, k: int | None = None) -> None:
    """Owed when a loop's bounds are evaluated again after the first k statements of its body, or somewhere in
    it: those must not change them."""
    loop = loop_at(tree, path)
    part = Span(path, "body", 0, len(loop.body) if k is None else k)
    require(safety.unchanged(tree, part, loop.lo))
    require(safety.unchanged(tree, part, loop.hi))


def start_stays(rw: Rewrite, loop: ForCursor) -> None:
    """Owed when the lower bound is evaluated in the body, in the iterator's place: the body does not change it."""
    tree, old = rw.proc.tree, loop_at(rw.proc.tree, loop.path)
    if any(old.iter in mentions(s) for s in old.body):
        require(safety.unchanged(tree, Span(loop.path, "body", 0, len(old.body)), old.lo), loop)


def ready(rw: Rewrite, readiness: Readiness, place: Cursor | None = None, about: About = "old code") -> None:
    """Owed when code reads what it did not read there, or not surely: it was written. What a caller may not have
    written of an argument is noted: who makes it call the new version must show that it is there."""
    if isinstance(readiness, Given):
        for argument in readiness.needs:
            rw.reads_more(argument)
    else:
        require(readiness, place, about)


def stays_race_free(rw: Rewrite, path: Path, new_code: bool = False) -> None:
    """Owed when a loop's iterations touch more than before: if they run in parallel, they still may. In `new_code`
    there are accesses that no run of the old procedure makes."""
    loop = rw.node(path)
    if isinstance(loop, For) and loop.mode != "seq":
        verdict = safety.parallel(rw.tree, path)
        require(_in_words(verdict) if new_code else verdict)


def no_new_races(rw: Rewrite, path: Path) -> None:
    """Asked when the code at a path of the current tree touches more than before, or when less is known of it: of
    the loops around it and in it, and in the scope of a window that it defines, those whose iterations run in parallel
    still may."""
    around = [path[:n] for n in range(len(path))]
    inside = [p for s in (path, *_in_scope(rw, path)) for p, _ in statements(rw.node(s), s)]
    for p in (*around, *inside):
        stays_race_free(rw, p, new_code=True)


def _in_scope(rw: Rewrite, path: Path) -> list[Path]:
    """The statements in which the window is known that the code at a path defines, or is the definition of."""
    stmt = next((path[:n] for n in range(len(path), 0, -1) if isinstance(rw.node(path[:n]), WindowDef)), None)
    if stmt is None:
        return []
    here = span_of(stmt)
    block = getattr(rw.node(here.parent), here.label)
    return [here._replace(lo=k).path() for k in range(here.hi, len(block))]


def _in_words(verdict: safety.Verdict) -> safety.Verdict:
    """A verdict on new code, whose counterexample is none of the old code: the values stand in the text."""
    if not isinstance(verdict, Clash) or not verdict.counterexample:
        return verdict
    values = ", ".join(f"{k} = {v}" for k, v in verdict.counterexample.items())
    details = f"{verdict.details}\nin the new code, for instance with {values}"
    return replace(verdict, counterexample=None, details=details)


def evaluated_early(rw: Rewrite, path: Path, instead: safety.Verdict = safety.SAFE) -> None:
    """Owed when the statement at a path of the current tree evaluates what was not evaluated there, but has a value:
    its places are in bounds, and no parallel loop around it gets a race. The message is `instead` if they are not."""
    try:
        check(rw.tree)
    except CheckError:
        require(instead)
        well_formed(rw)
    for n in range(1, len(path)):
        stays_race_free(rw, path[:n], new_code=True)


def other_value(rw: Rewrite, tree: ProcDef, gap: Path, field: ReadConfig, place: Cursor) -> None:
    """Owed when a config field may hold another value than before at a gap of `tree`: none but the caller sees it."""
    require(unread_after(tree, gap, field), place)
    if may_last(tree, gap, field):
        rw.leaves_other(field)


# -- arguments ----------------------------------------------------------------------------------------


def integer_arg(rw: Rewrite, value: ExprLike, at: Path, fixed: bool = True) -> Expr:
    """An integer control expression argument that is in scope at `at` and, with `fixed`, never changes."""
    e, types = expr_arg(rw, value, at), types_at(rw.proc.tree, at)
    truth = is_bool(e) or (isinstance(e, Var) and types[e.sym] == bool_)
    argument(is_control(e) and not truth, f"an integer control expression is needed, not {value!r}")
    if fixed and is_opaque(e):
        what = "a config field" if any(isinstance(n, ReadConfig) for _, n in walk(e)) else "data"
        argument(False, f"{value!r} reads {what}, which may change")
    if has_cells(e):
        in_bounds(rw.proc.tree, e, at)
    return e


def extent_arg(rw: Rewrite, value: ExprLike, a: AllocCursor, fixed: bool = True) -> Expr:
    """An integer control expression argument that is in scope at an allocation, for an extent: it is positive."""
    e = integer_arg(rw, value, a.path, fixed)
    require(safety.holds(rw.proc.tree, a.path, Binary("<=", b.ONE, e), "the new extent is positive"), a)
    if not is_opaque(e) and lin(e).is_const:  # also in code that never runs, where all is proved
        positive(lin(e).const, "an extent")
    return e
