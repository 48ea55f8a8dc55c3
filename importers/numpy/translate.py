"""A NumPy function as a procedure."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..control import Symbol, number, of
from ..names import spelled
from ..report import Problem, Report, Stop, stop
from . import cells, views
from .context import Context
from .expressions import default
from .flow import known_by, variables, written_through
from .kinds import I64, PYTHON_BOOL
from .program import Alloc, Buffer, Flag, For, If, Num, Procedure, Stmt, Store, Whole
from .prover import Prover
from .source import Definition, Source, place
from .statements import body
from .storing import assign
from .types import Type
from .values import Array, Chosen, Computed, Integer, Static, Tuple, Unknown, Value, View, of_view, scalar, whole


@dataclass(frozen=True)
class Returned:
    """What a function returns: `argument` or `output` with its name, `tuple` of several, `none`."""

    form: str
    name: str = ""
    items: tuple[Returned, ...] = ()
    kind: str = ""
    weak: bool = False


def translate(source: Source, types: Mapping[str, Type], report: Report) -> tuple[Procedure, Returned]:
    """Translate a function whose arguments have these types."""
    node = source.node
    p = Procedure(spelled(node.name, function=True))
    env: dict[str, Value] = {"": Static(source.definition)}
    symbols: dict[str, Symbol] = {}
    for t in types.values():
        for e in t.shape:
            symbols.update({s.name: s for s in e.symbols()})
    for name in symbols:
        p.controls[name] = "size"
    for name, t in types.items():
        if t.form == "int":
            s = symbols.setdefault(spelled(name), Symbol(spelled(name), 0))
            p.controls.setdefault(s.name, "int")
            p.given[s.name] = name
            env[name] = Integer(of(s)) if t.kind.weak else scalar(Whole(of(s), t.kind))
    taken = set(p.controls)
    for name, t in types.items():
        match t.form:
            case "bool":
                flag = spelled(name, taken)
                p.controls[flag] = "bool"
                p.given[flag] = name
                env[name] = scalar(Flag(flag, t.kind))
            case "known":
                env[name] = Integer(number(t.value)) if type(t.value) is int else Static(t.value)
            case "data":
                b = Buffer(spelled(name, taken), t.kind, t.shape, "argument")
                taken.add(b.name)
                p.arguments.append(b)
                p.given[b.name] = name
                env[name] = of_view(whole(b))
            case _:
                pass
    prover = Prover({n: "index" if t == "int" else t for n, t in p.controls.items() if t != "bool"})
    ctx = Context(p, report, prover, frozenset(symbols.values()))
    ctx.envs, ctx.slots, ctx.changed_in_place = [env], [{}], [written_through(node, known_by(env))]
    ctx.running = [source.definition.identity]
    ctx.names = {p.name, *p.controls, *(b.name for b in p.arguments)}
    ctx.outside.name = spelled(ctx.outside.name, ctx.names)
    ctx.names.add(ctx.outside.name)
    ctx.reserved = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    ctx.block, ctx.place = p.body, place(node)
    ctx.locals = [variables(node)]
    _defaults(ctx, source.definition, node)
    found = body(ctx, node.body)
    returned = Returned("none")
    ctx.place = place(node.body[-1])
    try:
        returned = _returned(ctx, found, "result")
    except Stop as s:
        report.add(ctx.placed(s.problem))
        ctx.stopped = True
    cells.check(ctx, p.body)
    if _stored(ctx.outside, p.body):
        _note_outside(ctx)
    views.settle(p)
    if ctx.stopped and not report.problems:
        why = "a value in it isn't known, and no place says why: this is a fault of the importer"
        report.add(Problem(place(node), node.name, why, "write it in another way"))
    return p, returned


def _stored(b: Buffer, stmts: Sequence[Stmt]) -> bool:
    """Whether statements store to a buffer."""
    for s in stmts:
        match s:
            case Store(buffer=to):
                found = to is b
            case For(body=inner):
                found = _stored(b, inner)
            case If(yes=yes, no=no):
                found = _stored(b, [*yes, *no])
            case _:
                found = False
        if found:
            return True
    return False


def _note_outside(ctx: Context) -> None:
    """An argument says whether an index that is computed was outside of its array."""
    p, b = ctx.procedure, ctx.outside
    p.outside = b
    p.outputs.append(b)
    p.body.insert(0, Store(b, (), Num(0, I64), ctx.place))
    p.notes.append(f"`{b.name}` becomes 1 if an index that is computed is outside, where NumPy raises an IndexError")


def _defaults(ctx: Context, f: Definition, node: ast.FunctionDef) -> None:
    """Arguments without a type that have a default are that."""
    args = [*node.args.posonlyargs, *node.args.args]
    pairs = list(zip(reversed(args), reversed(node.args.defaults), strict=False))
    pairs += [(a, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None]
    for a, d in pairs:
        if a.arg not in ctx.env:
            try:
                ctx.env[a.arg] = default(ctx, f, a.arg, d)
            except Stop as s:
                ctx.report.add(ctx.placed(s.problem))
                ctx.env[a.arg] = Unknown("")
            ctx.procedure.notes.append(f"{a.arg} is {ast.unparse(d)}")


def _returned(ctx: Context, v: Value, name: str) -> Returned:
    """What is returned becomes arguments that are written."""
    match v:
        case Static(value=None):
            return Returned("none")
        case Tuple(items=items):
            _apart(ctx, items)
            names = [f"{name}_{k}" if len(items) > 1 else name for k in range(len(items))]
            found = tuple(_returned(ctx, i, n) for i, n in zip(items, names, strict=True))
            return Returned("list" if v.is_list else "tuple", items=found)
        case Static(value=bool() as b):
            return _written(ctx, scalar(Num(b, PYTHON_BOOL)), name)
        case Integer(value=q):
            return _written(ctx, scalar(Num(q.constant, I64) if q.constant is not None else Whole(q, I64)), name, True)
        case Array() | Computed():
            return _written(ctx, v, name)
        case Chosen():
            why = "how many elements it has depends on data"
            raise stop(ctx.place, "elements under a mask", why, "write np.where(mask, .., 0)")
        case _:
            raise stop(ctx.place, "what is returned", "it is no number or array", "return arrays and numbers")


def _written(ctx: Context, v: Array | Computed, name: str, weak: bool = False) -> Returned:
    if len({k.name[0] if k.is_float or k.is_bool else "i" for k in v.kind.each}) > 1:
        why = f"it is {v.kind}, which depends on the way through the program"
        _unlike(ctx, why, "return numbers of one type: begin with 0.0, or convert it with float(..)")
    if isinstance(v, Array) and v.boxed:
        _unlike(ctx, "it is an array without dimensions in NumPy, and a number here")
    if isinstance(v, Array) and v.view is not None:
        b = v.view.buffer
        if v.view.dims == whole(b).dims and v.shape == b.shape:
            if b.role == "argument" and b.shape:
                return Returned("argument", b.name)
            if b.role == "output" and b.shape:
                return Returned("output", b.name, kind=b.kind.name, weak=v.kind.weak)
            alloc = next((s for s in ctx.procedure.body if isinstance(s, Alloc) and s.buffer is b), None)
            if b.role == "local" and alloc is not None and _of_arguments(ctx, b):
                ctx.procedure.body.remove(alloc)
                b.role = "output"
                ctx.procedure.outputs.append(b)
                return Returned("output", b.name, kind=b.kind.name, weak=v.kind.weak)
    if isinstance(v, Array) and v.ndim and (v.view is not None or v.copies):
        for b in dict.fromkeys(r.buffer for r in v.reads if r.buffer.role == "argument"):
            _unlike(ctx, f"it is a part of {b.name}, whose memory it shares in NumPy")
    for e in v.shape:
        if not e.symbols() <= ctx.arguments:
            raise stop(ctx.place, "what is returned", f"its extent {e} isn't made of sizes", "return all of the array")
        if e.constant is not None and e.constant < 1:
            why = "it has no elements, and arrays here have some"
            raise stop(ctx.place, "what is returned", why, "pass larger arrays, or make it outside")
        remedy = "say what holds of sizes in the first line: assert 1 <= k < len(x)"
        ctx.require(e - 1, "so that what is returned has elements", "what is returned", remedy)
    b = Buffer(spelled(name, ctx.names), v.kind, v.shape, "output")
    ctx.names.add(b.name)
    assign(ctx, View(b, whole(b).dims, b.shape), v)
    ctx.procedure.outputs.append(b)
    return Returned("output", b.name, kind=v.kind.name, weak=v.kind.weak or weak)


def _apart(ctx: Context, items: Sequence[Value]) -> None:
    """Of several results, none is a part of another."""
    seen: dict[Buffer, View] = {}
    for v in items:
        if not isinstance(v, Array) or not v.ndim or (v.view is None and not v.copies):
            continue
        for r in v.reads:
            if seen.setdefault(r.buffer, r) != r:
                _unlike(ctx, f"two of them are parts of {r.buffer.name}, and share memory in NumPy")


def _unlike(ctx: Context, why: str, remedy: str = "return a copy") -> None:
    """Note that what is returned is something else to a caller than what NumPy returns."""
    ctx.procedure.unlike.append(Problem(ctx.place, "what is returned", why, remedy))


def _of_arguments(ctx: Context, b: Buffer) -> bool:
    return all(e.symbols() <= ctx.arguments for e in b.shape)
