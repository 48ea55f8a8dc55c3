"""Halide's operators: what each makes of a pipeline, that it computes the same, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from exo_strat import (
    DRAM_STACK,
    Failure,
    Op,
    Proc,
    SchedulingError,
    Tensor,
    Unsafe,
    add_assertion,
    identity,
    names_at,
    print_expr,
    proc_from_source,
    schedule,
    sketch,
)
from exo_strat.interp import Array, run
from exo_strat.interp.values import blank
from strategies.halide import (
    Func,
    H_bound,
    H_clone_in,
    H_compute_at,
    H_compute_inline,
    H_compute_root,
    H_compute_store_at,
    H_compute_with,
    H_fold_storage,
    H_fuse,
    H_parallel,
    H_partition,
    H_reorder,
    H_split,
    H_store_at,
    H_store_in,
    H_tile,
    H_unroll,
    H_vectorize,
    pipeline,
)

Same = Callable[..., None]

BLUR = proc_from_source("""
def blur(H: size, W: size, inp: f32[H + 2, W + 2], blur_y: f32[H, W]):
    blur_x: f32[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = inp[y, x] + inp[y, x + 1] + inp[y, x + 2]
    for y in seq(0, H):
        for x in seq(0, W):
            blur_y[y, x] = blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]
""")

DOWN = proc_from_source("""
def down(H: size, W: size, inp: f32[2 * H + 1, 2 * W + 1], low: f32[H, W]):
    v: f32[H, 2 * W + 1]
    for y in seq(0, H):
        for x in seq(0, 2 * W + 1):
            v[y, x] = inp[2 * y, x] + 2.0 * inp[2 * y + 1, x] + inp[2 * y + 2, x]
    for y in seq(0, H):
        for x in seq(0, W):
            low[y, x] = v[y, 2 * x] + 2.0 * v[y, 2 * x + 1] + v[y, 2 * x + 2]
""")

PREFIX = proc_from_source("""
def prefix(H: size, W: size, inp: f32[H, W], out: f32[H, W + 1]):
    for y in seq(0, H):
        out[y, 0] = 0.0
        for x in seq(0, W):
            out[y, x + 1] = out[y, x] + inp[y, x]
