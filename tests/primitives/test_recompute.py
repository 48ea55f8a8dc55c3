"""Overlapping tiles and joined loops: what comes out, and what stands in the way."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    cut_loop,
    divide_with_recompute,
    join_loops,
    merge_recompute,
    parallelize_loop,
)
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import divide_with_recompute as divide_op
from exo_strat.primitives import join_loops as join_op
from exo_strat.primitives import merge_recompute as merge_op

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


# -- divide_with_recompute ----------------------------------------------------------------------------

BLUR = source("""
def foo(n: size, x: f32[4 * n + 4], y: f32[4 * n + 2]):
    assert n >= 2
    for i in seq(0, 4 * n + 2):
        y[i] = x[i] + x[i + 1] + x[i + 2]
""")


def test_tiles_with_a_halo(same: Same, body: Body, applied: Applied) -> None:
    i, s, rhs = BLUR.find_loop("i"), BLUR.find("y[_] = _"), BLUR.find("x[i + 1]")
    q, c = applied(divide_op("n", 4, ("io", "ii")), BLUR, i)
    assert body(q) == (
        "for io in seq(0, n):\n    for ii in seq(0, 6):\n"
        "        y[4 * io + ii] = x[4 * io + ii] + x[4 * io + ii + 1] + x[4 * io + ii + 2]"
    )
    assert c == q.find_loop("io") == q.forward(i)
    assert q.forward(s) == q.find("y[_] = _") and q.forward(rhs) == q.find("x[4 * io + ii + 1]")
    same(BLUR, q, n=2)
    same(BLUR, q, n=3)


def test_tiles_of_a_loop_that_does_not_start_at_zero(same: Same, body: Body) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 4]):
        for i in seq(-3, n):
            x[i + 3] = 1.0
    """)
    q = divide_with_recompute(p, "i", "n", 1, ["io", "ii"])
    assert body(q).startswith("for io in seq(0, n):\n    for ii in seq(0, 4):\n        x[-3 + (io + ii) + 3] = 1.0")
    same(p, q, n=1)
    same(p, q, n=4)


REPEATABLE = [
    "x[i] = y[i + 1]",
    "x[i + 1] = x[i]",  # what the first shared iteration reads is from before
    "a = y[i]\nx[i] = 2.0 * a",
    "x[i] = y[i]\nz[i] = x[i] + x[0]",
    "a = 0.0\nfor k in seq(0, 4):\n    a += y[i + k]\nx[i] = a",
    "t: f32\nt = y[i]\nt += 1.0\nx[i] = t",
    "w = x[i:i + 2]\nput(w, y[i])",
    "Cfg.v = y[i]\nx[i] = Cfg.v",
    "if y[i] < 4.0:\n    x[i] = y[i]",
]


@pytest.mark.parametrize("text", REPEATABLE)
def test_iterations_that_may_be_done_again(text: str, same: Same) -> None:
    p = loop(text)
    for tiles, c in ((2, 4), (3, 2), (4, 1)):
        same(p, divide_with_recompute(p, "i", tiles, c, ["io", "ii"]), n=1)


ACCUMULATES = ["x[i] += y[i]", "a += y[i]", "x[0] = x[0] + y[i]", "w = x[i:i + 2]\nw[1] += y[i]"]
OVERWRITTEN = [
    "x[i] = x[i + 1]",  # each iteration alone may be repeated
    "y[i] = x[i + 1]\nx[i] = 0.0",
    "z[i] = y[i + 1]\nput(y[i:i + 2], 3.0)",
    "x[i] = a\na = y[i]",
    "x[i] = Cfg.v\nCfg.v = y[i]",
    "if y[i + 1] < 4.0:\n    x[i] = 1.0\ny[i] = 9.0",
    "x[i % 3] = y[i]\nz[i] = x[(i + 1) % 3]",  # a ring that is too small for the overlap
]


@pytest.mark.parametrize("text", [*ACCUMULATES, *OVERWRITTEN])
def test_iterations_that_may_not_be_done_again(text: str, same: Same, refused: Refused) -> None:
    p = loop(text)
    f = refused(divide_with_recompute, p, "i", 2, 3, ["io", "ii"])
    assert isinstance(f, Unsafe) and "share change nothing" in f.message and f.details
    for tiles, c in ((1, 7), (5, 2)):  # but without overlap they may be tiled
        same(p, divide_with_recompute(p, "i", tiles, c, ["io", "ii"]), {"Cfg.v": 1}, n=1)


