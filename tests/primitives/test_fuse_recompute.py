"""Producers and consumers fused with recomputation, as Halide's compute_at: tiles of the producer that overlap,
which two neighbours compute, do no harm if both compute the same.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyrsistent import pmap

from exo_strat import InvalidCursorError, Proc, proc_from_source
from exo_strat.direct import fission, fuse, parallelize_loop, reorder_loops, reorder_stmts
from exo_strat.ir.config import Config
from exo_strat.ir.types import index
from exo_strat.ops.failure import Failure, Unsafe

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]

BLUR = proc_from_source(
    """
    def blur(n: size, x: f32[n + 4], y: f32[n]):
        assert n % 4 == 0
        b: f32[n + 2]
        for io in seq(0, n / 4):
            for ii in seq(0, 6):
                b[4 * io + ii] = x[4 * io + ii] + x[4 * io + ii + 1] + x[4 * io + ii + 2]
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                y[4 * io + ii] = b[4 * io + ii] + b[4 * io + ii + 1] + b[4 * io + ii + 2]
    """
)


def test_two_stages_of_a_blur_with_tiles_that_overlap(same: Same, body: Body) -> None:
    p = fuse(BLUR, "io", "io #1")
    assert body(p) == (
        "b: f32[n + 2] @ DRAM\n"
        "for io in seq(0, n / 4):\n"
        "    for ii in seq(0, 6):\n"
        "        b[4 * io + ii] = x[4 * io + ii] + x[4 * io + ii + 1] + x[4 * io + ii + 2]\n"
        "    for ii in seq(0, 4):\n"
        "        y[4 * io + ii] = b[4 * io + ii] + b[4 * io + ii + 1] + b[4 * io + ii + 2]"
    )
    same(BLUR, p, n=4)
    same(BLUR, p, n=12)


def test_and_back(same: Same) -> None:
    p = fuse(BLUR, "io", "io #1")
    q = fission(p, p.find("for ii in _: _").after())
    assert str(q) == str(BLUR)
    same(p, q, n=8)


def test_cursors_follow() -> None:
    p = fuse(BLUR, "io", "io #1")
    assert p.forward(BLUR.find("b[_] = _")) == p.find("b[_] = _")
    assert p.forward(BLUR.find("y[_] = _")) == p.find("y[_] = _")
    with pytest.raises(InvalidCursorError):
        p.find("for io in _: _ #1")


def test_a_tile_that_is_too_small_is_refused_with_the_places(refused: Refused) -> None:
    text = str(BLUR).replace("seq(0, 6)", "seq(0, 5)")
    f = refused(fuse, proc_from_source(text), "io", "io #1")
    assert isinstance(f, Unsafe)
    assert "the second loop does not touch what the first one does in a later iteration" in str(f)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("b[4 * io + ii] = x[4 * io + ii] +", "b[4 * io + ii] = x[ii] +"),
        ("b[4 * io + ii] = x", "b[4 * io + ii] += x"),
        ("seq(0, 6)", "seq(0, 5)"),
        ("    for ii in seq(0, 4):\n", "    x[4 * io + 5] = 0.0\n        for ii in seq(0, 4):\n"),
        ("    for ii in seq(0, 4):\n", "    b[4 * io + 5] = 0.0\n        for ii in seq(0, 4):\n"),
    ],
)
def test_what_is_not_the_same_value_again_is_refused(old: str, new: str, refused: Refused) -> None:
    text = str(BLUR).replace(old, new, 1)
    assert new in text
    f = refused(fuse, proc_from_source(text), "io", "io #1")
    assert isinstance(f, Unsafe) and f.counterexample is not None


def test_a_place_that_parallel_iterations_write_is_a_race_whatever_they_write(refused: Refused) -> None:
    assert isinstance(refused(parallelize_loop, BLUR, "io"), Unsafe)
    assert isinstance(refused(parallelize_loop, fuse(BLUR, "io", "io #1"), "io"), Unsafe)


CONV = """
    def conv(n: size, k: size, x: f32[n + k + 8], w: f32[k], y: f32[n]):
        b: f32[n + 8]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 7):
                if 4 * io + ii < n + 2:
                    b[4 * io + ii] = 0.0
                    for r in seq(0, k):
                        b[4 * io + ii] += w[r] * x[4 * io + ii + r]
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    y[4 * io + ii] = fmax(b[4 * io + ii], b[4 * io + ii + 1]) + b[4 * io + ii + 2]
    """


def test_a_convolution_before_a_stencil_guarded_at_the_edge(same: Same) -> None:
    p = proc_from_source(CONV)
    q = fuse(p, "io", "io #1")
    assert str(q).count("for io") == 1
    for n, k in ((1, 1), (4, 3), (6, 2), (9, 3)):
        same(p, q, n=n, k=k)


def test_a_convolution_whose_weights_change_is_refused(refused: Refused) -> None:
    changing = CONV.replace("y[4 * io + ii] = fmax", "w[0] = 1.0\n                    y[4 * io + ii] = fmax")
    assert isinstance(refused(fuse, proc_from_source(changing), "io", "io #1"), Unsafe)


def test_three_stages_one_after_the_other(same: Same) -> None:
    p = proc_from_source(
        """
        def foo(n: size, x: f32[n + 8], y: f32[n]):
            assert n % 4 == 0
            b: f32[n + 4]
            c: f32[n + 2]
            for i in seq(0, n / 4):
                for ii in seq(0, 8):
                    b[4 * i + ii] = x[4 * i + ii] * x[4 * i + ii]
            for i in seq(0, n / 4):
                for ii in seq(0, 6):
                    c[4 * i + ii] = b[4 * i + ii] + b[4 * i + ii + 2]
            for i in seq(0, n / 4):
                for ii in seq(0, 4):
                    y[4 * i + ii] = c[4 * i + ii] + c[4 * i + ii + 2]
        """
    )
    q = fuse(fuse(p, "i", "i #1"), "i", "i #1")
    assert str(q).count("for i in") == 1
    same(p, q, n=4)
    same(p, q, n=8)


def test_rows_of_a_stencil_in_two_dimensions(same: Same) -> None:
    p = proc_from_source(
        """
        def foo(h: size, w: size, x: f32[h + 2, w + 2], y: f32[h, w]):
            b: f32[h + 2, w]
            for i in seq(0, h):
                for k in seq(0, 3):
                    for j in seq(0, w):
                        b[i + k, j] = x[i + k, j] + x[i + k, j + 1] + x[i + k, j + 2]
            for i in seq(0, h):
                for j in seq(0, w):
                    y[i, j] = b[i, j] + b[i + 1, j] + b[i + 2, j]
        """
    )
    q = fuse(p, "i", "i #1")
    assert str(q).count("for i in") == 1
    same(p, q, h=3, w=2)


def test_a_config_field_set_to_the_same_value_in_every_iteration(same: Same) -> None:
    Cfg = Config("Cfg", pmap({"stride": index}))
    p = proc_from_source(
        """
        def foo(n: size, x: f32[n], y: f32[n]):
            for i in seq(0, n):
                Cfg.stride = n
                if Cfg.stride == n:
                    y[i] = x[i]
        """,
        {"Cfg": Cfg},
    )
    q = fission(p, p.find("Cfg.stride = _").after())
    assert str(q).count("for i in") == 2
    same(p, q, {"Cfg.stride": 0}, n=3)


def test_loops_whose_iterations_write_equal_values_change_places(same: Same) -> None:
    p = proc_from_source(
        """
        def foo(n: size, x: f32[2 * n], b: f32[2 * n], y: f32[n]):
            for i in seq(0, n):
                for j in seq(0, n):
                    b[i + j] = x[i + j]
                    y[i] += b[i + j] * b[i + j]
        """
    )
    q = reorder_loops(p, "i j")
    assert str(q).index("for j") < str(q).index("for i")
    same(p, q, n=3)


def test_equal_assignments_change_places(same: Same) -> None:
    p = proc_from_source(
        """
        def foo(n: size, x: f32[n + 1], b: f32[n + 1]):
            for i in seq(0, n):
                b[i] = x[i] + 2.0 * x[i + 1]
                b[i + 0] = x[i + 1] * 2.0 + x[i]
        """
    )
    same(p, reorder_stmts(p, p.find_loop("i").body()), n=3)


CLAMPED = """
def clamped(n: size, x: f32[n + 4], y: f32[n]):
    assert n % 4 == 0
    b: f32[n + 2]
    for io in seq(0, n / 4):
        for ii in seq(0, 6):
            if {cond} < 9.0:
                b[4 * io + ii] = 9.0
            else:
                b[4 * io + ii] = x[4 * io + ii]
    for io in seq(0, n / 4):
        for ii in seq(0, 4):
            y[4 * io + ii] = b[4 * io + ii] + b[4 * io + ii + 1] + b[4 * io + ii + 2]
