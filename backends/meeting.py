"""Random elements of arrays that indices are taken from, of which all holds that a procedure asserts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

import numpy as np

from .evaluate import Values, evaluate
from .indices import check_data, taken
from .kernel import Binary, Cell, Claim, Expr, ProcDef, StrideExpr, Sym, walk

Ints = np.ndarray[Any, np.dtype[Any]]
DRAWS: Final = 8
"""How often all arrays are drawn, at most, until what is asserted holds of them."""
MOST: Final = 1 << 62
"""No bound that is asserted goes beyond this number, or what is said of it counts as nothing."""
FEW: Final = 10
"""From how many numbers elements are drawn for which no bounds are asserted."""


def meeting(
    tree: ProcDef,
    asserted: tuple[Expr, ...],
    controls: Mapping[Sym, int],
    known: Mapping[Sym, Ints],
    wanted: Mapping[Sym, Ints],
    rng: np.random.Generator,
) -> dict[Sym, Ints]:
    """Random arrays of the shapes and types of those that are `wanted`, of which all that is `asserted` holds, with
    those that are `known`.

    Bounds are asserted by `within`, and of single elements by comparisons that are linear in one. Elements are uniform
    within them; sorted where they are `rising`, and drawn without replacement where they are `distinct`. Whether all
    holds, also what was not understood, is checked as at a call. Raises `ValueError` if it does not, after some draws.
    """
    failed = ""
    for _ in range(DRAWS):
        data = dict(known)
        for sym in _ordered(asserted, wanted):
            data[sym] = _drawn(sym, asserted, _values(controls, data), wanted[sym], rng)
        try:
            check_data(tree, asserted, _values(controls, data))
        except ValueError as e:
            failed = str(e)
        else:
            return {sym: data[sym] for sym in wanted}
    raise ValueError(failed)


def _values(controls: Mapping[Sym, int], data: Mapping[Sym, Ints]) -> Values:
    return Values(controls, {sym: tuple(s // x.itemsize for s in x.strides) for sym, x in data.items()}, data)


def _ordered(asserted: tuple[Expr, ...], wanted: Mapping[Sym, Ints]) -> list[Sym]:
    """The arrays to draw; one whose bounds are elements of another one after that."""
    claims = [e for e in asserted if isinstance(e, Claim)]
    needs = {sym: {s for c in claims if c.sym == sym for s in taken(tuple(c.args))} - {sym} for sym in wanted}
    left, found = list(wanted), list[Sym]()
    while left:
        sym = next((s for s in left if needs[s].isdisjoint(left)), left[0])
        left.remove(sym)
        found.append(sym)
    return found


def _drawn(sym: Sym, asserted: tuple[Expr, ...], values: Values, like: Ints, rng: np.random.Generator) -> Ints:
    """A random array, by what is asserted of it and can be known so far. Raises `ValueError` if there is none."""
    kinds = {e.kind for e in asserted if isinstance(e, Claim) and e.sym == sym}
    lo, hi = np.full(like.shape, -MOST), np.full(like.shape, MOST)
    for e in asserted:
        if isinstance(e, Claim):
            if e.sym == sym and e.kind == "within" and _is_known(e.args, values):
                first, end = (evaluate(a, values) for a in e.args)
                lo, hi = np.maximum(lo, max(first, -MOST)), np.minimum(hi, min(end - 1, MOST))
        else:
            _tighten(sym, e, values, lo, hi)
    if like.size == 0:
        return np.empty_like(like)
    rises, is_distinct = "rising" in kinds, "distinct" in kinds
    # of what rises, the first element bounds all from below, and the last one from above
    is_open = bool((lo[:1] if rises else lo).min() == -MOST), bool((hi[-1:] if rises else hi).max() == MOST)
    ends = np.iinfo(like.dtype)
    lo, hi = np.maximum(lo, max(ends.min, -MOST)), np.minimum(hi, min(ends.max, MOST))
    steps = np.arange(like.size) if rises and is_distinct else np.zeros(like.shape, np.int64)
    if rises:  # if all are distinct, too, what is left without the steps rises
        lo, hi = np.maximum.accumulate(lo - steps), np.minimum.accumulate((hi - steps)[::-1])[::-1]
    if (lo > hi).any():
        raise ValueError(f"no numbers are left for the elements of {sym}")
    low, high = _range(lo, hi, is_open, FEW + (like.size if is_distinct and not rises else 0))
    if is_distinct and not rises:
        if high - low + 1 < like.size:
            raise ValueError(f"there are {high - low + 1} numbers for {like.size} elements of {sym}, all distinct")
        numbers = (rng.choice(high - low + 1, like.size, replace=False) + low).reshape(like.shape)
        return _swapped(numbers, lo, hi).astype(like.dtype)
    numbers = np.asarray(rng.integers(low, high, like.shape, np.int64, endpoint=True))
    return np.asarray(np.clip(np.sort(numbers) if rises else numbers, lo, hi) + steps).astype(like.dtype)


def _range(lo: Ints, hi: Ints, is_open: tuple[bool, bool], few: int) -> tuple[int, int]:
    """From where to where all elements are drawn: their bounds, or few numbers where none is asserted."""
    low, high = int(lo.min()), int(hi.max())
    if is_open[0]:
        low = max(low, min(0 if is_open[1] else high - few + 1, 0, int(hi.min())))
    if is_open[1]:
        high = min(high, max(low + few - 1, int(lo.max())))
    return low, high


def _swapped(numbers: Ints, lo: Ints, hi: Ints) -> Ints:
    """Distinct numbers with those within its bounds at each place, by exchanges; or one that is none of the others."""
    flat = numbers.reshape(-1)
    for k in np.flatnonzero((numbers < lo) | (numbers > hi)):
        first, last = lo.reshape(-1)[k], hi.reshape(-1)[k]
        fitting = np.flatnonzero((flat >= first) & (flat <= last))
        if len(fitting):
            flat[[k, fitting[0]]] = flat[[fitting[0], k]]
        else:
            flat[k] = first
    return numbers


def _is_known(parts: Any, values: Values) -> bool:
    """Whether expressions can be evaluated by now."""
    nodes = [n for e in parts for _, n in walk(e)]
    return all(
        not isinstance(n, Cell | StrideExpr) or (n.read.sym if isinstance(n, Cell) else n.sym) in values.strides
        for n in nodes
    )


def _tighten(sym: Sym, e: Expr, values: Values, lo: Ints, hi: Ints) -> None:
    """Take over what a comparison says of a single element of an array, if it is linear in that."""
    if not isinstance(e, Binary) or e.op not in ("==", "<", "<=", ">", ">="):
        return
    cells = [n for side in (e.lhs, e.rhs) for _, n in walk(side) if isinstance(n, Cell) and n.read.sym == sym]
    if not cells or any(not _is_known(c.read.idx, values) for c in cells):
        return
    places = {tuple(evaluate(i, values) for i in c.read.idx) for c in cells}
    place = next(iter(places))
    if len(places) > 1 or not all(0 <= k < n for k, n in zip(place, lo.shape, strict=True)):
        return
    trial = np.zeros(lo.shape, np.int64)
    with_trial = _values(values.controls, {**values.data, sym: trial})
    if not _is_known((e.lhs, e.rhs), with_trial):
        return

    def apart(n: int) -> int:
        trial[place] = n
        return evaluate(e.lhs, with_trial) - evaluate(e.rhs, with_trial)

    rest = apart(0)
    slope = apart(1) - rest
    if slope == 0 or apart(2) != 2 * slope + rest:
        return
    # slope * x + rest op 0, and so x op' bound
    strict = e.op in ("<", ">")
    up = (e.op in (">", ">=")) == (slope > 0)
    root = Fraction(-rest, slope)
    if e.op == "==" or up:
        lo[place] = max(lo[place], min(floor(root) + 1 if strict else ceil(root), MOST))
    if e.op == "==" or not up:
        hi[place] = min(hi[place], max(ceil(root) - 1 if strict else floor(root), -MOST))
