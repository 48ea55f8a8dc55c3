"""A C function as a procedure: its arguments, and its body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..control import Symbol, number, of
from ..names import spelled
from ..report import Report, Stop, stop
from . import conversions, statements
from .context import Context, Hints
from .expressions import data
from .integers import at_type
from .kinds import kinds
from .literals import written
from .lookups import is_constant
from .options import Options
from .pointers import dimensions
from .program import Allocate, Argument, Lit, Procedure, Scalar, Store
from .shapes import new_size
from .syntax import Array, Binary, Declare, Expr, Function, Literal, Pointer, Table, Type, Unary, Unit, Use, Variable
from .types import Float, Int, Other, Void
from .typing import element_type, is_pointer, shown
from .values import Address, Known, Lost
from .walks import changed, expressions, extents, inside
from .walks import statements as all_statements

NONE = Hints()
SHOWN = 8
"""How many first values of an array are written out."""


def translate(
    function: Function,
    unit: Unit,
    callees: Mapping[str, Procedure],
    report: Report,
    options: Options,
    hints: Hints = NONE,
) -> Context:
    """Translate one function; the functions that it calls have been."""
    calls = {name: _control_arguments(p) for name, p in callees.items()}
    others = unit.functions.keys() - {function.name}
    procedure = Procedure(spelled(function.name, others, function=True), [], [], function.place, c_name=function.name)
    k = kinds(function, unit.functions, calls, hints.data)
    ctx = Context(function, unit.functions, k, report, procedure, callees, options, hints)
    ctx.names = {v.name for v in (*function.args, *_outer(function, unit, callees))}
    ctx.names |= {s.var.name for s in all_statements(function.body) if isinstance(s, Declare) and _is_named(ctx, s.var)}
    procedure.notes += function.notes
    try:
        _arguments(ctx, unit)
    except Stop as found:
        report.add(found.problem)
        return ctx
    with ctx.into(procedure.body):
        _tables(ctx)
        _copies(ctx)
        statements.block(ctx, function.body)
    procedure.accesses, procedure.written, procedure.indexing = ctx.accesses, ctx.written, {*ctx.indexing}
    return ctx


def _control_arguments(p: Procedure) -> tuple[bool, ...]:
    """Which of C's arguments are control."""
    taken = sorted((a for a in p.args if a.var.storage == "argument"), key=lambda a: a.position)
    return tuple(a.symbol is not None for a in taken)


def _is_named(ctx: Context, v: Variable) -> bool:
    return isinstance(v.type, Array) or (not is_pointer(v.type) and not ctx.is_control(v))


def _outer(function: Function, unit: Unit, callees: Mapping[str, Procedure]) -> list[Variable]:
    """The variables at file scope, and static ones, that a function uses, itself or in what it calls."""
    found = {e.var for e in expressions(function.body) if isinstance(e, Use) and e.var.storage in ("file", "static")}
    for v in function.args:
        found |= {e.var for x in extents(v.type) for e in inside(x) if isinstance(e, Use) and e.var.storage == "file"}
    for name in {e.name for e in expressions(function.body) if hasattr(e, "name") and e.name in callees}:
        found |= {a.var for a in callees[name].args if a.var.storage in ("file", "static")}
    return sorted((v for v in found if not is_constant(v)), key=lambda v: v.place)


def _constants(function: Function) -> Iterator[Variable]:
    """The constants at file scope that a function uses."""
    found = {e.var for e in expressions(function.body) if isinstance(e, Use) and e.var.storage == "file"}
    for v in function.args:
        found |= {e.var for x in extents(v.type) for e in inside(x) if isinstance(e, Use) and e.var.storage == "file"}
    yield from sorted((v for v in found if is_constant(v)), key=lambda v: v.place)


# -- arguments ------------------------------------------------------------------------------------------


def _arguments(ctx: Context, unit: Unit) -> None:
    """The arguments of the procedure: those of the function, variables at file scope, and what is returned."""
    f = ctx.function
    for v in _constants(f):
        if isinstance(v.type, Int) and ctx.is_control(v) and not isinstance(v.init, Table) and v.init is not None:
            ctx.values[v] = Known(at_type(ctx, v.init, v.type))
    for v in (*f.args, *_outer(f, unit, ctx.callees)):
        try:
            ctx.procedure.args.append(_argument(ctx, v))
            ctx.procedure.args[-1].position = len(ctx.procedure.args)
            if v.storage == "member":
                ctx.procedure.notes.append(f"{v.name} is {v.c_name} in C")
            if v.storage in ("file", "static") and isinstance(v.type, Pointer) and v in changed(f.body):
                ctx.procedure.notes.append(f"nobody asks where {v.name} points after the call, which C changes")
            if v.storage in ("file", "static") and not v.elsewhere:
                ctx.procedure.notes.append(f"{v.name} {_beginning(ctx, v)}, and keeps its value from call to call")
        except Stop as found:
            ctx.report.add(found.problem)
            ctx.values[v] = Lost("of a problem before", reported=True)
    _quotients(ctx)
    for a in list(ctx.procedure.args):
        if is_pointer(a.var.type):
            with ctx.reporting():
                first, *rest = dimensions(ctx, a.var)
                if a.var in ctx.hints.sized and first is None:
                    ctx.shapes[a.var] = (new_size(ctx, a.var), *rest)
    if not isinstance(f.result, Void):
        if not isinstance(f.result, Int | Float):
            raise stop(f.place, f"a result of type {shown(f.result)}", "only numbers are returned", "pass an argument")
        ctx.result = Variable(spelled("result", ctx.names), "result", f.result, "result", f.place)
        ctx.names.add(ctx.result.name)
        ctx.procedure.args.append(Argument(ctx.result, type=f.result))


