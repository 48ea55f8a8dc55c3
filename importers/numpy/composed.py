"""Functions of NumPy that are made of others: products of vectors, convolutions, comparisons of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ..control import Poly, number
from ..report import stop
from . import products, reductions
from .arithmetic import calculated, converted
from .context import Call, Context
from .elementwise import apply, array, as_type, strong
from .indexing import Slice, subscript
from .kinds import F64, FLOAT, PYTHON_BOOL, Kind, resolve
from .program import Data, Num
from .reductions import add, axis_number, computed
from .stacking import stack_of
from .storing import assign
from .values import Along, Array, Indices, Integer, Static, Tuple, Value, View, reindexed, scalar

NONE: Final = Static(None)


def _vector(ctx: Context, v: Value, what: str) -> Array:
    a = strong(ctx, v, what)
    if a.ndim != 1:
        raise stop(ctx.place, what, "it is taken of vectors", "write loops")
    return a if a.cheap else ctx.materialised(a)


def _slice(ctx: Context, a: Array, lo: int | None, hi: int | None, what: str) -> Array:
    first, last = (None if e is None else Integer(number(e)) for e in (lo, hi))
    return subscript(ctx, a, [Slice(first, last, None)], what)


def _cross(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The vector product, along the last axis."""
    a, b = (array(ctx, v) for v in args[:2])
    a, b = (x if x.cheap else ctx.materialised(x) for x in (a, b))
    for x in (a, b):
        ctx.same(x.shape[-1] if x.ndim else number(1), number(3), "np.cross")

    def part(x: Array, k: int) -> Array:
        return subscript(ctx, x, [*[Slice(None, None, None)] * (x.ndim - 1), Integer(number(k))], "np.cross")

    items: list[Value] = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        plus = apply(ctx, "multiply", [part(a, i), part(b, j)])
        items.append(apply(ctx, "subtract", [plus, apply(ctx, "multiply", [part(a, j), part(b, i)])]))
    return stack_of(ctx, items, max(a.ndim, b.ndim) - 1)


