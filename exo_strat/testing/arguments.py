"""Random arguments of primitives, drawn by what the annotations of their parameters say (`Kind`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..cursors.cursor import BlockCursor, Cursor, ExprCursor, StmtCursor
from ..cursors.kinds import AllocCursor, CallCursor, ExternCursor, ForCursor, ReadConfigCursor
from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..frontend.precisions import precision_at
from ..frontend.scope import declarations, scope_at
from ..ir.config import Config
from ..ir.externs import relu
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC, Memory
from ..ir.nodes import Alloc, Assign, Call, Const, For, Read, Reduce
from ..ir.precisions import concrete, element
from ..ir.printing import names_at, print_expr
from ..ir.types import Control, Scalar, Tensor, Type, bf16, bool_, size
from ..ir.walk import get, is_bool, is_control, mentions, walk
from ..ops.strategy import freeze
from ..primitives import PrimitiveForm
from ..primitives.helpers.references import ExprLike
from .choices import Choices
from .library import CONFIG, callees, versions
from .suitable import alike
from .targets import targets

MEMORIES: Final = (DRAM_STACK, DRAM_STATIC, DRAM)


def arguments(ch: Choices, op: PrimitiveForm[...], c: Cursor) -> tuple[Any, ...]:
    """Arguments for a primitive at a target."""
    params = op.spec.signature.parameters.values()
    found: tuple[Any, ...] = freeze(tuple(_argument(ch, op, prm, c) for prm in params))
    return found


def _argument(ch: Choices, op: PrimitiveForm[...], prm: inspect.Parameter, c: Cursor) -> object:
    kind, hint = op.spec.kinds.get(prm.name), op.spec.hints[prm.name]
    if kind is not None:
        if kind.among:
            return ch.pick(kind.among)
        draw = kind.draw or DRAWN.get(kind.words)
        if draw is None:
            what = f"nothing is known of {kind.words!r}, which {op.spec.name} takes"
            raise TypeError(f"{what}: say how to draw one (Kind.draw)")
        return draw(ch, c)
    if prm.default is True or prm.default is False:
        return ch.chance(40) != prm.default
    if hint is Memory:
        return ch.pick(MEMORIES)
    if hint is Config:
        return CONFIG
    if hint is int:
        return ch.pick([1, 2, 3, 4])
    if hint == ExprLike:
        return expression(ch, c)
    if hint is object:
        return neighbour(ch, c)
    if hint is str:
        return "t"
    if prm.default is not prm.empty:
        return prm.default
    raise TypeError(f"no arguments are known for {prm} of {op.spec.name}: annotate it with a Kind")


def neighbour(ch: Choices, c: Cursor) -> Cursor:
    """A second reference: mostly the next statement, or else any of the procedure's statements."""
    if isinstance(c, BlockCursor):
        c = c[-1]
    path = c._sibling(1) if isinstance(c, StmtCursor) else None
    if path is not None and isinstance(c, StmtCursor) and ch.chance(90):
        if isinstance(c, AllocCursor):
            allocs = targets(c.proc, (AllocCursor,))
            return ch.pick(allocs)
        return c.next()
    return ch.pick(targets(c.proc, (StmtCursor,)))


def second_write(ch: Choices, c: Cursor) -> Cursor | None:
    """The second statement for a block, unless that is two."""
    return None if isinstance(c, BlockCursor) and len(c) == 2 and ch.chance(90) else neighbour(ch, c)


def dimension_of(ch: Choices, c: Cursor) -> int:
    """A dimension of an allocation, mostly one along which all indices are literals."""
    rank = len(c.shape()) if isinstance(c, AllocCursor) else 0
    nodes = [n for _, n in walk(c.proc.tree) if isinstance(n, Read | Assign | Reduce) and n.idx]
    places = [n.idx for n in nodes if isinstance(c, AllocCursor) and n.sym == c.sym]
    fixed = [d for d in range(rank) if all(isinstance(i[d], Const) for i in places)]
    return ch.pick(fixed or [0, 1]) if ch.chance(85) else ch.pick([0, 1])


def controls(c: Cursor) -> list[str]:
    """The integers in scope at a cursor, as they are spelled."""
    scope = scope_at(c.proc.tree, c.place())
    integers = [(s.id, n) for n, s in scope.names.items() if _is_integer(scope.types[s])]
    return [n for _, n in sorted(integers)]


