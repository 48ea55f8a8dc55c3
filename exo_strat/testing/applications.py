"""Random applications of primitives: targets and arguments.

Arguments are drawn by the names and annotations of a primitive's parameters, mostly sensible ones, so
that a new primitive is tested without a word here unless it takes something of a new kind.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st
from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, ExprCursor, GapCursor, NodeCursor, StmtCursor
from ..cursors.kinds import AllocCursor, CallCursor, ForCursor, ReadConfigCursor
from ..cursors.proc import Proc
from ..frontend.scope import declarations, scope_at
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC
from ..ir.nodes import Alloc, Assign, Call, Const, For, Read, Reduce
from ..ir.printing import names_at, print_expr
from ..ir.types import Control, Scalar, Tensor, bool_, size
from ..ir.walk import get, is_bool, is_control, mentions, walk
from ..ops.strategy import Op, freeze
from ..primitives import PRIMITIVES, Primitive, inline, parallelize_loop, vectorize_loop
from .choices import Choices
from .library import CONFIG, callees, versions
from .suitable import SUITABLE, alike

MEMORIES = (DRAM_STACK, DRAM_STATIC, DRAM)

MOST = 6
"""How many targets of one primitive in one procedure are tried."""


@st.composite
def cursors(draw: st.DrawFn, p: Proc) -> Cursor:
    """Cursors to any statement, expression, argument, block or gap of a procedure."""
    kinds: tuple[type[Cursor], ...] = (NodeCursor, BlockCursor, GapCursor)
    return draw(st.sampled_from([c for kind in kinds for c in targets(p, (kind,))]))


@st.composite
def ops(draw: st.DrawFn, p: Proc, names: Sequence[str] = ()) -> tuple[Op, Cursor]:
    """A primitive (one of those named, or any) with arguments, and a target for it in `p`. Many are refused."""
    ch = Choices(draw)
    name = ch.pick(names or sorted(PRIMITIVES))
    found = targets(p, PRIMITIVES[name].targets)
    if not found:
        reject()
    c = ch.pick(found)
    return Primitive(name, arguments(ch, name, c)), c


def applications(ch: Choices, p: Proc, name: str) -> Iterator[tuple[Proc, Op, Cursor]]:
    """A primitive at its targets in a procedure, or in one made of it that suits the primitive better."""
    p, chosen = prepared(ch, p, name)
    for c in ch.some(chosen, MOST):
        yield p, Primitive(name, arguments(ch, name, c)), c


def prepared(ch: Choices, p: Proc, name: str) -> tuple[Proc, list[Cursor]]:
    """The procedure, sometimes after other rewrites, and the targets of a primitive in it."""
    if name == "replace" and (calls := targets(p, (CallCursor,))):
        outcome = inline()(p, ch.pick(calls))
        if isinstance(outcome, Success):
            q, block = outcome.unwrap()
            return q, [block]
    if name == "join_loops":
        p = _after(ch, p, ("cut_loop",), 90)
    if name == "merge_recompute":
        p = _after(ch, p, ("divide_with_recompute",), 30)
    if name in ON_DECLARATIONS:
        p = _after(ch, p, ("make_instr",), 15)
    if name == "delete_pass":
        p = _after(ch, _after(ch, p, ("insert_pass",), 80), ("insert_pass",), 50)
    p = in_parallel(ch, p) if ch.chance(20) else p
    p = _after(ch, p, sorted(PRIMITIVES), 30)
    found = targets(p, PRIMITIVES[name].targets)
    for percent, suits in SUITABLE.get(name, ()):
        if ch.chance(percent) and (few := [c for c in found if suits(c)]):
            return p, few
    return p, found


ON_DECLARATIONS = ("partial_eval", "rename", "set_memory", "set_precision", "set_window", "transpose")
"""Primitives that change a procedure's head: some of them never that of an instruction."""


def _after(ch: Choices, p: Proc, names: Sequence[str], percent: int) -> Proc:
    """The procedure after a random rewrite, if one is drawn and succeeds."""
    if not ch.chance(percent):
        return p
    name = ch.pick(names)
    found = targets(p, PRIMITIVES[name].targets)
    if not found:
        return p
    c = ch.pick(found)
    outcome = Primitive(name, arguments(ch, name, c))(p, c)
    return outcome.unwrap()[0] if isinstance(outcome, Success) else p


