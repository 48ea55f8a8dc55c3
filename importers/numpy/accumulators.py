"""Numbers that become arrays when something is added: `s = 0`, then in a loop `s += x[i]` of rows."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from .arithmetic import converted
from .context import Context
from .kinds import INT
from .program import Frame, Num
from .values import Array, Helper, Integer, Value, of_view


def widened(ctx: Context, stmts: Sequence[ast.stmt], f: Frame, end: Mapping[str, Value]) -> bool:
    """Give such variables a whole array of their number before a loop that surely runs, and say whether there are any.
    `end` has what variables are after an iteration. The body may do nothing else with them, so that it can't tell."""
    found = False
    for name, v in list(ctx.env.items()):
        after = end.get(name)
        literal = _literal(v)
        if literal is None or not isinstance(after, Array) or not after.ndim:
            continue
        shape, kind = after.shape, after.kind.strong
        plain = kind.is_float and literal.value in (0, 1)
        if not _only_accumulates(stmts, name, plain) or _seen_by_functions(ctx, name):
            continue
        if any(not e.symbols() <= ctx.arguments for e in shape):
            continue
        trips = f.hi - f.lo if f.step > 0 else f.lo - f.hi
        ctx.require(trips - 1, f"so that {name} becomes an array", name, "begin with an array: s = np.zeros(..)")
        place = ctx.buffer(name, kind, shape)
        number = converted(ctx, literal, kind)
        ctx.nest(shape, lambda idx, place=place, number=number: ctx.put(place, idx, number))  # type: ignore[misc]
        ctx.env[name] = of_view(place)
        found = True
    return found


def _literal(v: Value) -> Num | None:
    """The number that a variable holds, if it is one of Python's that is known."""
    if not isinstance(v, Array | Integer) or (isinstance(v, Array) and (v.ndim or v.reads or not v.cheap)):
        return None
    if isinstance(v, Integer):
        return Num(v.value.constant, INT) if v.value.constant is not None else None
    e = v.at(())
    return e if isinstance(e, Num) and e.kind.weak and not e.kind.is_bool else None


def _seen_by_functions(ctx: Context, name: str) -> bool:
    """Whether a nested function reads a variable, which the loop may call."""
    nodes = [v.node for v in ctx.env.values() if isinstance(v, Helper) and isinstance(v.names, int)]
    return any(_is(n, name) for node in nodes if isinstance(node, ast.AST) for n in ast.walk(node))


def _only_accumulates(stmts: Sequence[ast.stmt], name: str, plain: bool) -> bool:
    """Whether all that is done with a variable is one `s += e` or `s = s + e`; with `plain`, of arithmetic of floats
    that begins with 0 or 1, also one `s = s * x + e`."""
    named = sum(_is(n, name) for s in stmts for n in ast.walk(s))
    return any(named == _accumulates(n, name, plain) for s in stmts for n in ast.walk(s))


def _accumulates(n: ast.AST, name: str, plain: bool) -> int:
    """How often a statement names a variable, if it adds to it; else -1."""
    match n:
        case ast.AugAssign(target=t, op=ast.Add() | ast.Sub() | ast.Mult()) if _is(t, name):
            return 1
        case ast.Assign(targets=[t], value=ast.BinOp(left=a, op=ast.Add() | ast.Sub() | ast.Mult(), right=b) as e):
            terms = _terms(e, name) if plain else int(_is(a, name)) + int(_is(b, name))
            return 1 + terms if _is(t, name) and terms else -1
        case _:
            return -1


def _terms(e: ast.expr, name: str) -> int:
    """How often a variable is an operand in an expression, not counting where it is used in another way."""
    match e:
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=b):
            return _terms(a, name) + _terms(b, name)
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return _terms(a, name)
        case _:
            return int(_is(e, name))


def _is(e: ast.AST, name: str) -> bool:
    return isinstance(e, ast.Name) and e.id == name
