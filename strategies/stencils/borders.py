"""Sweeps over borders, which have fewer loops than those over the inside."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    ForCursor,
    Proc,
    Script,
    add_loop,
    fail,
    focus,
    forms,
    on,
    rename_variable,
    shift_loop,
    strategy,
)

from .sweeps import Sweep, dims_of, sweeps_of


@strategy
def even_sweeps(p: Proc, c: ForCursor) -> Script:
    """`for t: (for j: x[0, j] = e); (for i: for j: s)  ~>  for t: (for i in (0, 1): for j: x[0, j] = e); ..`.

    All sweeps of a loop over time get as many loops as the deepest one. A loop that is added runs once, at the index
    that its sweep has where the deepest ones have an iterator. Focus: the loop over time, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(T: size, n: size, x: f32[n + 1, n], y: f32[n]):
    ...     for t in seq(0, T):
    ...         for j in seq(0, n):
    ...             x[n, j] = y[j]
    ...         for i in seq(0, n):
    ...             for j in seq(0, n):
    ...                 x[i, j] = x[i + 1, j]
    ... ''')
    >>> print(schedule(at("for t in _: _", even_sweeps()), p))
    def foo(T: size, n: size, x: f32[n + 1, n] @ DRAM, y: f32[n] @ DRAM):
        for t in seq(0, T):
            for i in seq(n, 1 + n):
                for j in seq(0, n):
                    x[n, j] = y[j]
            for i in seq(0, n):
                for j in seq(0, n):
                    x[i, j] = x[i + 1, j]
    """
    sweeps = sweeps_of(c)
    depth = max(len(sweep.loops) for sweep in sweeps)
    whole = [sweep for sweep in sweeps if len(sweep.loops) == depth]
    for sweep in sweeps:
        if len(sweep.loops) == depth:
            continue
        fixed = _fixed(sweep, whole)
        if fixed is None:
            yield on(sweep.body, fail("which loops of the other sweeps this one lacks can't be told by its indices"))
            continue
        for added, (d, index) in enumerate(sorted(fixed.items())):
            inside = sweep.loops[d - added] if d - added < len(sweep.loops) else sweep.body
            yield on(inside, add_loop(whole[0].loops[d].name(), 1), shift_loop(forms.to_expr(index)))
        for loop, d in zip(sweep.loops, sorted(set(range(depth)) - fixed.keys()), strict=True):
            yield on(loop, rename_variable(whole[0].loops[d].name()))
    yield focus(c)
    return c


def _fixed(sweep: Sweep, whole: Sequence[Sweep]) -> dict[int, forms.Lin] | None:
    """Of the loops that a sweep lacks, by their number in the others: the index that stands for each. None if what
    its own loops are in the others is not known, or they are in another order."""
    own: dict[int, int] = {}
    fixed: dict[int, forms.Lin] = {}
    for other in whole:
        for x in sorted(sweep.accesses, key=lambda a: not a.writes):
            for y in other.accesses:
                if x.sym != y.sym:
                    continue
                for at_x, at_y in zip(x.index, y.index, strict=True):
                    mine, theirs = dims_of(sweep, at_x), dims_of(other, at_y)
                    if len(theirs) == 1:
                        (d,) = theirs
                        if len(mine) == 1:
                            own.setdefault(min(mine), d)
                        elif not mine:
                            fixed.setdefault(d, at_x)
    places = [own.get(k) for k in range(len(sweep.loops))]
    lacking = [d for d in range(len(whole[0].loops)) if d not in places]
    known = [d for d in places if d is not None]
    if known != sorted(set(known)) or len(known) < len(places) or not fixed.keys() >= set(lacking):
        return None
    return {d: fixed[d] for d in lacking}
