"""What is known of products and quotients by sizes, knocked out: the integers themselves show what is wrong.

Random programs take long to do so: a false lemma matters where a proof needs it, and few do.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import FunctionType
from typing import Any

import pytest

from exo_strat import CheckError, SchedulingError, direct, proc_from_source
from exo_strat.ir.names import Sym
from exo_strat.logic.forms import affine
from exo_strat.logic.forms.affine import Lin, V, product, subst_lin, value_of
from exo_strat.logic.forms.formula import Formula, conj, eq, evaluate, ge, lt, ne, neg
from exo_strat.logic.solver import lemmas, problem, proofs
from exo_strat.primitives import framework
from exo_strat.testing.knockouts import edited, replaced

UNKNOWNS = [V(Sym(name, k)) for k, name in enumerate("hjknm")]
H, J, K, N, M = map(Lin.of, UNKNOWNS)
COUNT = product(N, M)


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    memos: tuple[Any, ...] = (proofs._solve_group, proofs._prove)
    for memo in memos:
        memo.cache_clear()
    yield
    for memo in memos:
        memo.cache_clear()


def _models() -> Iterator[dict[V, int]]:
    """Values of the unknowns; the last two are sizes."""
    random = Random(0)
    for _ in range(150):
        yield {a: random.randint(1, 3) if a in UNKNOWNS[3:] else random.randint(-7, 7) for a in UNKNOWNS}


def _claims() -> list[tuple[list[Formula], Formula]]:
    """What may be asked: some of it is true, some is not."""
    q, r = affine.quotient(K, M), affine.remainder(K, M)
    inside = [ge(N, 1), ge(M, 1), ge(K, 0), lt(K, COUNT)]
    other = {V(Sym("k", 2)): J}
    both = [*inside, *(lt(J, COUNT), ge(J, 0)), lt(K, J)]
    q2, r2 = (subst_lin(x, other) for x in (q, r))
    return [
        (inside, lt(q, N)), (inside, lt(q, N - 1)), (inside, lt(r, M - 1)),
        (inside[:2], ge(q, 0)), (inside[:2], lt(q, N)),
        (both, neg(conj(eq(q, q2), eq(r, r2)))), (both, ne(q, q2)), (both, ne(r, r2)), (both, lt(q, q2)),
        (inside[:2], ge(product(H, J), 0)), (inside[:2], ge(product(H, M), H)),
        ([ge(H, J)], eq(product(H, N), product(J, N))),
    ]  # fmt: skip


def _is_wrong() -> bool:
    """Whether some form has another value than it should, a lemma is false, or something false is proved."""
    divisors = [M, COUNT, M + 1, M * 2, N + M]
    dividends = [K, K * 2 + H, product(H, M) + J, product(J, M) * 3 + K, COUNT - 1 - K, product(H, M + 1)]
    claims = _claims()
    asked = [*(f for facts, goal in claims for f in (*facts, goal)), lt(product(H, J), product(K, J))]
    stated = [f for part in lemmas.lemmas(asked) for f in part]
    proved = [(facts, goal) for facts, goal in claims if proofs.prove(facts, goal)]
    for model in _models():
        if not all(evaluate(f, model) for f in stated):
            return True
        for x in dividends:
            for by in divisors:
                parts = value_of(affine.quotient(x, by), model), value_of(affine.remainder(x, by), model)
                if parts != divmod(value_of(x, model), value_of(by, model)):
                    return True
        for facts, goal in proved:
            if all(evaluate(f, model) for f in facts) and not evaluate(goal, model):
                return True
    return False


FALSE = [
    ("a remainder has one value less", problem._Encoder.number, "leaf.by - 1 - remainder", "leaf.by - 2 - remainder"),
    ("a remainder is one more than it is", problem._Encoder.number, "leaf.lin - product(Lin.of(leaf), leaf.by)",
     "leaf.lin + 1 - product(Lin.of(leaf), leaf.by)"),
    ("what is divided need not be in bounds", lemmas._bounds, "lt(x, 0)", "lt(a.by, 1)"),
    ("the divisor need not be positive", lemmas._bounds, "lt(Lin.of(a), e)", "lt(Lin.of(a), e - 1)"),
    ("any factor gives the same product", lemmas._order, "lt(b, a)", "lt(a, b)"),
    ("a product of two numbers is not negative", lemmas._signs, "disj(lt(a, 0), lt(b, 0), ge(whole, 0))",
     "ge(whole, 0)"),
    ("sums with a negative factor", lemmas._multiples, "lt(c, 0)", "ge(c, 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "function", "old", "new"), FALSE, ids=[what for what, *_ in FALSE])
def test_what_is_not_true_of_quotients(what: str, function: FunctionType, old: str, new: str) -> None:
    with edited(function, lambda tree: replaced(tree, old, new)):
        assert _is_wrong()


def test_what_is_known_of_quotients_is_true() -> None:
    assert not _is_wrong()


def test_nobody_looks_at_divisors(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    def foo(n: size, x: f32[n, n]):
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 0.0
    """
    p = proc_from_source(text)
    with pytest.raises(SchedulingError, match="control arguments only"):
        direct.divide_loop(p, "j", "i + 1", ["jo", "ji"])
    monkeypatch.setattr(framework, "_arithmetic_still_good", lambda _: None)
    q = direct.divide_loop(p, "j", "i + 1", ["jo", "ji"])
    with pytest.raises(CheckError, match="control arguments only"):  # what it prints is no procedure
        proc_from_source(str(q))
