"""The NumPy importer with a fault put into it: running the result beside Python sees each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from importers.control import number
from importers.numpy import (
    accumulators,
    arithmetic,
    assignments,
    calls,
    elementwise,
    gathers,
    indexing,
    joins,
    jumps,
    kinds,
    loops,
    making,
    products,
    reductions,
    shaping,
    statements,
    storing,
)
from importers.numpy.program import Fn
from importers.numpy.values import Along, of_view

Break = Callable[[pytest.MonkeyPatch], None]


def store_too_early(m: pytest.MonkeyPatch) -> None:
    """Elements are stored while others are still read."""
    m.setattr(storing, "_clash", lambda ctx, r, target: False)


def unknown_places_apart(m: pytest.MonkeyPatch) -> None:
    """Places that may be one are taken for different ones."""
    m.setattr(storing, "_apart", lambda *args: True)


def promotion_dropped(m: pytest.MonkeyPatch) -> None:
    """Two operands are computed with at the type of the first."""
    usual = kinds.resolve

    def resolve(ufunc, given, operator=False):  # type: ignore[no-untyped-def]
        found = usual(ufunc, given, operator)
        return found if found is None or len(given) < 2 or found[-1].is_bool else (given[0].strong,) * 3

    m.setattr(elementwise, "resolve", resolve)


def weak_made_strong(m: pytest.MonkeyPatch) -> None:
    """A Python float is a float64 like any other."""
    usual = kinds.resolve
    strong = lambda u, g, operator=False: usual(u, [k.strong for k in g], operator)  # noqa: E731
    m.setattr(elementwise, "resolve", strong)


def slice_off_by_one(m: pytest.MonkeyPatch) -> None:
    """A slice with both bounds has an element less."""
    usual = indexing.sliced

    def sliced(ctx, s, extent, axis, what):  # type: ignore[no-untyped-def]
        along, count = usual(ctx, s, extent, axis, what)
        return along, count - (1 if s.hi is not None else 0)

    m.setattr(indexing, "sliced", sliced)


def negative_index_from_start(m: pytest.MonkeyPatch) -> None:
    """`a[-k]` is `a[k]`."""
    usual = indexing.integer
    positive = lambda p: -p if p.constant is not None and p.constant < 0 else p  # noqa: E731
    m.setattr(indexing, "integer", lambda ctx, v, what: positive(usual(ctx, v, what)))


def clamp_forgotten(m: pytest.MonkeyPatch) -> None:
    """Of a smaller or larger one the first is taken."""
    m.setattr(calls, "choice", lambda ctx, name, a, b: b)


def broadcast_from_the_left(m: pytest.MonkeyPatch) -> None:
    """Shapes are aligned at their first axis."""
    usual = elementwise.reindexed

    def reindexed(a, dims, shape):  # type: ignore[no-untyped-def]
        more = len(shape) - len(dims)
        moved = [Along(d.offset, None if d.axis is None else d.axis - more, d.step) for d in dims]
        return usual(a, tuple(moved), shape)

    m.setattr(elementwise, "reindexed", reindexed)


def order_inverted(m: pytest.MonkeyPatch) -> None:
    """A permutation of axes is taken for its inverse."""
    usual = indexing.transposed
    inverse = lambda order: [list(order).index(k) for k in range(len(list(order)))]  # noqa: E731
    m.setattr(shaping, "transposed", lambda a, order: usual(a, inverse(order)))


def element_shared(m: pytest.MonkeyPatch) -> None:
    """`t = a[0]` stands for the element, whatever it becomes."""
    usual = assignments.set_name

    def set_name(ctx, name, v):  # type: ignore[no-untyped-def]
        shared = getattr(v, "shape", None) == () and len(v.reads) == 1 and v.cheap
        usual(ctx, name, of_view(v.reads[0]) if shared else v)

    m.setattr(assignments, "set_name", set_name)


def swapped_one_by_one(m: pytest.MonkeyPatch) -> None:
    """Variables that are exchanged are copied one after the other."""
    usual = joins.leave

    def leave(ctx, places):  # type: ignore[no-untyped-def]
        for n, p in places.items():
            usual(ctx, {n: p})

    m.setattr(loops, "leave", leave)


def mask_ignored(m: pytest.MonkeyPatch) -> None:
    """All elements are stored."""
    usual = storing.assign
    m.setattr(assignments, "assign", lambda ctx, target, v, mask=None: usual(ctx, target, v))


def cut_to_the_floor(m: pytest.MonkeyPatch) -> None:
    """A float becomes the integer below it."""
    usual = arithmetic.converted

    def converted(ctx, e, kind):  # type: ignore[no-untyped-def]
        found = usual(ctx, e, kind)
        cut = getattr(found, "arg", None)
        if isinstance(cut, Fn) and cut.name == "trunc":
            return replace(found, arg=arithmetic.function(ctx, "floor", cut.args, cut.kind))
        return found

    m.setattr(elementwise, "converted", converted)
    m.setattr(storing, "converted", converted)


def counter_not_multiplied(m: pytest.MonkeyPatch) -> None:
    """A counter grows by one in each iteration."""
    usual = loops._step
    m.setattr(loops, "_step", lambda *args: 1 if usual(*args) else None)


def mean_of_all(m: pytest.MonkeyPatch) -> None:
    """A mean along an axis divides by one more."""
    usual = reductions._count
    m.setattr(reductions, "_count", lambda ctx, a, axes, kind, less=0: usual(ctx, a, axes, kind, less - 1))


def last_position(m: pytest.MonkeyPatch) -> None:
    """Of equal elements the last one is found."""
    usual = reductions.Cmp
    m.setattr(reductions, "Cmp", lambda op, a, b: usual(f"{op}=", a, b))


def first_side_kept(m: pytest.MonkeyPatch) -> None:
    """After an if, variables have the values of its first side."""
    m.setattr(statements, "_differs", lambda a, b: False)


def written_unseen(m: pytest.MonkeyPatch) -> None:
    """A function that writes to an array may stand anywhere."""
    m.setattr(calls, "_writes", lambda stmts, own: False)


def shared_copied(m: pytest.MonkeyPatch) -> None:
    """Arrays that several names stand for are copied where a loop gives them new values."""
    m.setattr(joins, "movable", lambda ctx, name, v: None)


def product_transposed(m: pytest.MonkeyPatch) -> None:
    """The right matrix is taken by its rows."""
    usual = products.contracted

    def contracted(ctx, arrays, labels, out, what):  # type: ignore[no-untyped-def]
        turned = [x[::-1] if k == 1 and len(x) == 2 else x for k, x in enumerate(labels)]
        return usual(ctx, arrays, turned, out, what)

    m.setattr(products, "contracted", contracted)


def sum_in_narrow_integers(m: pytest.MonkeyPatch) -> None:
    """Small integers are summed at their own type."""
    m.setattr(reductions, "_sum_kind", lambda ctx, name, kind, dtype: kind)


def arange_from_one(m: pytest.MonkeyPatch) -> None:
    """np.arange begins with 1."""
    usual = making._whole
    m.setattr(making, "_whole", lambda p, of: usual(p + number(1), of))


def wrap_dropped(m: pytest.MonkeyPatch) -> None:
    """Narrow integers are computed with as if they fitted."""
    m.setattr(arithmetic, "may_wrap", lambda kind, op="+": False)


def computed_from_the_start(m: pytest.MonkeyPatch) -> None:
    """A negative index that is computed is taken for 0."""
    usual = gathers.Cmp
    m.setattr(gathers, "Cmp", lambda op, a, b: usual("!=", a, a) if op == "<" else usual(op, a, b))


def scattered_at_once(m: pytest.MonkeyPatch) -> None:
    """`x[idx] += v` changes an element that stands twice two times."""
    m.setattr(
        assignments,
        "_scattered_update",
        lambda ctx, s, at, what: gathers.scattered(ctx, at, gathers.array(ctx, assignments.value(ctx, s.value)), "+"),
    )


def continued(m: pytest.MonkeyPatch) -> None:
    """What follows a branch with a `continue` in it runs all the same."""
    m.setattr(
        jumps, "_if_none", lambda names, stmts, at: jumps._placed(jumps.ast.If(jumps.ast.Constant(True), stmts, []), at)
    )


def advanced_in_place(m: pytest.MonkeyPatch) -> None:
    """What arrays of indices pick stands where the first of them stands, whatever stands between."""
    usual = gathers.picked

    def picked(ctx, a, index, what):  # type: ignore[no-untyped-def]
        return usual(ctx, a, [v for v in index if v != gathers.REST], what)

    m.setattr(gathers, "picked", picked)


def seen_as_array(m: pytest.MonkeyPatch) -> None:
    """A number that becomes an array in a loop is one from the start, whatever else the loop does with it."""
    m.setattr(accumulators, "_only_accumulates", lambda stmts, name, plain: True)


def unseen_by_functions(m: pytest.MonkeyPatch) -> None:
    """A number becomes an array in a loop whose functions ask for it."""
    m.setattr(accumulators, "_seen_by_functions", lambda ctx, name: False)


FAULTS: dict[Break, tuple[str, str]] = {
    store_too_early: ("elementwise", "overlap"),
    unknown_places_apart: ("elementwise", "reversed_in_place"),
    promotion_dropped: ("faults", "mixed"),
    weak_made_strong: ("elementwise", "single"),
    slice_off_by_one: ("control", "jacobi"),
    negative_index_from_start: ("making", "copies"),
    clamp_forgotten: ("control", "clamped_windows"),
    broadcast_from_the_left: ("elementwise", "broadcasts"),
    order_inverted: ("making", "transposes"),
    element_shared: ("control", "scalar_copy"),
    swapped_one_by_one: ("faults", "exchanged"),
    mask_ignored: ("elementwise", "masks"),
    cut_to_the_floor: ("elementwise", "stores_cut"),
    counter_not_multiplied: ("control", "counters"),
    mean_of_all: ("reductions", "moments"),
    last_position: ("faults", "repeated"),
    first_side_kept: ("faults", "constants"),
    written_unseen: ("faults", "written_between"),
    unseen_by_functions: ("faults", "asked_by_a_function"),
    seen_as_array: ("faults", "asked_between"),
    shared_copied: ("faults", "shared"),
    product_transposed: ("faults", "square_product"),
    sum_in_narrow_integers: ("reductions", "integer_sums"),
    arange_from_one: ("making", "ranges"),
    wrap_dropped: ("integers", "wrapping"),
    computed_from_the_start: ("indices", "counted_from_the_end"),
    scattered_at_once: ("indices", "scattered"),
    continued: ("indices", "packed"),
    advanced_in_place: ("indices", "apart"),
}
"""Each fault, and a program that shows it: its file and name."""
REFUSED = (written_unseen, shared_copied)
"""Faults whose program is refused without them."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_running_beside_python_sees_a_fault(fault: Break, roundtrip, program, monkeypatch) -> None:
    file, name = FAULTS[fault]
    f = program(file, name)
    if fault in REFUSED:
        with pytest.raises(ValueError, match=f"{file}.py:"):
            roundtrip(f)
    fault(monkeypatch)
    with pytest.raises((AssertionError, ValueError)) as found:
        roundtrip(f, interpreted=False)
    assert any(x in str(found.value) for x in ("here, ", "may be", "go together")), found.value
