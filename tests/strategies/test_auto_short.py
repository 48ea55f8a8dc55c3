"""Short sums: written out where they are known to be short, so that what is around them can be vectors."""

from __future__ import annotations

import pytest

from backends.targets import avx2
from exo_strat import CallCursor, Proc, proc_from_source, schedule, trace
from exo_strat.testing import assert_equivalent
from strategies.auto import auto
from strategies.auto.short import short_sums_written_out
from strategies.inspect import nest_shape, statements


def filtered(bounds: str, first: str = "s = 0.0", added: str = "s += x[i + k + 1]") -> Proc:
    return proc_from_source(f"""
def filtered(n: size, m: size, x: f32[n + 9], y: f32[n]):
    for i in seq(0, n):
        s: f32
        {first}
        for k in seq({bounds}):
            {added}
        y[i] = s
""")


def test_a_window_is_written_out_with_what_it_starts_from() -> None:
    p = filtered("-1, 2", first="s = x[i]")
    q = schedule(short_sums_written_out(), p)
    assert str(nest_shape(q.body()[0])) == "seq n > [s:; s =; y =]"
    assert "s = x[i] + x[i] + x[i + 1] + x[i + 2]" in str(q) and assert_equivalent(p, q) > 0


@pytest.mark.parametrize(
    "p",
    [
        filtered("0, m", added="s += x[i]"),  # nobody knows how often it runs
        filtered("0, 64", added="s += x[i]"),  # too long
        filtered("0, 3", added="s = s * x[i + k]"),  # no sum
        proc_from_source("""
def once(x: f32[3], s: f32):
    for k in seq(0, 3):
        s += x[k]
"""),  # it is around nothing
    ],
)
def test_others_stay(p: Proc) -> None:
    assert trace(short_sums_written_out(), p)[1].failure is not None


def test_a_filter_becomes_vectors() -> None:
    p = proc_from_source("""
def blur(h: size, w: size, x: f32[h, w], y: f32[h, w]):
    for i in seq(1, h - 1):
        for j in seq(1, w - 1):
            s: f32
            s = 0.0
            for di in seq(-1, 2):
                for dj in seq(-1, 2):
                    s += x[i + di, j + dj]
            y[i, j] = s / 9.0
""")
    q = schedule(auto(avx2), p)
    calls = [s.subproc().name() for s in statements(q.root()) if isinstance(s, CallCursor)]
    assert "mm256_storeu_ps" in calls and assert_equivalent(p, q) > 0
