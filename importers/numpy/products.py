"""Products of arrays: all are sums over indices that operands share, as `einsum` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_letters

from ..control import Poly, number
from ..report import stop
from .arithmetic import calculated, converted, may_wrap
from .context import Context
from .elementwise import apply, broadcast_shape, stretched, strong
from .kinds import Kind, resolve
from .program import Bin, Data, Num
from .reductions import add, axis_number, computed, reduction, side_by_side
from .values import Along, Array, Computed, Indices, Integer, Static, Tuple, Value, View, reindexed


def contracted(ctx: Context, arrays: Sequence[Array], labels: Sequence[str], out: str, what: str) -> Computed:
    """The sum, over all labels that `out` lacks, of the products of elements; a label for each axis."""
    extents: dict[str, Poly] = {}
    for a, of in zip(arrays, labels, strict=True):
        if len(of) != a.ndim:
            raise stop(
                ctx.place, what, f"an operand has {a.ndim} dimensions, not {len(of)}", "NumPy raises a ValueError"
            )
        for e, label in zip(a.shape, of, strict=True):
            extents[label] = ctx.same(extents[label], e, what) if label in extents else e
    inner = [label for label in extents if label not in out]
    kind = arrays[0].kind
    for a in arrays[1:]:
        found = resolve("multiply", [kind, a.kind])
        if found is None:
            raise stop(ctx.place, what, f"there is no product of {kind} and {a.kind}", "convert with astype")
        kind = found[-1]
    kind = kind.strong
    if kind.is_bool:
        raise stop(ctx.place, what, "a product of truth values", "convert with astype")
    once = len(extents) == len(out) and len(arrays) > 0
    done = [a if a.cheap or (once and a.ndim == len(out)) else ctx.materialised(a) for a in arrays]
    if inner:
        in_order(ctx, kind)

    rows = bool(inner) and bool(out) and all(_in_rows(a, of, out) for a, of in zip(done, labels, strict=True))
    given = [_rows(ctx, a, of, out[-1]) if rows else (a, of) for a, of in zip(done, labels, strict=True)]

    def product(at: dict[str, Poly]) -> Data:
        factors = [converted(ctx, a.at(tuple(at[x] for x in of)), kind) for a, of in given]
        found = factors[0]
        for f in factors[1:]:
            found = calculated("*", found, f, kind) if may_wrap(kind) else Bin("*", found, f, kind)
        return found

    def fill(to: View) -> None:
        def element(idx: Indices) -> None:
            at = dict(zip(out, idx, strict=True))
            if not inner:
                ctx.store(to, idx, product(at))
                return
            ctx.store(to, idx, Num(0, kind))
            shape = tuple(extents[x] for x in inner)
            ctx.nest(shape, lambda k: add(ctx, to, idx, product(at | dict(zip(inner, k, strict=True)))))

        def row(idx: Indices) -> None:
            at = dict(zip(out, idx, strict=False))
            ctx.nest(to.shape[-1:], lambda last: ctx.store(to, (*idx, *last), Num(0, kind)))
            names, shape = [*inner, out[-1]], (*(extents[x] for x in inner), to.shape[-1])
            ctx.nest(shape, lambda k: add(ctx, to, (*idx, k[-1]), product(at | dict(zip(names, k, strict=True)))))

        ctx.nest(to.shape[:-1] if rows else to.shape, row if rows else element)

    return computed([a for a, _ in given], tuple(extents[x] for x in out), kind, fill, "product")


def _in_rows(a: Array, labels: str, out: str) -> bool:
    """Whether the last index of a product may be that of the innermost loop: each operand that has it has it last, so
    that elements stand side by side, or is copied so, which pays if each element of it is used several times."""
    last = out[-1]
    if last not in labels or labels.count(last) > 1:
        return last not in labels
    return side_by_side(a, labels.index(last)) or not set(out) <= set(labels)


def _rows(ctx: Context, a: Array, labels: str, last: str) -> tuple[Array, str]:
    """An operand with its labels, in which a label is that of elements side by side."""
    if last not in labels or side_by_side(a, labels.index(last)):
        return a, labels
    names = labels.replace(last, "") + last
    dims = tuple(Along(number(0), names.index(x)) for x in labels)
    shape = tuple(a.shape[labels.index(x)] for x in names)
    return ctx.materialised(reindexed(a, dims, shape)), names


def in_order(ctx: Context, kind: Kind) -> None:
    """Note how sums are added."""
    if kind.is_float:
        ctx.procedure.notes.append("sums are added in order, where NumPy adds pairs of blocks: the rounding is another")


def matmul(ctx: Context, x: Value, y: Value) -> Value:
    """`x @ y`"""
    a, b = strong(ctx, x, "`@`"), strong(ctx, y, "`@`")
    if not a.ndim or not b.ndim:
        raise stop(ctx.place, "`@`", "an operand is a single number", "write `*`")
    batch = max(a.ndim, b.ndim) - 2
    if batch <= 0 or (a.ndim == 1 or b.ndim == 1):
        return _matrices(ctx, a, b)
    shape = broadcast_shape(ctx, [a.shape[:-2], b.shape[:-2]], "`@`")
    a = stretched(ctx, a, (*shape, *a.shape[-2:]))
    b = stretched(ctx, b, (*shape, *b.shape[-2:]))
    names = ascii_letters[3 : 3 + batch]
    return contracted(ctx, [a, b], [names + "ac", names + "cb"], names + "ab", "`@`")


def _matrices(ctx: Context, a: Array, b: Array) -> Computed:
    left, right = ascii_letters[3 : 3 + max(a.ndim - 2, 0)], ascii_letters[13 : 13 + max(b.ndim - 2, 0)]
    first = left + "a" if a.ndim > 1 else ""
    last = "b" if b.ndim > 1 else ""
    return contracted(ctx, [a, b], [first + "c", right + "c" + last], first + right + last, "`@`")


def dot(ctx: Context, x: Value, y: Value) -> Value:
    """np.dot: over the last axis of x and the last but one of y."""
    a, b = strong(ctx, x, "np.dot"), strong(ctx, y, "np.dot")
    if not a.ndim or not b.ndim:
        return apply(ctx, "multiply", [a, b])
    return _matrices(ctx, a, b)


def inner(ctx: Context, x: Value, y: Value) -> Value:
    """np.inner, np.vdot of two vectors."""
    a, b = strong(ctx, x, "np.inner"), strong(ctx, y, "np.inner")
    if a.ndim != 1 or b.ndim != 1:
        raise stop(ctx.place, "np.inner", "an operand is no vector", "write np.einsum")
    return _matrices(ctx, a, b)


def outer(ctx: Context, x: Value, y: Value) -> Value:
    """np.outer of two vectors."""
    a, b = strong(ctx, x, "np.outer"), strong(ctx, y, "np.outer")
    if a.ndim != 1 or b.ndim != 1:
        raise stop(ctx.place, "np.outer", "an operand is no vector", "ravel it first")
    return contracted(ctx, [a, b], ["a", "b"], "ab", "np.outer")


def tensordot(ctx: Context, x: Value, y: Value, axes: Value | None) -> Computed:
    """np.tensordot."""
    what = "np.tensordot"
    a, b = strong(ctx, x, what), strong(ctx, y, what)
    match axes:
        case None:
            first, second = [a.ndim - 2, a.ndim - 1], [0, 1]
        case Integer(value=p) if p.constant is not None:
            first = list(range(a.ndim - p.constant, a.ndim))
            second = list(range(p.constant))
        case Tuple(items=(one, two)):
            first, second = _axes(ctx, one, a.ndim, what), _axes(ctx, two, b.ndim, what)
        case _:
            raise stop(ctx.place, what, "its axes aren't known now", "write them as literals")
    if len(first) != len(second) or min(first, default=0) < 0 or max(second, default=-1) >= b.ndim:
        raise stop(ctx.place, what, "an operand lacks the axes that are summed over", "NumPy raises an error here")
    left = list(ascii_letters[: a.ndim])
    right = list(ascii_letters[26 : 26 + b.ndim])
    for k, m in zip(first, second, strict=True):
        right[m] = left[k]
    out = [x for k, x in enumerate(left) if k not in first] + [x for k, x in enumerate(right) if k not in second]
    return contracted(ctx, [a, b], ["".join(left), "".join(right)], "".join(out), what)


def _axes(ctx: Context, v: Value, ndim: int, what: str) -> list[int]:
    return [axis_number(ctx, i, ndim, what) for i in (v.items if isinstance(v, Tuple) else (v,))]


def einsum(ctx: Context, args: Sequence[Value]) -> Value:
    """np.einsum with its text."""
    what = "np.einsum"
    text = args[0].value if args and isinstance(args[0], Static) else None
    if not isinstance(text, str) or "." in text:
        raise stop(ctx.place, what, "its first argument is no text without `...`", "write each index as a letter")
    if set(text) - {*ascii_letters, *" ,->"}:
        raise stop(ctx.place, what, f"{text!r} is no list of indices", "write each index as a letter")
    arrays = [strong(ctx, v, what) for v in args[1:]]
    given, arrow, out = text.replace(" ", "").partition("->")
    labels = given.split(",")
    if not arrow:
        out = "".join(sorted(x for x in set(given) - {","} if given.count(x) == 1))
    if len(labels) != len(arrays):
        why = f"{len(arrays)} operands for {len(labels)} lists of indices"
        raise stop(ctx.place, what, why, "NumPy raises a ValueError here")
    if len(set(out)) < len(out) or not set(out) <= set("".join(labels)):
        raise stop(ctx.place, what, f"the result is {out!r}", "NumPy raises a ValueError here")
    if len(arrays) == 1 and set(out) == set(labels[0]) and len(labels[0]) == arrays[0].ndim:
        return _relabelled(ctx, arrays[0], labels[0], out, what)
    return contracted(ctx, arrays, labels, out, what)


def _relabelled(ctx: Context, a: Array, labels: str, out: str, what: str) -> Array:
    """Axes in another order, and diagonals: a view."""
    extents: dict[str, Poly] = {}
    for e, label in zip(a.shape, labels, strict=True):
        extents[label] = ctx.same(extents[label], e, what) if label in extents else e
    dims = tuple(Along(number(0), out.index(label)) for label in labels)
    return reindexed(a, dims, tuple(extents[x] for x in out))


def trace(ctx: Context, v: Value) -> Value:
    """The sum of the diagonal."""
    return reduction(ctx, "sum", _diagonal(ctx, v, "np.trace"), {})


def readable_diagonal(ctx: Context, v: Value) -> Array:
    """np.diagonal, which can't be written."""
    return replace(_diagonal(ctx, v, "np.diagonal"), view=None, copies=True)


def _diagonal(ctx: Context, v: Value, what: str) -> Array:
    a = strong(ctx, v, what)
    if a.ndim != 2:
        raise stop(ctx.place, what, "it is taken of matrices", "write np.einsum")
    ctx.same(a.shape[0], a.shape[1], what)
    return diagonal(a)


def diagonal(a: Array) -> Array:
    """The diagonal of a matrix, as a view."""
    both = Along(number(0), 0)
    return reindexed(a, (both, both), (a.shape[0],))
