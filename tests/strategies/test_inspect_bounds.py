"""Bounds inference: examples, and on random programs every access of a run lies in the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat import ForCursor, InvalidCursorError, Proc, Sym, names_at, proc_from_source, stage_mem
from exo_strat.interp import Array
from exo_strat.testing import examples, procs, samples
from exo_strat.testing.recording import Event, Log, record
from strategies.inspect import (
    Access,
    Bounds,
    accesses,
    bounds,
    enclosing_loops,
    halo,
    loops_inside,
    staging_window,
)
from strategies.inspect.accesses import Scope

# -- examples -----------------------------------------------------------------------------------------


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


def window(code: str, name: str = "i", buffer: str = "x", inside: bool = False, args: str = "") -> str:
    """The window of a buffer of 100 elements in the body of a loop."""
    lines = "\n".join("    " + line for line in code.strip("\n").splitlines())
    p = proc_from_source(f"def foo(n: size, m: size, x: f32[100], y: f32[100], r: f32{args}):\n{lines}", {})
    return str(bounds(loop(p, name).body() if inside else loop(p, name), buffer))


def test_an_affine_index_in_a_loop() -> None:
    assert window("for i in seq(0, 8):\n    r += x[i + 2]") == "x[2:10]"
    assert window("for i in seq(0, 8):\n    r += x[3 * i + 2]") == "x[2:24]"
    assert window("for i in seq(2, 8):\n    r += x[50 - 2 * i]") == "x[36:47]"


def test_what_the_window_is_in_terms_of_depends_on_the_scope() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[32 * n + 2], r: f32):
    for io in seq(0, n):
        for ii in seq(0, 32):
            r += x[32 * io + ii] + x[32 * io + ii + 1] + x[32 * io + ii + 2]
""")
    io, ii = loop(p, "io"), loop(p, "ii")
    assert str(bounds(ii.body(), "x")) == "x[32 * io + ii:32 * io + ii + 3]"
    assert str(bounds(ii, "x")) == str(bounds(io.body(), "x")) == "x[32 * io:32 * io + 34]"
    assert str(bounds(io, "x")) == str(bounds(p.root(), "x")) == "x[0:32 * n + 2]"


def test_symbolic_bounds() -> None:
    p = proc_from_source("""
def foo(n: size, m: size, x: f32[n + m], r: f32):
    for i in seq(0, n):
        for j in seq(0, m):
            r += x[i + j]
""")
    assert str(bounds(loop(p, "i"), "x")) == "x[0:n + m - 1]"
    assert str(bounds(loop(p, "j"), "x")) == "x[i:m + i]"


def test_triangles() -> None:
    assert window("for i in seq(0, 8):\n    for j in seq(0, i + 1):\n        r += x[i + j]") == "x[0:15]"
    assert window("for i in seq(0, 8):\n    for j in seq(i, 8):\n        r += x[j - i]") == "x[0:8]"
    # the inner loop runs from the second iteration on
    assert window("for i in seq(0, 8):\n    for j in seq(0, i):\n        r += x[i]") == "x[1:8]"


def test_guards() -> None:
    assert window("for i in seq(0, 50):\n    if i >= 3 and i < 9:\n        r += x[i]") == "x[3:9]"
    assert window("for i in seq(0, 50):\n    if i < 3:\n        r += 1.0\n    else:\n        r += x[i]") == "x[3:50]"
    assert window("for i in seq(0, 50):\n    if not i < 9:\n        r += x[i]") == "x[9:50]"
    assert window("for i in seq(0, 50):\n    if i == 7:\n        r += x[i]") == "x[7:8]"
    assert window("for i in seq(0, 50):\n    if i < 9 or i > 11:\n        r += x[i]") == "x[0:50]"
    assert window("for i in seq(0, 50):\n    r += x[i - 1] if i > 0 else 1.0") == "x[0:49]"
    assert window("for i in seq(0, 50):\n    r += 1.0 if i < 9 else x[i + 1]") == "x[10:51]"


def test_quotients_and_remainders() -> None:
    assert window("for i in seq(0, 30):\n    r += x[i / 4]") == "x[0:8]"
    assert window("for i in seq(0, 30):\n    r += x[i % 4]") == "x[0:4]"
    assert window("for i in seq(0, 30):\n    r += x[2 * (i % 4) + 1]") == "x[1:8]"
    assert window("for i in seq(4, 7):\n    r += x[i % 4]") == "x[0:3]"
    tiles = "for i in seq(0, 3):\n    for j in seq(0, 10):\n        r += x[10 * i + j - (10 * i + j) % 5]"
    assert window(tiles) == "x[0:26]"