""")


@pytest.fixture
def computes_the_same() -> Same:
    """Asserts that a scheduled procedure leaves what the naive one does, on random whole numbers of given sizes."""

    def check(naive: Proc, scheduled: Proc, **sizes: int) -> None:
        rng, given = Random(str(sizes)), dict[str, object](sizes)
        for a in naive.args():
            if isinstance(a.type(), Tensor):
                texts = [print_expr(e.node, names_at(naive.tree)) for e in a.shape()]  # type: ignore[arg-type]
                array: Array = blank(tuple(int(eval(e, dict(sizes))) for e in texts))
                given[a.name()] = array._replace(cells=[rng.randrange(-9, 10) for _ in array.cells])
        wanted, found = run(naive, given), run(scheduled, given)
        assert wanted.trap is None
        assert found.trap is None, str(found.trap)
        assert found.outputs == wanted.outputs

    return check


def shape(op: Op, p: Proc = BLUR) -> str:
    return sketch(schedule(op, p))


def refusal(op: Op, p: Proc = BLUR) -> Failure:
    with pytest.raises(SchedulingError) as e:
        schedule(op, p)
    return e.value.failure


def unsafe(op: Op, p: Proc = BLUR) -> str:
    failure = refusal(op, p)
    assert isinstance(failure, Unsafe)
    return str(failure)


# -- the loops of one stage ---------------------------------------------------------------------------


def test_tiles_of_any_image(computes_the_same: Same) -> None:
    op = H_tile("blur_y", "y", "x", "yi", "xi", 4, 8)
    assert "for y in seq(0, (H + 3) / 4):\n        for x in seq(0, (W + 7) / 8):" in str(schedule(op, BLUR))
    for h, w in ((1, 1), (4, 8), (5, 9)):
        computes_the_same(BLUR, schedule(op, BLUR), H=h, W=w)


def test_tiles_that_fit_need_no_guards() -> None:
    op = H_bound("blur_y", "y", 0, 8) >> H_bound("blur_y", "x", 0, 16) >> H_tile("blur_y", "y", "x", "yi", "xi", 4, 8)
    p = schedule(op, BLUR)
    assert "assert H == 8" in str(p) and "assert W == 16" in str(p) and "if" not in str(p)


def test_reorder_takes_the_innermost_first() -> None:
    assert "seq x W > seq y H" in shape(H_reorder("blur_y", "y", "x"))
    assert schedule(H_reorder("blur_y", "x", "y"), BLUR) is BLUR


def test_split_and_fuse(computes_the_same: Same) -> None:
    p = schedule(H_split("blur_x", "x", "xo", "xi", 4, "cut") >> H_fuse("blur_x", "xo", "xi", "x"), BLUR)
    computes_the_same(BLUR, p, H=2, W=6)
    assert "not all that" in str(refusal(H_fuse("blur_x", "x", "y", "f")))


def test_unroll_by_a_factor(computes_the_same: Same) -> None:
    p = schedule(H_unroll("blur_y", "x", 2), BLUR)
    assert "blur_y[y, 2 * x + 1] = " in str(p) and "blur_y[y, 2 * (W / 2) + xu] = " in str(p)
    computes_the_same(BLUR, p, H=2, W=5)


@pytest.mark.parametrize("width", [4, None])
def test_vectors_and_what_is_left(width: int | None, computes_the_same: Same) -> None:
    p = schedule(H_vectorize("blur_y", "x", width), BLUR)
    assert "in vec(" in str(p)
    computes_the_same(BLUR, p, H=2, W=6)


def test_vectors_in_a_guarded_tile_ask_once(computes_the_same: Same) -> None:
    p = schedule(H_split("blur_y", "x", "x", "xi", 8) >> H_vectorize("blur_y", "xi", 4), BLUR)
    assert "if 8 * x + 4 * xi + 3 < W" in str(p)
    for w in (1, 7, 9, 16):
        computes_the_same(BLUR, p, H=1, W=w)


def test_whole_groups_without_guards(computes_the_same: Same) -> None:
    p = schedule(H_split("blur_y", "y", "y", "yi", 4) >> H_partition("blur_y", "y"), BLUR)
    assert sketch(p).split("; ")[1].count("if") == 0
    assert "for yt in seq(H / 4, (H + 3) / 4)" in str(p)
    for h in (1, 4, 6):
        computes_the_same(BLUR, p, H=h, W=2)
    assert "does not count groups" in str(refusal(H_partition("blur_y", "y")))


def test_reorder_through_guards(computes_the_same: Same) -> None:
    p = schedule(H_split("blur_y", "y", "y", "yi", 4) >> H_reorder("blur_y", "yi", "x", "y"), BLUR)
    computes_the_same(BLUR, p, H=5, W=3)
    assert "no loop z" in str(refusal(H_reorder("blur_y", "x", "z")))


# -- where a stage is computed and stored -------------------------------------------------------------


def test_figure_10(computes_the_same: Same) -> None:
    """The producer is moved in loop by loop, in windows with the halo that the consumer needs."""
    tiles = H_tile("blur_y", "y", "x", "yi", "xi", 4, 8)
    p = schedule(tiles >> H_compute_at("blur_x", "blur_y", "x"), BLUR)
    assert sketch(p).count("seq y ") == 1 and sketch(p).endswith(
        "> { seq yi 6 > if > seq xi 8 > if; seq yi 4 > if > seq xi 8 > if }"
    )
    computes_the_same(BLUR, p, H=5, W=9)
    q = schedule(tiles >> H_compute_store_at("blur_x", "blur_y", "x"), BLUR)
    assert "blur_x: f32[6, 8]" in str(q)
    computes_the_same(BLUR, q, H=5, W=9)


def test_parallel_tiles_stay_parallel_with_a_buffer_each(computes_the_same: Same) -> None:
    tiles = H_tile("blur_y", "y", "x", "yi", "xi", 4, 8) >> H_parallel("blur_y", "y")
    p = schedule(tiles >> H_compute_store_at("blur_x", "blur_y", "x"), BLUR)
    assert "for y in par" in str(p)
    text = unsafe(tiles >> H_compute_at("blur_x", "blur_y", "x"))
    assert "at pixel blur_x[4, 0]" in text


def test_a_sliding_window_computes_each_row_once(computes_the_same: Same) -> None:
    p = schedule(H_compute_at("blur_x", "blur_y", "y", slide=True), BLUR)
    assert "blur_x: f32[3, W]" in str(p) and "(y + 2) % 3" in str(p)
    for h in (1, 2, 5):
        computes_the_same(BLUR, p, H=h, W=2)


def test_sliding_in_ragged_strips(computes_the_same: Same) -> None:
    op = seq_of_strips(4)
    p = schedule(op, BLUR)
    assert "for y in par(0, (H + 3) / 4)" in str(p) and "blur_x: f32[3, W]" in str(p)
    for h in (1, 4, 6):
        computes_the_same(BLUR, p, H=h, W=3)


def seq_of_strips(rows: int) -> Op:
    x, y = Func("blur_x"), Func("blur_y")
    return pipeline(
        y.split("y", "y", "yi", rows).parallel("y"),
        x.store_at(y, "y").compute_at(y, "x").vectorize("x"),
    )


def test_windows_that_move_by_two(computes_the_same: Same) -> None:
    for op in (
        H_compute_store_at("v", "low", "y"),
        H_compute_store_at("v", "low", "x"),
        H_compute_at("v", "low", "x", slide=True),
        H_split("low", "x", "x", "xi", 4) >> H_compute_store_at("v", "low", "x"),
    ):
        p = schedule(op, DOWN)
        for w in (1, 3, 5):
            computes_the_same(DOWN, p, H=2, W=w)


def test_a_stage_in_place_of_its_uses(computes_the_same: Same) -> None:
    p = schedule(H_compute_inline("blur_x"), BLUR)
    assert "blur_x" not in str(p)
    computes_the_same(BLUR, p, H=2, W=3)


def test_back_to_the_root(computes_the_same: Same) -> None:
    moved = H_compute_at("v", "low", "y")
    p = schedule(moved >> H_compute_root("v"), DOWN)
    assert sketch(p) == sketch(DOWN)
    computes_the_same(DOWN, p, H=2, W=3)
    assert schedule(H_compute_root("blur_x"), BLUR) is BLUR


def test_store_in_a_memory() -> None:
    assert "blur_x: f32[H + 2, W] @ DRAM_STACK" in str(schedule(H_store_in("blur_x", DRAM_STACK), BLUR))


# -- what is refused ----------------------------------------------------------------------------------


def test_a_ring_that_is_too_small() -> None:
    text = unsafe(H_compute_at("blur_x", "blur_y", "y", slide=True) >> H_fold_storage("blur_x", "y", 2))
    assert "not overwritten in the ring before it is read" in text
    assert "at pixel blur_x[" in text


def test_a_ring_where_all_is_computed_first() -> None:
    assert "at pixel" in unsafe(H_fold_storage("blur_x", "y", 3))


def test_parallel_over_a_carried_loop() -> None:
    text = unsafe(H_compute_at("blur_x", "blur_y", "y", slide=True) >> H_parallel("blur_y", "y"))
    assert "no two iterations of y touch one location" in text
    assert "at pixel" in text


def test_vectors_of_a_recurrence() -> None:
    text = unsafe(H_vectorize("out", "x", 4), PREFIX)
    assert "that is, at pixel out[0, 2] and out[0, 1]" in text


def test_a_buffer_stored_where_windows_share_it() -> None:
    """A window that slides needs what an earlier iteration left: the buffer cannot be new in each."""
    text = str(refusal(H_compute_at("blur_x", "blur_y", "y", slide=True) >> H_store_at("blur_x", "blur_y", "y")))
    assert "exactly one statement must use blur_x" in text


def test_windows_that_do_not_cover() -> None:
    """Rows after the last whole tile are needed by the tail, and no tile computes them."""
    cut = H_split("blur_y", "y", "y", "yi", 4, "cut") >> H_compute_at("blur_x", "blur_y", "y")
    text = unsafe(cut)
    assert "there is a tile unless the loop is empty\nthat is, at pixel blur_x[0:3, 0]" in text
    tall = unsafe(cut, schedule(add_assertion("H >= 4"), BLUR))
    assert "the last tile reaches the end of the loop" in tall


def test_windows_that_move_backwards() -> None:
    p = proc_from_source("""
