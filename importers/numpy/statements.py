"""Statements of Python."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..report import Stop, stop
from . import loops
from .arithmetic import negation
from .assignments import augmented, bind, once
from .context import Context
from .expressions import condition, function_here, value
from .flow import names_set
from .joins import changed, enter, leave, placed, slot_of, unknown_of
from .jumps import RESULT, without_returns
from .printing import data as shown
from .program import Data, If, Num, is_control
from .source import Module, imported, place
from .values import Member, Static, Unknown, Value, View


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
            returned = ctx.env.get(RESULT, Static(None))
    return returned


def _sets_result(s: ast.stmt) -> bool:
    return isinstance(s, ast.If) and RESULT in names_set([s])


def block(ctx: Context, stmts: Sequence[ast.stmt]) -> None:
    """Statements in a row."""
    for s in stmts:
        statement(ctx, s)


def statement(ctx: Context, s: ast.stmt) -> None:
    """One statement; its problems are reported."""
    ctx.place = place(s)
    ctx.spend()
    with ctx.reporting(lambda: names_set([s])):
        _statement(ctx, s)


UNTAKEN = {
    ast.Break: ("break", "it stands in something else than a branch of its loop", "put it under an if"),
    ast.Continue: ("continue", "it stands in something else than a branch of its loop", "put it under an if"),
    ast.Try: ("try", "the object language has no exceptions", "test before"),
    ast.Raise: ("raise", "the object language has no exceptions", "test before the call"),
    ast.With: ("with", "the object language has no contexts", "leave it out"),
    ast.Global: ("global", "variables outside of the function would change", "return the value"),
    ast.Nonlocal: ("nonlocal", "variables outside of the function would change", "return the value"),
    ast.ClassDef: ("class", "the object language has numbers and arrays only", "leave it out"),
    ast.Return: ("return in a loop", "what is returned after the loop is no constant", "set a variable, and break"),
}  # fmt: skip


def _statement(ctx: Context, s: ast.stmt) -> None:
    match s:
        case ast.Assign(targets=targets, value=e):
            found = right_side(ctx, e)
            if len(targets) > 1:
                found = once(ctx, "an assignment to several", found)
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
            if s.decorator_list:
                what, why = ast.unparse(s.decorator_list[0]), "it may put something else in the place of the function"
                raise stop(ctx.place, f"@{what}", why, "call it where the function is used")
            ctx.env[name] = function_here(ctx, s, name)
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


def _assert(ctx: Context, c: Data, why: str = "as the program asserts") -> None:
    """An assertion on sizes is one of the procedure."""
    if isinstance(c, Num) and c.value:
        return
    if not is_control(c) or isinstance(c, Num) or ctx.frames:
        raise stop(ctx.place, "assert", "it asks for data, or stands in a loop", "check it before the call")
    ctx.procedure.assertions.setdefault(shown(c), why)


# -- branches -------------------------------------------------------------------------------------------


def branch(ctx: Context, s: ast.If) -> None:
    """An if: on what is known now, on sizes, or on data."""
    cond = condition(ctx, s.test)
    if isinstance(cond, Num):
        block(ctx, s.body if cond.value else s.orelse)
        return
    if isinstance(s.body[0], ast.Raise) and is_control(cond) and not ctx.frames:
        _assert(ctx, negation(cond), "so that the program raises nothing")
        block(ctx, s.orelse)
        return
    before = dict(ctx.env)
    ends: list[dict[str, Value]] = []
    for side, holds in ((s.body, True), (s.orelse, False)):
        with ctx.trial(asserted=ctx.trials > 0):
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
            lost[n] = unknown_of(found)
    places = _places(ctx, slots, before)
    out = If(cond, [], [], ctx.place)
    # of a trial, nothing stays but what its variables are, which is known
    after = _merged(ends[0], ends[1], places) if ctx.trials else _translated(ctx, s, out, before, places)
    ctx.env.update(after | lost)
    ctx.env.update({n: placed(p, slots[n]) for n, p in places.items() if not isinstance(after.get(n), Unknown)})
    ctx.block.append(out)


def _translated(
    ctx: Context, s: ast.If, out: If, before: dict[str, Value], places: dict[str, View]
) -> dict[str, Value]:
    """Both sides of a branch, which leave variables in their places, and what is known after them."""
    outer = dict(ctx.slots[-1])
    ctx.slots[-1] = outer | places
    ends: list[dict[str, Value]] = []
    try:
        for side, block_, holds in ((s.body, out.yes, True), (s.orelse, out.no, False)):
            ctx.env.clear()
            ctx.env.update(before)
            with ctx.into(block_):
                _side(ctx, side, out.cond, holds)
                leave(ctx, {n: p for n, p in places.items() if not isinstance(ctx.env.get(n, Unknown("")), Unknown)})
            ends.append(dict(ctx.env))
    finally:
        ctx.slots[-1] = outer
        ctx.env.clear()
        ctx.env.update(before)
    return _merged(ends[0], ends[1], places)


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


def _merged(first: dict[str, Value], env: dict[str, Value], places: dict[str, View]) -> dict[str, Value]:
    """What is known after both sides: one value, or that what differs is kept in a place."""
    out: dict[str, Value] = {}
    for n in {**first, **env}:
        if n in first and n in env:
            differs = _differs(first[n], env[n])
            unknown = next((v for v in (first[n], env[n]) if isinstance(v, Unknown)), None)
            if differs and unknown is None and n not in places:
                unknown = Unknown("it is not the same after both sides of an if")
            out[n] = unknown if differs and unknown is not None else first[n]
        else:
            out[n] = Unknown("it is set on one side of an if only")
    return out
