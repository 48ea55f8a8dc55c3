"""Loops: how often they run, and what variables hold in their iterations.

The body is run once in trial, with marks in the place of the variables that it changes. That shows how each of them
moves: by the same amount each time (`i++`, `p += lda`), or to a value that the others give (`k = 2 * i`). With the
first kind in closed form, the condition is an inequality of the iteration's number, and tells how many there are. So
it doesn't matter whether it is a `for` or a `while`, and which way it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..control import Poly, Symbol, elements, least, number, of
from ..report import Place, Stop, stop
from . import rotations, statements
from .conditions import condition
from .context import Context
from .integers import moves
from .liveness import is_read
from .nests import factors, nest, nested
from .order import check_order
from .program import Branch, Compare, Cond, Frame, Lit, Logic, Need, Scalar, Stmt, Truth
from .syntax import Assign, Block, Declare, Do, Expr, If, Loop, Use, Variable
from .types import I32
from .typing import is_pointer
from .values import Address, Held, Known, Lost, Motion, Value, last, moved, replaced, symbols
from .walks import changed, inside
from .walks import statements as all_statements

PEELED = 3
"""How many first iterations are written by themselves."""
BREAK = "count to a bound, and put an if with a break inside"
BOUND = "write the loop as `for (i = first; i < end; i++)`"


def loop(ctx: Context, s: Loop) -> None:
    """Translate a loop. If it isn't counted, its body is still looked at, for what is not taken there."""
    statements.block(ctx, s.first)
    try:
        _loop(ctx, s)
    except Stop as found:
        ctx.report.add(found.problem)
        for v in (v for v in changed(s.cond, s.step, s.body) if moves(ctx, v)):
            value = ctx.values.get(v)
            if isinstance(value, Known | Address):
                ctx.values[v] = moved(value, of(ctx.symbol(v.name)))
            if found.problem.what == v.c_name:
                ctx.values[v] = Lost(found.problem.why, reported=not ctx.report.muted)
        with ctx.into([]):
            statements.block(ctx, s.body)


def _loop(ctx: Context, s: Loop, peeled: int = 0) -> None:
    if s.cond is None:
        raise stop(s.place, "a loop without a condition", "it would never end", BOUND)
    check_order(s.cond)
    outlive = [v for v in changed(s.cond, s.step, s.body) if moves(ctx, v) and v.place not in _places(s)]
    movers = sorted(outlive, key=lambda v: v.place)
    start = {v: _begun(ctx.values.get(v), v) for v in movers}
    all_moves = _moves(ctx, s, start)
    count = ctx.symbol("count")
    top = {v: all_moves.at_top(v, of(count)) for v in movers}
    trips = _trips(ctx, s, top, count)
    turn = rotations.cycle(start, all_moves.motions)
    if turn and s.flag is None:
        _rotated(ctx, s, start, all_moves, trips, turn)
        return
    if peeled < PEELED and any(_wraps(v, start[v], top[v], all_moves, s) for v in movers):
        _peeled(ctx, s, trips, peeled)
        return
    frames, at = _frame(ctx, s, top, start, trips, count, movers)
    ctx.values.update({v: replaced(x, {count: at}) for v, x in top.items()})
    body: list[Stmt] = []
    _forgotten(ctx)
    with ctx.into(body), ctx.within(*frames):
        _quietly(ctx, s.cond)
        statements.block(ctx, s.body)
        done = len(body)
        step(ctx, s.step)
    _forgotten(ctx)
    ctx.block += nested(frames, body, s.place)
    for v in movers:
        ctx.values[v] = all_moves.at_end(v, trips)
    _quietly(ctx, s.cond)
    if s.flag is not None:
        if any(not isinstance(x, Need) for x in body[done:]):
            what = "a loop that is left early, and computes in its third part"
            raise stop(s.place, what, "that is left out the last time", "write it at the end of the body")
        _left_early(ctx, s, movers)


def _rotated(
    ctx: Context, s: Loop, start: Mapping[Variable, Value], m: Moves, trips: Poly, turn: Mapping[Variable, Variable]
) -> None:
    """A loop in which pointers change places."""
    assert s.cond is not None
    cond = s.cond

    def iteration(k: Poly, pointers: Mapping[Variable, Value]) -> None:
        ctx.values.update({v: pointers.get(v) or m.at_top(v, k) for v in start})
        _forgotten(ctx)
        _quietly(ctx, cond)
        statements.block(ctx, s.body)
        step(ctx, s.step)

    lead = next(v for v in start if v not in turn)
    ends = rotations.rotated(ctx, turn, start, trips, lead.name, iteration, s.place)
    _forgotten(ctx)
    ctx.values.update({v: ends.get(v) or m.at_end(v, trips) for v in start})
    _quietly(ctx, cond)


