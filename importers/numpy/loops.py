"""Loops of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..control import Poly, Symbol, elements, number, of
from ..names import spelled
from ..report import Stop, stop
from . import cells
from .accumulators import widened
from .context import Context
from .elementwise import array
from .expressions import PYTHON, value
from .indexing import subscript
from .joins import ROUNDS, Slot, changed, enter, leave, slot_of, unknown_of
from .jumps import assigned, if_not_left, leaves, read_after, stop_name, without_jumps
from .program import Frame, Num
from .source import Definition, place
from .values import Array, Computed, Integer, Member, Static, Tuple, Unknown, Value, scalar

Bounds = tuple[Poly, Poly, int]
Start = Callable[[Poly], None]
"""Binds the loop's variables in an iteration, of which it gets the iterator."""


def for_loop(ctx: Context, s: ast.For) -> None:
    """`for x in ..:`"""
    found = s.iter
    if isinstance(found, ast.Tuple | ast.List):
        from .assignments import settled

        items = settled(ctx, "an item", value(ctx, found))
        assert isinstance(items, Tuple)
        _start(ctx, s)
        for v in items.items:
            _bind(ctx, s.target, v)
            _body(ctx, without_jumps(s))
        _otherwise(ctx, s)
        return
    name = s.target.id if isinstance(s.target, ast.Name) else ""
    bounds, start, name = iterated(ctx, s, found, name)
    ctx.place = place(s)
    _start(ctx, s)
    last = counted(ctx, without_jumps(s), bounds, start, name, _names(s.target))
    _keep_last(ctx, s, bounds, last)
    _otherwise(ctx, s)


def _keep_last(ctx: Context, s: ast.For, bounds: Bounds, last: Mapping[str, Poly]) -> None:
    """A loop's variables after it, where they are read: integers of a loop that surely runs, to its end."""
    remedy = "give another variable its value in the loop"
    for n in _names(s.target):
        if leaves(s.body, ast.Break):
            ctx.env[n] = Unknown("it is the variable of a loop that may be left by a break", remedy)
        elif not ctx.proves(_trips(bounds) - 1):
            ctx.env[n] = Unknown("it is the variable of a loop that may not run", f"assert that it runs, or {remedy}")
        elif n not in last:
            ctx.env[n] = Unknown("it is the variable of a loop that has ended, and no integer that is known", remedy)
        elif read_after(_function(ctx), s, n):
            ctx.env[n] = Integer(last[n])


def _function(ctx: Context) -> ast.AST:
    found = ctx.env[""]
    assert isinstance(found, Static) and isinstance(found.value, Definition)
    return found.value.node


def _start(ctx: Context, s: ast.For | ast.While) -> None:
    """No loop is left before it begins."""
    if leaves(s.body, ast.Break):
        ctx.env[stop_name(s)] = Integer(number(0))


def _otherwise(ctx: Context, s: ast.For | ast.While) -> None:
    """The `else` of a loop, which runs if it was not left."""
    if s.orelse:
        _body(ctx, [if_not_left(s, s.orelse)] if leaves(s.body, ast.Break) else s.orelse)


def _names(t: ast.expr) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(t) if isinstance(n, ast.Name))


def _bind(ctx: Context, t: ast.expr, v: Value) -> None:
    from .assignments import bind

    bind(ctx, t, v)


def _body(ctx: Context, stmts: Sequence[ast.stmt]) -> None:
    from .statements import block

    block(ctx, stmts)


def _trips(bounds: Bounds) -> Poly:
    """How often a loop runs, if it does."""
    lo, hi, step = bounds
    return (hi - lo + (step - 1)).over(step) if step > 0 else (lo - hi + (-step - 1)).over(-step)


def iterated(ctx: Context, s: ast.For, e: ast.expr, name: str) -> tuple[Bounds, Start, str]:
    """What a loop runs over: its bounds, and how its variables are bound."""
    if isinstance(e, ast.Call):
        f = value(ctx, e.func)
        match f:
            case Member(path="numpy.arange"):
                return _elements(ctx, s, e, name)
            case Member(path="builtins.range"):
                lo, hi, step = _range(ctx, e)
                return (lo, hi, step), lambda i: _bind(ctx, s.target, Integer(i)), name
            case Member(path="builtins.reversed"):
                lo, hi, step = _range(ctx, _reversed(ctx, e))
                last = lo + (hi - lo - step).over(step) * step if step != 1 else hi - 1
                if step != 1:
                    raise stop(place(e), "reversed", "of a range with a step", "write the range backwards")
                return (last, lo - 1, -1), lambda i: _bind(ctx, s.target, Integer(i)), name
            case Member(path="builtins.enumerate" | "builtins.zip"):
                own = s.target.elts[0] if isinstance(s.target, ast.Tuple) and s.target.elts else None
                counts = f == Member("builtins.enumerate") and _counts(e) == 0
                name = own.id if counts and isinstance(own, ast.Name) else ""
                count, each = _side_by_side(ctx, e)
                return (number(0), count, 1), lambda i: _bind(ctx, s.target, each(i)), name
            case _:
                pass
    v = value(ctx, e)
    ctx.place = place(e)
    over = _sequence(ctx, v)
    return (number(0), over.shape[0], 1), lambda i: _bind(ctx, s.target, _item(ctx, over, i)), ""


