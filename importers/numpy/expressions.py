"""Expressions of Python: what each stands for."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..control import Poly, number, product
from ..report import SAID, Stop, stop
from . import library, making
from .arithmetic import chosen, conjunction, converted, negation
from .context import Context
from .elementwise import applied, apply, array, operand
from .indexing import Slice, mask_of, masked, subscript, transposed
from .joins import kept_exactly
from .kinds import BOOL, FLOAT, PYTHON_BOOL, Kind, joined
from .products import matmul
from .program import Cmp, Data, Elem, Num, is_control
from .source import UNKNOWN, Definition, Listed, Module, NotFound, Outside, place
from .values import (
    Array,
    Chosen,
    Computed,
    Helper,
    Integer,
    Member,
    Static,
    Tuple,
    Unknown,
    Value,
    View,
    of_view,
    scalar,
)

OPERATORS: Final = {
    "Add": "add", "Sub": "subtract", "Mult": "multiply", "Div": "divide", "FloorDiv": "floor_divide",
    "Mod": "remainder", "Pow": "power", "BitAnd": "bitwise_and", "BitOr": "bitwise_or", "BitXor": "bitwise_xor",
    "RShift": "right_shift", "LShift": "left_shift",
}  # fmt: skip
SPOKEN: Final = {"ListComp": "a list comprehension", "GeneratorExp": "a generator", "Dict": "a dict"}
COMPARISONS: Final = {
    "Lt": ("less", "<"), "LtE": ("less_equal", "<="), "Gt": ("greater", ">"), "GtE": ("greater_equal", ">="),
    "Eq": ("equal", "=="), "NotEq": ("not_equal", "!="),
}  # fmt: skip


PYTHON: Final = ("range", "len", "abs", "min", "max", "sum", "enumerate", "zip", "round", "pow", "reversed")
"""Functions of Python's own that are taken: none of them writes to an array."""


def value(ctx: Context, e: ast.expr) -> Value:
    """What an expression stands for."""
    ctx.place = place(e)
    match e:
        case ast.Constant(value=bool() | str() | None as v):
            return Static(v)
        case ast.Constant(value=int() as v):
            return Integer(number(v))
        case ast.Constant(value=float() as v):
            return scalar(Num(v, FLOAT))
        case ast.Constant(value=v) if v is ...:
            return Static(v)
        case ast.Constant(value=v):
            raise stop(ctx.place, repr(v), "a constant of this type isn't taken", "compute with real numbers")
        case ast.Name(id=name):
            return named(ctx, name)
        case ast.Attribute():
            return attribute(ctx, e)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            if any(isinstance(x, ast.Starred) for x in items):
                raise stop(ctx.place, "`*`", "how many items it has isn't known", "write the items out")
            return Tuple(tuple(value(ctx, x) for x in items), isinstance(e, ast.List))
        case ast.BinOp():
            return binary(ctx, e)
        case ast.UnaryOp():
            return unary(ctx, e)
        case ast.BoolOp(op=op, values=values):
            return one_of(ctx, op, values)
        case ast.Compare():
            return compare(ctx, e)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return either(ctx, test, body, orelse)
        case ast.Subscript():
            return element(ctx, e)
        case ast.Call():
            from .calls import call

            return call(ctx, e)
        case ast.Lambda():
            return function_here(ctx, e)
        case _:
            name = type(e).__name__
            what = SPOKEN.get(name, name)
            raise stop(ctx.place, what, "this kind of expression isn't taken", "write it as loops over arrays")


