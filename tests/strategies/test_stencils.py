"""Sweeps over time in tiles: loops as the C importer writes them, and what is in the way of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import strategies as st

from backends.jit import jit
from exo_strat import ForCursor, Proc, SchedulingError, at, lift_alloc, proc_from_source, schedule, sketch
from exo_strat.audit import cvc5, distinct, recheck, replay
from exo_strat.testing import check_strategy, examples
from importers.c import from_c
from strategies.std.writing import text
from strategies.stencils import Skew, distances, even_sweeps, find_skews, sweeps_of, time_tile, time_tiles

Same = Callable[..., None]
SOURCE = Path(__file__).parents[2] / "examples" / "stencils.c"


def imported(name: str) -> Proc:
    text = from_c(SOURCE, name)
    return proc_from_source(text[text.index("def ") :])


def tiled(p: Proc, *sizes: int) -> Proc:
    return schedule(at("for t in _: _", time_tile(*sizes)), p)


def skews(p: Proc, depth: int) -> tuple[Skew, ...] | None:
    """The skews of the outer loops of an evened nest."""
    steps = schedule(at("for t in _: _", even_sweeps()), p).find_loop("t")
    assert isinstance(steps, ForCursor)
    sweeps = sweeps_of(steps)
    return find_skews(distances(steps, sweeps), len(sweeps), depth)


KERNELS: dict[str, tuple[int, tuple[str, ...], list[tuple[int, ...]]]] = {
    "jacobi_1d": (1, ("tsteps", "n"), [(3, 5)]),
    "jacobi_2d": (2, ("tsteps", "n"), [(2, 3), (3, 4, 5)]),
    "seidel_2d": (2, ("tsteps", "n"), [(2, 3), (3, 4, 5)]),
    "heat_3d": (3, ("tsteps", "n"), [(2, 3), (2, 3, 4), (2, 3, 3, 4)]),
    "fdtd_2d": (2, ("tmax", "nx", "ny"), [(2, 3), (3, 4, 5)]),
}
CASES = [(name, sizes) for name, (_, _, tiles) in KERNELS.items() for sizes in tiles]


@pytest.mark.parametrize(("name", "sizes"), CASES)
def test_imported_sweeps_compute_the_same_in_tiles(name: str, sizes: tuple[int, ...], computes_the_same: Same) -> None:
    loops, names, _ = KERNELS[name]
    p, rng = imported(name), Random(f"{name}{sizes}")
    q = tiled(p, *sizes)
    largest = 6 if loops == 3 else 11
    for values in ([1] * len(names), *([rng.randint(1, largest) for _ in names] for _ in range(4))):
        computes_the_same(p, q, **dict(zip(names, values, strict=True)))


@pytest.mark.parametrize("name", KERNELS)
def test_compiled_they_compute_the_same(name: str) -> None:
    loops, names, _ = KERNELS[name]
    p = imported(name)
    q, rng = tiled(p, 4, *(8,) * loops), np.random.default_rng(1)
    plain, fast = jit(p), jit(q)
    for values in rng.integers(1, 40 if loops < 3 else 20, (3, len(names))):
        sizes = dict(zip(names, map(int, values), strict=True))
        shapes = [tuple(sizes[text(e)] for e in a.shape()) for a in p.args() if a.name() not in sizes]
        data = [rng.random(shape) for shape in shapes]
        wanted, found = [x.copy() for x in data], [x.copy() for x in data]
        plain(*sizes.values(), *wanted)
        fast(*sizes.values(), *found)
        for x, y in zip(wanted, found, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12)


@pytest.mark.parametrize("name", ["jacobi_2d", "seidel_2d", "fdtd_2d"])
def test_a_second_solver_confirms_every_proof(name: str) -> None:
    pytest.importorskip("cvc5")
    findings = recheck(distinct(replay(tiled(imported(name), 2, 4, 4))), cvc5())
    assert findings and {f.outcome for f in findings} == {"confirmed"}


def test_bounds_are_tight_and_without_conditions() -> None:
    q = tiled(imported("jacobi_2d"), 4, 8, 16)
    assert "if " not in str(q)
    assert [c.name() for c in q.root().descendants() if isinstance(c, ForCursor)] == (
        ["to", "io", "jo", "ti", "ii", "ji", "ii", "ji"]
    )
    assert "for ti in seq(0, min(tsteps - 4 * to, 4))" in str(q)
    assert "for ii in seq(max(2 * ti - 8 * io, 0), min(2 * ti + n - 8 * io - 2, 8))" in str(q)


def test_the_least_skews() -> None:
    assert skews(imported("jacobi_2d"), 2) == (Skew(2, (), (0, 1)), Skew(2, (0,), (0, 1)))
    assert skews(imported("seidel_2d"), 2) == (Skew(1, (), (0,)), Skew(1, (1,), (0,)))
    assert skews(imported("fdtd_2d"), 1) == (Skew(1, (), (0, 0, 0, 1)),)


def test_the_inner_loops_stay_whole_where_no_size_is_given() -> None:
    assert sketch(tiled(imported("seidel_2d"), 4, 8)).endswith("seq j n - 2")


@pytest.mark.parametrize(
    ("statement", "skew"),
    [
        ("x[i + 2] = x[i + 2] + x[i + 1]", 1),  # the element is written in the step after
        ("x[i + 2] = x[i] + x[i + 4]", 2),
        ("x[n + 3 - i] = x[n + 2 - i]", 1),  # backwards
        ("x[i + 2] = 2.0 * x[i + 2] + y[t]", 0),
    ],
)
def test_accesses_say_how_far(statement: str, skew: int, computes_the_same: Same) -> None:
    p = proc_from_source(f"""
    def foo(T: size, n: size, m: size, x: f32[m], y: f32[T]):
        assert n + 4 <= m
        for t in seq(0, T):
            for i in seq(0, n):
                {statement}
    """)
    assert skews(p, 1) == (Skew(skew, (), (0,)),)
    for T, n in [(1, 1), (5, 7)]:
        computes_the_same(p, tiled(p, 2, 3), T=T, n=n, m=n + 5)


def test_time_as_a_dimension(computes_the_same: Same) -> None:
    """Values of the step before, and of the one before that."""
    p = proc_from_source("""
    def wave(T: size, S: size, n: size, m: size, u: f32[S, m]):
        assert T + 2 <= S
        assert n + 2 <= m
        for t in seq(0, T):
            for i in seq(0, n):
                u[t + 2, i + 1] = u[t + 1, i] + u[t + 1, i + 2] - u[t, i + 1]
    """)
    assert skews(p, 1) == (Skew(1, (), (0,)),)
    computes_the_same(p, tiled(p, 3, 4), T=7, S=9, n=10, m=12)


def test_borders_that_are_set_in_each_step(computes_the_same: Same) -> None:
    """Rows, columns and corners; the last row by an index that isn't constant."""
    p = proc_from_source("""
    def room(T: size, n: size, x: f32[n, n], y: f32[n]):
        assert n >= 3
        for t in seq(0, T):
            x[0, 0] = y[0]
            for j in seq(1, n):
                x[0, j] = y[j]
            for i in seq(1, n):
                x[i, n - 1] = x[i, n - 2]
            for i in seq(1, n - 1):
                for j in seq(1, n - 1):
                    x[i, j] = x[i - 1, j] + x[i, j + 1]
            for j in seq(0, n):
                x[n - 1, j] = x[n - 2, j]
    """)
    for sizes in [(2, 3), (2, 3, 4)]:
        q = tiled(p, *sizes)
        for T, n in [(1, 3), (5, 4), (4, 9)]:
            computes_the_same(p, q, T=T, n=n)