def _side_by_side(ctx: Context, e: ast.expr) -> tuple[Poly, Callable[[Poly], Value]]:
    """How many items `enumerate`, `zip`, or what stands in them has, and each of them."""
    f = value(ctx, e.func) if isinstance(e, ast.Call) else None
    match e, f:
        case ast.Call(), Member(path="builtins.enumerate") if (begin := _counts(e)) is not None:
            count, each = _side_by_side(ctx, e.args[0])
            return count, lambda i: Tuple((Integer(i + begin), each(i)))
        case ast.Call(args=[_, *_] as given, keywords=named), Member(path="builtins.zip") if _strict(named) is not None:
            parts = [_side_by_side(ctx, a) for a in given]
            ctx.place = place(e)
            count = parts[0][0]
            for other, _ in parts[1:]:
                count = ctx.same(count, other, "zip") if _strict(named) else _shorter(ctx, count, other)
            return count, lambda i: Tuple(tuple(item(i) for _, item in parts))
        case ast.Call(), Member(path="builtins.range"):
            lo, hi, step = _range(ctx, e)
            return _trips((lo, hi, step)), lambda i: Integer(lo + i * step)
        case _:
            found = value(ctx, e)
            ctx.place = place(e)
            over = _sequence(ctx, found)
            return over.shape[0], lambda i: _item(ctx, over, i)


def _strict(named: Sequence[ast.keyword]) -> bool | None:
    """Whether `zip` asks for as many items of each; None if that is no literal."""
    match named:
        case []:
            return False
        case [ast.keyword(arg="strict", value=ast.Constant(value=bool() as found))]:
            return found
        case _:
            return None


def _shorter(ctx: Context, a: Poly, b: Poly) -> Poly:
    """At how many items `zip` ends: where it isn't known which of two is less, they must be equal."""
    if ctx.proves(b - a):
        return a
    return b if ctx.proves(a - b) else ctx.same(a, b, "zip")


def _reversed(ctx: Context, e: ast.Call) -> ast.Call:
    """The range that `reversed` gets."""
    match e.args:
        case [ast.Call() as of] if value(ctx, of.func) == Member("builtins.range"):
            return of
        case _:
            raise stop(place(e), "reversed", "it is taken of a range", "write x[::-1], or run over a range")


def _counts(e: ast.Call) -> int | None:
    """From which number `enumerate` counts; None if that is no literal."""
    match e.args, e.keywords:
        case [_], []:
            return 0
        case [_, ast.Constant(value=int() as n)], []:
            return int(n)
        case [_], [ast.keyword(arg="start", value=ast.Constant(value=int() as n))]:
            return int(n)
        case _:
            return None


def _elements(ctx: Context, s: ast.For, e: ast.Call, name: str) -> tuple[Bounds, Start, str]:
    """The numbers of np.arange, which are NumPy's."""
    a = array(ctx, value(ctx, e))
    return (number(0), a.shape[0], 1), lambda i: _bind(ctx, s.target, scalar(a.at((i,)))), name


def _sequence(ctx: Context, v: Value) -> Array:
    if isinstance(v, Array | Computed) and v.ndim:
        a = ctx.lazy(v)
        ctx.unshared(a, "what a loop runs over")
        return a if a.view is not None else ctx.materialised(a)
    why = "loops run over ranges and arrays"
    raise stop(ctx.place, "what a loop runs over", why, "write for i in range(..)")


def _item(ctx: Context, a: Array, i: Poly) -> Value:
    return subscript(ctx, a, [Integer(i)], "an element")


