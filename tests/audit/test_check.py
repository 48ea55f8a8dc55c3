"""A planted wrong answer is reported; a solver that gives up or can't read a file confirms nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from exo_strat import proc_from_source, reorder_loops, schedule
from exo_strat.audit import (
    Finding,
    NoSecondSolverError,
    Obligation,
    Replayed,
    cvc5,
    distinct,
    recheck,
    write,
)
from exo_strat.audit import replay as replayed
from exo_strat.ir.names import Sym
from exo_strat.logic.forms.formula import Formula, Lin, V, conj, eq, ge, gt, lt, product
from exo_strat.logic.solver import proofs as solver
from exo_strat.logic.solver.answers import Proved, Question, Refuted, Unknown

VI, VN, VQ = V(Sym("i", 1)), V(Sym("n", 2)), V(Sym("q", 3))
i, n, q = map(Lin.of, (VI, VN, VQ))

SWEEP = """
def sweep(n: size, a: f32[n + 1, n + 1]):
    for i in seq(0, n):
        for j in seq(0, n):
            a[i + 1, j] = a[i, j + 1]
"""


def asked(*questions: Question) -> tuple[Obligation, ...]:
    return distinct([Replayed("foo", 1, "fuse('for j in _: _')", "for i in seq(0, n):", questions)])


def outcomes(*questions: Question) -> list[str]:
    pytest.importorskip("cvc5")
    return [f.outcome for f in recheck(asked(*questions), cvc5())]


BOUNDS: tuple[Formula, ...] = (ge(n, 1), ge(i, 0), lt(i, n))
INSIDE = Question(BOUNDS, lt(i, n + 1), (), Proved(), "the index is inside")
OUTSIDE = Question(BOUNDS, lt(i + 1, n), (), Refuted({VI: 0, VN: 1}), "the next index is inside")


def test_what_is_right_is_confirmed() -> None:
    assert outcomes(INSIDE, OUTSIDE) == ["confirmed", "confirmed"]


def test_a_wrong_proof_and_a_wrong_counterexample_are_disagreements() -> None:
    proved, refuted = replace(OUTSIDE, answer=Proved()), replace(INSIDE, answer=Refuted({VI: 0, VN: 1}))
    impossible = replace(OUTSIDE, answer=Refuted({VI: 5, VN: 1}))
    assert outcomes(proved, refuted, impossible) == ["disagrees"] * 3


def test_witnesses_are_found_or_shown_not_to_exist() -> None:
    parts = conj(eq(q * 4 + i, n), ge(i, 0), lt(i, 4))
    split = Question((ge(n, 0),), parts, (VQ, VI), Proved())
    assert outcomes(split) == ["confirmed"]
    assert outcomes(replace(split, goal=conj(parts, gt(i, 0)))) == ["disagrees"]


def test_divisibility_needs_no_bounds() -> None:
    assert outcomes(Question((eq(n.mod(4), 0),), eq(n.mod(2), 0), (), Proved())) == ["confirmed"]


def test_what_neither_can_do_is_unknown() -> None:
    cubes = product(i, product(i, i)) + product(n, product(n, n)) + product(q, product(q, q))
    assert outcomes(Question((eq(cubes, 42),), lt(i, i - 1), (), Proved())) == ["unknown"]


def test_what_our_solver_left_open_is_no_obligation() -> None:
    assert asked(replace(INSIDE, answer=Unknown("its limit"))) == ()


def test_a_file_that_cannot_be_read_disagrees() -> None:
    pytest.importorskip("cvc5")
    (o,) = asked(INSIDE)
    said = cvc5().answer("(set-logic QF_LIA)\n(assert (> x 0))\n(check-sat)\n")
    assert said.startswith("error: ")
    assert Finding(o, said).outcome == "disagrees"
    assert Finding(o, "").outcome == "disagrees"
    assert Finding(o, "unsat\nunsat").outcome == "disagrees"


@pytest.fixture
def broken_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The kernel's quick tests find that nothing can ever hold."""
    memos = (solver._prove, solver._solve_group, solver._decide)
    for memo in memos:
        memo.cache_clear()
    monkeypatch.setattr("exo_strat.logic.solver.omega.solve", lambda problem: False)
    yield
    for memo in memos:
        memo.cache_clear()


def test_a_bug_in_the_quick_tests_is_seen(broken_engine: None) -> None:
    pytest.importorskip("cvc5")
    sweep = proc_from_source(SWEEP)
    wrong = schedule(reorder_loops(), sweep, sweep.find_loop("i"))  # type: ignore[arg-type]
    found = [f for f in recheck(distinct(replayed(wrong)), cvc5()) if f.outcome == "disagrees"]
    assert [f.obligation.claim for f in found] == ["iterations of i and j that change places commute"]
    assert str(found[0].obligation.step) == "rewrite 1 of sweep: reorder_loops() at `for i in seq(0, n):`"
    assert found[0].said == "sat"


def test_without_cvc5_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvc5", None)
    with pytest.raises(NoSecondSolverError, match=r"pip install 'exo-strat\[audit\]'"):
        cvc5()


# -- files --------------------------------------------------------------------------------------------


def test_each_question_is_one_file_that_says_what_it_is(tmp_path: Path) -> None:
    again = replace(INSIDE, obligation="asked for another reason")
    files = write(asked(INSIDE, OUTSIDE, again), tmp_path / "new" / "folder")
    assert [f.name for f in files] == ["1-foo-fuse.smt2", "2-foo-fuse.smt2"]
    first, second = (f.read_text() for f in files)
    assert first.splitlines()[:4] == [
        "; exo-strat audit: rewrite 1 of foo: fuse('for j in _: _') at `for i in seq(0, n):`",
        "; obligation: the index is inside",
        "; expected: unsat, as this was proved",
        "; asked: 2 times, first here",
    ]
    assert "; expected: sat, as this was refuted by the values asserted last" in second
    for text in (first, second):
        for part in ("(set-logic ", "(declare-const ", "(assert ", "(check-sat)"):
            assert part in text


def test_files_of_an_earlier_audit_go_and_those_of_the_user_stay(tmp_path: Path) -> None:
    write(asked(INSIDE, OUTSIDE), tmp_path)
    mine = tmp_path / "mine.smt2"
    mine.write_text("; my own\n(check-sat)\n")
    write(asked(OUTSIDE), tmp_path)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["1-foo-fuse.smt2", "mine.smt2"]


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Agrees:
        name = "yes"

        def answer(self, text: str) -> str:
            return "unsat"

    seen: list[tuple[int, int]] = []
    recheck(asked(INSIDE, OUTSIDE), Agrees(), lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