def _wraps(v: Variable, start: Value, top: Value, m: Moves, s: Loop) -> bool:
    """Whether a variable is read in an iteration before it is set, and was set in closed form in the one before, but
    for the first: `before = n - 1; for (..) { .. before ..; before = i; }`."""
    if not isinstance(top, Lost) or isinstance(start, Lost | Held) or m.motions[v].then is None:
        return False
    return is_read(v, (s.body, *([] if s.step is None else [Do(s.step, s.place)])))


def _peeled(ctx: Context, s: Loop, trips: Poly, peeled: int) -> None:
    """The first iteration by itself, and then the others."""
    assert s.cond is not None
    rest = replace(s, first=Block(()))
    if s.flag is not None or not trips.symbols() <= _arguments(ctx):
        last = () if s.step is None else (Do(s.step, s.place),)
        statements.statement(ctx, If(s.cond, Block((*s.body.parts, *last, rest)), Block(()), s.place))
        return
    why = "a variable that wraps around has its value after the first iteration only if there is one"
    ctx.need(trips - 1, why, "test that the loop runs", s.place)
    _quietly(ctx, s.cond)
    statements.block(ctx, s.body)
    step(ctx, s.step)
    _loop(ctx, rest, peeled + 1)


def _arguments(ctx: Context) -> frozenset[Symbol]:
    return frozenset(a.symbol for a in ctx.procedure.args if a.symbol is not None)


def _forgotten(ctx: Context) -> None:
    """What is known of data before a loop needn't be so in its iterations."""
    ctx.ranges.clear()


def _left_early(ctx: Context, s: Loop, movers: list[Variable]) -> None:
    """After a loop that may have been left early, variables have their values from then, or from the end."""
    assert s.flag is not None
    with ctx.into([]) as last:
        for v, w in s.ended:
            if not is_pointer(v.type) and moves(ctx, v):
                statements.do(ctx, Assign("", Use(w, s.place), Use(v, s.place), s.place))
    if last:
        flag = Scalar(s.flag, I32)
        ctx.block.append(Branch(Compare("==", flag, Lit(0, I32)), last, [], s.place))
    ended = dict(s.ended)
    for v in movers:
        why = f"{v.c_name} has its value from where the loop was left, which depends on data"
        ctx.values[v] = Held(ended[v]) if v in ended else Lost(why)


def _begun(value: Value | None, v: Variable) -> Value:
    """What a loop starts with, of what is known in closed form."""
    if isinstance(value, Held):
        return Lost(f"{v.c_name} has its value from where a loop was left, which depends on data")
    return Lost(f"{v.c_name} has no value yet") if value is None else value


def _places(s: Loop) -> set[Place]:
    """Where the loop's body declares variables: those don't outlive an iteration."""
    return {d.var.place for d in all_statements(s.body) if isinstance(d, Declare)}


def step(ctx: Context, e: Expr | None) -> None:
    """What comes after each iteration."""
    if e is None:
        return
    statements.do(ctx, e)


def _quietly(ctx: Context, cond: Expr) -> None:
    """The side effects of a condition whose value is known."""
    with ctx.into([]):
        _counted(ctx, cond)


def _counted(ctx: Context, cond: Expr) -> Cond:
    """A condition that tells how often a loop runs."""
    ctx.counting = True
    try:
        return condition(ctx, cond)
    finally:
        ctx.counting = False