def test_a_counterexample_names_the_iteration(refused: Refused) -> None:
    f = refused(divide_with_recompute, loop("x[i] = x[i + 1]"), "i", 2, 3, ["io", "ii"])
    shown = values(f)
    assert shown["the tile"] == 1 and 3 <= shown["i"] < 7 and "reads x[i + 1]" in f.details


def test_tiles_must_cover_the_loop(refused: Refused) -> None:
    p = source("""
    def foo(n: size, m: index, x: f32[n]):
        for i in seq(0, n):
            x[i] = 1.0
    """)
    f = refused(divide_with_recompute, p, "i", "n / 4", 4, ["io", "ii"])
    assert "there is a tile" in f.message and values(f)["n"] < 4
    f = refused(divide_with_recompute, p, "i", "n / 4 + 1", 4, ["io", "ii"])
    assert "no gaps" in f.message and values(f)["n"] >= 4
    assert isinstance(refused(divide_with_recompute, p, "i", "m", 1, ["io", "ii"]), Unsafe)
    assert isinstance(refused(divide_with_recompute, p, "i", 1, 0, ["io", "ii"]), BadArgument)
    assert isinstance(refused(divide_with_recompute, p, "i", "i", 1, ["io", "ii"]), BadArgument)


def test_an_empty_loop_may_have_any_tiles(same: Same) -> None:
    p = source("""
    def foo(n: size, x: f32[n]):
        for i in seq(n, 0):
            x[0] += 1.0
    """)
    same(p, divide_with_recompute(p, "i", 3, 2, ["io", "ii"]), n=2)


def test_bounds_that_the_body_changes(same: Same, refused: Refused) -> None:
    text = """
    def foo(x: f32[8]):
        Cfg.n = 4
        for i in seq(0, Cfg.n):
            {}
            if i < 8:
                x[i] = 1.0
    """
    p = source(text.format("Cfg.n = 3"))
    assert "does not change" in refused(divide_with_recompute, p, "i", 2, 1, ["io", "ii"]).message
    same(p, divide_with_recompute(p, "i", 1, 1, ["io", "ii"]))
    kept = source(text.format("pass"))
    same(kept, divide_with_recompute(kept, "i", 2, 1, ["io", "ii"]))


def test_only_the_inner_loop_stays_parallel(same: Same, body: Body) -> None:
    p = parallelize_loop(BLUR, "i")
    q = divide_with_recompute(p, "i", "n", 4, ["io", "ii"])
    assert body(q).startswith("for io in seq(0, n):\n    for ii in par(0, 6):")
    same(p, q, n=3)
    assert body(merge_recompute(q, "io", "i")) == body(p)