def _is_integer(t: object) -> bool:
    return isinstance(t, Control) and t != bool_


def elements(c: Cursor) -> list[str]:
    """Elements of the buffers of indices in scope, as they are spelled; some may lie beyond the end."""
    scope = scope_at(c.proc.tree, c.place())
    lines = [(s.id, n) for n, s in scope.names.items() if _is_line(t := scope.types[s]) and not element(t).is_float]
    return [f"{n}[{at}]" for _, n in sorted(lines) for at in ("0", "n", *controls(c)[-1:])]


def factor(ch: Choices, c: Cursor) -> str | int:
    """By what a loop may be divided: mostly a number, else a size, or what may be less than 1."""
    k, integers = ch.pick([1, 2, 3, 4]), [*controls(c), *elements(c)]
    if not integers or not ch.chance(20):
        return k
    return ch.pick([f"{n}{more}" for n in integers for more in ("", "", " + 1", " - 1")])


def expression(ch: Choices, c: Cursor) -> str | int:
    """An integer expression in scope at a cursor."""
    options: list[str | int] = [1, 2, 0, 4, 3]
    node = c.node if isinstance(c, ForCursor) else None
    if isinstance(node, For):
        names = names_at(c.proc.tree)
        lo, hi = print_expr(node.lo, names), print_expr(node.hi, names)
        options = [f"{lo} + 1", lo, hi, f"{hi} - 1", f"({lo} + {hi}) / 2", *options]
    for n in controls(c)[-3:]:
        options += [n, f"{n} + 1", f"{n} - 1", f"{n} / 2"]
    return ch.pick([*options, *elements(c)])


def equal_expression(ch: Choices, c: Cursor) -> str | int:
    """An expression for the place of another: often an equal one."""
    e = c.node if isinstance(c, ExprCursor) else None
    if e is None or not is_control(e):
        return 1
    text = print_expr(e, names_at(c.proc.tree))
    if is_bool(e):
        return ch.pick([f"not (not ({text}))", f"({text}) and 0 < 1", "0 < 1", "1 < 0"])
    same = [f"{text} + 0", f"2 * ({text}) - ({text})", f"(2 * ({text}) + 1) / 2", f"({text}) % 8", f"({text}) / 1"]
    return ch.pick([*same, expression(ch, c)])


def tile_count(ch: Choices, c: Cursor) -> str | int:
    """A number of tiles for a loop: often one that leaves an overlap."""
    node = c.node if isinstance(c, ForCursor) else None
    options: list[str | int] = [1, 2, 3, 0]
    if isinstance(node, For):
        names = names_at(c.proc.tree)
        lo, hi = print_expr(node.lo, names), print_expr(node.hi, names)
        fewer = [f"{hi} - ({lo}) - {k}" for k in (1, 2, 0)]
        options = [*options, *fewer, f"({hi} - ({lo})) / 2", f"({hi} - ({lo}) - 1) / 3"]
    return ch.pick(options)


def surrounding(ch: Choices, c: Cursor) -> Cursor | None:
    """A loop around a block; None stands for the innermost one."""
    path = c.place()
    loops = [o for o in targets(c.proc, (ForCursor,)) if isinstance(o, ForCursor) and o.path == path[: len(o.path)]]
    return ch.pick([*loops[:1], None, *loops]) if ch.chance(90) else ch.pick([None, *targets(c.proc, (ForCursor,))])


def condition(ch: Choices, c: Cursor, on_data: int = 25) -> str:
    """A condition in scope at a cursor; so many times in a hundred on data, which may never have been written, or may
    not be there."""
    scope = scope_at(c.proc.tree, c.place())
    data = [(s.id, _computed(name, scope.types[s])) for name, s in scope.names.items() if _is_scalar(scope.types[s])]
    lines = [(name, s) for name, s in scope.names.items() if _is_line(scope.types[s])]
    tensors = [(s.id, _computed(f"{name}[{ch.upto(1)}]", scope.types[s])) for name, s in lines]
    places = [text for _, text in sorted([*data, *tensors])]
    if places and ch.chance(on_data):
        return f"{ch.pick(places[-3:])} < 2.0"
    n = ch.pick(controls(c) or ["0"])
    fields = ["Cfg.mode == 1"] if "Cfg" in scope.env or ch.chance(10) else []
    return ch.pick([f"{n} < 2", f"{n} == 1", f"{n} % 2 == 0", *fields])


