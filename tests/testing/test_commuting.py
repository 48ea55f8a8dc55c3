"""Whether Ops commute, join or diverge, and the smallest program on which they don't."""

from __future__ import annotations

from hypothesis import strategies as st

from exo_strat import (
    ForCursor,
    Proc,
    divide_loop,
    expect,
    fail,
    moves,
    proc_from_source,
    reframe,
    rename,
    reorder_loops,
    sketch,
    unroll_loop,
)
from exo_strat.ops.traversals import loops
from exo_strat.testing import commutes, every


def nest(n: int, m: int) -> Proc:
    return proc_from_source(f"""
def nest(x: f32[{n}, {m}], y: f32[{m}]):
    for i in seq(0, {n}):
        for j in seq(0, {m}):
            x[i, j] = 0.0
    for k in seq(0, {m}):
        y[k] = 1.0
""")


NESTS = st.builds(nest, st.integers(1, 9), st.integers(1, 9))
FIRST, SECOND = (divide_loop(2, names, tail="guard") for names in (("io", "ii"), ("ko", "ki")))


def test_ops_at_different_places_commute() -> None:
    first, second = (reframe(moves.body >> moves.nth(n), op) for n, op in ((0, FIRST), (1, SECOND)))
    found = commutes(first, second, NESTS, max_examples=10)
    assert found and found.verdict == "commute" and found.witness is None
    assert found.counts["commute"] == sum(found.counts.values()) >= 5
    assert "commute (" in str(found)


def test_ops_that_undo_each_other_in_time_join() -> None:
    found = commutes(rename("one"), rename("other"), NESTS, max_examples=5)
    assert not found and found.verdict == "join"
    w = found.witness
    assert w is not None and w.ab is not None and w.ba is not None
    assert (w.ab.name(), w.ba.name()) == ("other", "one")


def test_ops_that_diverge_have_a_smallest_witness() -> None:
    found = commutes(FIRST, reorder_loops(), NESTS, at=lambda p: list(loops(p.root()))[:1], max_examples=10)
    assert found.verdict == "diverge"
    w = found.witness
    assert w is not None and w.ab is not None and w.ba is not None
    assert str(w.program) == str(nest(1, 1))
    assert sketch(w.ab).startswith("seq ii 2 > seq io 1") or expect("...")(w.ab).unwrap()
    assert w.ab != w.ba
    text = str(found)
    assert "-->     for i in seq(0, 1):" in text
    assert "divide_loop(2, ('io', 'ii')), then reorder_loops() at the same place, gives" in text


def test_an_order_may_be_refused() -> None:
    found = commutes(unroll_loop(), FIRST, NESTS, at=every(ForCursor), max_examples=5)
    assert found.verdict == "diverge" and found.witness is not None
    assert found.witness.ab is None
    assert "unroll_loop(), then divide_loop(2, ('io', 'ii')) at the same place, does not apply" in str(found)


def test_ops_that_never_meet_say_nothing() -> None:
    found = commutes(rename("one"), fail("no"), NESTS, max_examples=5)
    assert found.verdict is None and not found
    assert "never applied at one place" in str(found)


def test_random_programs_are_drawn_if_none_are_given() -> None:
    found = commutes(rename("one"), FIRST, at=every(ForCursor), max_examples=5)
    assert found and str(found) == str(commutes(rename("one"), FIRST, at=every(ForCursor), max_examples=5))