def function_here(ctx: Context, node: ast.FunctionDef | ast.Lambda, name: str = "lambda") -> Helper:
    """A function that is defined in another: what its arguments are by default is computed now."""
    from .assignments import once

    args = node.args
    plain = [*args.posonlyargs, *args.args]
    pairs = [*zip(plain[len(plain) - len(args.defaults) :], args.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None]
    return Helper(node, len(ctx.envs) - 1, name, {a.arg: once(ctx, a.arg, value(ctx, d)) for a, d in pairs})


def default(ctx: Context, f: Definition, name: str, e: ast.expr | None) -> Value:
    """What an argument is that isn't given: computed where the function is defined, and not where it is called."""
    if f.defaults is not None:
        try:
            return from_outside(f.defaults[name](), name)
        except NotFound as why:
            raise stop(ctx.place, name, f"of its default: {why}", "pass it") from None
    assert e is not None
    at = ctx.place
    ctx.envs.append({"": Static(f)})
    ctx.locals.append(frozenset())
    try:
        found = value(ctx, e)
    finally:
        ctx.envs.pop()
        ctx.locals.pop()
        ctx.place = at
    if not _is_constant(found):
        raise stop(ctx.place, name, "its default is no number, text or tuple of such", "pass it")
    return found


def _is_constant(v: Value) -> bool:
    match v:
        case Tuple(items=items):
            return not v.is_list and all(map(_is_constant, items))
        case Array(shape=(), reads=(), cheap=True):
            return isinstance(v.at(()), Num)
        case _:
            return isinstance(v, Integer | Static)


def named(ctx: Context, name: str) -> Value:
    """A variable, or what a name means outside."""
    found = ctx.env.get(name)
    if isinstance(found, Unknown):
        if not found.why:
            raise Stop(SAID)
        raise stop(ctx.place, name, f"its value is not known here: {found.why}", found.remedy)
    if found is not None:
        return found
    if name in ctx.locals[-1]:
        raise stop(ctx.place, name, "it has no value here: the function sets it later", "give it a value before")
    lookup = ctx.env.get("")
    assert isinstance(lookup, Static) and isinstance(lookup.value, Definition)
    try:
        return from_outside(lookup.value.lookup(name), name)
    except NotFound as e:
        why = str(e)
    if why != UNKNOWN:
        raise stop(ctx.place, name, why, "pass it as an argument, or use the function itself")
    if name in library.PYTHON or name in PYTHON:
        return Member(f"builtins.{name}")
    if name == "print":
        raise stop(ctx.place, name, "compiled code prints nothing", "leave it out, or print what is returned")
    raise stop(ctx.place, name, why, "pass it as an argument")


def from_outside(found: Outside, name: str) -> Value:
    """A value from outside of the function."""
    match found:
        case Module(path=path):
            inner = library.constant(path.partition(".")[2]) if path.partition(".")[0] in ("numpy", "math") else None
            return inner if inner is not None else Member(path)
        case Definition():
            return Helper(found.node, found, name)
        case bool() | str() | None:
            return Static(found)
        case int():
            return Integer(number(found))
        case float():
            return scalar(Num(found, FLOAT))
        case tuple():
            return Tuple(tuple(from_outside(x, name) for x in found), isinstance(found, Listed))


def attribute(ctx: Context, e: ast.Attribute) -> Value:
    """`a.shape`, `a.T`, `np.pi`."""
    of = value(ctx, e.value)
    ctx.place = place(e)
    match of:
        case Member(path=path, of=None):
            found = library.constant(f"{path}.{e.attr}".partition(".")[2])
            return found if found is not None else Member(f"{path}.{e.attr}")
        case Array() | Computed():
            return _array_attribute(ctx, of, e.attr)
        case Chosen():
            return Member(f"array.{e.attr}", of)
        case Integer() if e.attr == "real":
            return of
        case _:
            raise stop(ctx.place, f".{e.attr}", "what it stands for isn't known", "use arrays and modules")


def extent(ctx: Context, e: Poly) -> Integer:
    """An extent as a number. That of a slice that ends before it begins is 0 in NumPy, and would be less here."""
    ctx.require(e, "so that slices don't end before they begin", "an extent", "begin the slice inside of the array")
    return Integer(e)


def _array_attribute(ctx: Context, a: Array | Computed, name: str) -> Value:
    match name:
        case "shape":
            return Tuple(tuple(extent(ctx, x) for x in a.shape))
        case "T":
            lazy = ctx.lazy(a)
            return transposed(lazy, range(a.ndim - 1, -1, -1))
        case "ndim":
            return Integer(number(a.ndim))
        case "size":
            return Integer(product(tuple(extent(ctx, x).value for x in a.shape)))
        case "dtype":
            return Static(a.kind.strong)
        case "real":
            return a
        case _:
            return Member(f"array.{name}", a)


def binary(ctx: Context, e: ast.BinOp) -> Value:
    """`a + b`"""
    x, y = value(ctx, e.left), value(ctx, e.right)
    ctx.place = place(e)
    return combined(ctx, e.op, x, y)


def combined(ctx: Context, op: ast.operator, x: Value, y: Value) -> Value:
    """Two operands with an operator."""
    name = type(op).__name__
    if name == "MatMult":
        return matmul(ctx, x, y)
    if isinstance(x, Tuple) and isinstance(y, Tuple) and name == "Add" and x.is_list == y.is_list:
        return Tuple((*x.items, *y.items), x.is_list)
    if isinstance(x, Tuple) and isinstance(y, Integer) and name == "Mult" and y.value.constant is not None:
        from .assignments import once

        items = tuple(once(ctx, "`*`", i) for i in x.items) if y.value.constant > 1 else x.items
        return Tuple(items * y.value.constant, x.is_list)
    if isinstance(x, Integer) and isinstance(y, Integer):
        found = whole(x, y, name)
        if found is not None:
            return found
    if name not in OPERATORS:
        raise stop(ctx.place, f"the operator {name}", "it isn't taken", "write it with other operators")
    return applied(ctx, OPERATORS[name], [x, y], operator=True)


def whole(x: Integer, y: Integer, name: str) -> Integer | None:
    """Control integers with an operator, if the result is one."""
    a, b = x.value, y.value
    match name:
        case "Add":
            return Integer(a + b)
        case "Sub":
            return Integer(a - b)
        case "Mult":
            return Integer(a * b)
        case "FloorDiv" | "Mod" if b.constant is not None and b.constant > 0:
            q = a.over(b.constant)
            return Integer(q if name == "FloorDiv" else a - q * b)
        case "Pow" if b.constant is not None and 0 <= b.constant <= 8:
            out = number(1)
            for _ in range(b.constant):
                out = out * a
            return Integer(out)
        case _:
            return None


def unary(ctx: Context, e: ast.UnaryOp) -> Value:
    """`-a`, `not a`, `~a`"""
    if isinstance(e.op, ast.Not):
        return _truth(negation(condition(ctx, e.operand)), PYTHON_BOOL)
    v = value(ctx, e.operand)
    ctx.place = place(e)
    if isinstance(v, Integer) and isinstance(e.op, ast.USub):
        return Integer(-v.value)
    if isinstance(v, Integer) and isinstance(e.op, ast.UAdd):
        return v
    name = {"USub": "negative", "UAdd": "positive"}.get(type(e.op).__name__, "invert")
    return applied(ctx, name, [v], operator=True)


# -- conditions -----------------------------------------------------------------------------------------


def _truth(c: Data, kind: Kind) -> Value:
    return Static(bool(c.value)) if isinstance(c, Num) else replace(scalar(c), kind=kind)


def one_of(ctx: Context, op: ast.boolop, values: Sequence[ast.expr]) -> Value:
    """`a and b`, `a or b` as values: a truth value if all are, else the operand that decides."""
    with ctx.trial():
        kinds = [_truth_kind(ctx, e) for e in values]
    kind = kinds[0]
    if kind is not None and None not in kinds:
        return _truth(_conjunction(ctx, op, values), _any_of(kinds))
    first, rest = values[0], values[1:]
    other = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(op, list(rest)), rest[0])
    return either(ctx, first, other, first) if isinstance(op, ast.And) else either(ctx, first, first, other)