def _is_scalar(t: Type) -> bool:
    return isinstance(t, Scalar)


def _computed(text: str, t: Type) -> str:
    """A value as it is computed with: one of bf16 at f32."""
    return f"f32({text})" if element(t) == bf16 else text


def assertion(ch: Choices, c: Cursor) -> str:
    """A condition on arguments; now and then on an element that a tensor may not have."""
    tree = c.proc.tree
    tensors = [(names_at(tree)[a.sym], a.type) for a in tree.args if _is_line(a.type)]
    if tensors and ch.chance(60):
        name, t = ch.pick(tensors)
        at = ch.pick(["1", "3", *controls(c)[-1:]])
        return f"{_computed(f'{name}[{at}]', t)} < 2.0"
    return condition(ch, c)


def _is_line(t: object) -> bool:
    return isinstance(t, Tensor) and len(t.shape) == 1


def window(ch: Choices, c: Cursor) -> str:
    """A window of a buffer that a block uses: the whole of it, or what one of the accesses needs."""
    tree, types, names = c.proc.tree, declarations(c.proc.tree), names_at(c.proc.tree)
    block = list(c.stmts) if isinstance(c, BlockCursor) else []
    scope = scope_at(tree, c.place())
    used = sorted((s for s in frozenset().union(*map(mentions, block)) if s in scope.types), key=lambda s: s.id)
    tensors = [s for s in used if isinstance(types[s], Tensor)]
    if not tensors:
        return "x[0:1]"
    sym = ch.pick(tensors)
    t = types[sym]
    assert isinstance(t, Tensor)
    places = [
        n.idx for s in block for _, n in walk(s) if isinstance(n, Read | Assign | Reduce) and n.sym == sym and n.idx
    ]
    dims: list[str] = []
    for d, extent in enumerate(t.shape):
        here = [print_expr(i[d], names) for i in places if mentions(i[d]) <= frozenset(scope.types)]
        options = [f"0:{print_expr(extent, names)}", "0:2", "1:4", "1:1", *(f"{e}:{e} + 1" for e in here), *here, *here]
        dims.append(ch.pick(options))
    return f"{names[sym]}[{', '.join(dims)}]"


def enclosing(c: Cursor) -> list[For]:
    """The loops around the first use of an allocation, the innermost first."""
    if not isinstance(c, AllocCursor):
        return []
    s, tree = c.sym, c.proc.tree
    uses = [p for p, n in walk(tree) if getattr(n, "sym", None) == s and not isinstance(n, Alloc)]
    path = uses[0] if uses else c.path
    around = [get(tree, path[:k]) for k in range(len(path) - 1, 0, -1)]
    return [n for n in around if isinstance(n, For)]


def new_extent(ch: Choices, c: Cursor) -> str | Cursor:
    """An extent for a new dimension."""
    names = names_at(c.proc.tree)
    ends = [print_expr(n.hi, names) for n in enclosing(c)]
    fields = targets(c.proc, (ReadConfigCursor,))[-1:]
    options: list[str | Cursor] = [*ends, *(f"{e} + 1" for e in ends), "4", "1", "n", *fields, *fields, *elements(c)]
    return ch.pick(options)


def new_index(ch: Choices, c: Cursor) -> str:
    """An index for a new dimension."""
    names = names_at(c.proc.tree)
    iterators = [names[n.iter] for n in enclosing(c)]
    beyond = [*(f"{i} % 2" for i in iterators), *(f"{i} + 1" for i in iterators)]
    return ch.pick([*iterators, "0", *beyond, *elements(c)])


def start(ch: Choices, c: Cursor) -> str | int | Cursor:
    """Where a loop may start: now and then an expression that is not known there, or may change."""
    if not ch.chance(35):
        return expression(ch, c)
    fields = targets(c.proc, (ReadConfigCursor,))
    return ch.pick([fields[0] if fields else "Cfg.mode", f"{c.name()} + 1", "n * n"])  # type: ignore[attr-defined]