def _average(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The mean, with weights."""
    axis = args[1] if len(args) > 1 else named.get("axis", NONE)
    given = args[2] if len(args) > 2 else named.get("weights", NONE)
    if given == NONE:
        return reductions.reduction(ctx, "mean", args[0], {"axis": axis})
    a, w = array(ctx, args[0]), array(ctx, given)
    both = _product_kind(ctx, a, w, "np.average") if a.kind.is_float else F64
    a, w = as_type(ctx, a, both), as_type(ctx, w, both)
    w = w if w.cheap else ctx.materialised(w)
    total: Value
    if w.ndim != a.ndim:
        k = axis_number(ctx, axis, a.ndim, "np.average")
        shape = tuple(w.shape[0] if d == k else number(1) for d in range(a.ndim))
        along = reindexed(w, (Along(number(0), k),), shape)
        total = reductions.reduction(ctx, "sum", w, {})
    else:
        along, total = w, reductions.reduction(ctx, "sum", w, {"axis": axis})
    parts = reductions.reduction(ctx, "sum", apply(ctx, "multiply", [a, along]), {"axis": axis})
    return apply(ctx, "divide", [parts, total])


def _convolved(turned: bool, usual: str) -> Call:
    """np.convolve, np.correlate."""

    def make(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        what = "np.convolve" if turned else "np.correlate"
        a, v = _vector(ctx, args[0], what), _vector(ctx, args[1], what)
        mode = args[2] if len(args) > 2 else named.get("mode", Static(usual))
        kind = _product_kind(ctx, a, v, what)
        if mode not in ((Static("full"), Static("same"), Static("valid")) if turned else (Static("valid"),)):
            raise stop(ctx.place, what, "this mode isn't taken", "write loops")
        (n,), (m,) = a.shape, v.shape
        ctx.require(n - m, "so that the second vector is no longer", what, "pass the longer vector first")

        def product(i: Poly, k: Poly) -> Data:
            factors = [converted(ctx, x.at((at,)), kind) for x, at in ((a, i), (v, k))]
            return calculated("*", factors[0], factors[1], kind)

        def valid(out: View) -> None:
            def element(i: Indices) -> None:
                ctx.store(out, i, Num(0, kind))
                ctx.nest((m,), lambda k: add(ctx, out, i, product(i[0] + k[0], m - 1 - k[0] if turned else k[0])))

            ctx.nest(out.shape, element)

        def full(out: View) -> None:
            ctx.nest(out.shape, lambda i: ctx.store(out, i, Num(0, kind)))
            ctx.nest((n, m), lambda i: add(ctx, out, (i[0] + i[1],), product(i[0], i[1])))

        products.in_order(ctx, kind)
        if mode == Static("valid"):
            return computed([a, v], (n - m + 1,), kind, valid)
        found = computed([a, v], (n + m - 1,), kind, full)
        if mode == Static("full"):
            return found
        return reindexed(ctx.materialised(found), (Along((m - 1).over(2), 0),), (n,))

    return make


def _product_kind(ctx: Context, a: Array, b: Array, what: str) -> Kind:
    found = resolve("multiply", [a.kind, b.kind])
    if found is None:
        raise stop(ctx.place, what, f"there is no product of {a.kind} and {b.kind}", "convert with astype")
    return found[-1].strong


def _trapezoid(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The integral of a vector by trapezoids."""
    what = "np.trapezoid"
    y = _vector(ctx, args[0], what)
    x = args[1] if len(args) > 1 else named.get("x", NONE)
    step = named.get("dx", scalar(Num(1.0, FLOAT))) if x == NONE else reductions.difference(ctx, x)
    both = apply(ctx, "add", [_slice(ctx, y, 1, None, what), _slice(ctx, y, None, -1, what)], operator=True)
    area = apply(ctx, "divide", [apply(ctx, "multiply", [step, both], operator=True), scalar(Num(2.0, FLOAT))], True)
    return reductions.reduction(ctx, "sum", area, {})


def _isclose(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Array:
    a, b = args[0], strong(ctx, args[1])
    b = as_type(ctx, b, F64) if not b.kind.is_float else b
    b = b if b.cheap else ctx.materialised(b)
    rtol = named.get("rtol", scalar(Num(1e-5, FLOAT)))
    atol = named.get("atol", scalar(Num(1e-8, FLOAT)))
    apart = apply(ctx, "absolute", [apply(ctx, "subtract", [a, b])])
    most = apply(ctx, "add", [atol, apply(ctx, "multiply", [rtol, apply(ctx, "absolute", [b])])])
    largest = scalar(Num(float(np.finfo(b.kind.dtype).max), FLOAT))
    finite = apply(ctx, "less_equal", [apply(ctx, "absolute", [b]), largest])
    near = apply(ctx, "logical_and", [apply(ctx, "less_equal", [apart, most]), finite])
    return apply(ctx, "logical_or", [near, apply(ctx, "equal", [a, b])])


def _equal(ctx: Context, args: Sequence[Value]) -> Array:
    a, b = (array(ctx, v) for v in args[:2])
    if a.ndim != b.ndim:
        raise stop(ctx.place, "np.array_equal", "the arrays differ in their number of dimensions", "write False")
    for x, y in zip(a.shape, b.shape, strict=True):
        ctx.same(x, y, "np.array_equal")
    return apply(ctx, "equal", [a, b])


def _all(ctx: Context, v: Array) -> Array:
    """Whether all hold, as Python says it."""
    return as_type(ctx, array(ctx, reductions.reduction(ctx, "all", v, {})), PYTHON_BOOL)


def _fill_diagonal(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    a = args[0]
    if not isinstance(a, Array) or a.view is None or a.ndim != 2:
        raise stop(ctx.place, "np.fill_diagonal", "it is taken of matrices that a name stands for", "write a loop")
    ctx.same(a.shape[0], a.shape[1], "np.fill_diagonal")
    view = products.diagonal(a).view
    assert view is not None
    assign(ctx, view, array(ctx, args[1]))
    return NONE


def _meshgrid(ctx: Context, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The coordinates of a grid: copies of vectors."""
    other = next((k for k in named if k != "indexing"), None)
    if other is not None:
        raise stop(ctx.place, f"np.meshgrid(.., {other}=..)", "this argument isn't taken", "leave it out")
    vectors = [_vector(ctx, v, "np.meshgrid") for v in args]
    order = list(range(len(vectors)))
    if named.get("indexing", Static("xy")) == Static("xy") and len(vectors) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[k].shape[0] for k in order)
    made = [reindexed(v, (Along(number(0), order.index(k)),), shape) for k, v in enumerate(vectors)]
    return Tuple(tuple(as_type(ctx, m, m.kind) for m in made))


CALLS: Final[dict[str, Call]] = {
    "cross": _cross, "average": _average, "convolve": _convolved(True, "full"), "correlate": _convolved(False, "valid"),
    "trapezoid": _trapezoid, "isclose": _isclose, "fill_diagonal": _fill_diagonal, "meshgrid": _meshgrid,
    "allclose": lambda ctx, args, named: _all(ctx, _isclose(ctx, args, named)),
    "array_equal": lambda ctx, args, named: _all(ctx, _equal(ctx, args)),
}  # fmt: skip
"""Functions that are made of others, by what stands after `np.`."""