def _any_of(kinds: Sequence[Kind | None]) -> Kind:
    """A truth value that is one of several."""
    found = PYTHON_BOOL if kinds[0] is None else kinds[0]
    for k in kinds:
        found = joined(found, k or found) or found
    return found


def _truth_kind(ctx: Context, e: ast.expr) -> Kind | None:
    """Whether an operand is a truth value, and of what kind."""
    match value(ctx, e):
        case Static(value=bool()):
            return PYTHON_BOOL
        case Array(kind=kind) | Computed(kind=kind) as v if kind.is_bool and not v.ndim:
            return kind
        case _:
            return None


def _conjunction(ctx: Context, op: ast.boolop, values: Sequence[ast.expr]) -> Data:
    word = "and" if isinstance(op, ast.And) else "or"
    found = condition(ctx, values[0])
    for x in values[1:]:
        found = conjunction(word, found, _after(ctx, x, found, word == "and"))
    return found


def condition(ctx: Context, e: ast.expr) -> Data:
    """An expression as a truth value."""
    if isinstance(e, ast.BoolOp):
        return _conjunction(ctx, e.op, e.values)
    v = value(ctx, e)
    ctx.place = place(e)
    return condition_of(ctx, v)


def condition_of(ctx: Context, v: Value) -> Data:
    """A value as a truth value."""
    match v:
        case Static(value=found):
            return Num(bool(found), BOOL)
        case Integer(value=p):
            return Num(p.constant != 0, BOOL) if p.constant is not None else Cmp("!=", p, number(0))
        case Array() | Computed() if v.ndim == 0:
            return converted(ctx, ctx.lazy(v).at(()), BOOL)
        case Array() | Computed():
            why = "the truth of an array with several elements is ambiguous"
            raise stop(ctx.place, "a condition", why, "use np.any, np.all or np.where")
        case Tuple(items=items):
            return Num(bool(items), BOOL)
        case Chosen():
            why = "elements under a mask: how many elements it has depends on data"
            raise stop(ctx.place, "a condition", why, "use np.any(mask & (a != 0))")
        case _:
            return Num(True, BOOL)