def test_a_step_with_temporaries_and_conditions(computes_the_same: Same) -> None:
    p = proc_from_source("""
    def foo(T: size, n: size, x: f32[n], y: f32[n]):
        for t in seq(2, T):
            for i in seq(1, n - 1):
                s: f32
                s = x[i - 1] + x[i + 1]
                if s > 3.0:
                    s = 3.0
                y[i] = s
            for i in seq(1, n - 1):
                x[i] = y[i] * y[i]
    """)
    q = tiled(p, 2, 4)
    assert skews(p, 1) == (Skew(2, (), (0, 1)),)
    for T, n in [(2, 5), (7, 11)]:
        computes_the_same(p, q, T=T, n=n)


def test_a_buffer_of_each_step(computes_the_same: Same) -> None:
    """As array languages have it: the right side first, then a copy."""
    p = proc_from_source("""
    def foo(T: size, n: size, x: f32[n]):
        assert n >= 3
        for t in seq(0, T):
            next: f32[n - 2]
            for i in seq(0, n - 2):
                next[i] = x[i] + x[i + 2]
            for i in seq(0, n - 2):
                x[i + 1] = next[i]
    """)
    q = tiled(p, 2, 3)
    assert skews(schedule(at("next: _", lift_alloc()), p), 1) == (Skew(2, (), (0, 1)),)
    for T, n in [(1, 3), (5, 8)]:
        computes_the_same(p, q, T=T, n=n)