def wider(ch: Choices, c: Cursor, end: str, way: str) -> str | int | Cursor:
    """One end of a range that holds that of a loop; now and then of one that may not."""
    if not isinstance(c, ForCursor) or ch.chance(15):
        return expression(ch, c)
    old = print_expr(getattr(c.node, end), names_at(c.proc.tree))
    return f"{old} {ch.pick([way, way, way, '- 1 +', '+ 1 -'])} {ch.upto(2)}"


def permutation(ch: Choices, c: Cursor) -> tuple[int, ...]:
    """A permutation of an allocation's dimensions, or now and then of others."""
    rank = len(c.shape()) if isinstance(c, AllocCursor) else 0
    rank += ch.chance(10)
    left = list(range(rank))[::-1]
    return tuple(left.pop(ch.upto(len(left) - 1)) for _ in range(rank))


def callee(ch: Choices, c: Cursor) -> Proc:
    """A procedure to call in the place of a block: the one whose body was put there, if that is known."""
    last = c.proc.rewritten
    if last is not None and c.proc.parent is not None and getattr(last.op, "name", "") == "inline" and ch.chance(90):
        call = get(c.proc.parent.tree, last.at)
        if isinstance(call, Call) and isinstance(call.f, Proc):
            return call.f
    found = alike(c) if isinstance(c, BlockCursor) else []
    loops = [p for p in found if p.name() in ("axpy", "copy", "double", "few", "packed", "zero")]
    return ch.pick([*loops, *loops, *found] or [callees()[n] for n in sorted(callees())])


FUNCTIONS: Final = (
    "t = VALUE; y = t", "y = VALUE", "y = VALUE", "y = 0.0; y += VALUE",
    "if x0 < 0.0: y = VALUE\n    else: y = VALUE",
)  # fmt: skip
NO_FUNCTIONS: Final = (
    "y += VALUE", "y = VALUE + 0.0 * y", "if x0 < 1.0: y = VALUE", "y = VALUE; x0 = 0.0", "y = VALUE + 0.0 * t",
    "Cfg.mode = 2; y = VALUE",
)  # fmt: skip


def computing(ch: Choices, c: Cursor) -> Proc:
    """A procedure that computes the function that is called, exactly; now and then one that must not take its place."""
    f = c.function() if isinstance(c, ExternCursor) and c.function().result is None else relu
    if not isinstance(c, ExternCursor) or ch.chance(5):
        held: object = ch.pick(["f32", "f64"])
    else:
        held = concrete(precision_at(c.proc.tree, c.path))
    given = [f"x{k}" for k in range(f.arity + ch.chance(5))]
    value = f"{f.name}({', '.join(given[: f.arity])})"
    body = ch.pick(NO_FUNCTIONS if ch.chance(25) else FUNCTIONS).replace("VALUE", value)
    declared = ", ".join(f"{x}: {held}" for x in [*given, "y"])
    local = f"t: {held}; " if "t" in body.split() else ""
    return proc_from_source(f"def near({declared}):\n    {local}{body}\n", {f.name: f, "Cfg": CONFIG})


def version(ch: Choices, c: Cursor) -> Proc:
    """Another version of the procedure that is called, or another procedure."""
    node = c.node if isinstance(c, CallCursor) else None
    name = node.f.tree.name.partition("_")[0] if isinstance(node, Call) and ch.chance(90) else "double"
    return ch.pick(versions(name if name in callees() else "double")[1:])


def buffer_like(ch: Choices, c: Cursor) -> Cursor:
    """Another allocation."""
    return ch.pick([a for a in targets(c.proc, (AllocCursor,)) if a != c] or [c])


def config_value(ch: Choices, c: Cursor) -> str:
    """A value for a config field."""
    scope = scope_at(c.proc.tree, c.place())
    rows = sorted((s.id, n, t) for n, s in scope.names.items() if not isinstance(t := scope.types[s], Control))
    at = ch.pick(["0", *controls(c)[-1:]])
    places = [f"{n}[{', '.join(at for _ in t.shape)}]" if isinstance(t, Tensor) else n for _, n, t in rows[-2:]]
    return ch.pick(["1", "0 < 1", *controls(c)[-1:], *places])