# -- motions --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moves:
    """What the variables of a loop start with, how each moves, and the marks that stood for them in the trial."""

    start: Mapping[Variable, Value]
    motions: Mapping[Variable, Motion]
    marks: Mapping[Symbol, Variable]

    def at_top(self, v: Variable, k: Poly) -> Value:
        """What a variable holds at the top of iteration k."""
        m, start = self.motions[v], self.start[v]
        if m.by is not None and not isinstance(start, Lost | Held):
            return moved(start, last(start) + m.by * k, self.needed(m, k))
        if m.then is None:
            return m.lost
        before, first = self.set_in(v, k - 1), self.set_in(v, number(-1))
        if not isinstance(before, Lost | Held) and first == start:
            return before
        return Lost(f"{v.c_name} is set anew in each iteration, and is used before that")

    def needed(self, m: Motion, k: Poly) -> tuple[Poly, ...]:
        """What a motion needs in iterations 0 to k: it is linear, so at the two ends will do."""
        ends = (self.marked(end) for end in (number(0), k))
        return tuple(n.replaced(by) for by in ends for n in m.needs)

    def marked(self, k: Poly) -> dict[Symbol, Poly]:
        """What marks stand for at the top of iteration k, of those that move by a fixed amount."""
        found: dict[Symbol, Poly] = {}
        for s, w in self.marks.items():
            amount, start = self.motions[w].by, self.start[w]
            if amount is not None and not isinstance(start, Lost | Held):
                found[s] = last(start) + amount * k
        return found

    def set_in(self, v: Variable, k: Poly, asked: tuple[Variable, ...] = ()) -> Value:
        """What a variable that is set anew in each iteration holds at the end of iteration k."""
        then = self.motions[v].then
        assert then is not None
        by = self.marked(k)
        for s in sorted(symbols(then) & self.marks.keys() - by.keys(), key=lambda s: s.id):
            w = self.marks[s]
            before = Lost("") if self.motions[w].then is None or w in asked else self.set_in(w, k - 1, (*asked, v))
            if not isinstance(before, Known):
                return Lost(f"{v.c_name} depends on {w.c_name}, which is carried from one iteration to the next")
            by[s] = before.value
        return replaced(then, by)

    def at_end(self, v: Variable, trips: Poly) -> Value:
        """What a variable holds when the condition is false for the first time."""
        m, start = self.motions[v], self.start[v]
        if m.by is not None and not isinstance(start, Lost | Held):
            needs = () if m.by.constant == 0 else (trips, *self.needed(m, trips))
            return moved(start, last(start) + m.by * trips, needs)
        if m.then is None:
            return m.lost
        ended = self.set_in(v, trips - 1)
        return ended if isinstance(ended, Lost | Held) or ended == start else moved(ended, last(ended), (trips - 1,))


def _moves(ctx: Context, s: Loop, start: Mapping[Variable, Value]) -> Moves:
    """How each variable moves in one iteration."""
    assert s.cond is not None
    marks: dict[Variable, Symbol] = {}
    with ctx.trial():
        for v, value in start.items():
            if not isinstance(value, Lost | Held):
                marks[v] = ctx.symbol(v.name)
                ctx.values[v] = moved(value, of(marks[v]))
        _forgotten(ctx)
        _quietly(ctx, s.cond)
        statements.block(ctx, s.body)
        step(ctx, s.step)
        after = {v: ctx.values.get(v, Lost("it isn't set")) for v in start}
    motions = {v: replace(_motion(v, start[v], after[v], marks), mark=marks.get(v)) for v in start}
    return Moves(start, motions, {m: v for v, m in marks.items()})


def _motion(v: Variable, start: Value, after: Value, marks: Mapping[Variable, Symbol]) -> Motion:
    if isinstance(after, Held):
        return Motion(lost=Lost(f"{v.c_name} has its value from where a loop was left, which depends on data"))
    if isinstance(after, Lost):
        return Motion(lost=after)
    mark = marks.get(v)
    if mark is None or mark not in symbols(after) or isinstance(start, Lost | Held):
        return Motion(then=after)
    by = last(after) - of(mark)
    if _same_array(start, after) and not any(m in by.symbols() for m in marks.values()):
        return Motion(by=by, needs=after.needs)
    why = f"{v.c_name} is carried from one iteration to the next, and doesn't move by a fixed amount"
    return Motion(lost=Lost(why))


def _same_array(a: Value, b: Value) -> bool:
    if isinstance(a, Address) and isinstance(b, Address):
        return a.var is b.var and a.indices[:-1] == b.indices[:-1]
    return isinstance(a, Known) and isinstance(b, Known)


# -- the number of iterations ---------------------------------------------------------------------------


def _trips(ctx: Context, s: Loop, top: Mapping[Variable, Value], count: Symbol) -> Poly:
    """How often the body runs, if that is positive; what must hold for the condition to be true so often is asked."""
    assert s.cond is not None
    saved = ctx.values.copy()
    ctx.values.update(top)
    needs: list[Stmt] = []
    try:
        with ctx.into(needs):
            cond = _counted(ctx, s.cond)
    finally:
        ctx.values = saved
    if isinstance(cond, Truth):
        if not cond.value:
            return number(0)
        raise stop(s.place, "a loop", "its condition is always true", BOUND)
    joined = list(_conjuncts(cond, s.place))
    if any(c.op in ("==", "!=") for c in joined) and len(joined) > 1:
        raise stop(s.place, "a loop", "== or != beside another condition doesn't tell where it ends", "use < or >")
    found = [_solved(s, c, count) for c in joined]
    trips = found[0]
    for other in found[1:]:
        trips = least(trips, other)
    cond = joined[0]
    for n in needs:
        assert isinstance(n, Need)
        _need_always(ctx, n, trips, count)
    if cond.op in ("==", "!="):
        why = f"the loop ends only if {cond.lhs} meets {cond.rhs}"
        ctx.need(trips, why, "use < or >", s.place)
    return trips