def in_parallel(ch: Choices, p: Proc) -> Proc:
    """The procedure with loops in parallel or as vectors, where they may be: the outermost first, and mostly not
    all."""
    for loop in targets(p, (ForCursor,))[:MOST]:
        if ch.chance(70):
            c = p.forward(loop)
            outcome = ch.pick([parallelize_loop(), parallelize_loop(), vectorize_loop()])(p, c)
            p = outcome.unwrap()[0] if isinstance(outcome, Success) else p
    return p


# -- targets ------------------------------------------------------------------------------------------


def targets(p: Proc, kinds: Sequence[type[Cursor]]) -> list[Cursor]:
    """All cursors of the given kinds in a procedure: blocks have at most three statements."""
    found: list[Cursor] = []
    for c in p.root().descendants():
        if isinstance(c, tuple(kinds)):
            found.append(c)
        if isinstance(c, StmtCursor):
            found += _runs(c) if BlockCursor in kinds else []
            found += _gaps(c) if GapCursor in kinds else []
    return found


def _gaps(c: StmtCursor) -> list[GapCursor]:
    """The gap before a statement, unless it is the first, and the one at the end of the block."""
    before = [c.before()] if c._sibling(-1) is not None else []
    return before if c._sibling(1) is not None else [*before, c.after()]


def _runs(c: StmtCursor) -> Iterator[BlockCursor]:
    """The blocks that start at a statement: the longer first, which are the rarer."""
    for more in (1, 0, 2):
        if c._sibling(more) is not None:
            yield c.expand(0, more)


# -- arguments ----------------------------------------------------------------------------------------


def arguments(ch: Choices, name: str, c: Cursor) -> tuple[Any, ...]:
    """Arguments for a primitive at a target."""
    params = PRIMITIVES[name].signature.parameters.values()
    found: tuple[Any, ...] = freeze(tuple(_argument(ch, name, prm, c) for prm in params))
    return found


def _argument(ch: Choices, primitive: str, prm: inspect.Parameter, c: Cursor) -> Any:
    special = SPECIAL.get(f"{primitive}.{prm.name}") or SPECIAL.get(prm.name)
    if special is not None:
        return special(ch, c)
    if prm.default is True or prm.default is False:
        return ch.chance(40) != prm.default
    kind = str(prm.annotation)
    if kind == "int":
        return ch.pick([1, 2, 3, 4])
    if "ExprLike" in kind:
        return expression(ch, c)
    if kind == "object" or "Cursor" in kind:
        return neighbour(ch, c)
    if kind == "str":
        return "t"
    if prm.default is not prm.empty:
        return prm.default
    raise TypeError(f"no arguments are known for {prm} of {primitive}: add them to SPECIAL")


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
    return ch.pick(options)


def equal_expression(ch: Choices, c: Cursor) -> str | int:
    """An expression for the place of another: often an equal one."""
    e = c.node if isinstance(c, ExprCursor) else None
    if e is None or not is_control(e):
        return 1
    text = print_expr(e, names_at(c.proc.tree))  # type: ignore[arg-type]
    if is_bool(e):  # type: ignore[arg-type]
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
    data = [(s.id, name) for name, s in scope.names.items() if isinstance(scope.types[s], Scalar)]
    tensors = [(s.id, f"{name}[{ch.upto(1)}]") for name, s in scope.names.items() if _is_line(scope.types[s])]
    places = [text for _, text in sorted([*data, *tensors])]
    if places and ch.chance(on_data):
        return f"{ch.pick(places[-3:])} < 2.0"
    n = ch.pick(controls(c) or ["0"])
    fields = ["Cfg.mode == 1"] if "Cfg" in scope.env or ch.chance(10) else []
    return ch.pick([f"{n} < 2", f"{n} == 1", f"{n} % 2 == 0", *fields])


