"""A small decision procedure for integer problems, without Z3.

Equations are solved exactly (by substitution, and Pugh's reduction of coefficients where none is 1);
inequalities are eliminated pairwise (Fourier-Motzkin, each result divided by its common factor and
rounded), which refutes; going back through the eliminations finds values nearest to zero. Disjunctions
are entered only where a model of the rest fails them. It gives up (None) on problems that are too large
and where elimination was not exact and found no values.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

from .problem import Join, Node, Problem, Row, Terms, satisfied

MAX_ROWS = 160
MAX_BRANCHES = 96

Values: TypeAlias = list[int]
Result: TypeAlias = Values | Literal[False] | None
"""Values of the variables, or False for "there are none", or None for "gave up"."""


def solve(problem: Problem) -> Result:
    """Values for which all nodes of `problem` hold.

    >>> solve(Problem((Row(False, ((0, 2),), -1), Row(False, ((0, -2),), 1)), 1))
    False
    """
    rows: list[Row] = []
    choices: list[Join] = []
    _sort_out(problem.nodes, rows, choices)
    return _Search(problem.size).run(rows, _merged(choices))


def _sort_out(nodes: Iterable[Node], rows: list[Row], choices: list[Join]) -> None:
    """Splits a conjunction into rows and disjunctions."""
    for n in nodes:
        if isinstance(n, Row):
            rows.append(n)
        elif n.is_all:
            _sort_out(n.parts, rows, choices)
        else:
            choices.append(n)


def _merged(choices: list[Join]) -> list[Join]:
    """The disjunctions, with values next to each other that a sum is not to have as one: `x <= 0 or x >= 2`, and
    `x <= 1 or x >= 3`, are `x <= 0 or x >= 3`. A chain of `elif`s would need a branch of the search for each."""
    gaps: dict[Terms, set[int]] = {}
    rest: list[Join] = []
    for c in choices:
        gap = _gap(c)
        if gap is None:
            rest.append(c)
        else:
            gaps.setdefault(gap[0], set()).add(gap[1])
    for terms, values in gaps.items():
        opposite = tuple([(v, -k) for v, k in terms])
        for first in sorted(v for v in values if v - 1 not in values):
            last = next(v for v in count(first) if v + 1 not in values)
            rest.append(Join(False, (Row(False, terms, -last - 1), Row(False, opposite, first - 1))))
    return rest


def _gap(choice: Join) -> tuple[Terms, int] | None:
    """A sum, and the one value that it is not to have, if a disjunction says that."""
    match choice.parts:
        case (Row(False, terms, above), Row(False, opposite, below)) if above + below == -2:
            return (terms, -above - 1) if opposite == tuple([(v, -k) for v, k in terms]) else None
        case _:
            return None


class _Search:
    def __init__(self, count: int) -> None:
        self.count = count
        self.branches = 0

    def run(self, rows: list[Row], choices: list[Join]) -> Result:
        self.branches += 1
        if self.branches > MAX_BRANCHES:
            return None
        values = solve_rows(rows, self.count)
        if values is False:
            return False
        failed = next((c for c in choices if values is None or not satisfied(c, values)), None)
        if failed is None:
            return values
        rest = [c for c in choices if c is not failed]
        gave_up = False
        for part in failed.parts:
            more_rows, more_choices = list(rows), list(rest)
            _sort_out((part,), more_rows, more_choices)
            result = self.run(more_rows, more_choices)
            if result:
                return result
            gave_up = gave_up or result is None
        return None if gave_up else False


# -- conjunctions --------------------------------------------------------------------------------


class _Solved(NamedTuple):
    """`variable` is the affine form."""

    variable: int
    terms: Terms
    const: int


class _Bounded(NamedTuple):
    """`variable` is bounded by the rows (which are all at least zero)."""

    variable: int
    rows: list[tuple[Terms, int]]


class _GaveUpError(Exception):
    pass


class _NoneError(Exception):
    pass


def solve_rows(rows: Iterable[Row], count: int) -> Result:
    """Values for which all `rows` hold."""
    try:
        trail, size = _Elimination(rows, count).run()
    except _NoneError:
        return False
    except _GaveUpError:
        return None
    values = [0] * size
    for step in reversed(trail):
        if isinstance(step, _Solved):
            values[step.variable] = step.const + sum(k * values[v] for v, k in step.terms)
            continue
        value = _nearest_to_zero(step, values)
        if value is None:
            return None
        values[step.variable] = value
    # An empty list would read as "none".
    return values[:count] or [0]


def _nearest_to_zero(step: _Bounded, values: Values) -> int | None:
    lo: int | None = None
    hi: int | None = None
    for terms, const in step.rows:
        a, rest = 0, const
        for v, k in terms:
            if v == step.variable:
                a = k
            else:
                rest += k * values[v]
        if a > 0:
            bound = -(rest // a)
            lo = bound if lo is None else max(lo, bound)
        else:
            bound = rest // -a
            hi = bound if hi is None else min(hi, bound)
    if lo is not None and hi is not None and lo > hi:
        return None
    if lo is not None and lo > 0:
        return lo
    return hi if hi is not None and hi < 0 else 0


class _Elimination:
    """Takes variables out of a system until none is left. Raises `_NoneError` if it has no solution."""

    def __init__(self, rows: Iterable[Row], count: int) -> None:
        self.size = count
        self.equations: list[tuple[Terms, int]] = []
        self.bounds: dict[Terms, int] = {}
        self.trail: list[_Solved | _Bounded] = []
        for r in rows:
            if r.is_eq:
                self.equations.append((r.terms, r.const))
            else:
                self.bound(r.terms, r.const)

    def run(self) -> tuple[list[_Solved | _Bounded], int]:
        while True:
            while self.equations:
                self.solve_one(*self.equations.pop())
            if not self.bounds:
                return self.trail, self.size
            self.eliminate(self.cheapest())

    def bound(self, terms: Terms, const: int) -> None:
        """Adds `terms + const >= 0`; with its opposite it may be an equation or a contradiction."""
        if not terms:
            if const < 0:
                raise _NoneError
            return
        g = gcd(*[k for _, k in terms])
        if g > 1:
            terms, const = tuple([(v, k // g) for v, k in terms]), const // g
        known = self.bounds.get(terms)
        if known is not None and known <= const:
            return
        opposite = tuple([(v, -k) for v, k in terms])
        slack = self.bounds.get(opposite)
        if slack is not None:
            if slack + const < 0:
                raise _NoneError
            if slack + const == 0:
                del self.bounds[opposite]
                self.bounds.pop(terms, None)
                self.equations.append((terms, const))
                return
        self.bounds[terms] = const
        if len(self.bounds) > MAX_ROWS:
            raise _GaveUpError

    def solve_one(self, terms: Terms, const: int) -> None:
        """Solves `terms + const == 0` for a variable and puts it into the rest."""
        if not terms:
            if const:
                raise _NoneError
            return
        g = gcd(*[k for _, k in terms])
        if const % g:
            raise _NoneError
        if g > 1:
            terms, const = tuple([(v, k // g) for v, k in terms]), const // g
        v, k = min(terms, key=lambda t: (abs(t[1]), -t[0]))
        if abs(k) != 1:
            # Pugh 1991: a new variable stands for the equation divided by |k| + 1, so that v has coefficient 1.
            self.equations.append((terms, const))
            m, sign = abs(k) + 1, 1 if k > 0 else -1
            terms = (*[(u, r) for u, j in terms if (r := _centred(j, m))], (self.size, sign * m))
            const, k = _centred(const, m), -sign
            self.size += 1
        solution = tuple([(u, -j * k) for u, j in terms if u != v])
        self.substitute(_Solved(v, solution, -const * k))

    def substitute(self, s: _Solved) -> None:
        self.trail.append(s)
        self.equations = [_put(row, s) for row in self.equations]
        touched = [t for t in self.bounds if any(v == s.variable for v, _ in t)]
        rows = [(t, self.bounds.pop(t)) for t in touched]
        for row in rows:
            self.bound(*_put(row, s))

    def cheapest(self) -> int:
        """The variable whose elimination is exact, if there is one, and adds the fewest rows."""
        lowers: dict[int, int] = {}
        uppers: dict[int, int] = {}
        inexact: dict[int, int] = {}
        for terms in self.bounds:
            for v, k in terms:
                side = lowers if k > 0 else uppers
                side[v] = side.get(v, 0) + 1
                if abs(k) != 1:
                    inexact[v] = inexact.get(v, 0) | (1 if k > 0 else 2)

        def cost(v: int) -> tuple[bool, int, int]:
            n, m = lowers.get(v, 0), uppers.get(v, 0)
            return (inexact.get(v) == 3 and n * m > 0, n * m - n - m, -v)

        return min([*lowers, *[v for v in uppers if v not in lowers]], key=cost)

    def eliminate(self, v: int) -> None:
        rows = [(t, c) for t, c in self.bounds.items() if any(u == v for u, _ in t)]
        self.trail.append(_Bounded(v, rows))
        for t, _ in rows:
            del self.bounds[t]
        lower: list[tuple[Terms, int, int]] = []
        upper: list[tuple[Terms, int, int]] = []
        for t, c in rows:
            k = next(k for u, k in t if u == v)
            (lower if k > 0 else upper).append((t, c, abs(k)))
        for t, c, a in lower:
            for u, d, b in upper:
                self.bound(*_combine(t, c, b, u, d, a))


def _centred(k: int, m: int) -> int:
    """The residue of `k` by `m` nearest to zero (Pugh's mod hat)."""
    return k - m * ((2 * k + m) // (2 * m))


def _put(row: tuple[Terms, int], s: _Solved) -> tuple[Terms, int]:
    """`row` with a variable replaced by what it is."""
    terms, const = row
    k = next((k for v, k in terms if v == s.variable), 0)
    if not k:
        return row
    rest = tuple([t for t in terms if t[0] != s.variable])
    return _combine(rest, const, 1, s.terms, s.const, k)


def _combine(t: Terms, c: int, a: int, u: Terms, d: int, b: int) -> tuple[Terms, int]:
    """`a * (t + c) + b * (u + d)`."""
    total = {v: k * a for v, k in t}
    for v, k in u:
        total[v] = total.get(v, 0) + k * b
    return tuple(sorted([(v, k) for v, k in total.items() if k])), c * a + d * b
