"""What a procedure asserts of the data that it takes indices from, checked on NumPy arrays.

The arrays may hold other numbers at each call, so unlike sizes and strides this is checked at each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .evaluate import Values, evaluate
from .kernel import Binary, Claim, Expr, ProcDef, Read, Sym, has_cells, names_at, print_expr, walk


def on_data(tree: ProcDef) -> tuple[Expr, ...]:
    """The assertions about data that indices are taken from, each by itself."""
    return tuple(part for p in tree.preds if has_cells(p) for part in _conjuncts(p))


def taken(assertions: tuple[Expr, ...]) -> frozenset[Sym]:
    """The arguments that assertions are about."""
    nodes = [n for p in assertions for _, n in walk(p)]
    return frozenset(n.sym for n in nodes if isinstance(n, Claim | Read))


def _conjuncts(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Binary) and e.op == "and":
        yield from _conjuncts(e.lhs)
        yield from _conjuncts(e.rhs)
    else:
        yield e


def check_data(tree: ProcDef, assertions: tuple[Expr, ...], values: Values) -> None:
    """Raise a `ValueError` that names the argument and the element if an assertion does not hold."""
    for p in assertions:
        fault = _claim_fault(p, values) if isinstance(p, Claim) else _fault(p, values)
        if fault is not None:
            names = names_at(tree)
            raise ValueError(f"{tree.name}: argument values break the assertion {print_expr(p, names)}: {fault(names)}")


class _Fault:
    """Elements that break an assertion."""

    def __init__(self, elements: list[tuple[Sym, tuple[int, ...], int]]) -> None:
        self.elements = elements

    def __call__(self, names: Mapping[Sym, str]) -> str:
        shown = [f"{names[s]}{list(place) if place else ''} = {value}" for s, place, value in self.elements]
        return ", ".join(dict.fromkeys(shown))


def _fault(p: Expr, values: Values) -> _Fault | None:
    if evaluate(p, values):
        return None
    reads = [n for _, n in walk(p) if isinstance(n, Read)]
    places = [(r.sym, tuple(evaluate(i, values) for i in r.idx)) for r in reads]
    return _Fault([(s, place, int(values.data[s][place] if place else values.data[s])) for s, place in places])


def _claim_fault(p: Claim, values: Values) -> _Fault | None:
    data: np.ndarray[Any, np.dtype[Any]] = values.data[p.sym]
    if p.kind == "within":
        lo, hi = (evaluate(a, values) for a in p.args)
        if lo <= int(data.min()) and int(data.max()) < hi:
            return None
        place = _first(np.asarray([not lo <= int(n) < hi for n in data.flat]).reshape(data.shape))
        return _at(p.sym, data, place)
    if p.kind == "rising":
        falls = data[1:] < data[:-1]
        if not falls.any():
            return None
        (k,) = _first(falls)
        return _at(p.sym, data, (k,), (k + 1,))
    flat = data.reshape(-1)
    order = np.argsort(flat, kind="stable")
    same = np.flatnonzero(flat[order[1:]] == flat[order[:-1]])
    if not same.size:
        return None
    return _at(p.sym, data, *(_place(int(order[k]), data) for k in (same[0], same[0] + 1)))


def _first(faults: np.ndarray[Any, np.dtype[Any]]) -> tuple[int, ...]:
    return _place(int(np.flatnonzero(faults)[0]), faults)


def _place(flat: int, data: np.ndarray[Any, np.dtype[Any]]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(flat, data.shape))


def _at(sym: Sym, data: np.ndarray[Any, np.dtype[Any]], *places: tuple[int, ...]) -> _Fault:
    return _Fault([(sym, place, int(data[place])) for place in places])