def backwards(H: size, inp: f32[H + 2], out: f32[H]):
    a: f32[H + 2]
    for y in seq(0, H + 2):
        a[y] = inp[y]
    for y in seq(0, H):
        out[y] = a[H + 1 - y]
    """)
    assert "what y needs of a moves backwards" in str(refusal(H_compute_at("a", "out", "y"), p))


def test_names_that_mean_nothing() -> None:
    assert "blur_y has no loop z: its loops are y, x" in str(refusal(H_parallel("blur_y", "z")))
    assert "there is no stage blur: the stages are blur_x, blur_y" in str(refusal(H_parallel("blur", "y")))
    placed = H_compute_store_at("blur", "blur_y", "y")
    assert str(refusal(placed)).startswith(f"{placed}: there is no stage blur: the stages are blur_x, blur_y\n")
    for op in (H_store_at("blur_x", "blur_y", "z"), H_compute_at("blur_x", "blur_y", "z")):
        assert str(refusal(op)).startswith(f"{op}: blur_y has no loop z: its loops are y, x\n")
    assert "nothing computes inp" in str(refusal(H_vectorize("inp", "x", 8)))


def test_a_loop_of_the_stage_for_which_another_is_computed_is_not_that_one_s() -> None:
    tiles = H_tile("blur_y", "y", "x", "yi", "xi", 16, 32)
    placed = schedule(tiles >> H_compute_store_at("blur_x", "blur_y", "x"), BLUR)
    for op in (
        H_vectorize("blur_x", "x"),
        H_unroll("blur_x", "x", 2),
        H_split("blur_x", "x", "xo", "xn", 2),
        H_reorder("blur_x", "x", "y"),
        H_parallel("blur_x", "x"),
    ):
        told = "x is a loop of blur_y, in which blur_x is computed; blur_x's own loops are yi, xi"
        assert told in str(refusal(op, placed))
    assert "vec(0, 32)" in str(schedule(H_vectorize("blur_x", "xi"), placed))
    inner = schedule(H_compute_at("blur_x", "blur_y", "x"), BLUR)
    assert "blur_x's own loops are yi" in str(refusal(H_unroll("blur_x", "x", 2), inner))


def test_a_loop_of_two_stages_is_both_s_where_neither_is_computed_for_the_other() -> None:
    p = proc_from_source("""