def test_steps() -> None:
    p = proc_from_source("""
def foo(x: f32[100], r: f32):
    for i in seq(0, 8):
        for j in seq(0, 2):
            r += x[6 * i + 4 * j + 1] + x[6 * i + 3]
""")
    found = bounds(loop(p, "i"), "x").dims[0]
    assert (str(bounds(loop(p, "i"), "x")), found.step) == ("x[1:48]", 2)
    assert bounds(loop(p, "j"), "x").dims[0].step == 2
    # which of two accesses is first depends on j: so the window is that of all iterations of j
    assert str(bounds(loop(p, "j").body(), "x")) == "x[6 * i + 1:6 * i + 6]"


def test_reads_and_writes() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n + 4]):
    for i in seq(0, n):
        x[i] = x[i + 4]
""")
    i = loop(p, "i")
    assert str(bounds(i, "x")) == "x[0:n + 4]"
    assert str(bounds(i, "x", writes=False)) == "x[4:n + 4]"
    assert str(bounds(i, "x", reads=False)) == "x[0:n]"


def test_what_cannot_be_compared_is_the_whole_dimension() -> None:
    p = proc_from_source("""
def foo(n: size, m: size, x: f32[n + m], r: f32):
    for k in seq(0, 1):
        for i in seq(0, n):
            r += x[i]
        for j in seq(0, m):
            r += x[j]
""")
    assert str(bounds(loop(p, "k"), "x")) == "x[0:n + m]"


def test_assertions_help_to_compare() -> None:
    p = proc_from_source("""
def foo(n: size, m: size, x: f32[n + m], r: f32):
    assert m <= n
    for k in seq(0, 1):
        for i in seq(0, n):
            r += x[i]
        for j in seq(0, m):
            r += x[j]
""")
    assert str(bounds(loop(p, "k"), "x")) == "x[0:n]"


def test_the_last_tile() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for io in seq(0, (n + 7) / 8):
        for ii in seq(0, 8):
            if 8 * io + ii < n:
                x[8 * io + ii] = 0.0
""")
    assert str(bounds(loop(p, "ii"), "x")) == "x[8 * io:8 * io + 8]"
    assert str(bounds(loop(p, "ii"), "x", inside=True)) == "x[8 * io:n]"
    assert str(bounds(loop(p, "io"), "x")) == "x[0:n]"


def test_windows_and_calls() -> None:
    row = proc_from_source("""
def row(k: size, v: [f32][k], r: f32):
    for i in seq(1, k):
        r += v[i]
""")
    p = proc_from_source(
        """
def foo(n: size, x: f32[n, 20], r: f32):
    for i in seq(0, n):
        w = x[i, 4:20]
        for j in seq(0, 8):
            r += w[j + 1]
        row(4, w[10:14], r)
        row(3, x[i, 0:3], r)
""",
        {"row": row},
    )
    i = loop(p, "i")
    assert str(bounds(i.body(), "x")) == "x[i:i + 1, 1:18]"
    assert bounds(i.body(), "x", windows=True).window() == "x[i, 0:20]"
    assert str(bounds(loop(p, "j"), "w")) == "w[1:9]"
    assert [(str(a.sym), a.kind) for a in accesses(i.body()[-1])] == [("x", "P"), ("r", "P"), ("x", "R"), ("r", "A")]


def test_scalars() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], r: f32):
    for i in seq(0, n):
        r += x[i]
""")
    assert bounds(loop(p, "i"), "r").window() == "r"


def test_names_are_as_object_code_has_them() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, n], r: f32):
    for i in seq(0, n):
        for i in seq(0, n):
            r += x[i, i]
""")
    inner = loop(p, "i #1")
    assert str(bounds(inner.body(), "x")) == "x[i_1:i_1 + 1, i_1:i_1 + 1]"


def test_no_bounds() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(0, n):
        a: f32
        a = 0.0
        x[i] = a
""")
    i = loop(p, "i")
    with pytest.raises(InvalidCursorError, match="nothing here reads x"):
        bounds(i, "x", writes=False)
    with pytest.raises(InvalidCursorError, match="a is declared in this scope"):
        bounds(i, "a")
    with pytest.raises(InvalidCursorError, match="'z' means nothing here"):
        bounds(i, "z")


def test_halo() -> None:
    p = proc_from_source("""
