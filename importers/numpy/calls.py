"""Calls: of NumPy's functions, of Python's, and of functions of the program, whose bodies are put in their place."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import Parameter, Signature

from ..control import number
from ..report import stop
from . import comprehensions, library, making, reductions
from .context import Context
from .elementwise import apply, array, as_type, operand, ufunc_name
from .expressions import PYTHON, default, extent, value
from .indexing import choice
from .joins import kept_exactly
from .kinds import FLOAT, INT, joined
from .program import Alloc, Buffer, For, If, Num, Stmt, Store
from .source import Definition, place
from .values import Array, Chosen, Computed, Helper, Integer, Member, Static, Tuple, Value

DEEPEST = 32
"""How deeply functions may call each other."""


def call(ctx: Context, e: ast.Call) -> Value:
    """A call in an expression. Only one that is a whole right side may write to arrays that were there before: what
    stands beside it would be read before or after that."""
    whole, block, count = ctx.top is e, ctx.block, len(ctx.block)
    found = _called(ctx, e)
    if not whole and _writes(block[count:], {ctx.outside}):
        why = "it writes to an array, and stands inside of an expression"
        raise stop(place(e), f"{ast.unparse(e.func)}(..)", why, "call it in a statement of its own before")
    return found


def _writes(stmts: Sequence[Stmt], own: set[Buffer]) -> bool:
    """Whether statements store to buffers that they don't allocate, other than `own`."""
    stored: set[Buffer] = set()

    def visit(s: Stmt) -> None:
        match s:
            case Alloc(buffer=b):
                own.add(b)
            case Store(buffer=b):
                stored.add(b)
            case For(body=inner):
                for x in inner:
                    visit(x)
            case If(yes=yes, no=no):
                for x in (*yes, *no):
                    visit(x)

    for s in stmts:
        visit(s)
    return bool(stored - own)


def _called(ctx: Context, e: ast.Call) -> Value:
    f = value(ctx, e.func)
    what = ast.unparse(e.func)
    args = comprehensions.arguments(ctx, f, e.args)
    for a in e.args[len(args) :]:
        if isinstance(a, ast.Starred):
            found = value(ctx, a.value)
            if not isinstance(found, Tuple):
                raise stop(place(a), "`*`", "what it spreads isn't a tuple", "write the arguments out")
            args += found.items
        else:
            args.append(value(ctx, a))
    if any(k.arg is None for k in e.keywords):
        raise stop(place(e), "`**`", "arguments in a dict", "name each argument")
    named = {k.arg: value(ctx, k.value) for k in e.keywords if k.arg is not None}
    ctx.place = place(e)
    match f:
        case Helper():
            return run(ctx, f, args, named)
        case Member(of=of, path=path) if of is not None:
            return library.method(ctx, of, path.partition(".")[2], args, named)
        case Member(path=path):
            return _library(ctx, path, args, named)
        case Static() if f.value in making.TYPES.values():
            if len(args) != 1 or named:
                raise stop(ctx.place, f"{what}(..)", "it is taken with one argument", "write astype")
            return making.cast(ctx, f, args)
        case _:
            raise stop(ctx.place, f"{what}(..)", "it is no function that is known now", "call functions by name")


