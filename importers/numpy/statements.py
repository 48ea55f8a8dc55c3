"""Statements of Python."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..control import number
from ..report import Stop, stop
from . import cells, loops
from .context import Context
from .elementwise import array, assign, operand
from .expressions import PYTHON, combined, condition, index, value
from .indexing import mask_of, masked, subscript
from .joins import changed, enter, leave, slot_of
from .kinds import can_cast
from .printing import data as shown
from .program import Data, Elem, If, Num, is_control
from .source import Module, imported, place
from .values import Array, Chosen, Computed, Helper, Integer, Member, Static, Tuple, Unknown, Value, of_view

RESULT = "result"
VIEWS = frozenset(
    ("reshape", "ravel", "transpose", "swapaxes", "squeeze", "expand_dims", "asarray", "ascontiguousarray")
) | {"diagonal", "real", "flip", "conj", "view"}
"""Functions and methods that may give a part of what they get."""
FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.BoolOp)


def body(ctx: Context, stmts: Sequence[ast.stmt]) -> Value:
    """The statements of a function, and what it returns."""
    stmts = without_returns(stmts)
    returned: Value = Static(None)
    for s in stmts:
        if isinstance(s, ast.Return):
            with ctx.reporting(frozenset):
                returned = Static(None) if s.value is None else right_side(ctx, s.value)
            return returned
        statement(ctx, s)
        if _sets_result(s):
            returned = ctx.env.get(RESULT + " ", Static(None))
    return returned


def _sets_result(s: ast.stmt) -> bool:
    return isinstance(s, ast.If) and RESULT + " " in names_set([s])


def without_returns(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Returns in branches set a variable, and what follows is under the other branch. A return at the end stays."""
    for k, s in enumerate(stmts):
        if isinstance(s, ast.If) and _returns(s):
            rest = list(stmts[k + 1 :])
            yes = [*s.body, *([] if _always(s.body) else rest)]
            no = [*s.orelse, *([] if _always(s.orelse) else rest)]
            new = ast.If(s.test, _ended(yes), _ended(no))
            return [*stmts[:k], ast.copy_location(new, s)]
    return list(stmts)