def _range(ctx: Context, e: ast.Call) -> tuple[Poly, Poly, int]:
    found = [value(ctx, a) for a in e.args]
    ctx.place = place(e)
    bounds: list[Poly] = []
    for v in found:
        element = cells.control(ctx, v.at(())) if isinstance(v, Array) and not v.ndim and v.kind.is_int else None
        if not isinstance(v, Integer) and element is None:
            why = "a bound is computed from data, and bounds must come from sizes and loops"
            raise stop(ctx.place, "range", why, "run to a fixed bound, with an if in the loop")
        bounds.append(v.value if isinstance(v, Integer) else element or number(0))
    for b in bounds:
        if not b.is_affine():
            raise stop(ctx.place, "range", "a bound multiplies sizes", "write nested loops")
    step = bounds[2].constant if len(bounds) > 2 else 1
    if not step:
        raise stop(ctx.place, "range", "its step is no number that is known now", "write the step as a literal")
    return (number(0), bounds[0], 1) if len(bounds) == 1 else (bounds[0], bounds[1], step)


def while_loop(ctx: Context, s: ast.While) -> None:
    """`while k < n:`, or `while k < n and ..:`, with a counter that grows by the same number each time."""
    why = "only loops that count to a bound are taken"
    refused = stop(place(s), "while", why, "write for i in range(..), with a break in the loop")
    test, s = _counter(ctx, s)
    if test is None:
        raise refused
    assert isinstance(test.left, ast.Name)
    name = test.left.id
    before, bound = ctx.env.get(name), value(ctx, test.comparators[0])
    if not isinstance(before, Integer) or not isinstance(bound, Integer):
        raise refused
    left = leaves(s.body, ast.Break)
    by = _increment(name, s.body)
    if left and by is None:
        raise refused
    end = f"{name}_end {s.lineno}:{s.col_offset}"
    leaving = [assigned(end, ast.Name(name, ast.Load()), s), by] if by is not None else []
    body = without_jumps(s, leaving)
    if left:
        assert isinstance(body[0], ast.If)
        body = body[0].body
    op = type(test.ops[0]).__name__
    step = _growth(ctx, name, [_started(s), *body] if left else body, (before.value, bound.value, op))
    again = value(ctx, test.comparators[0])
    up = {"Lt": 0, "LtE": 1}
    down = {"Gt": 0, "GtE": -1}
    if not step or op not in (up if step > 0 else down) or again != bound:
        raise refused
    from .flow import names_set

    if any(n.id in names_set(s.body) for n in ast.walk(test.comparators[0]) if isinstance(n, ast.Name)):
        raise refused
    hi = bound.value + (up[op] if step > 0 else down[op])
    lo = before.value
    if not hi.is_affine() or not lo.is_affine():
        raise refused
    ctx.place = place(s)
    if step > 0:
        ctx.require(hi - lo, "so that the counter is known after a loop", "while", "write for i in range(..)")
        count = (hi - lo + (step - 1)).over(step)
    else:
        ctx.require(lo - hi, "so that the counter is known after a loop", "while", "write for i in range(..)")
        count = (lo - hi + (-step - 1)).over(-step)

    def start(i: Poly) -> None:
        ctx.env[name] = Integer(i)

    _start(ctx, s)
    if left:
        ctx.env[end] = Integer(lo + count * step)
        body = [if_not_left(s, body)]
    counted(ctx, body, (lo, hi, step), start, name, frozenset({name}))
    ctx.env[name] = ctx.env[end] if left else Integer(lo + count * step)
    _otherwise(ctx, s)


def _started(s: ast.While) -> ast.stmt:
    return assigned(stop_name(s), ast.Constant(0), s)


def _counter(ctx: Context, s: ast.While) -> tuple[ast.Compare | None, ast.While]:
    """The comparison of a counter that a loop asks for, and the loop with the rest of its condition as a break."""
    parts = list(s.test.values) if isinstance(s.test, ast.BoolOp) and isinstance(s.test.op, ast.And) else [s.test]
    for k, e in enumerate(parts):
        if not isinstance(e, ast.Compare) or len(e.ops) != 1 or not isinstance(e.left, ast.Name):
            continue
        if len(parts) == 1 or _increment(e.left.id, s.body) is not None:
            _asked_too_late(ctx, s, parts[:k])
            rest = parts[:k] + parts[k + 1 :]
            if rest and s.orelse:
                why = "its `else` runs where one of several conditions ends the loop, and not after a break"
                raise stop(place(s), "while .. else", why, "ask after the loop why it ended")
            ends = [
                ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), x), [ast.copy_location(ast.Break(), x)], []), x)
                for x in rest
            ]
            for x in ends:
                ast.copy_location(x.test, x)
            return e, ast.copy_location(ast.While(e, [*ends, *s.body], s.orelse), s)
    return None, s


