"""Runs with integers of the declared number of bits, and the programs at several precisions that they are for."""

from __future__ import annotations

from collections import Counter

import pytest

from exo_strat.cursors.proc import Proc, _next_version
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.interp import Array, Outcome, run
from exo_strat.ir.externs import DIVISIONS, SHIFTS, WRAPS, bitand, bitnot, bitor, bitxor
from exo_strat.ir.nodes import ExternCall
from exo_strat.ir.walk import walk
from exo_strat.testing import SHAPES, Inputs, Miscompiled, assert_equivalent, samples
from exo_strat.testing.bounded import is_bounded, is_mixed, run_bounded
from exo_strat.testing.choices import Choices
from exo_strat.testing.programs import random_proc


def parsed(text: str, **names: object) -> Proc:
    return proc_from_source(text, names)


def bounded(p: Proc, strict: bool = True, **values: int) -> Outcome:
    args = {k: Array([v], 0, (), ()) for k, v in values.items()}
    return run_bounded(p.tree, Inputs(args, {}), strict)


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("x + x", -56), ("i32(x) + i32(x)", 200), ("i32(x + x)", -56), ("relu(x + x)", 0), ("x // -3", -34),
        ("i32(x) * 2", 200), ("-x", -100), ("u16(x) * 2 - 200", 0), ("fmax(x, x + x)", 100),
    ],
)  # fmt: skip
def test_values_are_computed_at_their_own_precision(value: str, result: int) -> None:
    p = parsed(f"def foo(x: i8, y: i32):\n    y = {value}")
    assert bounded(p, strict=False, x=100, y=0).outputs["y"] == result
    trap = bounded(p, x=100, y=0).trap
    assert (trap is None) == (run(p, {"x": 100, "y": 0}).outputs["y"] == result)
    assert trap is None or trap.kind == "overflow"


@pytest.mark.parametrize("update", ["y += 100", "y *= 3", "y = min(y, 1000)", "y = 2 * y"])
def test_what_is_accumulated_must_fit_too(update: str) -> None:
    p = parsed(f"def foo(y: i8):\n    {update.replace('1000', 'i32(1000)')}")
    assert bounded(p, y=100).trap is not None
    assert bounded(p, y=1).trap is None or "min" in update


def test_callees_compute_at_their_own_precisions() -> None:
    square = parsed("def square(a: i64, r: i64):\n    r = a * a")
    p = parsed("def foo(x: i32, r: i64):\n    square(x + 1, r)", square=square)
    assert bounded(p, x=10**6 - 1, r=0).outputs["r"] == 10**12
    assert is_bounded(p.tree) and not is_mixed(p.tree)


@pytest.mark.parametrize("value", ["x + y", "fmax(x, y)", "x // 2", "relu(i32(x) + x)"])
def test_what_a_backend_refuses_is_seen(value: str) -> None:
    assert is_mixed(parsed(f"def foo(x: f32, y: i32):\n    y = {value}").tree)


def test_an_overflow_that_was_not_there_before_is_a_miscompilation() -> None:
    p = parsed("def foo(x: i8[4], y: i32):\n    y = i32(x[0]) * i32(x[0])")
    q = parsed("def foo(x: i8[4], y: i32):\n    y = i32(x[0] * x[0])")
    given = Inputs({"x": Array([100] * 4, 0, (4,), (1,)), "y": Array([0], 0, (), ())}, {})
    assert assert_equivalent(q, p, given)
    assert assert_equivalent(p, q, given)  # not known to be a later version: other precisions may be meant
    later = _next_version(p, q.tree, p.rewritten, True)  # type: ignore[arg-type]
    with pytest.raises(Miscompiled, match="overflow"):
        assert_equivalent(p, later, given)


def test_a_part_of_the_programs_computes_with_integers_that_fit() -> None:
    counts: Counter[str] = Counter()
    for seed in range(300):
        p = random_proc(Choices.seeded(seed), tuple(SHAPES))
        if p is None or not is_bounded(p.tree):
            counts["plain"] += 1
            continue
        counts["bounded"] += 1
        counts.update({n.f.name for _, n in walk(p.tree) if isinstance(n, ExternCall)})
        if not is_mixed(p.tree):
            fit = (run_bounded(p.tree, i, strict=True) for i in samples(p))
            counts["fits"] += any(o.trap is None for o in fit)
    assert 2 * counts["bounded"] < counts["plain"] < 9 * counts["bounded"], counts
    assert 10 * counts["fits"] > 7 * counts["bounded"], counts
    assert min(counts[name] for name in ("floordiv", "i32", "i16", "f32")) >= 3, counts
    assert all(counts[f.name] for f in (*DIVISIONS, *SHIFTS, bitand, bitor, bitxor, bitnot)), counts
    assert sum(counts[name] for name in WRAPS) >= 5, counts