def _ended(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    for s in without_returns(stmts):
        if isinstance(s, ast.Return):
            target = ast.Name(RESULT + " ", ast.Store())
            given = s.value if s.value is not None else ast.Constant(None)
            new = ast.Assign([ast.copy_location(target, s)], ast.copy_location(given, s))
            return [*out, ast.copy_location(new, s)]
        out.append(s)
    return out or [ast.Pass()]


def _returns(s: ast.AST) -> bool:
    return any(isinstance(n, ast.Return) for n in _own(s))


def _always(stmts: Sequence[ast.stmt]) -> bool:
    if not stmts:
        return False
    last = stmts[-1]
    both = isinstance(last, ast.If) and _always(last.body) and _always(last.orelse)
    return isinstance(last, ast.Return | ast.Raise) or both


def _own(s: ast.AST) -> Iterator[ast.AST]:
    """All in a statement but for functions that it defines."""
    yield s
    if not isinstance(s, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        for c in ast.iter_child_nodes(s):
            yield from _own(c)


def names_set(stmts: Sequence[ast.AST]) -> frozenset[str]:
    """The variables that statements set."""
    return frozenset(
        n.id for s in stmts for n in _own(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)
    )


def written_through(f: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names of a function through which arrays may be written, with those that they may be parts of."""
    out: set[str] = set()
    parts: list[tuple[set[str], ast.expr]] = []
    for s in ast.walk(f):
        match s:
            case ast.Assign(targets=targets, value=v):
                for t in targets:
                    out |= _subscripted(t)
                    parts.append((set(names_set([t])), v))
            case ast.AugAssign(target=t):
                out |= _subscripted(t) | ({t.id} if isinstance(t, ast.Name) else set())
            case ast.For(target=t, iter=v):
                parts.append((set(names_set([t])), v))
            case ast.Call(func=func, args=args, keywords=named):
                out |= {n.id for k in named if k.arg == "out" for n in ast.walk(k.value) if isinstance(n, ast.Name)}
                if isinstance(func, ast.Attribute) and func.attr in ("fill", "copyto", "sort", "partition"):
                    out |= {n.id for x in (func.value, *args[:1]) for n in ast.walk(x) if isinstance(n, ast.Name)}
                elif isinstance(func, ast.Attribute):
                    out |= {n.id for a in args[2:] for n in ast.walk(a) if isinstance(n, ast.Name)}
                elif not (isinstance(func, ast.Name) and func.id in PYTHON):
                    out |= {n.id for a in args for n in ast.walk(a) if isinstance(n, ast.Name)}
            case _:
                pass
    before = -1
    while before != len(out):
        before = len(out)
        for names, v in parts:
            if names & out and not _fresh(v):
                out |= _shared(v)
    return frozenset(out)


def _shared(e: ast.expr) -> set[str]:
    """The names that a value may share memory with: of `a[i]` that is a."""
    match e:
        case ast.Subscript(value=of) | ast.Attribute(value=of):
            return _shared(of)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return {n for x in items for n in _shared(x)}
        case _:
            return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}


def _fresh(e: ast.expr) -> bool:
    """Whether a value surely shares no memory with what it is made of."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
        plain = len(e.args) <= 2 and not any(k.arg == "out" for k in e.keywords)
        return plain and e.func.attr not in VIEWS
    return isinstance(e, FRESH)


def _subscripted(t: ast.expr) -> set[str]:
    if isinstance(t, ast.Tuple | ast.List):
        return {n for x in t.elts for n in _subscripted(x)}
    if not isinstance(t, ast.Subscript):
        return set()
    of: ast.expr = t
    while isinstance(of, ast.Subscript | ast.Attribute):
        of = of.value
    return {n.id for n in ast.walk(of) if isinstance(n, ast.Name)}


def block(ctx: Context, stmts: Sequence[ast.stmt]) -> None:
    """Statements in a row; what follows an `if c: continue` is under its other branch."""
    for k, s in enumerate(stmts):
        if isinstance(s, ast.If) and s.body and isinstance(s.body[-1], ast.Continue):
            rest = [*s.orelse, *stmts[k + 1 :]]
            new = ast.If(s.test, s.body[:-1] or [ast.Pass()], rest)
            statement(ctx, ast.copy_location(new, s))
            return
        if isinstance(s, ast.Continue):
            return
        statement(ctx, s)


def statement(ctx: Context, s: ast.stmt) -> None:
    """One statement; its problems are reported."""
    ctx.place = place(s)
    with ctx.reporting(lambda: names_set([s])):
        _statement(ctx, s)


UNTAKEN = {
    ast.Break: ("break", "the object language has only counted loops", "put the rest of the body under an if"),
    ast.Try: ("try", "the object language has no exceptions", "test before"),
    ast.Raise: ("raise", "the object language has no exceptions", "test before the call"),
    ast.With: ("with", "the object language has no contexts", "leave it out"),
    ast.Global: ("global", "variables outside of the function would change", "return the value"),
    ast.Nonlocal: ("nonlocal", "variables outside of the function would change", "return the value"),
    ast.ClassDef: ("class", "the object language has numbers and arrays only", "leave it out"),
    ast.Return: ("return in a loop", "the object language has only counted loops", "return after the loop"),
}  # fmt: skip


def _statement(ctx: Context, s: ast.stmt) -> None:
    match s:
        case ast.Assign(targets=targets, value=e):
            found = right_side(ctx, e)
            if isinstance(found, Computed) and len(targets) > 1:
                found = ctx.materialised(found)
            for t in targets:
                ctx.place = place(s)
                bind(ctx, t, found)
        case ast.AnnAssign(target=t, value=e) if e is not None:
            bind(ctx, t, right_side(ctx, e))
        case ast.AnnAssign() | ast.Pass():
            pass
        case ast.AugAssign():
            augmented(ctx, s)
        case ast.Expr(value=ast.Constant()):
            pass
        case ast.Expr(value=e):
            right_side(ctx, e)
        case ast.If():
            branch(ctx, s)
        case ast.For():
            loops.for_loop(ctx, s)
        case ast.While():
            loops.while_loop(ctx, s)
        case ast.FunctionDef(name=name):
            ctx.env[name] = Helper(s, len(ctx.envs) - 1, name)
        case ast.Import() | ast.ImportFrom():
            for name, m in imported(s).items():
                ctx.env[name] = Member(m.path) if isinstance(m, Module) else Static(None)
        case ast.Assert(test=test):
            _assert(ctx, condition(ctx, test))
        case ast.Delete(targets=targets):
            for t in targets:
                if isinstance(t, ast.Name):
                    ctx.env[t.id] = Unknown(f"{t.id} was deleted")
        case _:
            name = type(s).__name__
            what, why, remedy = UNTAKEN.get(type(s), (name, "this statement isn't taken", "write it in another way"))
            raise stop(ctx.place, what, why, remedy)


def right_side(ctx: Context, e: ast.expr) -> Value:
    """The whole right side of a statement: a function that it calls may write to arrays."""
    ctx.top = e
    return value(ctx, e)


def _assert(ctx: Context, c: Data) -> None:
    """An assertion on sizes is one of the procedure."""
    if isinstance(c, Num) and c.value:
        return
    if not is_control(c) or isinstance(c, Num) or ctx.frames:
        raise stop(ctx.place, "assert", "it asks for data, or stands in a loop", "check it before the call")
    ctx.procedure.assertions.setdefault(shown(c), "as the program asserts")


# -- assignments ----------------------------------------------------------------------------------------


def bind(ctx: Context, t: ast.expr, v: Value) -> None:
    """An assignment."""
    match t:
        case ast.Name(id=name):
            set_name(ctx, name, v)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            unpack(ctx, items, v)
        case ast.Subscript():
            store(ctx, t, v)
        case _:
            raise stop(ctx.place, ast.unparse(t), "what is assigned to is no variable or array", "use an array")


def unpack(ctx: Context, targets: Sequence[ast.expr], v: Value) -> None:
    """`a, b = ..`: all of the right side is computed first."""
    if isinstance(v, Array) and v.ndim and v.shape[0].constant == len(targets):
        items: tuple[Value, ...] = tuple(
            subscript(ctx, v, [Integer(number(k))], "an assignment") for k in range(len(targets))
        )
    elif isinstance(v, Tuple):
        items = v.items
    else:
        raise stop(ctx.place, "an assignment to several", "the right side is no tuple", "assign one by one")
    if len(items) != len(targets):
        why = f"{len(items)} values for {len(targets)} names"
        raise stop(ctx.place, "an assignment to several", why, "Python raises a ValueError here")
    subscripts = any(isinstance(t, ast.Subscript) for t in targets)
    done = [_settled(ctx, i, subscripts) for i in items]
    for t, i in zip(targets, done, strict=True):
        bind(ctx, t, i)


def _settled(ctx: Context, v: Value, stored: bool) -> Value:
    """A value that later stores don't change: a place in memory stays one."""
    if isinstance(v, Computed) or (isinstance(v, Array) and v.reads and (v.view is None or (stored and v.ndim == 0))):
        return ctx.materialised(v)
    if isinstance(v, Array) and stored and v.view is not None:
        return v
    return v


def set_name(ctx: Context, name: str, v: Value) -> None:
    """`name = v`: the name stands for a place in memory, or for a new buffer."""
    if isinstance(v, Chosen):
        v = Chosen(ctx.materialised(v.part, name), ctx.materialised(v.mask, "mask"), f"{name} {ctx.counter}")
    if not isinstance(v, Array | Computed):
        ctx.env[name] = v
        return
    if isinstance(v, Array) and v.view is not None:
        ctx.env[name] = v
        return
    if isinstance(v, Array) and not v.ndim and not v.reads and v.cheap and isinstance(v.at(()), Num):
        ctx.env[name] = v
        return
    if isinstance(v, Array) and _is_index(ctx, v) and name not in ctx.slots[-1]:
        ctx.env[name] = v
        return
    if isinstance(v, Array) and v.copies and v.ndim:
        names = {name, *(h for r in v.reads for h in ctx.holders(r.buffer)), *(r.buffer.name for r in v.reads)}
        if names & ctx.changed_in_place[-1]:
            why = "in NumPy it shares memory with another array, here it is a copy, and one of them is written"
            raise stop(ctx.place, name, why, "copy it: x = y.copy()")
    slot = ctx.slots[-1].get(name)
    fits = slot is not None and slot.buffer.kind == v.kind and slot.shape == v.shape
    if slot is not None and fits and all(n == name for n in ctx.holders(slot.buffer)):
        assign(ctx, slot, v)
        ctx.env[name] = of_view(slot)
        return
    ctx.env[name] = ctx.materialised(v, name.strip())


def _is_index(ctx: Context, v: Array) -> bool:
    """Whether a number is an element of an argument that isn't written, so that the name may stand for it."""
    e = v.at(()) if not v.ndim and v.cheap and len(v.reads) == 1 else None
    return isinstance(e, Elem) and cells.steady(ctx, e.buffer)


def store(ctx: Context, t: ast.Subscript, v: Value) -> None:
    """`a[..] = v`"""
    of = value(ctx, t.value)
    at = index(ctx, t.slice)
    ctx.place = place(t)
    what = ast.unparse(t)
    target, mask = _target(ctx, of, at, what)
    alike = isinstance(v, Chosen) and mask is not None and v.key == ast.dump(t.slice)
    found = v.part if isinstance(v, Chosen) and alike else operand(ctx, v, what)
    if mask is not None and found.ndim and not alike:
        why = "the values under a mask are one number here"
        raise stop(ctx.place, what, why, "write np.where, or a loop")
    assert target.view is not None
    assign(ctx, target.view, found, mask)


def _target(ctx: Context, of: Value, at: list, what: str) -> tuple[Array, Array | None]:  # type: ignore[type-arg]
    """The place that is written, and the mask over it."""
    if not isinstance(of, Array) or (of.view is None and of.ndim):
        raise stop(ctx.place, what, "what is written is no array that a name stands for", "give it a name")
    mask: Array | None = None
    if mask_of(at) is not None:
        target, mask = masked(ctx, of, at, what)
    else:
        target = subscript(ctx, of, at, what)
    if target.view is None and target.ndim:
        why = "several elements are written at indices from an array, maybe one of them twice"
        raise stop(ctx.place, what, why, "write a loop over the indices")
    if target.view is None:
        place_read = next(iter(target.reads), None)
        if place_read is None or of.view is None:
            raise stop(ctx.place, what, "it is no place in memory", "assign to an element of an array")
        target = of_view(place_read)
    return target, mask


def augmented(ctx: Context, s: ast.AugAssign) -> None:
    """`x += e`: an array is changed in place, a number gets a new value."""
    if isinstance(s.target, ast.Subscript):
        of = value(ctx, s.target.value)
        at = index(ctx, s.target.slice)
        what = ast.unparse(s.target)
        ctx.place = place(s)
        target, mask = _target(ctx, of, at, what)
        if mask is not None:
            _masked_update(ctx, s, target, mask)
            return
        e = value(ctx, s.value)
        ctx.place = place(s)
        _in_place(ctx, s.op, target, e, what)
        return
    assert isinstance(s.target, ast.Name)
    name = s.target.id
    before = value(ctx, ast.copy_location(ast.Name(name, ast.Load()), s.target))
    e = value(ctx, s.value)
    ctx.place = place(s)
    if isinstance(before, Array) and before.ndim:
        if before.view is None:
            before = ctx.materialised(before, name)
        _in_place(ctx, s.op, before, e, name)
        return
    set_name(ctx, name, combined(ctx, s.op, before, e))


def _in_place(ctx: Context, op: ast.operator, target: Array, e: Value, what: str) -> None:
    found = operand(ctx, combined(ctx, op, target, e))
    assert target.view is not None
    to = target.view.buffer.kind
    if target.ndim and not can_cast(found.kind, to):
        why = f"the result is {found.kind} and the array {to}, which NumPy refuses to cast in place"
        raise stop(ctx.place, f"{what} {type(op).__name__}", why, "write x = x + .., or convert with astype")
    assign(ctx, target.view, found)


def _masked_update(ctx: Context, s: ast.AugAssign, target: Array, mask: Array) -> None:
    """`a[mask] += e`"""
    e = value(ctx, s.value)
    ctx.place = place(s)
    what = ast.unparse(s.target)
    if isinstance(e, Chosen) and isinstance(s.target, ast.Subscript) and e.key == ast.dump(s.target.slice):
        e = e.part
    elif operand(ctx, e, what).ndim:
        raise stop(ctx.place, what, "the values under a mask are one number", "write np.where")
    found = array(ctx, combined(ctx, s.op, target, e))
    assert target.view is not None
    if not can_cast(found.kind, target.view.buffer.kind):
        raise stop(ctx.place, what, f"the result is {found.kind}, which NumPy refuses to cast in place", "use astype")
    assign(ctx, target.view, found, mask)


# -- branches -------------------------------------------------------------------------------------------


def branch(ctx: Context, s: ast.If) -> None:
    """An if: on what is known now, on sizes, or on data."""
    cond = condition(ctx, s.test)
    if isinstance(cond, Num):
        block(ctx, s.body if cond.value else s.orelse)
        return
    before = dict(ctx.env)
    ends: list[dict[str, Value]] = []
    for side, holds in ((s.body, True), (s.orelse, False)):
        with ctx.trial():
            _side(ctx, side, cond, holds)
            ends.append(dict(ctx.env))
    ctx.place = place(s)
    both = [n for n in ends[0] if n in ends[1]]
    names = [n for n in both if changed({n: ends[0][n]}, ends[1])]
    names = list(dict.fromkeys([*names, *(n for end in ends for n in changed(before, end))]))
    names = [n for n in names if n in both and not any(isinstance(end[n], Unknown) for end in ends)]
    slots, lost = {}, dict[str, Unknown]()
    for n in names:
        try:
            if _differs(ends[0][n], ends[1][n]):
                slots[n] = slot_of(ctx, n, [end[n] for end in ends])
        except Stop as found:
            lost[n] = Unknown(found.problem.why if found.problem.what else "")
    places = _places(ctx, slots, before)
    out = If(cond, [], [], ctx.place)
    outer = dict(ctx.slots[-1])
    ctx.slots[-1] = outer | places
    after: dict[str, Value] = {}
    try:
        for side, block_, holds in ((s.body, out.yes, True), (s.orelse, out.no, False)):
            ctx.env.clear()
            ctx.env.update(before)
            with ctx.into(block_):
                _side(ctx, side, cond, holds)
                leave(ctx, {n: p for n, p in places.items() if not isinstance(ctx.env.get(n, Unknown("")), Unknown)})
            after = _merged(after, ctx.env, holds)
    finally:
        ctx.slots[-1] = outer
        ctx.env.clear()
        ctx.env.update(before)
    ctx.env.update(after | lost)
    ctx.env.update({n: of_view(p) for n, p in places.items() if not isinstance(after.get(n), Unknown)})
    ctx.block.append(out)


def _differs(a: Value, b: Value) -> bool:
    return bool(changed({"x": a}, {"x": b}))


def _places(ctx: Context, slots: dict, before: dict[str, Value]) -> dict:  # type: ignore[type-arg]
    """Where joined variables are kept; those that had no value before have none to begin with."""
    for n in slots:
        ctx.env.setdefault(n, Unknown(""))
    places = enter(ctx, slots, copies=False)
    ctx.env.clear()
    ctx.env.update(before)
    return places


def _side(ctx: Context, stmts: Sequence[ast.stmt], cond: Data, holds: bool) -> None:
    with ctx.where(cond, holds):
        block(ctx, stmts)


def _merged(first: dict[str, Value], env: dict[str, Value], is_first: bool) -> dict[str, Value]:
    """What is known after both sides."""
    if is_first:
        return dict(env)
    out: dict[str, Value] = {}
    for n in {**first, **env}:
        if n in first and n in env:
            differs = _differs(first[n], env[n])
            unknown = next((v for v in (first[n], env[n]) if isinstance(v, Unknown)), None)
            out[n] = unknown if differs and unknown is not None else first[n]
        else:
            out[n] = Unknown("it is set on one side of an if only")
    return out