def _asked_too_late(ctx: Context, s: ast.While, before: Sequence[ast.expr]) -> None:
    """Refuse what is asked for before a loop's bound, if it may lie outside of an array where the loop ends."""
    from .flow import names_set

    own = names_set(s.body)
    counts = {n for n in own if _is_integer(ctx.env.get(n))}
    for e in (e for part in before for e in ast.walk(part)):
        indexed = isinstance(e, ast.Subscript) and _names(e.slice) & own
        passed = isinstance(e, ast.Call) and ast.unparse(e.func) not in PYTHON and _names(e) & counts
        if indexed or passed:
            why = "it is also computed where the loop ends, and may be outside of an array there"
            raise stop(place(e), ast.unparse(e), why, "write the loop's bound first")


def _is_integer(v: Value | None) -> bool:
    return isinstance(v, Integer) or (isinstance(v, Array | Computed) and not v.ndim and v.kind.is_int)


def _increment(name: str, stmts: Sequence[ast.stmt]) -> ast.stmt | None:
    """The statement by which a counter grows, if it is the only one that sets it."""
    found = [
        x for x in stmts if isinstance(x, ast.AugAssign) and isinstance(x.target, ast.Name) and x.target.id == name
    ]
    return found[0] if len(found) == 1 and isinstance(found[0].value, ast.Constant) else None


def _growth(ctx: Context, name: str, stmts: Sequence[ast.stmt], bounds: tuple[Poly, Poly, str]) -> int | None:
    """By how much a counter grows in each iteration, where it is within its bounds."""
    s = _stand_in(ctx, name)
    first, last, op = bounds
    turned, ends = {"Lt": (">=", "<"), "LtE": (">=", "<="), "Gt": ("<=", ">"), "GtE": ("<=", ">=")}, (first, last)
    facts = ctx.facts
    with ctx.trial():
        ctx.env[name] = Integer(of(s))
        if op in turned and first.is_affine() and last.is_affine():
            ctx.facts = (*facts, *(f"{s.name} {t} {e}" for t, e in zip(turned[op], ends, strict=True)))
        try:
            _body(ctx, stmts)
        finally:
            ctx.facts = facts
        after = ctx.env[name]
    del ctx.prover.types[s.name]
    return (after.value - of(s)).constant if isinstance(after, Integer) else None


def _stand_in(ctx: Context, name: str) -> Symbol:
    """A symbol for a counter's value, whatever it is: by a name of its own."""
    ctx.counter += 1
    s = Symbol(spelled(name.partition(" ")[0], {*ctx.names, *ctx.live, *ctx.prover.types}), ctx.counter, True)
    ctx.prover.types[s.name] = "index"
    return s


def counted(
    ctx: Context, stmts: Sequence[ast.stmt], bounds: Bounds, start: Start, name: str, own: frozenset[str]
) -> dict[str, Poly]:
    """A loop that counts: variables that it gives new values are kept in slots, or are in closed form. What the last
    iteration leaves in its own variables, `own`, is given back where it is an integer that is known."""
    lo, hi, step = bounds
    f = Frame(ctx.symbol(name), lo, hi, step)
    ctx.prover.types.setdefault(f.symbol.name, "index")
    at = ctx.place
    before = dict(ctx.env)
    steps, slots, dead = _carried(ctx, stmts, f, start, own)
    ctx.place = at
    trips = _trips(bounds)
    done = (of(f.symbol) - lo).over(step) if step > 0 else (lo - of(f.symbol)).over(-step)
    for n in steps:
        ctx.require(trips, f"so that {n} is known after a loop", n, "begin it in the loop")
    outer = dict(ctx.slots[-1])
    places = enter(ctx, slots, copies=True)
    entry = dict(ctx.env)
    ctx.slots[-1] = outer | places
    try:
        with ctx.loop(f):
            ctx.env.update(dead)
            for n, by in steps.items():
                ctx.env[n] = Integer(_integer(before[n]) + done * by)
            start(of(f.symbol))
            _body(ctx, stmts)
            ctx.place = at
            left = {n: v.value for n in own if isinstance(v := ctx.env.get(n), Integer)}
            ends = {n: v.kind for n, v in ctx.env.items() if n in places and isinstance(v, Array)}
            leave(ctx, {n: p for n, p in places.items() if not isinstance(ctx.env.get(n), Unknown)})
    finally:
        ctx.slots[-1] = outer
    after = dict(ctx.env)
    ctx.env.clear()
    ctx.env.update(entry | dead)
    for n, v in after.items():
        if isinstance(v, Unknown):
            ctx.env[n] = v
        elif n not in entry:
            ctx.env[n] = Unknown("it is set in a loop, that may not run")
    for n, by in steps.items():
        ctx.env[n] = Integer(_integer(before[n]) + trips * by)
    if ctx.proves(trips - 1):
        for n, kind in ends.items():
            last = ctx.env[n]
            if isinstance(last, Array) and last.kind.name == kind.name:
                ctx.env[n] = replace(last, kind=kind)
    for n in own:
        ctx.env[n] = Unknown("it is the variable of a loop that has ended")
    known = {f.symbol, *ctx.arguments, *(x.symbol for x in ctx.frames)}
    at_end = {f.symbol: lo + (trips - 1) * step}
    return {n: p.replaced(at_end) for n, p in left.items() if p.symbols() <= known and not list(elements(p))}