"""


def test_a_stage_that_chooses_by_what_it_reads(same: Same) -> None:
    p = proc_from_source(CLAMPED.format(cond="x[4 * io + ii]"))
    q = fuse(p, "io", "io #1")
    same(p, q, n=8)
    same(q, fission(q, q.find_loop("ii").after()), n=8)


@pytest.mark.parametrize("cond", ["x[ii]", "x[4 * io]", "y[0]"])
def test_a_stage_that_chooses_by_the_tile(cond: str, refused: Refused) -> None:
    """A place that two tiles compute may get another value by each."""
    assert isinstance(refused(fuse, proc_from_source(CLAMPED.format(cond=cond)), "io", "io #1"), Unsafe)


HELD = """
def held(n: size, x: f32[n + 6], y: f32[n]):
    assert n % 4 == 0
    b: f32[n + 2]
    for io in seq(0, n / 4):
        for ii in seq(0, 6):
            s: f32
            t: f32
            {stage}
    for io in seq(0, n / 4):
        for ii in seq(0, 4):
            y[4 * io + ii] = b[4 * io + ii] + b[4 * io + ii + 1] + b[4 * io + ii + 2]
"""


def through_scalars(*stage: str) -> Proc:
    lines = "\n            ".join(stage).replace("HERE", "4 * io + ii")
    return proc_from_source(HELD.format(stage=lines))


@pytest.mark.parametrize(
    "stage",
    [
        ("s = x[HERE]", "b[HERE] = s * s"),
        ("s = 0.0", "for k in seq(0, 3):", "    s += x[HERE + k]", "b[HERE] = s"),
        ("s = x[HERE]", "t = s + 1.0", "s = 2.0", "b[HERE] = s * t"),
        ("s = 0.0", "if x[HERE] < 9.0:", "    s += x[HERE]", "b[HERE] = s"),
    ],
)
def test_a_stage_that_goes_through_scalars(stage: tuple[str, ...], same: Same) -> None:
    p = through_scalars(*stage)
    same(p, fuse(p, "io", "io #1"), n=8)


@pytest.mark.parametrize(
    "stage",
    [
        ("s = x[ii]", "b[HERE] = s"),
        ("s = x[HERE]", "s = x[ii]", "b[HERE] = s"),
        ("t = 0.0", "s = 0.0", "t = x[ii]", "s += t", "b[HERE] = s"),
        ("t = 0.0", "b[HERE] = 0.0", "t = x[ii]", "b[HERE] += t"),
        ("s = 0.0", "if ii < 3:", "    s = x[HERE]", "b[HERE] = s"),
        ("s = 1.0", "b[HERE] = 0.0", "for k in seq(0, 2):", "    b[HERE] += s", "    s = x[ii]"),
    ],
)
def test_scalars_that_hold_something_of_the_tile(stage: tuple[str, ...], refused: Refused) -> None:
    assert isinstance(refused(fuse, through_scalars(*stage), "io", "io #1"), Unsafe)
