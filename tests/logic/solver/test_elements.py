"""What follows for some elements of a buffer from what is stated of all."""

from __future__ import annotations

from itertools import product

import pytest

from exo_strat.ir.names import Sym
from exo_strat.logic.forms.formula import Element, Every, Formula, Lin, V, conj, disj, eq, ge, le, lt, ne, neg, subst
from exo_strat.logic.solver.answers import Proved, Refuted, Sat, Unknown, Unsat
from exo_strat.logic.solver.proofs import prove, prove_exists, satisfiable

S = Sym("idx", 9)
VI, VJ, VN = V(Sym("i", 1)), V(Sym("j", 2)), V(Sym("n", 3))
i, j, n = map(Lin.of, (VI, VJ, VN))
INSIDE = (ge(i, 0), lt(i, n), ge(j, 0), lt(j, n))
SHAPE = Every("shape", S, (n,))


def element(*place: Lin, moment: object = None) -> Lin:
    return Lin.of(Element(S, place, moment))


def test_equal_places_hold_equal_numbers_at_one_moment() -> None:
    assert prove([eq(i, j)], eq(element(i), element(j)))
    assert prove([eq(i, j + 1)], eq(element(i, moment=1), element(j + 1, moment=1)))
    assert not prove([eq(i, j)], eq(element(i), element(j, moment=1)))
    assert prove([eq(i, j)], eq(element(element(i)), element(element(j))))


@pytest.mark.parametrize(
    "stated, goal",
    [
        (Every("within", S, (Lin(0), n)), conj(ge(element(i), 0), lt(element(i), n))),
        (Every("distinct", S), disj(eq(i, j), ne(element(i), element(j)))),
        (Every("rising", S), disj(lt(j, i), le(element(i), element(j)))),
    ],
)
def test_what_is_stated_holds_of_elements_that_exist(stated: Formula, goal: Formula) -> None:
    assert prove([SHAPE, stated, *INSIDE], goal)
    assert isinstance(prove([SHAPE, *INSIDE], goal), Refuted)
    assert not prove([SHAPE, stated, ge(i, 0), ge(j, 0)], goal)  # not of others
    assert not prove([stated, *INSIDE], goal)  # nor where nobody knows which there are


def test_rising_is_no_falling() -> None:
    facts = [SHAPE, Every("rising", S), *INSIDE, lt(i, j)]
    assert not prove(facts, le(element(j), element(i)))


def test_distinct_and_rising_numbers_lie_apart() -> None:
    facts = [SHAPE, Every("rising", S), Every("distinct", S), *INSIDE]
    assert prove([*facts, ge(j, i + 3)], ge(element(j), element(i) + 3))


@pytest.mark.parametrize("kinds", [(), ("distinct",), ("rising",), ("distinct", "rising")])
@pytest.mark.parametrize("extent, hi", [(1, 2), (2, 2), (3, 2), (3, 4)])
def test_elements_are_what_they_can_be_in_some_buffer(kinds: tuple[str, ...], extent: int, hi: int) -> None:
    """A counterexample mentions some elements: the others must have values, too."""
    stated = [Every("shape", S, (Lin(extent),)), Every("within", S, (Lin(0), Lin(hi))), *(Every(k, S) for k in kinds)]
    buffers = [
        x
        for x in product(range(hi), repeat=extent)
        if ("distinct" not in kinds or len(set(x)) == extent) and ("rising" not in kinds or [*x] == sorted(x))
    ]
    for p, v in product(range(extent), range(-1, hi + 1)):
        for q, w in product(range(p, extent), range(-1, hi + 1)):
            given = [eq(element(Lin(p)), v), eq(element(Lin(q)), w)]
            possible = any(x[p] == v and x[q] == w for x in buffers)
            assert isinstance(satisfiable([*stated, *given]), Sat if possible else Unsat), given


def test_there_are_as_many_numbers_as_places() -> None:
    few = [Every("shape", S, (n,)), Every("within", S, (Lin(0), n - 1)), Every("distinct", S), ge(n, 1)]
    assert isinstance(satisfiable([few[0], few[1], few[3], ge(n, 2)]), Sat)
    assert isinstance(satisfiable(few), Unsat)


def test_renaming_an_iterator_renames_it_in_places() -> None:
    assert subst(ge(element(element(i)), 0), {VI: j}) == ge(element(element(j)), 0)


def test_a_place_that_is_to_be_found_is_not_guessed() -> None:
    """There need not be an element that is 0, though for each number a place could be chosen."""
    answer = prove_exists([SHAPE, ge(n, 1)], (VI,), conj(*INSIDE[:2], eq(element(i), 0)))
    assert isinstance(answer, Unknown | Refuted)
    same = conj(*INSIDE[:2], eq(element(i), element(j)), eq(i, j))
    found = prove_exists([SHAPE, ge(n, 1), ge(j, 0), lt(j, n)], (VI,), same)
    assert isinstance(found, Proved)


def test_what_is_stated_of_all_has_no_negation() -> None:
    with pytest.raises(TypeError):
        neg(SHAPE)
    with pytest.raises(TypeError):
        prove([disj(SHAPE, ge(i, 0))], ge(i, 0))