def assertion(ch: Choices, c: Cursor) -> str:
    """A condition on arguments; now and then on an element that a tensor may not have."""
    tree = c.proc.tree
    tensors = [names_at(tree)[a.sym] for a in tree.args if _is_line(a.type)]
    if tensors and ch.chance(60):
        return f"{ch.pick(tensors)}[{ch.pick(['1', '3', *controls(c)[-1:]])}] < 2.0"
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
    options: list[str | Cursor] = [*ends, *(f"{e} + 1" for e in ends), "4", "1", "n", *fields, *fields]
    return ch.pick(options)


def new_index(ch: Choices, c: Cursor) -> str:
    """An index for a new dimension."""
    names = names_at(c.proc.tree)
    iterators = [names[n.iter] for n in enclosing(c)]
    return ch.pick([*iterators, "0", *(f"{i} % 2" for i in iterators), *(f"{i} + 1" for i in iterators)])


def start(ch: Choices, c: Cursor) -> str | int | Cursor:
    """Where a loop may start: now and then an expression that is not known there, or may change."""
    if not ch.chance(35):
        return expression(ch, c)
    fields = targets(c.proc, (ReadConfigCursor,))
    return ch.pick([fields[0] if fields else "Cfg.mode", f"{c.name()} + 1", "n * n"])  # type: ignore[attr-defined]


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
    return "scale" if not is_control(e) else "on" if is_bool(e) else ch.pick(["mode", "mode", "width"])  # type: ignore[arg-type]


SPECIAL = {
    "insert_noop_call.instr": lambda ch, c: callees()[ch.pick(["touch", "touch", "look", "double"])],
    "args": call_arguments,
    "divide_with_recompute.n": tile_count,
    "divide_with_recompute.width": lambda ch, c: expression(ch, c) if ch.chance(40) else None,
    "guard_first.loop": surrounding,
    "fill": lambda ch, c: ch.pick([None, 0.0, None, 2.0]),
    "name": lambda ch, c: ch.pick(["t", "i", "a"]),
    "rename.name": lambda ch, c: ch.pick(["t", "bar", "double", "if"]),
    "names": lambda ch, c: ch.pick([("io", "ii"), ("i", "i"), ("k", "n")]),
    "tail": lambda ch, c: ch.pick(["guard", "cut", "cut_and_guard", "perfect"]),
    "n_lifts": lambda ch, c: ch.pick([1, 1, 2]),
    "divide_dim.c": lambda ch, c: ch.pick([2, 4, 1, 3]),
    "dim": lambda ch, c: ch.pick([0, 1]),
    "dim2": lambda ch, c: ch.pick([1, 0]),
    "merge_writes.second": second_write,
    "unroll_buffer.dim": dimension_of,
    "perm": permutation,
    "start": start,
    "new": equal_expression,
    "window": window,
    "callee": callee,
    "other": version,
    "mode": lambda ch, c: ch.pick(["par", "vec", "seq"]),
    "memory": lambda ch, c: ch.pick(MEMORIES),
    "precision": lambda ch, c: ch.pick(["f64", "f32", "i8"]),
    "config": lambda ch, c: CONFIG,
    "field": lambda ch, c: ch.pick(["mode", "on", "scale", "width"]),
    "conds": lambda ch, c: tuple(condition(ch, c, 60) for _ in range(1 + ch.chance(30))),
    "resize_dim.size": lambda ch, c: ch.pick([2, 3, 4, 1, "n", "n + 1"]),
    "resize_dim.offset": lambda ch, c: ch.pick([0, 0, 0, 1, "-1", *controls(c)[-1:]]),
    "mult_dim.lo_dim": lambda ch, c: 1 - ch.chance(10),
    "mult_dim.hi_dim": lambda ch, c: 0 + ch.chance(10),
    "expand_dim.size": new_extent,
    "expand_dim.index": new_index,
    "reuse_buffer.other": buffer_like,
    "reuse_buffer.b": buffer_like,
    "add_assertion.condition": assertion,
    "bind_config.field": field_for,
    "extract_subproc.name": lambda ch, c: ch.pick(["t", "double", "foo"]),
    "make_instr.c_template": lambda ch, c: ch.pick(["t({x});", "t();", ""]),
    "partial_eval.values": fixed,
    "partial_eval.named": fixed_by_name,
    "write_config.value": config_value,
    "write_config.e": config_value,
    "write_config.rhs": config_value,
}
"""How arguments are drawn: by parameter, or by primitive and parameter."""

