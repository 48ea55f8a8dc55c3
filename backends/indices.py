"""What a procedure asserts of the data that it takes indices from, checked on NumPy arrays.

The arrays may hold other numbers at each call, so unlike sizes and strides this is checked at each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .evaluate import Values, evaluate, seen
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
    names = names_at(tree)
    for p in assertions:
        if isinstance(p, Claim):
            found = _broken(p, values)
            shown = {f"{names[p.sym]}{list(place)}": int(values.data[p.sym][place]) for place in found}
            holds = not found
        else:
            holds = bool(evaluate(p, values))
            shown = {} if holds else seen(p, values, names)
        if not holds:
            what = ", ".join(f"{text} = {value}" for text, value in shown.items())
            raise ValueError(f"{tree.name}: argument values break the assertion {print_expr(p, names)}: {what}")


def _broken(p: Claim, values: Values) -> tuple[tuple[int, ...], ...]:
    """The places of elements that break an assertion about all; none if it holds."""
    data: np.ndarray[Any, np.dtype[Any]] = values.data[p.sym]
    if p.kind == "within":
        lo, hi = (evaluate(a, values) for a in p.args)
        if lo <= int(data.min()) and int(data.max()) < hi:
            return ()
        return (_first(np.asarray([not lo <= int(n) < hi for n in data.flat]).reshape(data.shape)),)
    if p.kind == "rising":
        falls = data[1:] < data[:-1]
        if not falls.any():
            return ()
        (k,) = _first(falls)
        return (k,), (k + 1,)
    flat = data.reshape(-1)
    order = np.argsort(flat, kind="stable")
    same = np.flatnonzero(flat[order[1:]] == flat[order[:-1]])
    return tuple(_place(int(order[k]), data) for n in same[:1] for k in (n, n + 1))


def _first(faults: np.ndarray[Any, np.dtype[Any]]) -> tuple[int, ...]:
    return _place(int(np.flatnonzero(faults)[0]), faults)


def _place(flat: int, data: np.ndarray[Any, np.dtype[Any]]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(flat, data.shape))
