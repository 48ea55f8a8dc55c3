"""The sweeps of one time step, and the distances between iterations that touch one element.

What is said here only guides a strategy. Whether an order of iterations is right is proved by the primitives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from exo_strat import (
    BlockCursor,
    ForCursor,
    StmtCursor,
    Sym,
    forms,
    nodes,
    walk,
)

from ..inspect import Access, accesses, nest


@dataclass(frozen=True)
class Sweep:
    """A statement of a time step: the perfect nest of loops that it begins with, none if it is no loop, and the code
    inside of them."""

    loops: tuple[ForCursor, ...]
    body: BlockCursor

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Those of one iteration, but for buffers that it allocates."""
        own = {n.sym for s in self.body for _, n in walk(s.node) if isinstance(n, nodes.Alloc)}
        return tuple(a for a in accesses(self.body) if a.sym not in own)


@dataclass(frozen=True)
class Distance:
    """Between an iteration of one sweep and one of another that needs it to be done before.

    `before` and `after` are the numbers of the sweeps. `time` is the least number of time steps between them. `space`
    is, for each loop, how much later the second iteration is, None if that is no constant.
    """

    before: int
    after: int
    time: int
    space: tuple[int | None, ...]


def sweeps_of(steps: ForCursor) -> tuple[Sweep, ...]:
    """The sweeps of each step of a loop over time, in order.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(T: size, n: size, x: f32[n + 2, n], y: f32[n]):
    ...     for t in seq(0, T):
    ...         for j in seq(0, n):
    ...             x[0, j] = y[j]
    ...         for i in seq(0, n):
    ...             for j in seq(0, n):
    ...                 x[i + 1, j] = x[i, j]
    ... ''')
    >>> [len(sweep.loops) for sweep in sweeps_of(p.find_loop("t"))]
    [1, 2]
    """
    return tuple(map(_sweep, steps.body()))


def _sweep(s: StmtCursor) -> Sweep:
    loops = nest(s) if isinstance(s, ForCursor) else ()
    return Sweep(loops, loops[-1].body() if loops else s.as_block())


def distances(steps: ForCursor, sweeps: Sequence[Sweep]) -> tuple[Distance, ...]:
    """The distances between iterations of the sweeps of a loop over time, which have equally many loops.

    Only those are found that are equal for all pairs of iterations, as in a stencil.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(T: size, n: size, x: f32[n + 2]):
    ...     for t in seq(0, T):
    ...         for i in seq(0, n):
    ...             x[i + 1] = x[i] + x[i + 2]
    ... ''')
    >>> for d in distances(p.find_loop("t"), sweeps_of(p.find_loop("t"))):
    ...     print(d.time, d.space)
    0 (1,)
    1 (-1,)
    1 (0,)
    1 (1,)
    """
    found = {
        d
        for (a, one), (b, other) in product(enumerate(sweeps), repeat=2)
        for x, y in product(one.accesses, other.accesses)
        if _exchange(x, y)
        for d in _between(steps.sym, a, one, x, b, other, y)
    }
    return tuple(sorted(found, key=lambda d: (d.before, d.after, d.time, tuple(s or 0 for s in d.space))))


def _exchange(x: Access, y: Access) -> bool:
    """Whether the order of two accesses matters."""
    return x.sym == y.sym and (x.kind, y.kind) not in {("R", "R"), ("A", "A")}


def _between(time: Sym, a: int, one: Sweep, x: Access, b: int, other: Sweep, y: Access) -> Iterator[Distance]:
    """The distances at which x, in the first sweep, comes before y, in the second one."""
    found = _distance(time, one, x, other, y)
    if found is None:
        return
    steps, space = found
    if steps is None:
        if a < b or (a == b and _later(space)):
            yield Distance(a, b, 0, space)
        yield Distance(a, b, 1, space)
    elif steps > 0 or (steps == 0 and (a < b or (a == b and _later(space)))):
        yield Distance(a, b, steps, space)


def _later(space: Sequence[int | None]) -> bool:
    """Whether an iteration at this distance comes later, as the loops are nested."""
    first = next((s for s in space if s != 0), 0)
    return first is not None and first > 0


def _distance(
    time: Sym, one: Sweep, x: Access, other: Sweep, y: Access
) -> tuple[int | None, tuple[int | None, ...]] | None:
    """The steps, if they are known, and iterations between accesses to one element; None if there are none such."""
    steps: int | None = None
    space: dict[int, int | None] = {}
    for at_x, at_y in zip(x.index, y.index, strict=True):
        dims = {d for sweep, at in ((one, at_x), (other, at_y)) for d in dims_of(sweep, at)}
        if not dims:
            k, gap = at_x.coefficient(forms.V(time)), at_x - at_y
            if k == at_y.coefficient(forms.V(time)) and abs(k) == 1 and gap.is_const:
                steps = gap.const // k
            elif gap.is_const and gap.const and forms.V(time) not in forms.lin_atoms(at_x):
                return None
        elif len(dims) == 1:
            d = dims.pop()
            found = _iterations(one, at_x, other, at_y, d)
            if found is not None and space.setdefault(d, found) != found:
                return None
    return steps, tuple(space.get(d) for d in range(len(one.loops)))


def dims_of(sweep: Sweep, index: forms.Lin) -> frozenset[int]:
    """The numbers of the loops whose iterators are in an index."""
    return frozenset(d for d, loop in enumerate(sweep.loops) if index.coefficient(forms.V(loop.sym)))


def _iterations(one: Sweep, x: forms.Lin, other: Sweep, y: forms.Lin, d: int) -> int | None:
    """How many iterations of loop d later y is what x is, if that is a constant."""
    (k, from_x), (m, from_y) = _position(one, x, d), _position(other, y, d)
    gap = from_x - from_y
    return gap.const // k if k == m and abs(k) == 1 and gap.is_const else None


def _position(sweep: Sweep, index: forms.Lin, d: int) -> tuple[int, forms.Lin]:
    """An index as a multiple of the iterator of a loop, and the rest. The only value of a loop that runs once is its
    start, so that a constant index is the iterator and a rest."""
    loop = sweep.loops[d]
    i = forms.V(loop.sym)
    k = index.coefficient(i)
    lo, hi = (forms.affine(e.node) for e in (loop.lo(), loop.hi()))
    once = lo is not None and hi is not None and hi - lo == forms.Lin(1)
    if k == 0 and once and lo is not None:
        return 1, index - lo
    return k, index - forms.Lin.of(i) * k