def call_arguments(ch: Choices, c: Cursor) -> tuple[str | int, ...]:
    """A length and a window of that length, for `touch` and the like: mostly one that lies in its buffer."""
    tree, names = c.proc.tree, names_at(c.proc.tree)
    scope = scope_at(tree, c.place())
    rows = [(names[s], t) for s, t in scope.types.items() if isinstance(t, Tensor) and s in names]
    if not rows:
        return 1, "x[0:1]"
    name, t = ch.pick(sorted(rows, key=lambda row: row[0]))
    lo = ch.pick(["0", "0", "1", *controls(c)[-2:]])
    width = ch.pick([1, 2, 4])
    points = [ch.pick(["0", *controls(c)[-1:]]) for _ in t.shape[1:]]
    return width, f"{name}[{', '.join([*points, f'{lo}:{lo} + {width}'])}]"


def fixed(ch: Choices, c: Cursor) -> tuple[object, ...]:
    """Values for the first arguments of a procedure."""
    args = c.proc.tree.args
    data = next((k for k, a in enumerate(args) if not isinstance(a.type, Control)), len(args))
    count = ch.pick([1, 0, 2])
    return tuple(_fixed_value(ch, a.type) for a in args[: min(count, data) if ch.chance(80) else count])


def fixed_by_name(ch: Choices, c: Cursor) -> tuple[tuple[str, object], ...]:
    """A value for one argument by name, now and then."""
    tree = c.proc.tree
    free = [a for a in tree.args if isinstance(a.type, Control) and a.type != size]  # others are often given before
    a = ch.pick(free or tree.args) if tree.args and ch.chance(50) else None
    return () if a is None else ((names_at(tree)[a.sym], _fixed_value(ch, a.type)),)


def _fixed_value(ch: Choices, t: object) -> object:
    return ch.chance(50) if t == bool_ else ch.pick([2, 4, 3, 1, 0])


def field_for(ch: Choices, c: Cursor) -> str:
    """A config field, mostly one that holds what an expression gives."""
    e = c.node if isinstance(c, ExprCursor) else None
    if e is None or ch.chance(10):
        return ch.pick(["mode", "on", "scale", "width"])
    return "scale" if not is_control(e) else "on" if is_bool(e) else ch.pick(["mode", "mode", "width"])


def extent_or_none(ch: Choices, c: Cursor) -> str | int | None:
    """How long a tile is: mostly left open."""
    return expression(ch, c) if ch.chance(40) else None


def idle_callee(ch: Choices, c: Cursor) -> Proc:
    """A procedure that changes nothing, or now and then one that does."""
    return callees()[ch.pick(["touch", "touch", "look", "double"])]


def conditions(ch: Choices, c: Cursor) -> tuple[str, ...]:
    """One condition, or two."""
    return tuple(condition(ch, c, 60) for _ in range(1 + ch.chance(30)))


def offset(ch: Choices, c: Cursor) -> str | int:
    """Where what is left of a dimension starts."""
    options: list[str | int] = [0, 0, 0, 1, "-1", *controls(c)[-1:]]
    return ch.pick(options)


DRAWN: Final[Mapping[str, Callable[[Choices, Cursor], object]]] = {
    "a config field": field_for,
    "a dimension with literal indices": dimension_of,
    "a factor": factor,
    "a loop around": surrounding,
    "a number of tiles": tile_count,
    "a permutation of dimensions": permutation,
    "a value for a config field": config_value,
    "a window": window,
    "an equal expression": equal_expression,
    "an extent for a new dimension": new_extent,
    "an index for a new dimension": new_index,
    "a start for a wider range": lambda ch, c: wider(ch, c, "lo", "-"),
    "an end for a wider range": lambda ch, c: wider(ch, c, "hi", "+"),
    "an offset": offset,
    "another buffer": buffer_like,
    "another version of what is called": version,
    "arguments of a call": call_arguments,
    "conditions": conditions,
    "how long a tile is, or none": extent_or_none,
    "mostly the first dimension": lambda ch, c: 0 + ch.chance(10),
    "mostly the second dimension": lambda ch, c: 1 - ch.chance(10),
    "the second write": second_write,
    "values by name": fixed_by_name,
    "values for the first arguments": fixed,
    "what a block may call": callee,
    "what computes a function": computing,
    "what changes nothing": idle_callee,
    "what may be asserted": assertion,
    "where a loop may start": start,
}
"""How arguments are drawn, by what they are."""
