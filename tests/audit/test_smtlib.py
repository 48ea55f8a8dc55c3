"""The translation to SMT-LIB, against `evaluate` on random models, as Z3's and cvc5's own readers see it."""

from __future__ import annotations

import itertools

import pytest
import z3  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat.audit import canonical, expected, script
from exo_strat.audit.check import Cvc5
from exo_strat.ir.names import Sym
from exo_strat.logic.forms.affine import OTHER
from exo_strat.logic.forms.formula import (
    FALSE,
    TRUE,
    Atom,
    BoolAtom,
    Formula,
    Leaf,
    Lin,
    Opaque,
    Quot,
    V,
    between,
    conj,
    disj,
    eq,
    evaluate,
    ge,
    gt,
    le,
    lt,
    ne,
    neg,
    product,
)
from exo_strat.logic.solver.answers import Proved, Question, Refuted, Unknown

VI, VJ, VK = V(Sym("i", 1)), V(Sym("i", 1), OTHER), V(Sym("k", 2), "@")
STRIDE = Opaque(("stride", Sym("x", 3), 0))
FLAG = BoolAtom(("bool", Sym("flag", 4)))
i, j, k, stride = map(Lin.of, (VI, VJ, VK, STRIDE))
UNKNOWNS: tuple[Leaf, ...] = (VI, VJ, VK, STRIDE, FLAG)


def z3_says(text: str) -> str:
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


def cvc5_says(text: str) -> str:
    pytest.importorskip("cvc5")
    return Cvc5("cvc5").answer(text)


small = st.integers(-6, 6)


def numbers() -> st.SearchStrategy[Lin]:
    """Affine forms with quotients, remainders and products inside each other."""
    base = st.one_of(small.map(Lin), st.sampled_from([i, j, k, stride]))
    return st.recursive(
        base,
        lambda x: st.one_of(
            st.builds(lambda a, b: a + b, x, x),
            st.builds(lambda a, c: a * c, x, small),
            st.builds(lambda a, c: a.div(c), x, st.integers(1, 5)),
            st.builds(lambda a, c: a.mod(c), x, st.integers(1, 5)),
            st.builds(product, x, x),
        ),
        max_leaves=5,
    )


def formulas() -> st.SearchStrategy[Formula]:
    compare = st.sampled_from([ge, gt, le, lt, eq, ne])
    leaf = st.one_of(st.builds(lambda f, a, b: f(a, b), compare, numbers(), numbers()), st.just(FLAG))
    return st.recursive(
        leaf, lambda f: st.one_of(st.builds(conj, f, f), st.builds(disj, f, f), st.builds(neg, f)), max_leaves=5
    )


def worlds() -> st.SearchStrategy[dict[Leaf, int | bool]]:
    values = st.tuples(*[st.integers(-9, 9)] * 4, st.booleans())
    return values.map(lambda w: dict(zip(UNKNOWNS, w, strict=True)))


@given(formulas(), worlds())
def test_a_fact_holds_in_a_model_exactly_if_it_evaluates_to_true(f: Formula, w: dict[Leaf, int | bool]) -> None:
    text = script(Question((f,), FALSE, (), Refuted(w)))
    assert z3_says(text) == ("sat" if evaluate(f, w) else "unsat")


@given(formulas(), worlds())
def test_a_goal_fails_in_a_model_exactly_if_it_evaluates_to_false(f: Formula, w: dict[Leaf, int | bool]) -> None:
    text = script(Question((), f, (), Refuted(w)))
    assert z3_says(text) == ("unsat" if evaluate(f, w) else "sat")


@given(formulas(), worlds())
def test_cvc5_reads_the_same(f: Formula, w: dict[Leaf, int | bool]) -> None:
    text = script(Question((f,), FALSE, (), Refuted(w)))
    assert cvc5_says(text) == ("sat" if evaluate(f, w) else "unsat")


