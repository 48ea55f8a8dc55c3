"""A primitive that is defined outside of the package needs one file, and one test: this one."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from examples.own_primitive import run_backwards
from exo_strat import PRIMITIVES, Proc, lint, proc_from_source, repeat, schedule
from exo_strat.audit import replay
from exo_strat.cursors.kinds import ForCursor
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.direct import call_eqv
from exo_strat.ir import build as b
from exo_strat.logic.questions import safety
from exo_strat.ops.failure import SchedulingError
from exo_strat.primitives.framework import Where, primitive
from exo_strat.primitives.helpers.refusing import require
from exo_strat.testing import Condition, Malformed, Miscompiled, Tally, check_primitive, conditions, without
from exo_strat.testing.harness import check_primitives

ROOT = Path(__file__).parent.parent
QUOTA = 50


def test_what_is_accepted_computes_the_same_and_what_is_refuted_is_false() -> None:
    tally = Tally()

    def enough() -> bool:
        return tally.compared["run_backwards"] >= QUOTA and tally.unsafe("run_backwards") >= QUOTA

    check_primitive(run_backwards, 500, tally, enough=enough)
    assert enough(), tally


@pytest.mark.parametrize("condition", conditions(run_backwards), ids=str)
def test_without_a_condition_the_harness_finds_a_program_that_goes_wrong(condition: Condition) -> None:
    with without(condition), pytest.raises((Miscompiled, Malformed)):
        check_primitive(run_backwards, 500, Tally(), shrink=False)


def test_a_fault_among_several_primitives_is_told_by_a_small_program_for_the_one_that_has_it() -> None:
    ours, others = run_backwards, [PRIMITIVES[name] for name in ("simplify", "divide_loop", "unroll_loop")]
    with without(conditions(ours)[0]), pytest.raises((Miscompiled, Malformed)) as found:
        for program in range(500):
            check_primitives([*others, ours], program, Tally())
    assert found.value.__notes__ == ["run_backwards"]
    shown = str(found.value).partition("the original:\n")[2].partition("\n\n")[0]
    assert len(shown.splitlines()) <= 4, shown


def test_nothing_else_knows_of_it_and_all_works() -> None:
    p = proc_from_source("def foo(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0")
    q = run_backwards.direct(p, "i")
    assert "run_backwards" not in PRIMITIVES
    assert pickle.loads(pickle.dumps(run_backwards())) == run_backwards()
    assert [f.law.partition(":")[0] for f in lint(repeat(run_backwards()))] == ["R5"]
    assert [step.questions for step in replay(q)], "an audit puts its proofs to another solver, too"
    assert schedule(run_backwards(), p, p.find_loop("i")) == q


def test_its_result_is_a_procedure_of_its_own() -> None:
    p = proc_from_source("def foo(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0")
    caller: Proc = proc_from_source("def bar(x: f32[8]): foo(x)", {"foo": p})
    with pytest.raises(SchedulingError, match="not versions of one procedure"):
        call_eqv(caller, "foo(_)", run_backwards.direct(p, "i"))


def test_the_page_shows_the_file() -> None:
    (piece,) = re.findall(r"^```py\n(.*?)^```\n", (ROOT / "docs/new-primitive.md").read_text(), re.M | re.S)
    file = (ROOT / "examples/own_primitive.py").read_text()
    assert piece == file[file.index("@primitive(") :].replace("\\\\n", "\\n")


def test_the_page_lists_the_questions_and_the_edits() -> None:
    listed = set(re.findall(r"\w+", "".join(re.findall(r"`[^`\n]+`", (ROOT / "docs/new-primitive.md").read_text()))))
    asked = {n for n in safety.__all__ if n.islower()} - {"known_at"}
    edits = {n for n in vars(Rewrite) if not n.startswith("_")} - {"finish"}
    assert (asked | edits) - listed == set()


def test_what_is_declared_or_asked_wrongly_is_told_at_once() -> None:
    with pytest.raises(TypeError, match="second parameter is annotated with a kind of cursor"):
        primitive()(lambda rw, loop: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="no truth value"):
        require(True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no shape 'nst': the shapes are anything, nest"):
        check_primitive(run_backwards, 1, Tally(), ["nst"])


@primitive()
def one_more(rw: Rewrite, loop: ForCursor) -> Where:
    """A primitive that forgets its condition."""
    rw.set(loop.path, hi=b.add(loop.node.hi, b.ONE))
    return loop.path


@primitive()
def in_parallel(rw: Rewrite, loop: ForCursor) -> Where:
    """Another one."""
    rw.set(loop.path, mode="par")
    return loop.path


def test_what_it_makes_is_checked_whatever_it_forgets() -> None:
    p = proc_from_source("def foo(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0")
    assert "x[i] may be out of bounds" in str(one_more()(p, p.find_loop("i")).failure())
    assert "for i in par(0, 8):" in str(in_parallel.direct(p, "i"))
    q = proc_from_source("def foo(x: f32[8]):\n    for i in seq(0, 7):\n        x[i + 1] = x[i]")
    assert "no two iterations of i touch one location" in str(in_parallel()(q, q.find_loop("i")).failure())