def _quotients(ctx: Context) -> None:
    """Sizes that are divided by others, as in `d = n / heads`: the quotient is an argument in the place of the size."""
    fixed = {a.var: a for a in ctx.procedure.args if a.symbol is not None and a.var not in changed(ctx.function.body)}
    for e in expressions(ctx.function.body):
        match e:
            case Binary(op="/", lhs=Use(var=whole), rhs=Use(var=by)) if whole in fixed and by in fixed and whole != by:
                before, factor = ctx.values[whole], ctx.values[by]
                if not isinstance(before, Known) or before.value.symbol is None or not isinstance(factor, Known):
                    continue
                if factor.value.symbol is None:
                    continue
                ctx.counter += 1
                name = spelled(f"{whole.name}_over_{by.name}", ctx.names)
                ctx.names.add(name)
                symbol = Symbol(name, ctx.counter)
                a = fixed[whole]
                a.var, a.symbol = Variable(name, name, whole.type, "size", whole.place), symbol
                ctx.values[whole] = Known(factor.value * of(symbol))
                ctx.procedure.notes.append(f"{whole.name} is a multiple of {by.name}, and {name} is the quotient")
            case _:
                pass


def _beginning(ctx: Context, v: Variable) -> str:
    """What a variable of the file, or a static one, is before anything is called."""
    if v.init is None:
        return "is 0 everywhere at the first call" if isinstance(v.type, Array) else "is 0 at the first call"
    t = element_type(v)
    values = v.init.parts if isinstance(v.init, Table) else (v.init,)
    numbers = [e for e in values if not isinstance(e, Table)]
    if isinstance(t, Int | Float) and len(numbers) == len(values) <= SHOWN and not isinstance(v.type, Pointer):
        try:
            text = ", ".join(_first(ctx, e, t) for e in numbers)
        except Stop:
            text = ""
        if text and not isinstance(v.init, Table):
            return f"is {text} at the first call"
        if text and isinstance(v.type, Array):
            whole = isinstance(v.type.extent, Literal) and v.type.extent.value == len(values)
            return f"is {text} {'' if whole else 'and zeros '}at the first call"
    return f"is at the first call what line {v.place.line} of the C file says"


def _first(ctx: Context, e: Expr, t: Int | Float) -> str:
    value = conversions.convert(data(ctx, e), t, e.place)
    if not isinstance(value, Lit):
        raise stop(e.place, "this first value", "it is no number", "")
    return written(value.value, t)


def _argument(ctx: Context, v: Variable) -> Argument:
    t = element_type(v)
    if _pointer_inside(v.type) or not isinstance(t, Int | Float):
        what = f"{v.c_name} of type {shown(v.type)}"
        remedy = "pass flat arrays, and members one by one"
        if isinstance(t, Other) and t.text == "a function":
            remedy = "call the function by its name, in a copy of this one for each"
        raise stop(v.place, what, "arguments are numbers, and arrays of them", remedy)
    if is_pointer(v.type):
        if isinstance(v.type, Pointer):
            ctx.values[v] = Address(v, (number(0),))
        return Argument(v, type=t)
    if isinstance(v.type, Int) and ctx.is_control(v):
        ctx.counter += 1
        symbol = Symbol(v.name, ctx.counter)
        ctx.values[v] = Known(of(symbol))
        return Argument(v, symbol, type=t)
    return Argument(v, type=t)


def _pointer_inside(t: Type) -> bool:
    """Whether an array's elements, or what is pointed to, are pointers."""
    inner = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else None
    while inner is not None:
        if isinstance(inner, Pointer):
            return True
        inner = inner.of if isinstance(inner, Array) else None
    return False


# -- what comes first -----------------------------------------------------------------------------------


def _tables(ctx: Context) -> None:
    """Constants at file scope: local arrays and variables that are filled first."""
    for v in _constants(ctx.function):
        if isinstance(v.type, Int) and ctx.is_control(v):
            continue
        with ctx.reporting():
            statements.declare(ctx, v, v.place)


def _copies(ctx: Context) -> None:
    """Scalar arguments that the function changes: procedures get them by reference, so a copy is changed."""
    for a in ctx.procedure.args:
        v = a.var
        if v.storage != "argument" or a.symbol is not None or is_pointer(v.type) or v not in _written(ctx.function):
            continue
        outside = Variable(v.name, v.c_name, v.type, "argument", v.place)
        v.name = spelled(v.c_name, ctx.names)
        ctx.names.add(v.name)
        a.var = outside
        assert a.type is not None
        ctx.block += [Allocate(v, (), v.place), Store(v, "=", Scalar(outside, a.type), v.place)]


def _written(f: Function) -> set[Variable]:
    """The variables that are assigned, or whose address is taken."""
    found: set[Variable] = set(changed(f.body))
    for e in expressions(f.body):
        if isinstance(e, Unary) and e.op == "&" and isinstance(e.arg, Use):
            found.add(e.arg.var)
    return found
