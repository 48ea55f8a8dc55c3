"""What code touches, in numbers: boxes of elements, for sizes that are known. `inspect.footprint` says it in formulas,
and more exactly; a model that looks at hundreds of candidates needs it in milliseconds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, TypeAlias

from exo_strat import Scalar, Sym, Tensor, analysis, children, declarations, is_control, nodes

Env: TypeAlias = Mapping[Sym, float]
"""What control variables are."""
Range: TypeAlias = "tuple[float, float]"
Ranges: TypeAlias = Mapping[Sym, Range]
Box: TypeAlias = "tuple[Range, ...]"
"""For each dimension the first element and the last."""

ARITHMETIC: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a // b if b else 0.0,
    "%": lambda a, b: a % b if b else 0.0,
    "min": min,
    "max": max,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
}


def value(e: nodes.Node, env: Env) -> float:
    """A control expression; what is not known is one, and a condition on data is taken to hold."""
    match e:
        case nodes.Const(value=v):
            return float(v)
        case nodes.Var(sym=s):
            return env.get(s, 1.0)
        case nodes.Unary(op="-", arg=a):
            return -value(a, env)
        case nodes.Unary(arg=a):
            return float(not value(a, env))
        case nodes.Binary(op=op, lhs=a, rhs=b) if op in ARITHMETIC:
            return float(ARITHMETIC[op](value(a, env), value(b, env)))
    return 1.0


def between(e: nodes.Node, env: Ranges) -> Range:
    """The least and the greatest value of a control expression, as far as its parts tell."""
    match e:
        case nodes.Const(value=v):
            return float(v), float(v)
        case nodes.Var(sym=s):
            return env.get(s, (1.0, 1.0))
        case nodes.Unary(op="-", arg=a):
            lo, hi = between(a, env)
            return -hi, -lo
        case nodes.Binary(op="%", lhs=a, rhs=b):
            (lo, hi), (_, by) = between(a, env), between(b, env)
            return (lo % by, hi % by) if by and lo // by == hi // by else (0.0, max(by - 1, 0.0))
        case nodes.Binary(op=op, lhs=a, rhs=b) if op in ARITHMETIC:
            f, one, two = ARITHMETIC[op], between(a, env), between(b, env)
            ends = [float(f(x, y)) for x in one for y in two]
            return min(ends), max(ends)
    return 1.0, 1.0


@dataclass(frozen=True)
class Touched:
    """Memory that is touched: `bytes`, in so many `runs` of contiguous elements. A run that is shorter than a line
    counts as that part of one.

    >>> Touched(64, 1) + Touched(128, 4)
    Touched(bytes=192, runs=5)
    """

    bytes: float = 0.0
    runs: float = 0.0

    def __add__(self, other: Touched) -> Touched:
        return Touched(self.bytes + other.bytes, self.runs + other.runs)

    def times(self, n: float) -> Touched:
        """So many times the same."""
        return Touched(self.bytes * n, self.runs * n)


@dataclass(frozen=True)
class View:
    """A window: of which buffer, where it begins along each dimension, and which dimensions it has."""

    sym: Sym
    dims: tuple[tuple[Range, bool], ...]


@dataclass(frozen=True)
class Boxes:
    """What parts of a procedure touch.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = x[i, 3]
    ... ''')
    >>> n, boxes = p.tree.args[0].sym, Boxes(p.tree)
    >>> boxes.touched(p.tree.body, {n: 100})
    Touched(bytes=800.0, runs=7.25)
    """

    tree: nodes.ProcDef
    line: int = 64
    known: dict[object, Touched] = field(default_factory=dict)

    def touched(self, body: Sequence[nodes.Stmt], env: Env) -> Touched:
        """The boxes that some statements touch, of what is declared outside them: their bytes, and their runs."""
        key = (tuple(map(id, body)), frozenset(env.items()))
        if key not in self.known:
            found: dict[Sym, Box] = {}
            self._block(body, {s: (v, v) for s, v in env.items()}, {}, found)
            self.known[key] = sum((self._all_of(s, box, env) for s, box in found.items()), Touched())
        return self.known[key]

    def _all_of(self, sym: Sym, box: Box, env: Env) -> Touched:
        t = declarations(self.tree)[sym]
        kind = t.base if isinstance(t, Tensor) else t
        if not isinstance(kind, Scalar) or kind.name == "R":
            return Touched()
        extents = [hi - lo + 1 for lo, hi in box]
        shape = [value(e, env) for e in t.shape] if isinstance(t, Tensor) else []
        whole = 0  # of how many dimensions, from the last one on, the box has all
        while whole < len(shape) and extents[-1 - whole] >= shape[-1 - whole]:
            whole += 1
        total, runs = prod(extents) * analysis.size_of(kind), prod(extents[: max(0, len(extents) - whole - 1)])
        return Touched(total, min(runs, total / self.line))

    def _block(self, body: Iterable[nodes.Stmt], env: Ranges, views: dict[Sym, View], found: dict[Sym, Box]) -> None:
        own = set[Sym]()
        for s in body:
            if isinstance(s, nodes.Alloc):
                own.add(s.sym)
            elif isinstance(s, nodes.WindowDef) and isinstance(s.rhs, nodes.WindowExpr):
                views[s.sym] = self._shown(s.rhs, env, views)
            else:
                self._touch(s, env, views, found)
        for sym in own:
            found.pop(sym, None)

    def _touch(self, n: nodes.Node, env: Ranges, views: dict[Sym, View], found: dict[Sym, Box]) -> None:
        match n:
            case nodes.For():
                (lo, _), (_, hi) = between(n.lo, env), between(n.hi, env)
                if hi > lo:
                    self._block(n.body, {**env, n.iter: (lo, hi - 1)}, views, found)
                return
            case nodes.If():
                self._block(n.body, env, views, found)
                self._block(n.orelse, env, views, found)
                return
            case nodes.Read() | nodes.Assign() | nodes.Reduce() | nodes.WindowExpr():
                self._add(n, env, views, found)
        for _, part in children(n):
            if not is_control(part):
                self._touch(part, env, views, found)

    def _add(self, n: Touch, env: Ranges, views: Mapping[Sym, View], found: dict[Sym, Box]) -> None:
        t = declarations(self.tree)[n.sym]
        if not isinstance(t, Tensor):
            return
        box = tuple(_dim(d, env)[0] for d in n.idx) or tuple((0.0, between(e, env)[1] - 1) for e in t.shape)
        sym = n.sym
        while sym in views:
            view, rest = views[sym], iter(box)
            box = tuple(_moved(at, next(rest)) if kept else at for at, kept in view.dims)
            sym = view.sym
        old = found.get(sym, box)
        found[sym] = tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(old, box, strict=True))

    def _shown(self, n: nodes.WindowExpr, env: Ranges, views: Mapping[Sym, View]) -> View:
        dims = [_dim(d, env) for d in n.idx]
        return View(n.sym, tuple((((lo, lo), True) if kept else ((lo, hi), False)) for (lo, hi), kept in dims))


Touch: TypeAlias = nodes.Read | nodes.Assign | nodes.Reduce | nodes.WindowExpr


def _dim(d: nodes.Node, env: Ranges) -> tuple[Range, bool]:
    """The elements along a dimension, and whether it is a range of them."""
    if isinstance(d, nodes.Interval):
        return (between(d.lo, env)[0], between(d.hi, env)[1] - 1), True
    return between(d.pt if isinstance(d, nodes.Point) else d, env), False


def _moved(by: Range, r: Range) -> Range:
    return by[0] + r[0], by[1] + r[1]
