"""Code guarded to run in the first iteration only: what comes out, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import guard_first
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import guard_first as guard_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    v: f32


PUT = proc_from_source("""
def put(w: [f32][2], v: f32):
    w[0] = v
""")


def source(text: str) -> Proc:
    return proc_from_source(text, {"Cfg": Cfg, "put": PUT})


def values(f: Failure) -> dict[str, int]:
    """The counterexample of a refusal."""
    assert isinstance(f, Unsafe) and f.counterexample is not None, str(f)
    return dict(f.counterexample)


def loop(body: str, head: str = "for i in seq(0, 10):") -> Proc:
    """A loop over ten elements."""
    lines = "".join(f"            {line}\n" for line in body.strip().splitlines())
    return source(f"""
    def foo(n: size, x: f32[16], y: f32[16], z: f32[16]):
        a: f32
        a = 0.0
        {head}
{lines}""")


RELOADED = source("""
def foo(n: size, m: size, x: f32[4, m], y: f32[n]):
    a: f32[4]
    for io in seq(0, m):
        for i in seq(2, n):
            for k in seq(0, 4):
                a[k] = x[k, io]
            y[i] += a[0] + a[3]
""")


def test_a_tile_that_is_loaded_once(same: Same, body: Body, applied: Applied) -> None:
    k, load = RELOADED.find_loop("k"), RELOADED.find("a[_] = _")
    q, c = applied(guard_op(), RELOADED, k)
    assert "    for i in seq(2, n):\n        if i == 2:\n            for k in seq(0, 4):\n" in body(q)
    assert c == q.find("if _: _") and q.forward(k) == q.find_loop("k") and q.forward(load) == q.find("a[_] = _")
    same(RELOADED, q, n=4, m=2)
    r = guard_first(RELOADED, "a[_] = _", "i")
    assert "for k in seq(0, 4):\n            if i == 2:\n                a[k] = x[k, io]" in body(r)
    same(RELOADED, r, n=4, m=2)


def test_a_tile_that_is_reused_by_an_outer_loop(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[8, 4], y: f32[n, 8, 4]):
        a: f32[8, 4]
        for j in seq(0, n):
            for i in seq(0, 8):
                for r in seq(0, 2):
                    for k in seq(0, 4):
                        a[i, k] = x[i, k]
                    for k in seq(0, 4):
                        y[j, i, k] += a[i, k]
    """)
    q = guard_first(p, "for k in _: _", "j")  # the same code runs twice an iteration, for either r
    assert "if j == 0:\n                for k in seq(0, 4):\n                    a[i, k] = x[i, k]" in body(q)
    same(p, q, n=2)
    both = guard_first(guard_first(p, "for k in _: _", "r"), "if _: _", "j")
    assert "if j == 0:\n                if r == 0:" in body(both)
    same(p, both, n=2)


NEW_ONLY_ONCE = [
    "a = y[3]\nx[i] = a",
    "Cfg.v = y[3]\nx[i] = Cfg.v",
    "Cfg.n = 3\nx[i] = y[i]",
    "put(z[2:4], y[0])\nx[i] = z[2]",
    "z[i] = 2.0\na = y[3]\nx[i] += a",
    "if y[0] < 4.0:\n    z[0] = 1.0\nx[i] += 1.0",
]


@pytest.mark.parametrize("text", NEW_ONLY_ONCE)
def test_code_that_does_nothing_new_later(text: str, same: Same) -> None:
    p = loop(text)
    first = p.find_loop("i").body()[1 if text.startswith("z[i]") else 0]
    same(p, guard_first(p, first), n=1)


NEW_EACH_TIME = [
    ("a = y[i]\nx[i] = a", "depend on i"),
    ("a = y[3]\nx[i] = a\ny[3] = 2.0", "stays as it is"),
    ("a = y[3]\nx[i] = a\na += 1.0", "stays as it is"),
    ("a = y[3]\nput(y[i:i + 2], a)", "stays as it is"),
    ("a = Cfg.v\nCfg.v = y[i]", "stays as it is"),
    ("Cfg.n = 3\nx[i] = a\nCfg.n = i", "stays as it is"),
    ("a += y[3]\nx[i] = a", "before it reads it"),
    ("a = 2.0 * a\nx[i] = a", "before it reads it"),
    ("if a < 3.0:\n    a = y[1]\nx[i] = 1.0\na = 0.0", "before it reads it"),
]


@pytest.mark.parametrize(("text", "message"), NEW_EACH_TIME)
def test_code_that_does_something_new_later(text: str, message: str, refused: Refused) -> None:
    p = loop(text)
    f = refused(guard_first, p, p.find_loop("i").body()[0])
    assert isinstance(f, Unsafe) and message in f.message