def _after(ctx: Context, e: ast.expr, before: Data, holds: bool) -> Data:
    """A condition that is asked for only if what stands before it holds, or doesn't."""
    count = len(ctx.block)
    with ctx.where(before, holds):
        found = condition(ctx, e)
    if len(ctx.block) > count and is_control(before) and not isinstance(before, Num):
        why = "it is computed by statements of its own, and only under the condition before it"
        raise stop(place(e), "`and`, `or`", why, "write two ifs")
    return found


def compare(ctx: Context, e: ast.Compare) -> Value:
    """`a < b`, `a < b < c`, `a is None`"""
    found: Data | None = None
    kind = PYTHON_BOOL
    values = [value(ctx, x) for x in (e.left, *e.comparators)]
    ctx.place = place(e)
    if len(e.ops) == 1 and type(e.ops[0]).__name__ in COMPARISONS:
        return _compared(ctx, type(e.ops[0]).__name__, values[0], values[1])
    for op, x, y in zip(e.ops, values, values[1:], strict=False):
        name = type(op).__name__
        if name in ("Is", "IsNot"):
            step: Data = Num(_identical(ctx, x, y) == (name == "Is"), BOOL)
        elif name in COMPARISONS:
            test = _compared(ctx, name, x, y)
            of = PYTHON_BOOL if isinstance(test, Static) else operand(ctx, test).kind
            kind = of if found is None else _any_of([kind, of])
            step = condition_of(ctx, test)
        else:
            raise stop(ctx.place, f"the comparison {name}", "it isn't taken", "compare numbers")
        found = step if found is None else conjunction("and", found, step)
    assert found is not None
    return _truth(found, kind)


def _identical(ctx: Context, x: Value, y: Value) -> bool:
    """`x is y`, where one is None, or both are texts or truth values that are known."""
    known = isinstance(x, Static) and isinstance(y, Static) and not any(isinstance(v.value, Kind) for v in (x, y))
    if not known and Static(None) not in (x, y):
        why = "whether two names stand for one object isn't known"
        raise stop(ctx.place, "`is`", why, "compare with None, or by ==")
    return isinstance(x, Static) and isinstance(y, Static) and x.value is y.value


def _same_items(ctx: Context, x: Tuple, y: Tuple) -> Data:
    """Whether two tuples are equal, item by item."""
    found: Data = Num(len(x.items) == len(y.items) and x.is_list == y.is_list, BOOL)
    for a, b in zip(x.items, y.items, strict=False):
        found = conjunction("and", found, condition_of(ctx, _compared(ctx, "Eq", a, b)))
    return found