def blur(n: size, m: size, x: f32[n + 2, m + 2], y: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            y[i, j] = x[i, j] + x[i + 1, j + 1] + x[i + 2, j + 2]
""")
    assert str(halo(loop(p, "i"), "x")) == "x[i + 1:i + 3, 0:m + 2]"
    assert [d.extent() for d in halo(loop(p, "j"), "x").dims] == [3, 2]
    assert [d.extent() for d in halo(loop(p, "j"), "y").dims] == [1, 0]


def test_what_a_tile_needs_of_a_producer() -> None:
    """The paper's figure 10: the tile over x needs 258 columns of blur_x, and 34 rows."""
    p = proc_from_source("""
def blur(h: size, w: size, inp: f32[32 * h + 2, 256 * w + 2], out: f32[32 * h, 256 * w]):
    blur_x: f32[32 * h + 2, 256 * w + 2]
    for y in seq(0, 32 * h + 2):
        for x in seq(0, 256 * w + 2):
            blur_x[y, x] = inp[y, x]
    for y in seq(0, h):
        for x in seq(0, w):
            for yi in seq(0, 32):
                for xi in seq(0, 256):
                    out[32 * y + yi, 256 * x + xi] = blur_x[32 * y + yi, 256 * x + xi]
                    out[32 * y + yi, 256 * x + xi] += blur_x[32 * y + yi + 2, 256 * x + xi + 2]
""")
    tile = loop(p, "x #1")
    needed = bounds(tile.body(), "blur_x")
    assert (needed.lo(), needed.sizes()) == (("32 * y", "256 * x"), ("34", "258"))
    assert halo(tile, "blur_x").sizes() == ("34", "2")
    assert halo(loop(p, "y #1"), "blur_x").sizes() == ("2", "256 * w + 2")


def test_the_window_can_be_staged() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[32 * n + 2], y: f32[32 * n]):
    for io in seq(0, n):
        for ii in seq(0, 32):
            y[32 * io + ii] = x[32 * io + ii] + x[32 * io + ii + 2]