@settings(max_examples=40)
@given(formulas(), st.integers(-2, 2), st.integers(-2, 2), st.booleans())
def test_what_may_be_chosen_is_quantified(f: Formula, a: int, b: int, flag: bool) -> None:
    near = conj(f, between(-2, j, 3), between(-2, k, 3))
    fixed: dict[Leaf, int | bool] = {VI: a, STRIDE: b, FLAG: flag}
    possible = any(evaluate(f, {**fixed, VJ: x, VK: y}) for x, y in itertools.product(range(-2, 3), repeat=2))
    text = script(Question((), near, (VJ, VK), Refuted(fixed)))
    assert z3_says(text) == ("unsat" if possible else "sat")


@pytest.mark.parametrize("x", [-9, -8, -7, -1, 0, 1, 7, 8])
def test_a_quotient_is_the_floor(x: int) -> None:
    claim = eq(i.div(4), x // 4)
    assert z3_says(script(Question((eq(i, x),), claim, (), Proved()))) == "unsat"
    assert z3_says(script(Question((eq(i, x),), eq(i.div(4), x // 4 + 1), (), Proved()))) == "sat"


def test_a_quotient_by_what_is_not_positive_is_refused() -> None:
    with pytest.raises(ValueError, match="positive divisors"):
        script(Question((), eq(Lin.of(Quot(i, 0)), 0), (), Proved()))


def test_what_is_expected_follows_from_the_answer() -> None:
    asked = [Question((), ge(i, 0), (), a) for a in (Proved(), Refuted({VI: -1}), Unknown("its limit"))]
    assert [expected(q) for q in asked] == ["unsat", "sat", None]
    assert not any("unsat" in script(q) for q in asked), "the second solver is not told"


def test_a_wrong_counterexample_is_seen() -> None:
    assert z3_says(script(Question((), ge(i, 0), (), Refuted({VI: -1})))) == "sat"
    assert z3_says(script(Question((), ge(i, 0), (), Refuted({VI: 1})))) == "unsat"


@pytest.mark.parametrize(
    ("f", "chosen", "logic"),
    [
        (ge(i, 0), (), "QF_LIA"),
        (ge(i.div(2), 0), (), "QF_LIA"),
        (ge(product(i, j), 0), (), "QF_NIA"),
        (ge(i, j), (VJ,), "LIA"),
        (ge(i.div(2), j), (VJ,), "LIA"),
        (ge(product(i, i), j), (VJ,), "NIA"),
        (ge(i, 0), (VJ,), "QF_LIA"),
        (TRUE, (), "QF_LIA"),
    ],
)
def test_the_logic_is_the_smallest_that_has_all_that_is_used(f: Formula, chosen: tuple[Atom, ...], logic: str) -> None:
    assert f"(set-logic {logic})\n" in script(Question((), f, chosen, Proved()))


def test_unknowns_keep_their_names_and_never_share_one() -> None:
    odd = [Opaque("a|b"), Opaque("a!b"), Opaque("a\\b"), V(Sym("i", 1)), Opaque("i_1"), V(Sym("i", 1), "@@")]
    text = script(Question((conj(*[eq(Lin.of(a), n) for n, a in enumerate(odd)]),), FALSE, (), Proved()))
    declared = [line.split("|")[1] for line in text.splitlines() if line.startswith("(declare")]
    assert sorted(declared) == sorted({"a!b", "a!b #2", "a/b", "i_1", "i_1 #2", "i_1@@"})
    assert z3_says(text) == "sat", "six unknowns of six values"


def test_comments_cannot_end_early() -> None:
    text = script(Question((), FALSE, (), Proved()), ["two\nlines (check-sat)"])
    assert text.startswith("; two\n; lines (check-sat)\n")


def test_questions_that_differ_in_names_only_are_one() -> None:
    def asked(x: V, y: V, c: int = 1) -> Question:
        return Question((ge(Lin.of(x), 0),), ge(Lin.of(x) + Lin.of(y), c), (), Proved())

    one = asked(VI, VJ)
    assert canonical(one) == canonical(asked(VK, V(Sym("other", 9))))
    assert canonical(one) != canonical(asked(VI, VJ, 2))
    assert canonical(one) != canonical(asked(VI, VI))
    refuted = Question(one.facts, one.goal, (), Refuted({VI: 0, VJ: 0}))
    assert canonical(one) != canonical(refuted), "both are checked: one of the two is wrong"