def _library(ctx: Context, path: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    module, _, name = path.partition(".")
    if module == "builtins":
        if named:
            what = f"{name}(.., {next(iter(named))}=..)"
            raise stop(ctx.place, what, "this argument isn't taken", "write it in another way")
        return _builtin(ctx, name, args)
    if module == "math":
        return _math(ctx, name, args, named)
    if module != "numpy":
        why = f"it belongs to {module}, of which only NumPy and math are known"
        raise stop(ctx.place, f"{path}(..)", why, "write it with NumPy, or compute it outside")
    return library.call(ctx, name, args, named)


def _math(ctx: Context, name: str, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """A function of `math`: of Python floats, whatever it gets."""
    ufunc = ufunc_name(name)
    if ufunc is None or named or len(args) != (1 if ufunc in library.UNARY else 2):
        why = "the importer doesn't know this function with these arguments"
        raise stop(ctx.place, f"math.{name}", why, "write it as a loop")
    if any(isinstance(a, Tuple) or (isinstance(a, Array | Computed) and a.ndim) for a in args):
        raise stop(ctx.place, f"math.{name}", "it is taken of single numbers", f"write np.{ufunc}")
    to_int = name in ("floor", "ceil", "trunc")
    if to_int and isinstance(args[0], Integer):
        return args[0]
    found = apply(ctx, ufunc, [as_type(ctx, array(ctx, a), FLOAT) for a in args], operator=True)
    return as_type(ctx, found, INT) if to_int else found


def _builtin(ctx: Context, name: str, args: Sequence[Value]) -> Value:
    what = f"{name}(..)"
    first = args[0] if args else Static(None)
    match name:
        case "len" if isinstance(first, Tuple):
            return Integer(number(len(first.items)))
        case "len" if isinstance(first, Array | Computed) and first.ndim:
            return extent(ctx, first.shape[0])
        case "float" | "int" if isinstance(first, Integer) and name == "int":
            return first
        case "float" | "int" | "bool" if len(args) == 1:
            a = array(ctx, first)
            if a.ndim:
                raise stop(ctx.place, what, "it is taken of single numbers", "index it")
            return as_type(ctx, a, library.PYTHON[name])
        case "abs" if len(args) == 1:
            return _negated(ctx, first) if isinstance(first, Integer) else apply(ctx, "absolute", args, operator=True)
        case "pow" if len(args) == 2:
            return apply(ctx, "power", args, operator=True)
        case "sum" if isinstance(first, Array | Computed) and first.ndim == 1 and len(args) == 1:
            return reductions.added(ctx, first)
        case "min" | "max":
            return _smallest(ctx, name, args)
        case "round" if len(args) == 1:
            a = array(ctx, first)
            if a.ndim or a.kind.is_bool:
                raise stop(ctx.place, what, "it is taken of single numbers", "write np.round")
            return as_type(ctx, a if a.kind.is_int else apply(ctx, "rint", [a]), INT)
        case _:
            raise stop(ctx.place, what, "it isn't taken here", "write it in another way")


def _negated(ctx: Context, v: Integer) -> Value:
    if ctx.proves(v.value):
        return v
    return Integer(choice(ctx, "max", v.value, -v.value))


def _smallest(ctx: Context, name: str, args: Sequence[Value]) -> Value:
    items = tuple(args)
    if len(args) == 1:
        first = args[0]
        if isinstance(first, Array | Computed) and first.ndim == 1:
            return reductions.reduction(ctx, name, first, {})
        items = first.items if isinstance(first, Tuple) else ()
    if not items:
        why = "it is taken of several numbers, and of the elements of a vector, a list or a tuple"
        raise stop(ctx.place, f"{name}(..)", why, f"write np.{name}")
    out = items[0]
    for v in items[1:]:
        known = _known(out), _known(v)
        if known[0] is not None and known[1] is not None:
            out = v if (known[1] > known[0] if name == "max" else known[1] < known[0]) else out
        elif isinstance(out, Integer) and isinstance(v, Integer):
            out = Integer(choice(ctx, name, out.value, v.value))
        else:
            out = _larger(ctx, name, out, v)
    return out


def _known(v: Value) -> float | None:
    """A number that is known now."""
    match v:
        case Integer(value=p):
            return p.constant
        case Static(value=bool() as b):
            return b
        case Array():
            e = _constant(v)
            return e.value if isinstance(e, Num) else None
        case _:
            return None


def _larger(ctx: Context, name: str, a: Value, b: Value) -> Value:
    """`max`, `min` of two numbers: one of them, of its own type."""
    x, y = array(ctx, a), array(ctx, b)
    kind = joined(x.kind, y.kind)
    if x.ndim or y.ndim or kind is None:
        raise stop(ctx.place, name, f"it gives {x.kind} or {y.kind}", "convert one, or write np.maximum")
    for v in (x, y):
        kept_exactly(ctx, name, v, kind)
    found = apply(ctx, "larger" if name == "max" else "smaller", [x, y], operator=True)
    if found.kind.name != kind.name:
        raise stop(ctx.place, name, f"it gives {kind}", "convert one")
    return replace(found, kind=kind)


# -- functions of the program ---------------------------------------------------------------------------


def run(ctx: Context, f: Helper, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """A call of a function of the program: its body, with the arguments as its variables."""
    from .flow import known_by, variables, written_through
    from .statements import body

    node = f.node
    assert isinstance(node, ast.FunctionDef | ast.Lambda)
    if f.name in PYTHON:
        raise stop(ctx.place, f"{f.name}(..)", "it has the name of a function of Python's own", "give it another name")
    own = f.names.identity if isinstance(f.names, Definition) else node
    if own in ctx.running:
        why = "it calls itself" if ctx.running[-1] is own else "it is called by a function that it calls"
        raise stop(ctx.place, f"{f.name}(..)", why, "write a loop")
    ctx.spend()
    if len(ctx.envs) > DEEPEST:
        raise stop(ctx.place, f"{f.name}(..)", "functions call each other too deeply", "write a loop")
    given = _bound(ctx, f, node.args, args, named)
    names = list(given)
    env: dict[str, Value] = {"": Static(f.names)}
    own_names = variables(node)
    seen: frozenset[str] = own_names
    if isinstance(f.names, int):
        env = {n: v for n, v in ctx.envs[f.names].items() if n not in own_names}
        seen |= ctx.locals[f.names]
    written = written_through(node, known_by(env))
    for n in names:
        env[n] = _passed(ctx, given[n], n)
    at = ctx.place
    ctx.envs.append(env)
    ctx.locals.append(seen)
    ctx.slots.append({})
    ctx.running.append(own)
    ctx.changed_in_place.append(written)
    try:
        for n in names:
            _shared(ctx, n, given[n])
        found = value(ctx, node.body) if isinstance(node, ast.Lambda) else body(ctx, node.body)
        if isinstance(found, Array) and found.ndim == 0 and found.reads:
            found = ctx.materialised(found, f.name if f.name != "lambda" else "t")
        found = _own_masks(ctx, found)
        if isinstance(found, Helper | Tuple) and _has_function(found):
            raise stop(ctx.place, f"{f.name}(..)", "it returns a function", "call it there")
    finally:
        ctx.envs.pop()
        ctx.locals.pop()
        ctx.slots.pop()
        ctx.running.pop()
        ctx.changed_in_place.pop()
        ctx.place = at
    return found


def _bound(
    ctx: Context, f: Helper, spec: ast.arguments, args: Sequence[Value], named: Mapping[str, Value]
) -> dict[str, Value]:
    """What each argument of a function gets in a call."""
    if spec.vararg or spec.kwarg:
        raise stop(ctx.place, f"{f.name}(..)", "its arguments don't go with its definition", "name each argument")
    plain = [*spec.posonlyargs, *spec.args]
    defaults: dict[str, ast.expr | None] = dict(
        zip((a.arg for a in plain[len(plain) - len(spec.defaults) :]), spec.defaults, strict=True)
    )
    defaults.update({a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None})
    if isinstance(f.names, Definition) and f.names.defaults is not None:
        defaults = dict.fromkeys(f.names.defaults)
    kinds = [
        *((a, Parameter.POSITIONAL_ONLY) for a in spec.posonlyargs),
        *((a, Parameter.POSITIONAL_OR_KEYWORD) for a in spec.args),
        *((a, Parameter.KEYWORD_ONLY) for a in spec.kwonlyargs),
    ]
    of = [Parameter(a.arg, k, default=None if a.arg in defaults else Parameter.empty) for a, k in kinds]
    try:
        given: dict[str, Value] = Signature(of).bind(*args, **named).arguments
    except TypeError as e:
        raise stop(ctx.place, f"{f.name}(..)", str(e), "Python raises a TypeError here") from None
    out: dict[str, Value] = {}
    for p in of:
        if p.name in given:
            out[p.name] = given[p.name]
        elif isinstance(f.names, Definition):
            out[p.name] = default(ctx, f.names, p.name, defaults[p.name])
        else:
            out[p.name] = f.defaults[p.name]
    return out


def _own_masks(ctx: Context, v: Value) -> Value:
    """What a function returns. Names in its masks are its own, so elements under them are alike to no others."""
    match v:
        case Chosen():
            ctx.counter += 1
            return replace(v, key=f"returned {ctx.counter}")
        case Tuple(items=items):
            return Tuple(tuple(_own_masks(ctx, i) for i in items), v.is_list)
        case _:
            return v


def _has_function(v: Value) -> bool:
    return isinstance(v, Helper) or (isinstance(v, Tuple) and any(_has_function(i) for i in v.items))


def _shared(ctx: Context, name: str, v: Value) -> None:
    """What is passed as a copy, and shares memory in NumPy, must not be written in the function, nor what it is of."""
    if isinstance(v, Tuple):
        for i in v.items:
            _shared(ctx, name, i)
    if isinstance(v, Array):
        ctx.unshared(v, name)


def _passed(ctx: Context, v: Value, name: str) -> Value:
    """An argument: places in memory are passed as they are, all else is computed."""
    if isinstance(v, Tuple):
        return Tuple(tuple(_passed(ctx, i, name) for i in v.items), v.is_list)
    if isinstance(v, Chosen):
        v = operand(ctx, v, name)
    if isinstance(v, Computed) or (isinstance(v, Array) and v.view is None and not isinstance(_constant(v), Num)):
        return ctx.materialised(v, name)
    return v


def _constant(v: Array) -> object:
    return v.at(()) if not v.ndim and not v.reads and v.cheap else None