def test_tiles_of_a_given_width_may_reach_beyond_the_end(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[n + 2], y: f32[n + 2]):
        for i in seq(2, n + 2):
            y[i] = 2.0 * x[i]
    """)
    i, s = p.find_loop("i"), p.find("y[_] = _")
    q, c = applied(divide_op("(n + 3) / 4", 4, ("io", "ii"), width=6), p, i)
    assert body(q) == (
        "for io in seq(0, (n + 3) / 4):\n    for ii in seq(0, 6):\n        if 2 + (4 * io + ii) < n + 2:\n"
        "            y[2 + (4 * io + ii)] = 2.0 * x[2 + (4 * io + ii)]"
    )
    assert c == q.find_loop("io") == q.forward(i) and q.forward(s) == q.find("y[_] = _")
    for n in (1, 4, 6):
        same(p, q, n=n)
    assert "if" in body(merge_recompute(q, "io", "i"))


@pytest.mark.parametrize(
    ("tiles", "width", "why"),
    [
        ("(n + 3) / 4", 3, "as the next one starts"),
        ("n / 4 + 1", "n - 4", "as the next one starts"),
        ("(n + 2) / 4", 4, "there is a tile"),
        ("n / 4 + 1", 4, None),
        ("(n + 4) / 4", 4, None),
        ("(n + 8) / 8", 4, "the end of the loop"),
        ("1", "n", None),
    ],
)
def test_tiles_of_a_given_width_must_cover_the_loop(
    tiles: str, width: str | int, why: str | None, same: Same, refused: Refused
) -> None:
    p = source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 1.0")
    if why is None:
        same(p, divide_with_recompute(p, "i", tiles, 4, ["io", "ii"], width=width), n=5)
    else:
        f = refused(divide_with_recompute, p, "i", tiles, 4, ["io", "ii"], width)
        assert why in f.message and values(f)["n"] >= 1


def test_what_wide_tiles_do_again(same: Same, refused: Refused) -> None:
    p = source("def foo(n: size, x: f32[n + 1]):\n    for i in seq(0, n):\n        x[i] += x[i + 1]")
    same(p, divide_with_recompute(p, "i", "(n + 3) / 4", 4, ["io", "ii"], width=4), n=6)
    f = refused(divide_with_recompute, p, "i", "(n + 3) / 4", 4, ["io", "ii"], width=5)
    assert values(f)["i"] == 4 * values(f)["the tile"] and values(f)["n"] > values(f)["i"]


# -- merge_recompute ----------------------------------------------------------------------------------


def test_merging_is_the_inverse(same: Same, body: Body, applied: Applied) -> None:
    q = divide_with_recompute(BLUR, "i", "n", 4, ["io", "ii"])
    io, ii, s = q.find_loop("io"), q.find_loop("ii"), q.find("y[_] = _")
    r, c = applied(merge_op("i"), q, io)
    assert body(r) == body(BLUR) and c == r.find_loop("i") == r.forward(io)
    assert r.forward(s) == r.find("y[_] = _") and not r.forward(ii).is_valid
    same(q, r, n=3)


def tiles(body: str, outer: str = "0, 3", inner: str = "0, 4") -> Proc:
    """A loop over tiles."""
    lines = "".join(f"                {line}\n" for line in body.strip().splitlines())
    return source(f"""
    def foo(n: size, k: index, x: f32[32], y: f32[32], z: f32[32]):
        a: f32
        a = 0.0
        for io in seq({outer}):
            for ii in seq({inner}):
{lines}""")


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("x[3 * io + ii] = y[3 * io + ii + 1]", "x[i] = y[i + 1]"),
        ("x[ii + 3 * io + 2] = y[20 - ii - 3 * io]", "x[i + 2] = y[20 - i]"),
        ("x[(3 * io + ii) / 2] = y[0]", "x[i / 2] = y[0]"),
        ("if 3 * io + ii < 9:\n    x[3 * io + ii] = 1.0", "if i < 9:\n    x[i] = 1.0"),
        ("for l in seq(0, 3 * io + ii):\n    x[l] = y[l]", "for l in seq(0, i):\n    x[l] = y[l]"),
        ("x[io - io + 3 * io + ii] = 1.0", "x[i] = 1.0"),
    ],
)
def test_the_sum_of_the_iterators_is_found(text: str, merged: str, body: Body, same: Same) -> None:
    p = tiles(text)
    q = merge_recompute(p, "io", "i")
    lines = "\n".join(f"    {line}" for line in merged.splitlines())
    assert body(q).endswith(f"for i in seq(0, 10):\n{lines}")
    same(p, q, n=1, k=0)


@pytest.mark.parametrize(
    "text",
    ["x[3 * io + ii] = y[ii]", "x[io] = 1.0", "x[ii] = 1.0", "x[0] = 1.0", "x[4 * io + 2 * ii + io] = 1.0"],
)
def test_another_dependence_on_the_iterators(text: str, refused: Refused) -> None:
    assert isinstance(refused(merge_recompute, tiles(text), "io", "i"), NotApplicable)


def test_forms_that_are_no_tiles(refused: Refused) -> None:
    growing, asked = tiles("x[3 * io + ii] = 1.0", "0, 3", "io, 4"), tiles("x[(io + ii) % 8] = 1.0", "0, Cfg.n")
    for p in (growing, asked, loop("x[i] = 1.0")):
        assert isinstance(refused(merge_recompute, p, p.find("for _ in _: _"), "i"), NotApplicable)


def test_tiles_with_gaps_or_none(same: Same, body: Body, refused: Refused) -> None:
    one = "x[3 * io + ii] = 1.0"
    f = refused(merge_recompute, tiles(one, inner="0, 2"), "io", "i")
    assert "reaches as far" in f.message
    p = source("""
    def foo(n: size, k: index, x: f32[n + 4]):
        assert k >= 0 and k <= n
        for io in seq(0, k):
            for ii in seq(0, 4):
                x[io + ii] = 1.0
    """)
    f = refused(merge_recompute, p, "io", "i")  # without a tile nothing runs, but 4 - 1 iterations would
    assert "there is a tile" in f.message and values(f)["k"] == 0
    q = tiles(one, "2, 5", "-1, 3")
    r = merge_recompute(q, "io", "i")
    assert "for i in seq(5, 15):\n    x[i] = 1.0" in body(r)
    same(q, r, n=1, k=0)


def test_tiles_that_touch_may_accumulate(same: Same, body: Body) -> None:
    p = tiles("x[4 * io + ii] += y[4 * io + ii]\na += 1.0\nz[0] = a")
    q = merge_recompute(p, "io", "i")
    assert "for i in seq(0, 12):" in body(q)
    same(p, q, n=1, k=0)


@pytest.mark.parametrize("text", [*ACCUMULATES, *OVERWRITTEN])
def test_tiles_that_do_something_again(text: str, refused: Refused) -> None:
    f = refused(merge_recompute, tiles(re.sub(r"\bi\b", "(2 * io + ii)", text)), "io", "i")
    assert isinstance(f, Unsafe) and "share change nothing" in f.message


@pytest.mark.parametrize("text", REPEATABLE)
def test_tiles_that_do_nothing_again(text: str, same: Same) -> None:
    p = tiles(re.sub(r"\bi\b", "(2 * io + ii)", text))
    same(p, merge_recompute(p, "io", "i"), n=1, k=0)


def test_a_counterexample_is_in_the_iterators_that_there_were(refused: Refused) -> None:
    f = refused(merge_recompute, tiles("x[2 * io + ii] = x[2 * io + ii + 1]"), "io", "io")
    shown = values(f)
    assert 0 < shown["io"] < 3 and 0 <= shown["ii"] < 2 and "the tile" not in shown


# -- join_loops ---------------------------------------------------------------------------------------


def test_join_what_was_cut(same: Same, body: Body, applied: Applied) -> None:
    p = source("""
    def foo(n: size, x: f32[2 * n], y: f32[2 * n]):
        for i in seq(-1, n):
            t: f32
            t = y[i + 1]
            w = x[i + 1:2 * n]
            if t < 3.0:
                w[0] = t
            for k in seq(0, 2):
                w[0] += y[k]
    """)
    q = cut_loop(p, "i", "n / 2")
    one, two, s = q.find_loop("i"), q.find("for i in _: _ #1"), q.find("t = _")
    r, c = applied(join_op(two), q, one)
    assert body(r) == body(p) and c == r.find_loop("i") == r.forward(one)
    assert r.forward(s) == r.find("t = _") and not r.forward(two).is_valid
    same(q, r, n=3)


def two(first: str, second: str, one: str = "x[i] = y[i]", other: str = "x[j] = y[j]", extra: str = "") -> Proc:
    def lines(text: str) -> str:
        return "".join(f"            {line}\n" for line in text.splitlines())

    return source(f"""
    def foo(n: size, m: index, x: f32[n + 9], y: f32[n + 9]):
        assert 0 <= m and m <= n + 9{extra}
        for i in {first}:
{lines(one)}
        for j in {second}:
{lines(other)}""")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x[i] = y[i]", "x[j + 0] = y[2 * j - j]"),
        ("x[i] = 1.0\nif i < n:\n    x[i] = 2.0", "x[j] = 1.0\nif j < n:\n    x[j] = 2.0"),
        ("for k in seq(0, i):\n    x[k] = y[i]", "for l in seq(0, j):\n    x[l] = y[j]"),
        ("put(x[i:i + 2], y[i])", "put(x[j:j + 2], y[j])"),
        ("x[i] = y[i % 64]", "x[j] = y[j]"),
    ],
)
def test_bodies_that_are_equal(one: str, other: str, same: Same) -> None:
    p = two("seq(0, 4)", "seq(4, n + 7)", one, other, " and n < 50")
    q = join_loops(p, "i", "j")
    assert str(q).count(" in seq(0, n + 7):") == 1
    same(p, q, n=3, m=0)


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ("x[i] = y[i]", "x[j] = y[i0]", "j is not 0, in `x[j] = y[j]` and `x[j] = y[0]`"),
        ("x[i] = y[i]", "x[j] += y[j]", "these are `x[j] = y[j]` and `x[j] += y[j]`"),
        ("x[i] = y[i]", "x[j] = x[j]", "y[j] is not x[j], in `x[j] = y[j]` and `x[j] = x[j]`"),
        ("x[i] = 1.0", "x[j] = 2.0", "1.0 is not 2.0, in `x[j] = 1.0` and `x[j] = 2.0`"),
        ("x[i] = y[i]", "x[j] = y[j]\nx[j] = 0.0", "one has 1 statements where the other has 2"),
        ("x[i] = y[i]\nx[i] = 0.0", "x[j] = y[j]", "one has 2 statements where the other has 1"),
        ("x[i] = y[i % 4]", "x[j] = y[j]", "j % 4 is not j, in"),
        ("for k in seq(0, 2):\n    x[k] = y[i]", "for k in seq(0, 3):\n    x[k] = y[j]", "2 is not 3, in"),
        ("for k in seq(0, 2):\n    x[k] = y[i]", "for k in par(0, 2):\n    x[k] = y[j]", "and `for k in par(0, 2):`"),
        ("t: f32\nt = 1.0\nx[i] = t", "t: f64\nt = 1.0\nx[j] = t", "and `t: f64 @ DRAM`"),
        ("x[i] = Cfg.v", "x[j] = y[j]", "Cfg.v is not y[j], in"),
        ("put(x[i:i + 2], y[i])", "put(y[j:j + 2], x[j])", "these are `put(x[j:j + 2], y[j])` and `put(y["),
    ],
)
def test_bodies_that_differ(one: str, other: str, where: str, refused: Refused) -> None:
    f = refused(join_loops, two("seq(0, 4)", "seq(4, n + 7)", one, other.replace("i0", "0")), "i", "j")
    assert isinstance(f, Unsafe) and "bodies" in f.message and where in f.details


def test_names_that_are_alike_are_not_equal(refused: Refused) -> None:
    p = source("""
    def foo(x: f32[8], y: f32[8]):
        for i in seq(0, 4):
            t: f32
            t = y[i]
            x[i] = t
        t: f32
        t = 9.0
        for i in seq(4, 8):
            x[i] = t
    """)
    assert isinstance(refused(join_loops, p, p.find_loop("i"), p.find("for i in _: _ #1")), NotApplicable)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("seq(0, 4)", "seq(5, n + 9)", "starts where"),
        ("seq(0, n)", "seq(m, n + 9)", "starts where"),
        ("seq(0, 8)", "seq(8, n)", "negative"),  # for n < 8 the second is empty, but the joined loop would be shorter
        ("seq(3, m)", "seq(m, n + 9)", "negative"),  # for m < 3 the second starts earlier
    ],
)
def test_ranges_that_do_not_meet(first: str, second: str, message: str, refused: Refused) -> None:
    f = refused(join_loops, two(first, second), "i", "j")
    assert message in f.message and isinstance(f, Unsafe) and f.counterexample is not None


def test_ranges_that_are_both_empty(same: Same) -> None:
    p = two("seq(6, 5)", "seq(5, 2)")
    same(p, join_loops(p, "i", "j"), n=1, m=0)


def test_a_bound_that_the_first_loop_changes(refused: Refused, same: Same) -> None:
    text = """
    def foo(x: f32[8]):
        Cfg.n = 4
        for i in seq(0, 2):
            x[i] = 1.0
            {}
        for i in seq(2, Cfg.n):
            x[i % 8] = 1.0
            {}
    """
    p = source(text.format("Cfg.n = 3", "Cfg.n = 3"))
    loops = p.find_loop("i"), p.find("for i in _: _ #1")
    assert "does not change" in refused(join_loops, p, *loops).message
    q = source(text.format("pass", "pass").replace("[i]", "[i % 8]"))
    same(q, join_loops(q, q.find_loop("i"), q.find("for i in _: _ #1")))


def test_joined_loops_are_parallel_if_no_iterations_meet(body: Body, same: Same, refused: Refused) -> None:
    p = two("par(0, 4)", "par(4, n + 7)")
    q = join_loops(p, "i", "j")
    assert "for i in par(0, n + 7)" in body(q)
    same(p, q, n=2, m=0)
    assert "in seq(0, n + 7)" in body(join_loops(two("par(0, 4)", "seq(4, n + 7)"), "i", "j"))
    meeting = two("par(0, 4)", "par(4, 8)", "x[i % 4] = 1.0", "x[j % 4] = 1.0")
    assert isinstance(refused(join_loops, meeting, "i", "j"), Unsafe)
