"""How much a scope computes, moves and touches.

Amounts are polynomials in the sizes and iterators that are in scope outside. Loops count `hi - lo` iterations, so
an amount is meant for sizes for which that is never negative; branches count as taken, of two the larger one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from exo_strat import (
    InvalidCursorError,
    analysis,
    binders,
    children,
    forms,
    is_control,
    nodes,
    walk,
)

from .accesses import Path, Place, Scope, accesses
from .amounts import Amount
from .bounds import bounds
from .structure import pieces
from .uses import Named, declaration, precision


@dataclass(frozen=True)
class Intensity:
    """Arithmetic operations for each byte touched.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> print(intensity(p.root()), "is", intensity(p.root()).at(n=100))
    (8 * n) / (36 * n) is 2/9
    """

    flops: Amount
    bytes: Amount

    def at(self, **sizes: int) -> Fraction:
        """The number for given sizes."""
        return Fraction(self.flops.at(**sizes), self.bytes.at(**sizes))

    def __str__(self) -> str:
        return f"({self.flops}) / ({self.bytes})"


def flops(c: Scope) -> Amount:
    """The arithmetic operations on data at and below a cursor: operators, externs and accumulations, one each;
    `x -= e`, which adds the negated value, is one.

    Raises `InvalidCursorError` if a loop's range is not affine, or the sum over it is no polynomial.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def trmv(n: size, a: f32[n, n], x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i + 1):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> print(flops(p.find_loop("j")), "and", flops(p.find_loop("i")), "and", flops(p.root()).at(n=4))
    2 * i + 2 and n**2 + n and 20
    """
    here = Place(c.proc.tree)
    found = Amount()
    for x in pieces(c):
        found = found + _work(here, x.node, x.path)
    if any(isinstance(a, forms.Opaque) for a in found.atoms()):
        raise InvalidCursorError(f"how often a loop runs depends on what is not affine\\n{c}")
    return found


def _work(here: Place, n: nodes.Node, path: Path) -> Amount:
    """The operations of a statement or expression."""
    if isinstance(n, nodes.Call):
        inside = here.callee(n, path)
        own = [_work(here, e, path) for e in n.args]
        return _total([*own, *(_work(inside, s, (("body", k),)) for k, s in enumerate(n.f.tree.body))])
    if isinstance(n, nodes.If):
        yes, no = (_blocks(here, n, path, label) for label in ("body", "orelse"))
        return _work(here, n.cond, path) + yes.most(no)
    if isinstance(n, nodes.Select):
        sides = (_work(here, e, (*path, (label, None))) for label, e in (("then", n.then), ("other", n.other)))
        return _work(here, n.cond, (*path, ("cond", None))) + next(sides).most(next(sides))
    if isinstance(n, nodes.For):
        inside = here.inside(n, path)
        ((i, _),) = inside.env[n.iter].terms
        lo, hi = (here.form(e, (*path, (end, None))) for end, e in (("lo", n.lo), ("hi", n.hi)))
        total = _blocks(inside, n, path, "body").over(i, lo, hi)
        if total is None:
            raise InvalidCursorError(f"the operations in the loop over {n.iter} are no polynomial of {n.iter}")
        return total
    total = _total(_work(here, x, (*path, step)) for step, x in children(n) if not _is_index(x))
    is_operation = isinstance(n, nodes.Unary | nodes.Binary | nodes.ExternCall | nodes.Reduce) and not is_control(n)
    return total + 1 if is_operation and not _subtracts(n) else total


def _subtracts(n: nodes.Node) -> bool:
    """Whether something is a reduction that adds a negated value: one operation, which is counted with the value."""
    return isinstance(n, nodes.Reduce) and n.op == "+" and isinstance(n.rhs, nodes.Unary) and n.rhs.op == "-"


def _is_index(n: nodes.Node) -> bool:
    """Whether something is an integer, or the range of a window or buffer, and has no data in it."""
    return is_control(n) and not any(isinstance(x, nodes.Read | nodes.ExternCall | nodes.Select) for _, x in walk(n))


def _blocks(here: Place, n: nodes.For | nodes.If, path: Path, label: str) -> Amount:
    return _total(_work(here, s, (*path, (label, k))) for k, s in enumerate(getattr(n, label)))


def _total(amounts: Iterable[Amount]) -> Amount:
    return sum(amounts, Amount())


# -- bytes --------------------------------------------------------------------------------------------


def footprint(c: Scope, buffer: Named | None = None) -> Amount:
    """The bytes of the window of a buffer that is accessed at and below a cursor; of all buffers that are declared
    outside, if none is named.

    Raises `InvalidCursorError` if there is no such window; see `bounds`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f64[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> print(footprint(p.find_loop("i")), "and", footprint(p.find_loop("j")), "and", footprint(p.root(), "y"))
    4 * m * n + 8 * m + 4 * n and 8 * n + 8 and 8 * m
    """
    if buffer is None:
        inside = {s for x in pieces(c) for s in binders(x.node)}
        used = dict.fromkeys(a.sym for a in accesses(c) if a.kind != "P" and a.sym not in inside)
        return _total(footprint(c, s) for s in used)
    window = bounds(c, buffer)
    size = Amount.of(analysis.size_of(precision(declaration(c, window.buffer))))
    for d in window.dims:
        size = size * Amount.of(d.end - d.least)
    return size


def intensity(c: Scope) -> Intensity:
    """The arithmetic operations at and below a cursor for each byte that they touch outside: `flops / footprint`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def gemm(n: size, a: f32[n, n], b: f32[n, n], c: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             for k in seq(0, n):
    ...                 c[i, j] += a[i, k] * b[k, j]
    ... ''')
    >>> print(intensity(p.root()), "is", intensity(p.root()).at(n=60))
    (2 * n**3) / (12 * n**2) is 10
    """
    return Intensity(flops(c), footprint(c))