def two(W: size, inp: f32[8 * W], a: f32[8 * W], b: f32[8 * W]):
    for x in seq(0, 8 * W):
        a[x] = inp[x]
        b[x] = 2.0 * inp[x]
    """)
    for stage in "ab":
        assert "for x in par(0, 8 * W):" in str(schedule(H_parallel(stage, "x"), p))


# -- stages that several others use -------------------------------------------------------------------

EDGES = proc_from_source("""
def edges(H: size, W: size, inp: f32[H + 2, W + 2], out: f32[H, W]):
    g: f32[H + 2, W + 2]
    across: f32[H, W]
    down: f32[H, W]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            g[y, x] = 2.0 * inp[y, x] + 1.0
    for y in seq(0, H):
        for x in seq(0, W):
            across[y, x] = g[y + 1, x + 2] - g[y + 1, x]
    for y in seq(0, H):
        for x in seq(0, W):
            down[y, x] = g[y + 2, x + 1] - g[y, x + 1]
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = across[y, x] * across[y, x] + down[y, x] * down[y, x]
""")
ROWS = H_compute_store_at("down", "out", "y") >> H_compute_store_at("across", "out", "y")
PIXELS = H_compute_store_at("down", "out", "x") >> H_compute_store_at("across", "out", "x")


@pytest.mark.parametrize("before", [H_vectorize("out", "x"), ROWS, PIXELS])
def test_a_stage_is_put_into_all_that_use_it(before: Op, computes_the_same: Same) -> None:
    p = schedule(before >> H_compute_inline("g"), EDGES)
    assert "g:" not in str(p) and "g[" not in str(p)
    assert str(p).count("inp[") == 4  # at each use
    for h, w in ((1, 1), (3, 5)):
        computes_the_same(EDGES, p, H=h, W=w)


def test_all_stages_put_in_leave_one_loop(computes_the_same: Same) -> None:
    everything = H_compute_inline("g") >> H_compute_inline("across") >> H_compute_inline("down")
    p = schedule(everything, EDGES)
    assert sketch(p).count("for") == 0 and len(p.find_all("for x in _: _")) == 1
    computes_the_same(EDGES, p, H=2, W=3)


def test_computed_and_stored_at_a_loop_with_all_that_use_it(computes_the_same: Same) -> None:
    p = schedule(ROWS >> H_compute_store_at("g", "out", "y"), EDGES)
    assert "g: f32[3, W + 2] @ DRAM" in str(p) and len(p.body()) == 1
    computes_the_same(EDGES, p, H=3, W=2)
    slides = schedule(ROWS >> H_compute_at("g", "out", "y", slide=True), EDGES)
    assert "g[(y + 2) % 3, x] = " in str(slides)
    computes_the_same(EDGES, slides, H=3, W=2)


def test_not_where_only_some_of_those_that_use_it_are() -> None:
    for op in (H_compute_store_at("g", "down", "y"), H_compute_at("g", "down", "y"), H_store_at("g", "down", "x")):
        assert "the two statements commute" in unsafe(op, EDGES)  # `across` needs all of it before


@pytest.mark.parametrize("before", [identity, ROWS, H_vectorize("out", "x")], ids=str)
def test_two_stages_in_one_nest(before: Op, computes_the_same: Same) -> None:
    p = schedule(before >> H_compute_with("across", "down", "x"), EDGES)
    both = p.find_loop("x #1").body()
    assert [s.name() for s in both] == ["across", "down"]  # type: ignore[attr-defined]
    computes_the_same(EDGES, p, H=3, W=5)
    assert Func("across").compute_with(Func("down"), "x").op == H_compute_with("across", "down", "x")


USED_BETWEEN = proc_from_source("""
def between(W: size, inp: f32[W], a: f32[W], b: f32[W], c: f32[W]):
    for x in seq(0, W):
        a[x] = inp[x]
    for x in seq(0, W):
        b[x] = a[W - x - 1]
    for x in seq(0, W):
        c[x] = 2.0 * inp[x]
