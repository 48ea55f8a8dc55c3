"""Testing strategies of one's own, and the count of what was accepted."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import strategies as st
from returns.result import Success

from exo_strat import ForCursor, Script, at, attempt, divide_loop, fail, fuse, simplify, strategy
from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir.nodes import For
from exo_strat.ir.walk import walk
from exo_strat.ops.strategy import Atomic, Outcome
from exo_strat.ops.traversals import try_everywhere_bu
from exo_strat.testing import Miscompiled, Tally, check_op, check_strategy, every, examples


class DropLast(Atomic):
    """A rewrite that is wrong: runs the first loop once less. (No primitive could do this.)"""

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        rw = Rewrite(p)
        for path, n in walk(p.tree):
            if isinstance(n, For):
                rw.set(path, lo=n.hi)
                break
        q = rw.finish(self, ())
        return Success((q, q.root()))


def test_a_strategy_that_keeps_the_meaning_passes() -> None:
    op = divide_loop(2, ("io", "ii"), tail="guard") >> attempt(simplify())
    tally = check_strategy(op, at=every(ForCursor), max_examples=30)
    assert tally.compared[str(op)] > 10


def test_a_strategy_that_does_not_is_refuted_by_a_small_program() -> None:
    with pytest.raises(Miscompiled) as e:
        check_strategy(DropLast(), max_examples=50)
    original = str(e.value).partition("the original:\n")[2].partition("\n\n")[0]
    assert len(original.splitlines()) <= 4, original


def counted(n: int) -> Proc:
    return proc_from_source(f"def foo(x: f32):\n    for i in seq(0, {n}):\n        x += 1.0")


@pytest.mark.parametrize("programs", [None, st.integers(20, 40).filter(lambda n: n > 22).map(counted)])
def test_the_search_for_a_smaller_program_can_be_left_out(programs: st.SearchStrategy[Proc] | None) -> None:
    """One that is not made smaller takes a program or two; the search, many."""
    tried: list[Proc] = []

    class Counting(DropLast):
        def apply(self, p: Proc, c: Cursor) -> Outcome:
            tried.append(p)
            return super().apply(p, c)

    def tries(shrink: bool) -> int:
        tried.clear()
        with pytest.raises(Miscompiled):
            check_strategy(Counting(), programs, max_examples=20, shrink=shrink)
        return len(tried)

    assert tries(shrink=False) < tries(shrink=True)


def test_the_soak_runs_tests_that_draw_inside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    assert request.node.get_closest_marker("hypothesis")
    assert examples(60) == 60 or "EXO_STRAT_EXAMPLES" in os.environ
    monkeypatch.setenv("EXO_STRAT_EXAMPLES", "10000")
    assert examples(60) == 6000


def test_a_test_that_tests_nothing_is_refused() -> None:
    with pytest.raises(AssertionError, match="succeeded on 0 programs"):
        check_strategy(fail(), max_examples=5)


def test_a_primitive_that_was_not_called_is_no_strategy() -> None:
    with pytest.raises(TypeError, match="takes an Op, not simplify: call it"):
        check_strategy(simplify)  # type: ignore[arg-type]


def test_programs_of_ones_own() -> None:
    p = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 0.0")
    tally = check_strategy(try_everywhere_bu(simplify()), st.just(p), max_examples=3)
    assert sum(tally.compared.values()) >= 1


def test_the_tally_counts_by_kind_of_failure() -> None:
    p = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 0.0\n    x[0] = 1.0")
    tally = Tally()
    assert check_op(fuse(p.body()[1]), p, p.body()[0], tally, "fuse") is None
    q = check_op(divide_loop(2, ("io", "ii"), tail="perfect"), p, p.body()[0], tally, "divide_loop")
    assert q is not None and tally.refusals("fuse") == 1
    rows, _, why = str(tally).partition("fuse was never accepted:\n")
    assert [line.split() for line in rows.splitlines()[1:]] == [
        ["divide_loop", "1", "1", "-"],
        ["fuse", "0", "0", "1", "NotApplicable"],
    ]
    assert why.startswith("     1 times: fuse(")


@strategy
def tile_rows(p: Proc, c: Cursor) -> Script:
    """A strategy for a program of its own: it names the loops."""
    yield at("for row in _: _", divide_loop(4, ("a", "b"), tail="cut")) | at("for i in _: _", fail("too narrow"))
    return None


def test_a_strategy_that_never_applies_says_why() -> None:
    wide = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 0.0")
    other = proc_from_source("def foo(x: f32[4]):\n    for j in seq(0, 4):\n        x[j] = 0.0\n    x[0] = 1.0")
    with pytest.raises(AssertionError) as e:
        check_strategy(tile_rows(), st.sampled_from([wide, other]), max_examples=20)
    text = str(e.value)
    assert "tile_rows() succeeded on 0 programs" in text and "tile_rows() was never accepted:" in text
    assert "times: nav(moves.find('for row in _: _')): nothing matches 'for row in _: _' in foo\n" in text
    assert "times: fail('too narrow'): too narrow\n" in text
    shown = "    --> def foo(x: f32[4] @ DRAM):\n            for i in seq(0, 4):\n                x[i] = 0.0"
    assert text.endswith(shown)
    assert text.count("def foo") == 1


def test_the_kernel_alone_does_not_import_hypothesis() -> None:
    code = "import sys, exo_strat, exo_strat.direct, exo_strat.interp; sys.exit('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