# -- what stands in the way ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "sizes", "message"),
    [
        ("for i in seq(0, n):\n x[i] = x[0]", (2, 4), "commute"),  # each step needs the first element of the one before
        ("for i in seq(0, n):\n x[i] = x[n - 1 - i]", (2, 4), "commute"),
        ("for i in seq(t, n):\n x[i] += 1.0", (2, 4), "the bounds of i depend on a loop around"),
        ("for i in seq(0, n):\n x[i] += 1.0", (2, 4, 4), "2 loops of each sweep are to be tiled, and there are 1"),
        ("for i in seq(0, n):\n x[i] += 1.0", (2,), "there is no loop to tile"),
        ("for i in seq(0, n):\n x[i] += 1.0", ("8", 4), "steps and sizes are positive integers, not '8'"),
        ("y[0] = 0.0\n  for i in seq(0, n):\n   x[i] += y[0]", (2, 4), "can't be told by its indices"),
        ("for i in seq(0, n):\n x[i] += 1.0\n  for i in seq(0, m):\n   y[i] = x[0]", (2, 4), "which of"),
    ],
)
def test_what_is_refused(body: str, sizes: tuple[int, ...], message: str) -> None:
    p = proc_from_source(
        "def foo(T: size, n: size, m: size, x: f32[n], y: f32[m]):\n for t in seq(0, T):\n  "
        + body.replace("\n x", "\n   x")
    )
    with pytest.raises(SchedulingError, match=message):
        tiled(p, *sizes)


def test_a_skew_that_is_too_small_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search only guides: what it says is proved."""
    monkeypatch.setattr(time_tiles, "find_skews", lambda *_: (Skew(1, (), (0, 1)),))
    with pytest.raises(SchedulingError, match="change places commute"):
        tiled(imported("jacobi_1d"), 4, 8)
    monkeypatch.setattr(time_tiles, "find_skews", lambda *_: (Skew(2, (), (0, 0)),))
    with pytest.raises(SchedulingError, match="the second loop does not touch what the first one does"):
        tiled(imported("jacobi_1d"), 4, 8)


# -- random sweeps ------------------------------------------------------------------------------------


@st.composite
def random_sweeps(draw: st.DrawFn) -> Proc:
    """Up to three sweeps over two arrays, with elements up to two places away, and maybe a border."""
    lines = list[str]()
    for _ in range(draw(st.integers(1, 3))):
        target, *read = draw(st.lists(st.sampled_from("xy"), min_size=2, max_size=3))
        offsets = [draw(st.integers(-2, 2)) for _ in read]
        lo, hi = draw(st.integers(0, 1)), draw(st.integers(0, 1))
        reads = " + ".join(f"{a}[i + {2 + k}]" for a, k in zip(read, offsets, strict=True))
        lines += [f"for i in seq({lo}, n - {hi}):", f"    {target}[i + 2] {draw(st.sampled_from(['=', '+=']))} {reads}"]
    if draw(st.booleans()):
        lines.append("x[1] = y[2]")
    body = "\n            ".join(lines)
    return proc_from_source(f"""
    def sweeps(T: size, n: size, x: f32[n + 4], y: f32[n + 4]):
        for t in seq(0, T):
            {body}
    """)


def test_random_sweeps_in_tiles() -> None:
    check_strategy(at("for t in _: _", time_tile(2, 3)), random_sweeps(), max_examples=examples(16), at_least=8)
