"""Guards that are dropped: what comes out, and who would notice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.kinds import ForCursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import drop_guard
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe

Same = Callable[..., None]
Refused = Callable[..., Failure]


@config
class Cfg:
    v: f32


PUT = proc_from_source("""
def put(w: [f32][1]):
    w[0] = 1.0
""")


def lanes(first: str, second: str = "a[i] += 1.0", used: str = "if i < n:\n    x[i] = a[i]", kind: str = "f32") -> Proc:
    """Eight lanes, of which n count, in three loops: one that sets them, one that may do more, one that uses them."""
    loops = "".join(
        "    for i in seq(0, 8):\n" + "".join(f"        {line}\n" for line in body.splitlines())
        for body in (first, second, used)
    )
    text = (
        f"def foo(n: size, x: {kind}[n], y: {kind}[8]):\n    assert n < 8\n    a: {kind}[8]\n    b: {kind}[8]\n{loops}"
    )
    return proc_from_source(text, {"Cfg": Cfg, "put": PUT})


def loops(p: Proc) -> list[str]:
    """The lines of a procedure from the first loop on, without indentation."""
    lines = [line.strip() for line in str(p).splitlines()]
    return lines[lines.index("for i in seq(0, 8):") :]


SET = "if i < n:\n    a[i] = x[i]"
ZERO = "if i < n:\n    a[i] = 0.0"
ADD = "if i < n:\n    a[i] += y[i]"

# -- what comes out -----------------------------------------------------------------------------------


def test_lanes_are_set_and_accumulated_into_though_nobody_reads_them(same: Same) -> None:
    p = lanes(ZERO, ADD)
    q = drop_guard(drop_guard(p, "if _: _"), "if _: _")
    assert loops(q)[:4] == ["for i in seq(0, 8):", "a[i] = 0.0", "for i in seq(0, 8):", "a[i] += y[i]"]
    same(p, q, n=5)


def test_lanes_that_cannot_be_loaded_are_filled(same: Same, refused: Refused) -> None:
    p = lanes(SET, ADD)
    f = refused(drop_guard, p, "if _: _")
    assert isinstance(f, Unsafe) and "x[i]" in str(f)
    q = drop_guard(drop_guard(p, "if _: _", 0), "if _: _ #1")
    assert loops(q)[1:5] == ["if i < n:", "a[i] = x[i]", "else:", "a[i] = 0.0"]
    assert loops(q)[5:7] == ["for i in seq(0, 8):", "a[i] += y[i]"]
    same(p, q, n=5)


def test_a_guard_may_hold_loops_branches_and_conditions_on_data(same: Same) -> None:
    p = lanes(SET, "if i < n and y[i] < 1.0:\n    for j in seq(0, 2):\n        if j < 1:\n            b[i] = y[j]")
    same(p, drop_guard(p, "if _: _ #1"), n=5)


def test_cursors_into_the_guarded_code_stay() -> None:
    p = lanes(ZERO, ADD)
    (store, *_) = p.root().find_all("a[_] = _")
    assert isinstance(drop_guard(p, "if _: _").forward(store).parent(), ForCursor)


# -- who would notice ---------------------------------------------------------------------------------


@pytest.mark.parametrize("used", ["if i < n + 1:\n    y[i] = a[i]", "a[i] += 1.0", "put(a[i:i + 1])\ny[i] = a[i]"])
def test_lanes_that_somebody_reads(used: str, refused: Refused) -> None:
    """In the last case the lane is written again before, which is not seen."""
    f = refused(drop_guard, lanes(ZERO, ADD, used), "if _: _")
    assert isinstance(f, Unsafe) and f.message == "nobody reads what the code writes where the condition is false"


def test_the_counterexample_is_a_lane_that_is_written_and_read(refused: Refused) -> None:
    f = refused(drop_guard, lanes(ZERO, ADD, "if i < n + 1:\n    y[i] = a[i]"), "if _: _")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    assert f.counterexample["i"] == f.counterexample["i'"] == f.counterexample["n"]


def test_lanes_that_were_never_written(refused: Refused) -> None:
    f = refused(drop_guard, lanes(ZERO, ADD), "if _: _ #1")
    assert isinstance(f, Unsafe) and "what the code reads of a" in f.message


def test_arguments_are_results(refused: Refused) -> None:
    f = refused(drop_guard, lanes(ZERO, "if i < n:\n    y[i] = 0.0"), "if _: _ #1")
    assert isinstance(f, Unsafe) and "only local buffers" in f.message


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("put(a[i:i + 1])", "assignments and reductions only"),
        ("Cfg.v = 1.0", "assignments and reductions only"),
        ("a[i] = Cfg.v", "Cfg.v may not be set"),
        ("a[i] = y[i] / y[0]", "divide by zero"),
        ("a[i] = sqrt(y[i])", "sqrt may have no value"),
    ],
)
def test_code_that_may_trap_or_does_more(code: str, why: str, refused: Refused) -> None:
    f = refused(drop_guard, lanes(ZERO, f"if i < n:\n    {code}"), "if _: _ #1")
    assert isinstance(f, Unsafe) and why in f.details


def test_integers_may_overflow_where_nobody_looks(refused: Refused) -> None:
    f = refused(drop_guard, lanes("a[i] = 0.0", ADD, kind="i8"), "if _: _")
    assert isinstance(f, Unsafe) and "integers, which may overflow" in f.details


def test_lanes_out_of_bounds(refused: Refused) -> None:
    p = proc_from_source("""
    def foo(n: size):
        a: f32[4]
        for i in seq(0, n):
            if i < 4:
                a[i] = 0.0
    """)
    assert isinstance(refused(drop_guard, p, "if _: _"), Unsafe)
    assert isinstance(refused(drop_guard, p, "if _: _", 0.0), Unsafe)


def test_iterations_of_a_parallel_loop_must_not_share_the_lanes(refused: Refused) -> None:
    p = proc_from_source("""
    def foo(n: size):
        a: f32[8]
        for i in par(0, 8):
            if i == n:
                a[0] = 0.0
    """)
    assert isinstance(refused(drop_guard, p, "if _: _"), Unsafe)


def test_what_has_another_form(refused: Refused) -> None:
    p = lanes(SET + "\nelse:\n    a[i] = 0.0", ADD)
    assert isinstance(refused(drop_guard, p, "if _: _"), NotApplicable)
    assert isinstance(refused(drop_guard, p, "if _: _ #1", 0.0), NotApplicable)