def test_what_was_written_before_the_first_time_does_not_matter(same: Same) -> None:
    p = guard_first(loop("z[3] = y[1]\na = z[3]\nx[i] = a"), "z[_] = _")
    q = guard_first(p, "a = z[_]")  # z is no longer written in between
    same(p, q, n=1)


def test_another_tile_in_the_same_place(refused: Refused) -> None:
    p = source("""
    def foo(n: size, x: f32[8, 4], y: f32[n, 8]):
        a: f32[4]
        for j in seq(0, n):
            for i in seq(0, 8):
                for k in seq(0, 4):
                    a[k] = x[i, k]
                y[j, i] = a[0]
    """)
    f = refused(guard_first, p, "for k in _: _", "j")
    assert "stays as it is" in f.message and values(f)["i"] != values(f)["i'"]


def test_code_that_first_runs_later(refused: Refused) -> None:
    for inner in ("if i > 2:", "for k in seq(0, i):"):
        p = loop(f"{inner}\n    a = y[3]\nx[i] = a")
        f = refused(guard_first, p, "a = y[_]", "i")
        assert "runs in the first iteration" in f.message and values(f)["i"] > 0
    p = loop("if y[i] < 2.0:\n    a = y[3]\nx[i] = a")
    assert "reads data" in refused(guard_first, p, "a = y[_]", "i").message


def test_code_that_runs_ever_less(same: Same) -> None:
    for inner in ("if i < 4:", "for k in seq(i, 5):"):
        p = loop(f"{inner}\n    a = y[3]\nx[i] = a")
        same(p, guard_first(p, "a = y[_]", "i"), n=1)


def test_a_buffer_or_window_of_the_iteration(refused: Refused) -> None:
    for text in ("t: f32\nt = y[3]\nx[i] = t", "w = x[i:i + 2]\nw[0] = 1.0"):
        p = loop(text)
        f = refused(guard_first, p, p.find_loop("i").body()[1])
        assert "the loop's body defines" in f.message


def test_places_that_are_no_first_iteration(refused: Refused) -> None:
    p = loop("a = y[3]\nx[i] = a")
    assert isinstance(refused(guard_first, p, "a = 0.0"), NotApplicable)
    assert isinstance(refused(guard_first, p, "a = 0.0", "i"), NotApplicable)
    q = loop("t: f32\nt = y[3]\nx[i] = t")
    assert isinstance(refused(guard_first, q, "t: _"), NotApplicable)
    r = loop("Cfg.n = 3", "for i in par(0, 10):")
    assert isinstance(refused(guard_first, r, "Cfg.n = _"), NotApplicable)
    s = loop("a = y[3]", "for i in seq(Cfg.n, 10):")
    assert isinstance(refused(guard_first, s, "a = y[_]"), NotApplicable)


def test_the_loads_of_a_tiled_matrix_product(same: Same, body: Body) -> None:
    """The guards of the paper's Gemmini schedule (appendix B), there by an unchecked `add_guard`."""
    load = proc_from_source("""
    def load(src: [f32][2, 2], dst: [f32][2, 2]):
        for i in seq(0, 2):
            for j in seq(0, 2):
                dst[i, j] = src[i, j]
    """)
    p = proc_from_source(
        """
    def foo(n: size, m: size, A: f32[4 * n, 4], B: f32[4, 4 * m], C: f32[4 * n, 4 * m]):
        a: f32[2, 2, 2, 2]
        b: f32[2, 2, 2, 2]
        for ioo in seq(0, n):
            for joo in seq(0, m):
                for ioi in seq(0, 2):
                    for joi in seq(0, 2):
                        for ko in seq(0, 2):
                            load(A[4 * ioo + 2 * ioi:4 * ioo + 2 * ioi + 2, 2 * ko:2 * ko + 2], a[ioi, ko, 0:2, 0:2])
                            load(B[2 * ko:2 * ko + 2, 4 * joo + 2 * joi:4 * joo + 2 * joi + 2], b[ko, joi, 0:2, 0:2])
                            for ii in seq(0, 2):
                                for ji in seq(0, 2):
                                    for ki in seq(0, 2):
                                        C[4 * ioo + 2 * ioi + ii, 4 * joo + 2 * joi + ji] += (
                                            a[ioi, ko, ii, ki] * b[ko, joi, ki, ji]
                                        )
    """,
        {"load": load},
    )
    q = guard_first(guard_first(p, "load(_) #0", "joi"), "if _: _", "joo")
    q = guard_first(q, "load(_) #1", "ioi")
    assert "if joo == 0:\n" in body(q) and "if joi == 0:\n" in body(q) and "if ioi == 0:\n" in body(q)
    same(p, q, n=2, m=2)