def _compared(ctx: Context, name: str, x: Value, y: Value) -> Value:
    ufunc, op = COMPARISONS[name]
    if isinstance(x, Integer) and isinstance(y, Integer):
        apart = (x.value - y.value).constant
        if apart is not None:
            tests = {"<": apart < 0, "<=": apart <= 0, ">": apart > 0, ">=": apart >= 0, "==": apart == 0}
            return Static(tests.get(op, apart != 0))
        return replace(scalar(Cmp(op, x.value, y.value)), kind=PYTHON_BOOL)
    if isinstance(x, Static) and isinstance(y, Static) and name in ("Eq", "NotEq"):
        a, b = (making.kind(ctx, v).strong if isinstance(w.value, Kind) else v.value for v, w in ((x, y), (y, x)))
        return Static((a == b) == (name == "Eq"))
    if isinstance(x, Tuple) and isinstance(y, Tuple) and name in ("Eq", "NotEq"):
        same = _same_items(ctx, x, y)
        return _truth(same if name == "Eq" else negation(same), PYTHON_BOOL)
    return apply(ctx, ufunc, [x, y], operator=True)


def either(ctx: Context, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Value:
    """`a if c else b` of numbers."""
    cond = condition(ctx, test)
    if isinstance(cond, Num):
        return value(ctx, body if cond.value else orelse)
    with ctx.trial():
        kinds = [_scalar_kind(ctx, x, cond, k == 0) for k, x in enumerate((body, orelse))]
    kind = joined(kinds[0], kinds[1])
    if kind is None:
        raise stop(ctx.place, "`if` in an expression", f"one side is {kinds[0]}, the other {kinds[1]}", "convert one")
    of = kind

    def side(x: ast.expr, holds: bool) -> Data:
        with ctx.where(cond, holds):
            v = array(ctx, value(ctx, x))
            kept_exactly(ctx, "`if` in an expression", v, of)
            return converted(ctx, v.at(()), of)

    found = scalar_in(ctx, chosen(ctx, cond, lambda: side(body, True), lambda: side(orelse, False), kind))
    return replace(found, kind=kind)


def scalar_in(ctx: Context, e: Data) -> Array:
    """A number that was computed into a variable."""
    return of_view(View(e.buffer, (), ())) if isinstance(e, Elem) else scalar(e)


def _scalar_kind(ctx: Context, e: ast.expr, cond: Data, holds: bool) -> Kind:
    with ctx.where(cond, holds):
        v = operand(ctx, value(ctx, e), "`if` in an expression")
    if v.ndim:
        raise stop(ctx.place, "`if` in an expression", "a side is an array", "use an if statement or np.where")
    return v.kind


# -- subscripts -----------------------------------------------------------------------------------------


def index(ctx: Context, e: ast.expr) -> list[Value | Slice]:
    """What stands in brackets."""
    items = e.elts if isinstance(e, ast.Tuple) else [e]
    return [_index_part(ctx, x) for x in items]


def _index_part(ctx: Context, e: ast.expr) -> Value | Slice:
    if isinstance(e, ast.Slice):
        ends = [None if x is None else value(ctx, x) for x in (e.lower, e.upper, e.step)]
        return Slice(*ends)
    return value(ctx, e)


def element(ctx: Context, e: ast.Subscript) -> Value:
    """`a[..]` where it is read."""
    of = value(ctx, e.value)
    at = index(ctx, e.slice)
    ctx.place = place(e)
    what = ast.unparse(e)
    if isinstance(of, Tuple):
        return _item(ctx, of, at, what)
    a = array(ctx, of, what)
    if mask_of(at) is not None:
        part, mask = masked(ctx, a, at, what)
        return Chosen(part, mask, ast.dump(e.slice))
    return subscript(ctx, a, at, what)


def _item(ctx: Context, of: Tuple, at: list[Value | Slice], what: str) -> Value:
    match at:
        case [Integer(value=p)] if p.constant is not None and -len(of.items) <= p.constant < len(of.items):
            return of.items[p.constant]
        case [Slice(lo=lo, hi=hi, step=step)]:
            ends = [x.value.constant if isinstance(x, Integer) else None for x in (lo, hi, step)]
            if any(n is None and x not in (None, Static(None)) for x, n in zip((lo, hi, step), ends, strict=True)):
                raise stop(ctx.place, what, "which items these are isn't known now", "use literals")
            return Tuple(of.items[slice(*ends)], of.is_list)
        case _:
            raise stop(ctx.place, what, "which item it is isn't known now", "use a literal")