def _conjuncts(cond: Cond, place: Place) -> Iterator[Compare]:
    """The comparisons of control integers that a condition joins with &&."""
    if isinstance(cond, Logic) and cond.op == "and":
        yield from _conjuncts(cond.lhs, place)
        yield from _conjuncts(cond.rhs, place)
    elif isinstance(cond, Compare) and isinstance(cond.lhs, Poly) and isinstance(cond.rhs, Poly):
        yield cond
    else:
        why = "how often it runs depends on data, or on one of two conditions"
        raise stop(place, "a loop", why, BREAK)


def _need_always(ctx: Context, n: Need, trips: Poly, count: Symbol) -> None:
    """What the condition needs, each time that it is looked at: the last time, too, when it is false."""
    if count not in n.value.symbols():
        ctx.block.append(n)
        return
    ctx.need(n.value.replaced({count: number(0)}), n.why, n.remedy, n.place)
    ctx.block.append(Need(n.value, n.why, n.remedy, n.place, (Frame(count, number(0), trips + 1),), n.guards))


def _solved(s: Loop, cond: Compare, count: Symbol) -> Poly:
    """The number of the first iteration for which the condition is false."""
    assert isinstance(cond.lhs, Poly) and isinstance(cond.rhs, Poly)
    d = cond.lhs - cond.rhs
    slope = d.coefficient(count)
    e = None if slope is None else slope.constant
    if e is None and any(True for _ in elements(d)):
        raise stop(s.place, "a loop", "how often it runs depends on data", BREAK)
    if e is None:
        raise stop(s.place, "a loop", "its variable doesn't move by a constant amount", "count by a number")
    if e == 0:
        raise stop(s.place, "a loop", "its condition compares nothing that the loop changes", BOUND)
    first = d.replaced({count: number(0)})
    if count in first.symbols():
        raise stop(s.place, "a loop", "its condition isn't linear in the loop's variable", BOUND)
    op = cond.op
    if op == "!=" and abs(e) == 1:
        return -first if e > 0 else first
    if op in ("<", "<=") and e > 0:
        return (-first + (e - 1 if op == "<" else e)).over(e)
    if op in (">", ">=") and e < 0:
        return (first + (-e - 1 if op == ">" else -e)).over(-e)
    why = f"`{op}` with a step of {e} doesn't tell where it ends"
    raise stop(s.place, "a loop", why, "count up to < or <=, or down to > or >=")


def _frame(
    ctx: Context,
    s: Loop,
    top: Mapping[Variable, Value],
    start: Mapping[Variable, Value],
    trips: Poly,
    count: Symbol,
    movers: list[Variable],
) -> tuple[tuple[Frame, ...], Poly]:
    """The loops of the object language (one, or two for `i < n * m`), and the iteration's number in terms of them."""
    assert s.cond is not None
    if not all(f.is_affine() for f in factors(ctx, trips)):
        remedy = "count to one argument, or write a loop for each factor"
        raise stop(s.place, "a loop", f"how often it runs multiplies variables: {trips}", remedy)
    named = [e.var for e in inside(s.cond) if isinstance(e, Use) and e.var in movers]
    lead = next((v for v in named if not is_pointer(v.type)), named[0] if named else movers[0])
    if not trips.is_affine():
        frames, at = nest(ctx, trips, lead.name)
        for f in frames[1:]:
            ctx.need(f.hi, f"the loop runs {trips} times, also if two factors are negative", "use sizes", s.place)
        return frames, at
    symbol = ctx.symbol(lead.name)
    first, here = start[lead], top[lead]
    if isinstance(first, Known) and isinstance(here, Known) and here.value - first.value == of(count):
        for n in first.needs:
            ctx.need(n, f"{lead.c_name} has its value after a loop", "", s.place)
        if first.value.is_affine():
            lo, hi = first.value, first.value + trips
            return (Frame(symbol, lo, hi),), of(symbol) - first.value
    return (Frame(symbol, number(0), trips),), of(symbol)