""")
    q = stage_mem.direct(p, "ii", staging_window(loop(p, "ii"), "x"), "tile")
    assert "tile: f32[34] @ DRAM" in str(q)


# -- properties ---------------------------------------------------------------------------------------


def scopes(p: Proc) -> Iterator[tuple[Scope, tuple[Sym, ...], tuple[Sym, ...]]]:
    """Scopes of a procedure, with the iterators that a run must be in to be in it, and those that are free there."""
    yield p.root(), (), ()
    for c in loops_inside(p.root()):
        around = tuple(x.sym for x in enclosing_loops(c))
        yield c, (*around, c.sym), around
        yield c.body(), (*around, c.sym), (*around, c.sym)


def value(e: object, names: Mapping[str, int]) -> int:
    return int(eval(str(e).replace("/", "//"), {}, dict(names)))


def position(a: Array, at: int) -> tuple[int, ...]:
    """The indices of a cell of an argument: strides decrease, and none overlap."""
    rest, out = at - a.offset, []
    for s in a.strides:
        out.append(rest // s)
        rest %= s
    return tuple(out)


def assert_inside(found: Bounds, log: Log, buffer: Sym, inside: tuple[Sym, ...], free: tuple[Sym, ...]) -> int:
    """Asserts that the accesses of an argument that were made in a scope are in the window; returns how many."""
    array, names, seen = log.args[buffer], names_at(found.proc.tree), 0
    assert isinstance(array, Array)
    controls = {names[s]: v for s, v in log.args.items() if isinstance(v, int)}
    for e in log.events:
        if e.cells is array.cells and set(inside) <= set(e.iterations):
            env = controls | {names[s]: e.iterations[s] for s in free}
            seen += 1
            for i, lo, hi, d in zip(position(array, e.at), found.lo(), found.hi(), found.dims, strict=True):
                least = value(lo, env)
                assert least <= i < value(hi, env), f"{found}: index {i} where {env} in\n{found.proc}"
                assert (i - least) % d.step == 0, f"{found} by {d.step}: index {i} where {env} in\n{found.proc}"
    return seen


def test_every_access_of_a_run_is_in_the_window() -> None:
    seen: list[int] = []

    @given(procs())
    @settings(max_examples=examples(30))
    def check(p: Proc) -> None:
        logs = [record(p.tree, given) for given in samples(p, limit=3)]
        seen.extend(seen_inside(p, logs))

    check()
    assert sum(seen) > 10_000


def seen_inside(p: Proc, logs: list[Log]) -> Iterator[int]:
    """Asserts for each scope, argument and kind of access that what runs did is in the window; how many accesses."""
    args = {x.sym for x in p.args()}
    for c, inside, free in scopes(p):
        for a in dict.fromkeys(x.sym for x in accesses(c) if x.sym in args):
            for reads, writes in ((True, True), (True, False), (False, True)):
                try:
                    found = bounds(c, a, reads, writes)
                except InvalidCursorError:
                    assert not any(_is_access(x, a, reads, writes) for x in accesses(c))
                    continue
                for log in logs:
                    yield assert_inside(found, _of_kind(log, reads, writes), a, inside, free)


def _is_access(x: Access, a: Sym, reads: bool, writes: bool) -> bool:
    return x.sym == a and ((reads and x.reads) or (writes and x.writes))


def _of_kind(log: Log, reads: bool, writes: bool) -> Log:
    kinds = ("R" if reads else "") + ("W" if writes else "") + "A"
    events: list[Event] = [e for e in log.events if e.kind in kinds]
    return Log(events, args=log.args)


@st.composite
def sums(draw: st.DrawFn, names: list[str], largest: int = 3) -> str:
    """An affine expression of some iterators."""
    terms = [f"{draw(st.integers(-largest, largest))} * {n}" for n in names if draw(st.booleans())]
    return " + ".join([*terms, str(draw(st.integers(-4, 4)))])


@st.composite
def indices(draw: st.DrawFn, names: list[str], affine: bool) -> str:
    """An index: affine, or with quotients and remainders."""
    if affine:
        return draw(sums(names))
    e, c = draw(sums(names)), draw(st.integers(2, 5))
    inner = f"({e}) {draw(st.sampled_from('/%'))} {c}"
    return draw(st.sampled_from([inner, f"2 * ({inner}) + {draw(sums(names, 1))}", f"({inner} + {names[0]}) / 2"]))


@st.composite
def conditions(draw: st.DrawFn, names: list[str]) -> str:
    """A comparison of affine expressions."""
    return f"{draw(sums(names, 2))} {draw(st.sampled_from(['<', '>=', '==']))} {draw(sums(names, 2))}"


@st.composite
def nests(draw: st.DrawFn, affine: bool, rectangular: bool) -> Proc:
    """A nest with an access in it that is in bounds for sure."""
    names: list[str] = []
    lines: list[str] = []
    for name in draw(st.sampled_from([["i"], ["i", "j"], ["i", "j", "k"]])):
        lo = "0" if rectangular or not names else draw(sums(names, 1))
        hi = str(draw(st.integers(1, 4))) if rectangular else f"{lo} + {draw(st.integers(1, 4))}"
        if not rectangular and names and draw(st.booleans()):
            hi = draw(sums(names, 1))
        lines.append("    " * len(names) + f"for {name} in seq({lo}, {hi}):")
        names.append(name)
    pad = "    " * len(names)
    if not rectangular and draw(st.booleans()):
        lines.append(f"{pad}if {draw(conditions(names))}:")
        pad += "    "
    accessed = draw(st.lists(indices(names, affine), min_size=1, max_size=2))
    lines += [f"{pad}x[{e} + 200] = 0.0" for e in accessed]
    return proc_from_source("def foo(x: f32[500]):\n" + "\n".join("    " + line for line in lines))


def seen(p: Proc) -> list[int]:
    """The indices of x that a run writes."""
    return [e.at for e in record(p.tree, next(iter(samples(p)))).events]


@given(nests(affine=False, rectangular=False))
@settings(max_examples=examples(30))
def test_quotients_remainders_guards_and_triangles_are_in_the_window(p: Proc) -> None:
    found = bounds(p.root(), "x")
    log = record(p.tree, next(iter(samples(p))))
    assert_inside(found, log, next(iter(p.args())).sym, (), ())
    for c in loops_inside(p.root()):
        around = tuple(x.sym for x in (*enclosing_loops(c), c))
        assert_inside(bounds(c.body(), "x"), log, next(iter(p.args())).sym, around, around)


@given(nests(affine=True, rectangular=True))
@settings(max_examples=examples(30))
def test_the_window_of_affine_accesses_is_tight(p: Proc) -> None:
    found, at = bounds(p.root(), "x"), seen(p)
    assert str(found) == f"x[{min(at)}:{max(at) + 1}]"
