"""The solver against brute force over small domains, and on questions of the kind that schedules ask."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat.ir.names import Sym
from exo_strat.logic.forms.affine import OTHER
from exo_strat.logic.forms.formula import (
    FALSE,
    TRUE,
    BoolAtom,
    Formula,
    Lin,
    Opaque,
    V,
    atoms,
    between,
    conj,
    disj,
    eq,
    evaluate,
    ge,
    gt,
    iff,
    implies,
    le,
    lt,
    ne,
    neg,
    product,
)
from exo_strat.logic.solver import omega, z3engine
from exo_strat.logic.solver.problem import encode
from exo_strat.logic.solver.proofs import (
    Proved,
    Refuted,
    Sat,
    Unknown,
    Unsat,
    prove,
    prove_exists,
    recording,
    satisfiable,
)

Vi, Vj, Vk, Vn, Vm = (V(Sym(n, k)) for k, n in enumerate("ijkNM", 1))
i, j, k, n, m = map(Lin.of, (Vi, Vj, Vk, Vn, Vm))
B, C = BoolAtom("b"), BoolAtom("c")

LO, HI = -3, 3
BOX = [between(LO, x, HI + 1) for x in (i, j, k)]
WORLDS = [
    dict(zip((Vi, Vj, Vk, B), w, strict=True))
    for w in itertools.product(range(LO, HI + 1), range(LO, HI + 1), range(LO, HI + 1), (False, True))
]

small = st.integers(-5, 5)


def linear() -> st.SearchStrategy[Lin]:
    affine = st.builds(lambda a, b, c, d: i * a + j * b + k * c + d, small, small, small, small)
    divided = st.builds(lambda x, c, q: x.div(c) if q else x.mod(c), affine, st.integers(1, 4), st.booleans())
    return st.one_of(affine, divided, st.builds(lambda x, y: x + y, affine, divided))


def formulas(leaves: int = 5) -> st.SearchStrategy[Formula]:
    compare = st.sampled_from([ge, gt, le, lt, eq, ne])
    leaf = st.one_of(st.builds(lambda f, a, b: f(a, b), compare, linear(), linear()), st.just(B))
    return st.recursive(
        leaf, lambda f: st.one_of(st.builds(conj, f, f), st.builds(disj, f, f), st.builds(neg, f)), max_leaves=leaves
    )


@settings(deadline=None)
@given(st.lists(formulas(), min_size=1, max_size=3))
def test_satisfiable_is_brute_force(fs: list[Formula]) -> None:
    answer = satisfiable([*BOX, *fs])
    expected = any(all(evaluate(f, w) for f in fs) for w in WORLDS)
    assert isinstance(answer, Sat if expected else Unsat)
    if isinstance(answer, Sat):
        assert all(evaluate(f, answer.model) for f in [*BOX, *fs])


@settings(deadline=None)
@given(st.lists(formulas(3), max_size=2), formulas(4))
def test_prove_is_brute_force(facts: list[Formula], goal: Formula) -> None:
    answer = prove([*BOX, *facts], goal)
    expected = all(evaluate(goal, w) for w in WORLDS if all(evaluate(f, w) for f in facts))
    assert isinstance(answer, Proved if expected else Refuted)
    if isinstance(answer, Refuted):
        assert all(evaluate(f, answer.model) for f in [*BOX, *facts])
        assert not evaluate(goal, answer.model)


strides = [Lin.of(Opaque(("stride", d))) for d in range(3)]
definitions = st.builds(eq, st.sampled_from(strides), st.sampled_from([i, n, n + 1, *strides]))


@settings(deadline=None)
@given(st.lists(formulas(2) | definitions, max_size=4), st.builds(ne, st.sampled_from(strides), small) | formulas(2))
def test_sorting_out_the_facts_changes_no_answer(facts: list[Formula], goal: Formula) -> None:
    """Facts are put into groups before the question is known, and those that only define an unknown aside."""
    answer, whole = prove([*BOX, *facts], goal), satisfiable([neg(goal), *BOX, *facts])
    assert isinstance(answer, Proved if isinstance(whole, Unsat) else Refuted)
    if isinstance(answer, Refuted):
        assert all(evaluate(f, answer.model) for f in [*BOX, *facts])
        assert not evaluate(goal, answer.model)


def test_facts_that_contradict_each_other_prove_what_they_do_not_mention() -> None:
    assert prove([ge(i, 1), le(i, 0), ge(j, 0)], ge(j, 1)) == Proved()
    assert prove([eq(strides[0], 1), eq(strides[0], 2)], ge(j, 1)) == Proved()


@settings(deadline=None)
@given(st.lists(formulas(4), min_size=1, max_size=4))
def test_the_small_procedure_agrees_with_z3(fs: list[Formula]) -> None:
    problem, _ = encode([f for f in fs if f not in (TRUE, FALSE)])
    mine, theirs = omega.solve(problem), z3engine.solve(problem)
    assert mine is None or theirs is None or (mine is False) == (theirs is False)


@settings(deadline=None)
@given(st.lists(formulas(2), max_size=1), formulas(4))
def test_prove_exists_is_brute_force(facts: list[Formula], goal: Formula) -> None:
    facts = [f for f in facts if Vk not in atoms(f)]
    inside = conj(goal, between(LO, k, HI + 1))
    answer = prove_exists([*BOX[:2], *facts], [Vk], inside)
    expected = all(
        any(evaluate(goal, {**w, Vk: z}) for z in range(LO, HI + 1))
        for w in WORLDS
        if w[Vk] == 0 and all(evaluate(f, w) for f in facts)
    )
    if isinstance(answer, Proved):
        assert expected
    if isinstance(answer, Refuted):
        assert not any(evaluate(goal, {**answer.model, Vk: z}) for z in range(LO, HI + 1))
        assert all(evaluate(f, answer.model) for f in facts)


class TestProve:
    def test_a_tail_stays_inside(self) -> None:
        facts = [ge(n, 1), between(0, i, n.div(8)), between(0, j, 8)]
        assert prove(facts, between(0, i * 8 + j, n)) == Proved()

    def test_a_missing_guard_is_shown_with_small_values(self) -> None:
        answer = prove([ge(n, 1), between(0, i, (n + 7).div(8)), between(0, j, 8)], lt(i * 8 + j, n))
        assert answer == Refuted({Vi: 0, Vj: 1, Vn: 1})

    def test_remainders_of_negative_numbers_are_not_negative(self) -> None:
        assert prove([lt(i, 0)], between(0, i.mod(4), 4)) == Proved()
        assert prove([], eq(i.div(4) * 4 + i.mod(4), i)) == Proved()

    def test_tiles_are_disjoint(self) -> None:
        i2, j2 = Lin.of(V(Vi.sym, OTHER)), Lin.of(V(Vj.sym, OTHER))
        facts = [between(0, j, 4), between(0, j2, 4), eq(i * 4 + j, i2 * 4 + j2)]
        assert prove(facts, conj(eq(i, i2), eq(j, j2))) == Proved()

    def test_contradictory_facts_prove_all_even_if_unconnected(self) -> None:
        assert prove([ge(n, 1), le(n, 0)], ge(i, j)) == Proved()
        assert prove([ge(n, 1), le(n, 0)], FALSE) == Proved()

    def test_a_model_covers_facts_that_share_nothing_with_the_goal(self) -> None:
        assert prove([ge(n, 5)], ge(i, 0)) == Refuted({Vi: -1, Vn: 5})

    def test_truth_values(self) -> None:
        assert prove([implies(B, ge(i, 1)), B], ge(i, 0)) == Proved()
        assert prove([iff(B, C), B], C) == Proved()
        assert prove([], disj(B, neg(C))) == Refuted({B: False, C: True})

    def test_no_integer_lies_between(self) -> None:
        assert prove([ge(i * 3 + j * 6, 1), le(i * 3 + j * 6, 2)], FALSE) == Proved()

    def test_equations_without_a_unit_coefficient(self) -> None:
        assert prove([eq(i * 6 + j * 10, k * 15)], eq(k.mod(2), 0)) == Proved()
        assert isinstance(satisfiable([eq(i * 6 + j * 10 + k * 15, 1)]), Sat)

    def test_a_product_is_the_same_product(self) -> None:
        assert prove([lt(i, product(n, m))], lt(i, product(m, n))) == Proved()

    def test_a_counterexample_computes_its_products(self) -> None:
        answer = prove([ge(n, 1), ge(m, 1)], ge(product(n, m), 2))
        assert answer == Refuted({Vn: 1, Vm: 1})

    def test_products_of_sizes_are_positive(self) -> None:
        assert prove([ge(n, 1), ge(m, 1)], ge(product(n, m), 1)) == Proved()
        assert prove([ge(n, 1), ge(m, 2)], gt(product(product(n, m), n), 0)) == Proved()

    def test_flattened_indices_stay_inside(self) -> None:
        facts = [between(0, i, n), between(0, j, m)]
        assert prove(facts, between(0, product(i, m) + j, product(n, m))) == Proved()
        answer = prove([*facts, le(n, 2), le(m, 2)], lt(product(i, m) + j, product(n, m) - 1))
        assert isinstance(answer, Refuted)

    def test_no_counterexample_with_a_wrong_product(self) -> None:
        assert prove([ge(n, 1)], ge(product(n, n), n * 3 - 2)) == Unknown("it depends on products of unknowns")

    def test_strides_that_nobody_asks_for_are_given_values(self) -> None:
        x, y = (Lin.of(Opaque(("stride", name))) for name in "xy")
        answer = prove([eq(y, product(n, m)), eq(x, y + 1), ge(n, 1), ge(m, 2)], ge(n, 3))
        assert isinstance(answer, Refuted)
        assert answer.model == {Vn: 1, Vm: 2, Opaque(("stride", "x")): 3, Opaque(("stride", "y")): 2}


class TestProveExists:
    def test_same_form(self) -> None:
        assert prove_exists([between(0, i, n)], [Vj], conj(between(0, j, n), eq(j, i))) == Proved()

    def test_quotient_and_remainder(self) -> None:
        goal = conj(between(0, j, n), between(0, k, 4), eq(j * 4 + k, i))
        assert prove_exists([between(0, i, n * 4)], [Vj, Vk], goal) == Proved()

    def test_a_tail_is_not_covered(self) -> None:
        goal = conj(between(0, j, n.div(4)), between(0, k, 4), eq(j * 4 + k, i))
        answer = prove_exists([between(0, i, n)], [Vj, Vk], goal)
        assert answer == Refuted({Vi: 0, Vn: 1})

    def test_two_writers_cover_together(self) -> None:
        main = conj(between(0, j, n.div(4)), between(0, k, 4), eq(j * 4 + k, i))
        tail = conj(between(0, j, n.mod(4)), eq(j + n.div(4) * 4, i))
        assert prove_exists([between(0, i, n)], [Vj, Vk], disj(main, tail)) == Proved()

    def test_parity(self) -> None:
        assert prove_exists([eq(i.mod(2), 0)], [Vj], eq(j * 2, i)) == Proved()
        assert isinstance(prove_exists([], [Vj], eq(j * 2, i)), Refuted)

    def test_z3_finds_what_has_no_evident_witness(self) -> None:
        goal = conj(eq(j.mod(3), 0), between(i, j, i + 3))
        assert prove_exists([], [Vj], goal) == Proved()

    def test_facts_do_not_mention_what_may_be_chosen(self) -> None:
        with pytest.raises(ValueError, match="must not mention"):
            prove_exists([ge(j, 0)], [Vj], eq(j, i))


def test_questions_are_counted_only_while_recording() -> None:
    renamed, above = V(Sym("renamed", 77)), Lin.of(V(Sym("above", 78)))
    with recording() as stats:
        for x in (Vi, Vj, renamed):
            prove([ge(Lin.of(x), 12345), ge(above, Lin.of(x))], ge(above, 12344))
    assert (stats.asked, stats.omega, stats.z3) == (3, 1, 0)


def test_what_a_fact_says_is_not_asked() -> None:
    x = Lin.of(Vi) * 2 - Lin.of(Vj)
    with recording() as stats:
        for c in (7, 6, -3):
            assert prove([ge(x, 7), ge(x, 5)], ge(x, c)) == Proved()
    assert stats.asked == 0
    assert isinstance(prove([ge(x, 7), ge(x, 5)], ge(x, 8)), Refuted)


SCRIPT = """
from exo_strat.ir.names import Sym
from exo_strat.logic.forms.formula import *
from exo_strat.logic.solver.proofs import prove
x, y, z = (Lin.of(V(Sym(c, k))) for k, c in enumerate("xyz"))
for c in range(2, 5):
    print(prove([between(0, x, 40)], ne(x * 7 + y.div(c) * 3 - z.mod(5) * 11, 17)))
    print(prove([ge(x, 0)], conj(lt(x.div(c), y), ne(y.mod(c), 1))))
"""


def test_answers_do_not_depend_on_the_process() -> None:
    runs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


@given(st.lists(st.integers(-4, 4), max_size=8), st.integers(-6, 0), st.integers(0, 6), st.integers(-1, 1))
def test_a_sum_may_be_kept_from_many_values(gaps: list[int], lo: int, hi: int, of_j: int) -> None:
    x = i + j * of_j
    answer = satisfiable([ge(i, lo), le(i, hi), ge(j, 0), le(j, 1), *[ne(x, v) for v in gaps]])
    values = {a + of_j * b for a in range(lo, hi + 1) for b in (0, 1)}
    assert isinstance(answer, Sat) == bool(values - set(gaps))


def test_a_chain_of_unequal_numbers_is_decided_without_z3() -> None:
    with recording() as stats:
        assert isinstance(prove([ge(n, 1), *[ne(n, k) for k in range(1, 200)]], gt(n, 199)), Proved)
        assert isinstance(prove([ge(n, 1), *[ne(n, k) for k in range(1, 200)]], eq(n, 200)), Refuted)
    assert stats.asked == 2 and stats.z3 == 0
