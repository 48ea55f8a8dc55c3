"""Arguments that make sense for a primitive at a place, enumerated from the program and the target.

Numbers divide extents or are widths of vectors; names are new; references are to neighbours; windows are those that a
block touches. Which of them are right is not asked here: whoever offers them applies them first. What a parameter may
be is known by its annotation (`Kind`), so a primitive of one's own gets arguments too, where its kinds are known.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations, product
from typing import Any, Final

from ..cursors.cursor import BlockCursor, Cursor, StmtCursor
from ..cursors.kinds import AllocCursor, ArgCursor, CallCursor, ForCursor
from ..cursors.proc import Proc
from ..forms import affine, to_expr
from ..frontend.scope import scope_at
from ..ir import build as b
from ..ir.memory import Memory
from ..ir.nodes import Alloc, Const, Expr, For, If, Node, Reduce, Var
from ..ir.precisions import element
from ..ir.printing import callee_names, names_at, print_expr
from ..ir.types import SCALARS, Control, Tensor, size
from ..ir.walk import get, mentions, walk
from ..logic.questions import skeleton
from ..primitives import PrimitiveForm
from .naming import Names
from .places import spelled
from .windows import ranges, windows

Args = Mapping[str, Any]
"""Arguments by parameter, as JSON."""

WIDTHS: Final = (4, 8, 16, 32, 64)
"""By what loops over sizes are divided, beside the widths of vectors."""
MOST_DIVISORS: Final = 12
MOST_PERMUTATIONS: Final = 24
TAILS: Final = ("perfect", "cut", "guard", "cut_and_guard")

BY_NAME: Final[Mapping[str, str]] = {
    "add_assertion": "what may be assumed is the user's to say",
    "add_loop": "it applies everywhere, and again",
    "approximate": "it computes something else",
    "bind_config": "which register may be overwritten is the user's to say",
    "commute_expr": "it applies at every sum and product, and undoes itself",
    "extract_subproc": "any block may be a procedure",
    "insert_noop_call": "it changes nothing, anywhere",
    "insert_pass": "it changes nothing, anywhere",
    "make_instr": "the C text is the user's to say",
    "partial_eval": "which sizes are fixed is the user's to say",
    "rename": "it changes nothing",
    "rename_variable": "it changes nothing",
    "rewrite_expr": "any equal expression may stand there",
    "specialize": "any condition may be asked",
    "write_config": "which register may be overwritten is the user's to say",
}
"""Primitives that are offered only if they are named, and why: they apply nearly everywhere."""


@dataclass(frozen=True)
class Site:
    """A place where an Op may be applied, and what arguments are made of there. `factors` replace those that divide."""

    place: Cursor
    names: Names
    factors: tuple[int, ...] = ()

    @property
    def p(self) -> Proc:
        """The procedure."""
        return self.place.proc

    @cached_property
    def taken(self) -> frozenset[str]:
        """The names that a new one must not be."""
        return frozenset((*names_at(self.p.tree).values(), *callee_names(self.p.tree).values(), self.p.name()))

    def fresh(self, base: str) -> str:
        """A new name."""
        return next(n for n in (base, *(f"{base}_{k}" for k in range(1, len(self.taken) + 2))) if n not in self.taken)

    def show(self, e: Expr) -> str:
        """An expression as object code."""
        return print_expr(e, names_at(self.p.tree))

    @cached_property
    def sizes(self) -> list[str]:
        """The sizes in scope."""
        scope = scope_at(self.p.tree, self.place.place())
        return [n for _, n in sorted((s.id, n) for n, s in scope.names.items() if scope.types[s] == size)]

    @cached_property
    def around(self) -> list[For | If]:
        """The loops and branches around the place, the innermost first."""
        path, tree = self.place.place(), self.p.tree
        found = (get(tree, path[:k]) for k in range(len(path) - 1, 0, -1))
        return [n for n in found if isinstance(n, For | If)]

    def numbers(self, extent: int | None) -> list[int]:
        """By what something of an extent may be divided: what divides it if it is known, and the widths."""
        if self.factors:
            return [k for k in self.factors if extent is None or k <= extent]
        widths = sorted({*WIDTHS, *(n for n in self.names.machine.vec_widths.values() if n > 1)})
        if extent is None:
            return widths
        divisors = [k for k in range(2, min(extent, 1 << 12)) if extent % k == 0][:MOST_DIVISORS]
        return sorted({*divisors, *(w for w in widths if w < extent)})


def arguments(form: PrimitiveForm[...], site: Site) -> Iterator[Args]:
    """Arguments for a primitive at a place; none, where nothing is known of what it takes."""
    coupled = TOGETHER.get(form.spec.name)
    if coupled is not None:
        yield from coupled(site)
        return
    params = list(form.spec.signature.parameters.values())
    options = [list(_options(form, prm, site)) for prm in params]
    for chosen in product(*options):
        given = zip(params, chosen, strict=True)
        yield {prm.name: x for prm, x in given if x is not LEFT_OUT}


LEFT_OUT: Final = object()
"""Stands for a default."""


def _options(form: PrimitiveForm[...], prm: inspect.Parameter, site: Site) -> Iterable[Any]:
    """What one parameter may be."""
    kind, hint = form.spec.kinds.get(prm.name), form.spec.hints.get(prm.name)
    if kind is not None and kind.words in BY_KIND:
        return BY_KIND[kind.words](site)
    if isinstance(prm.default, bool):
        return (LEFT_OUT, not prm.default)
    if hint is Memory:
        return _memories(site)
    if hint is object:
        return [{"cursor": spelled(c)} for c in _next_of(site.place)]
    if prm.default is not prm.empty or prm.kind in (prm.VAR_POSITIONAL, prm.VAR_KEYWORD):
        return (LEFT_OUT,)
    return kind.among if kind is not None and kind.words == "how iterations run" else ()


# -- what is known of a kind --------------------------------------------------------------------------


def _new_name(site: Site) -> list[str]:
    """One new name, after what it is for."""
    c = site.place
    if isinstance(c, ForCursor):
        inner = c.body()[0] if len(c.body()) == 1 else None
        return [site.fresh(c.name() + (inner.name() if isinstance(inner, ForCursor) else ""))]
    return [site.fresh("t")]


def _two_names(site: Site) -> list[list[str]]:
    c = site.place
    name = c.name() if isinstance(c, ForCursor) else "i"
    return [[site.fresh(f"{name}o"), site.fresh(f"{name}i")]]


def _levels(site: Site) -> range:
    return range(1, min(len(site.around), 4) + 1)


def _shape(site: Site) -> list[Expr]:
    """The extents of an allocation or argument."""
    c = site.place
    t = c.node.type if isinstance(c, AllocCursor | ArgCursor) else None
    return list(t.shape) if isinstance(t, Tensor) else []


def _dims(site: Site) -> range:
    return range(len(_shape(site)))


def _fixed_dims(site: Site) -> list[int]:
    return [d for d, e in enumerate(_shape(site)) if isinstance(e, Const)]


def _orders(site: Site) -> list[list[int]]:
    """Other orders of the dimensions."""
    same = tuple(_dims(site))
    return [list(o) for o in islice(permutations(same), MOST_PERMUTATIONS) if o != same]


def _memories(site: Site) -> list[dict[str, str]]:
    mine = getattr(site.place.node, "mem", None) if isinstance(site.place, AllocCursor | ArgCursor) else None
    found = {m: name for name, m in site.names.memories(site.p).items()}
    return [{"memory": name} for m, name in found.items() if m != mine]


def _precisions(site: Site) -> list[str]:
    """The precisions for which the machine has vectors, and the usual ones."""
    t = site.place.node.type if isinstance(site.place, AllocCursor | ArgCursor) else None
    if t is None or isinstance(t, Control):
        return []
    mine = element(t)
    known = sorted({*site.names.machine.vec_widths, "f32", "f64"})
    return [n for n in known if n != mine.name and SCALARS[n].is_float == mine.is_float]


def _modes(site: Site) -> list[str]:
    mine = site.place.mode() if isinstance(site.place, ForCursor) else ""
    return [m for m in ("par", "seq") if m != mine]


def _next_of(c: Cursor) -> list[StmtCursor]:
    """The statement after a statement or block; the next allocation after an allocation, if it is one."""
    last = c[-1] if isinstance(c, BlockCursor) else c
    return [last.next()] if isinstance(last, StmtCursor) and len(last.expand(0, None)) > 1 else []


def _second_write(site: Site) -> list[Any]:
    c = site.place
    return [LEFT_OUT] if isinstance(c, BlockCursor) and len(c) == 2 else []


def _other_buffers(site: Site) -> list[dict[str, str]]:
    """Allocations of the same precision, after this one."""
    c = site.place
    if not isinstance(c, AllocCursor):
        return []
    later = (a for a in c.expand(0, None).statements() if isinstance(a, AllocCursor) and a != c)
    return [{"cursor": spelled(a)} for a in later if element(a.node.type) == element(c.node.type)]


def _callees(site: Site) -> list[dict[str, str]]:
    """What a block may call: instructions, and procedures of the file, whose bodies have the form of the block."""
    c = site.place
    stmts = list(c.stmts) if isinstance(c, BlockCursor) else [c.node] if isinstance(c, StmtCursor) else []
    form = [skeleton(s) for s in stmts]
    known = {**site.names.instructions, **site.names.own_procs}
    fit = (name for name, q in known.items() if q.name() != site.p.name() and [*map(skeleton, q.tree.body)] == form)
    return [{"proc": name} for name in fit]


def _versions(site: Site) -> list[dict[str, str]]:
    """Procedures of one origin with the one that is called."""
    c = site.place
    if not isinstance(c, CallCursor):
        return []
    callee = c.subproc()
    known = site.names.own_procs.items()
    return [{"proc": name} for name, q in known if q.origin is callee.origin and q is not callee]


def _own_procs(site: Site) -> list[dict[str, str]]:
    return [{"proc": name} for name in site.names.own_procs]


def _starts(site: Site) -> list[int]:
    c = site.place
    lo = c.node.lo if isinstance(c, ForCursor) else None
    return [] if isinstance(lo, Const) and lo.value == 0 else [0]


def _cuts(site: Site) -> list[str]:
    """Where a loop may be cut: after its first iteration, before the last one, in the middle, where vectors end."""
    c = site.place
    if not isinstance(c, ForCursor):
        return []
    n, end = extent_of(c), _in_brackets(site, c.node.hi)
    if n is not None:
        lo = int(c.node.lo.value)  # type: ignore[union-attr]
        return [str(at) for at in sorted({lo + 1, lo + n // 2, lo + n - 1})]
    middle = f"{end} / 2" if c.node.lo == b.ZERO else f"({site.show(c.node.lo)} + {end}) / 2"
    widths = [f"{end} / {w} * {w}" for w in site.numbers(None)[:4]]
    return [_moved(site, c.node.lo, 1), _moved(site, c.node.hi, -1), middle, *widths]


def _in_brackets(site: Site, e: Expr) -> str:
    """An expression as object code, for an operand."""
    text = site.show(e)
    return text if isinstance(e, Var | Const) else f"({text})"


def _moved(site: Site, e: Expr, by: int) -> str:
    """An expression and a number, added."""
    form = affine(e)
    return site.show(b.add(e, b.num(by)) if form is None else to_expr(form + by))


def _conditions(site: Site) -> list[str]:
    return [f"{n} % {w} == 0" for n in site.sizes for w in site.numbers(None)]


BY_KIND: Final[Mapping[str, Callable[[Site], Iterable[Any]]]] = {
    "a dimension": _dims,
    "a dimension with literal indices": _fixed_dims,
    "a loop around": lambda site: (LEFT_OUT,),
    "a new name": _new_name,
    "a number, or none": lambda site: (LEFT_OUT, 0.0),
    "a permutation of dimensions": _orders,
    "a precision": _precisions,
    "a procedure's name": lambda site: [site.fresh(f"{site.p.name()}_part")],
    "another buffer": _other_buffers,
    "another version of what is called": _versions,
    "conditions": _conditions,
    "how iterations run": _modes,
    "how many scopes": _levels,
    "the second write": _second_write,
    "two new names": _two_names,
    "what a block may call": _callees,
    "what computes a function": _own_procs,
    "where a loop may start": _starts,
}
"""What arguments may be, by what they are (`primitives.helpers.arguments.Kind`)."""


# -- arguments that belong together -------------------------------------------------------------------


def extent_of(loop: ForCursor) -> int | None:
    """The number of iterations of a loop, if it is a literal."""
    lo, hi = loop.node.lo, loop.node.hi
    return int(hi.value) - int(lo.value) if isinstance(lo, Const) and isinstance(hi, Const) else None


def _divisions(site: Site) -> Iterator[Args]:
    if not isinstance(site.place, ForCursor):
        return
    n, (names,) = extent_of(site.place), _two_names(site)
    for c in site.numbers(n):
        if n is not None and n % c == 0:
            yield {"c": c, "names": names, "tail": "perfect"}
            continue
        for tail in TAILS if n is None else TAILS[1:3]:
            yield {"c": c, "names": names, "tail": tail}


def _overlapping(site: Site) -> Iterator[Args]:
    c = site.place
    if not isinstance(c, ForCursor):
        return
    (names,), n = _two_names(site), extent_of(c)
    long = b.sub(c.node.hi, c.node.lo)
    for width in site.numbers(n):
        yield {"n": f"{_in_brackets(site, long)} / {width}", "c": width, "names": names}


def _wider(site: Site) -> Iterator[Args]:
    c = site.place
    if isinstance(c, ForCursor):
        lo = site.show(c.node.lo)
        for w in site.numbers(None)[:4]:
            yield {"lo": lo, "hi": f"({_moved(site, c.node.hi, w - 1)}) / {w} * {w}"}


def _more_dims(site: Site) -> Iterator[Args]:
    """A new dimension for each loop around all uses of an allocation, or around itself."""
    c = site.place
    if not isinstance(c, AllocCursor):
        return
    loops = [n for n in site.around if isinstance(n, For)]
    uses = [p for p, n in walk(site.p.tree) if getattr(n, "sym", None) == c.sym and not isinstance(n, Alloc)]
    inside = [get(site.p.tree, uses[0][:k]) for k in range(len(c.path), len(uses[0]))] if uses else []
    known = frozenset(scope_at(site.p.tree, c.path).types)
    for loop in (*loops, *(n for n in inside if isinstance(n, For) and mentions(n.hi) <= known)):
        yield {"size": site.show(loop.hi), "index": names_at(site.p.tree)[loop.iter]}


def _divided_dims(site: Site) -> Iterator[Args]:
    for d, e in enumerate(_shape(site)):
        n = int(e.value) if isinstance(e, Const) else None
        yield from ({"dim": d, "c": c} for c in site.numbers(n) if n is None or n % c == 0)


def _joined_dims(site: Site) -> Iterator[Args]:
    dims = _dims(site)
    yield from ({"hi_dim": a, "lo_dim": b} for a in dims for b in dims if a != b)


def _smaller_dims(site: Site) -> Iterator[Args]:
    """What the statements after an allocation touch of each dimension, if that is so many elements; and rings of a few
    elements."""
    c = site.place
    if not isinstance(c, AllocCursor):
        return
    names, known = names_at(site.p.tree), frozenset(scope_at(site.p.tree, c.path).types)
    touched = ranges(list(c.expand(0, None).stmts)[1:], c.sym, known)
    for d, e in enumerate(_shape(site)):
        for lo, hi in dict.fromkeys(idx[d] for idx in touched):
            begin, extent = (print_expr(to_expr(x), names) for x in (lo, hi - lo + 1))
            yield {"dim": d, "size": extent, "offset": begin}
        most = int(e.value) if isinstance(e, Const) else None
        for k in (2, 3, 4, 8):
            if most is None or k < most:
                yield {"dim": d, "size": k, "offset": 0, "fold": True}


def _staged(site: Site) -> Iterator[Args]:
    block = site.place.as_block() if isinstance(site.place, StmtCursor) else site.place
    if not isinstance(block, BlockCursor):
        return
    for name, sym, text in windows(block):
        tmp = site.fresh(f"{name}_tmp")
        yield {"window": text, "name": tmp}
        if any(isinstance(n, Reduce) and n.sym == sym for s in block.stmts for _, n in walk(s)):
            yield {"window": text, "name": tmp, "accum": True}


def _bound(site: Site) -> Iterator[Args]:
    """A name for data that is more than a literal."""
    node: Node | None = getattr(site.place, "node", None)
    if not isinstance(node, Const):
        for more in ({}, {"cse": True}):
            yield {"name": site.fresh("t"), **more}


def _windowed(site: Site) -> Iterator[Args]:
    node = site.place.node if isinstance(site.place, ArgCursor) else None
    if node is not None and isinstance(node.type, Tensor):
        yield {"is_window": not node.type.window}


def _config_writes(site: Site) -> Iterator[Args]:
    for name, config in site.names.configs(site.p).items():
        for field, t in sorted(config.fields.items()):
            for n in site.sizes if isinstance(t, Control) else ():
                yield {"config": {"config": name}, "field": field, "value": n}


def _config_reads(site: Site) -> Iterator[Args]:
    for name, config in site.names.configs(site.p).items():
        yield from ({"config": {"config": name}, "field": field} for field in sorted(config.fields))


def _halves(site: Site) -> Iterator[Args]:
    yield from ({"cut": at} for at in _cuts(site))


def _loops_of_two(site: Site) -> Iterator[Args]:
    yield from ({"name": site.fresh("r"), "hi": n, "guard": True} for n in site.numbers(None)[:2])


TOGETHER: Final[Mapping[str, Callable[[Site], Iterator[Args]]]] = {
    "add_loop": _loops_of_two,
    "bind_config": _config_reads,
    "bind_expr": _bound,
    "cut_loop": _halves,
    "divide_dim": _divided_dims,
    "divide_loop": _divisions,
    "divide_with_recompute": _overlapping,
    "expand_dim": _more_dims,
    "mult_dim": _joined_dims,
    "resize_dim": _smaller_dims,
    "set_window": _windowed,
    "stage_mem": _staged,
    "widen_loop": _wider,
    "write_config": _config_writes,
}
"""Primitives whose arguments belong together."""