def _integer(v: Value) -> Poly:
    assert isinstance(v, Integer)
    return v.value


def _carried(
    ctx: Context, stmts: Sequence[ast.stmt], f: Frame, start: Start, own: frozenset[str]
) -> tuple[dict[str, int], dict[str, Slot], dict[str, Unknown]]:
    """The variables that a loop changes: integers that grow by the same number each time, those that are kept in
    slots, and those that can't be kept, which have no value at the start of an iteration."""
    end = _trial(ctx, stmts, f, start, {}, {}, {})
    if widened(ctx, stmts, f, end):
        end = _trial(ctx, stmts, f, start, {}, {}, {})
    before = dict(ctx.env)
    names = [n for n in changed(before, end) if n not in own and not isinstance(end[n], Unknown)]
    steps: dict[str, int] = {}
    slots: dict[str, Slot] = {}
    dead: dict[str, Unknown] = {}
    for n in names:
        found = _step(ctx, n, stmts, f, start, names) if isinstance(before[n], Integer) else None
        if found is not None:
            steps[n] = found
    for _ in range(ROUNDS):
        end = _trial(ctx, stmts, f, start, slots, steps, dead)
        later = [n for n in changed(before, end) if n not in own and n not in steps and n not in dead]
        wanted: dict[str, Slot] = {}
        for n in dict.fromkeys([*slots, *later]):
            values = [before[n], *([of_slot(slots[n])] if n in slots else []), end[n]]
            unknown = before[n]
            if isinstance(unknown, Unknown):
                dead[n] = unknown
                continue
            try:
                wanted[n] = slot_of(ctx, n, [v for v in values if not isinstance(v, Unknown)])
            except Stop as problem:
                dead[n] = unknown_of(problem)
        still = wanted == slots and all(s.kind.alike(slots[n].kind) for n, s in wanted.items())
        if still and not any(n in dead for n in wanted):
            return steps, slots, dead
        slots = wanted
    raise stop(ctx.place, ", ".join(slots), "their types change in each iteration of a loop", "convert with astype")


def of_slot(s: Slot) -> Array:
    """A value of a slot's type."""
    return Array(s.shape, s.kind, lambda _: Num(0, s.kind), cheap=False)


def _step(
    ctx: Context, name: str, stmts: Sequence[ast.stmt], f: Frame, start: Start, others: Sequence[str]
) -> int | None:
    s = _stand_in(ctx, name)
    with ctx.trial():
        for n in others:
            if n != name:
                ctx.env[n] = Unknown("it changes in a loop")
        ctx.env[name] = Integer(of(s))
        with ctx.loop(f):
            start(of(f.symbol))
            _body(ctx, stmts)
        after = ctx.env[name]
    del ctx.prover.types[s.name]  # so that the next one has its name, and what was proved is known
    return (after.value - of(s)).constant if isinstance(after, Integer) else None


def _trial(
    ctx: Context,
    stmts: Sequence[ast.stmt],
    f: Frame,
    start: Start,
    slots: dict[str, Slot],
    steps: dict[str, int],
    dead: dict[str, Unknown],
) -> dict[str, Value]:
    """What variables hold at the end of an iteration."""
    with ctx.trial():
        places = enter(ctx, slots, copies=True)
        ctx.slots[-1] = ctx.slots[-1] | places
        ctx.env.update(dead)
        for n, by in steps.items():
            ctx.env[n] = Integer(_integer(ctx.env[n]) + (of(f.symbol) - f.lo).over(abs(f.step)) * by)
        with ctx.loop(f):
            start(of(f.symbol))
            _body(ctx, stmts)
        end = dict(ctx.env)
    for n in slots:
        if isinstance(end[n], Array) and end[n].view == places[n]:  # type: ignore[union-attr]
            end[n] = of_slot(Slot(end[n].kind, slots[n].shape))  # type: ignore[union-attr]
    return end