""")


def test_the_later_nest_comes_up_where_the_earlier_cannot_wait(computes_the_same: Same) -> None:
    p = schedule(H_compute_with("a", "c", "x"), USED_BETWEEN)
    assert len(p.body()) == 2 and len(p.body()[0].body()) == 2  # type: ignore[attr-defined]
    computes_the_same(USED_BETWEEN, p, W=4)


def test_nests_that_are_not_computed_in_one() -> None:
    later = "the second loop does not touch what the first one does in a later iteration"
    assert later in unsafe(H_compute_with("a", "b", "x"), USED_BETWEEN)
    assert "no nest of across comes after one of down" in str(refusal(H_compute_with("down", "across", "x"), EDGES))
    refusal(H_compute_with("g", "across", "x"), EDGES)  # other bounds


def test_a_copy_for_one_of_them_goes_its_own_way(computes_the_same: Same) -> None:
    op = H_clone_in("g", "down", "h") >> H_compute_store_at("h", "down", "y") >> H_compute_store_at("g", "across", "y")
    p = schedule(op, EDGES)
    assert "h: f32[3, W] @ DRAM" in str(p) and "g: f32[1, W + 2] @ DRAM" in str(p)
    computes_the_same(EDGES, p, H=3, W=2)
    func = Func("g").clone_in(Func("down"), "h")
    assert func.op == H_clone_in("g", "down", "h")


def test_copies_that_are_none() -> None:
    assert "out does not use g" in str(refusal(H_clone_in("g", "out", "h"), EDGES))
    assert "nothing but out uses down" in str(refusal(H_clone_in("down", "out", "h"), EDGES))
    assert "out is the name of another variable" in str(refusal(H_clone_in("g", "down", "out"), EDGES))
    prefix = proc_from_source("""
def sums(W: size, inp: f32[W], u: f32[W], v: f32[W]):
    a: f32[W + 1]
    a[0] = 0.0
    for x in seq(0, W):
        a[x + 1] = a[x] + inp[x]
    for x in seq(0, W):
        u[x] = a[x]
    for x in seq(0, W):
        v[x] = 2.0 * a[x]
    """)
    assert "computed from its own values" in str(refusal(H_compute_inline("a"), prefix))
    for op in (H_clone_in("a", "v", "b"), H_clone_in("a", "u", "b")):
        assert refusal(op, prefix)


# -- Halide's own words -------------------------------------------------------------------------------


def test_fluent_calls_build_the_same_ops() -> None:
    x, y = Func("blur_x"), Func("blur_y")
    assert y.tile("y", "x", "yi", "xi", 4, 8).vectorize("xi", 4).parallel("y").ops == (
        H_tile("blur_y", "y", "x", "yi", "xi", 4, 8),
        H_vectorize("blur_y", "xi", 4),
        H_parallel("blur_y", "y"),
    )
    assert x.compute_at(y, "x").ops == (H_compute_store_at("blur_x", "blur_y", "x"),)
    assert x.store_at(y, "y").compute_at(y, "yi").ops == (
        H_store_at("blur_x", "blur_y", "y"),
        H_compute_at("blur_x", "blur_y", "yi", slide=True),
    )
    assert Func("a").split("x", "o", "i", 4).unroll("i").op == H_split("a", "x", "o", "i", 4) >> H_unroll("a", "i")


def test_a_func_is_a_value() -> None:
    y = Func("y")
    assert y.parallel("x") != y and y == Func("y")


@pytest.mark.parametrize("op", [H_compute_inline("a"), H_clone_in("a", "m", "b")], ids=str)
def test_a_stage_with_two_buffers_of_one_name_is_refused(op: Op) -> None:
    branch = """
        a: f32[W]
        for x in seq(0, W):
            a[x] = 2.0 * inp[x]
        for x in seq(0, W):
            out[x] = a[x]
        for x in seq(0, W):
            m[x] = a[x]"""
    head = "def foo(W: size, inp: f32[W], out: f32[W], m: f32[W]):\n    if W > 3:"
    assert "several buffers are called a" in str(op(proc_from_source(f"{head}{branch}\n    else:{branch}")).failure())
