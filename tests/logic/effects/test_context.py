"""What is known at a place of a procedure."""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import If, ProcDef
from exo_strat.ir.walk import Path, binders, get, update, with_child
from exo_strat.logic.effects.context import facts_at, prove_at, show_model
from exo_strat.logic.forms.affine import OTHER
from exo_strat.logic.forms.formula import BoolAtom, Formula, Opaque, V, eq, ge, lt
from exo_strat.logic.forms.translate import cond, stride_of, unknown
from exo_strat.logic.solver.proofs import Proved, Refuted

CFG = Config("CFG", pmap({"n": types.size, "on": types.bool_}))


def tree(text: str) -> ProcDef:
    return proc_from_source(text, {"CFG": CFG}).tree


def at(*ks: int) -> Path:
    return tuple(("body", k) for k in ks)


def syms(t: ProcDef, *names: str) -> list[Sym]:
    """The variables of these names."""
    by_name = {s.name: s for s in binders(t)}
    return [by_name[name] for name in names]


def condition_of(t: ProcDef, path: Path) -> Formula:
    """The condition of the `if` at `path`."""
    branch = get(t, path)
    assert isinstance(branch, If)
    return cond(branch.cond)


LOOPS = tree("""
    def foo(N: size, a: index, x: f32[N], act: bool):
        assert a >= 2
        for i in seq(a, N):
            for j in seq(0, i):
                if j < a - 1:
                    x[j] = 0.0
                else:
                    x[i] = 0.0
        x[0] = 1.0
""")


def test_ranges_assertions_and_sizes() -> None:
    n, a, i, j = (unknown(s) for s in syms(LOOPS, "N", "a", "i", "j"))
    facts = facts_at(LOOPS, at(0, 0, 0))
    assert {ge(n, 1), ge(a, 2), ge(i, a), lt(i, n), ge(j, 0), lt(j, i)} <= set(facts)


def test_nothing_of_the_loop_is_known_after_it_or_in_its_bounds() -> None:
    (i,) = (unknown(s) for s in syms(LOOPS, "i"))
    for path in (at(1), (*at(0), ("lo", None)), (*at(0), ("hi", None))):
        assert isinstance(prove_at(LOOPS, path, ge(i, 2)), Refuted)


def test_branches() -> None:
    j_small = condition_of(LOOPS, at(0, 0, 0))
    assert prove_at(LOOPS, (*at(0, 0, 0), ("body", 0)), j_small) == Proved()
    assert isinstance(prove_at(LOOPS, (*at(0, 0, 0), ("orelse", 0)), j_small), Refuted)
    assert isinstance(prove_at(LOOPS, at(0, 0, 0), j_small), Refuted)


def test_conditions_are_expressions_too() -> None:
    branch = get(LOOPS, at(0, 0, 0))
    assert isinstance(branch, If)
    assert prove_at(LOOPS, (*at(0, 0, 0), ("body", 0)), branch.cond) == Proved()


def test_config_and_data_are_never_facts() -> None:
    t = tree("""
        def foo(N: size, x: f32[N], i: index):
            if CFG.on and i == 3:
                pass
            if x[0] < 1.0:
                pass
            for k in seq(0, CFG.n):
                pass
    """)
    (i, k) = (unknown(s) for s in syms(t, "i", "k"))
    inside = (*at(0), ("body", 0))
    assert prove_at(t, inside, eq(i, 3)) == Proved()
    assert isinstance(prove_at(t, inside, condition_of(t, at(0))), Refuted)
    assert not any(isinstance(f, BoolAtom) for f in facts_at(t, (*at(1), ("body", 0))))
    assert ge(k, 0) in facts_at(t, (*at(2), ("body", 0)))
    assert len(facts_at(t, (*at(2), ("body", 0)))) == len(facts_at(t, at(2))) + 1


def test_strides_of_dense_buffers_and_their_windows() -> None:
    t = tree("""
        def foo(N: size, x: f32[N, 4, 8], y: [f32][N, 8]):
            w = x[0:N, 1, 2:6]
            v = w[0, 0:3]
            pass
    """)
    x, y, w, v = syms(t, "x", "y", "w", "v")
    here = at(2)
    for sym, dim, value in ((x, 0, 32), (x, 1, 8), (x, 2, 1), (w, 0, 32), (w, 1, 1), (v, 0, 1)):
        assert prove_at(t, here, eq(stride_of(sym, dim), value)) == Proved()
    assert isinstance(prove_at(t, here, eq(stride_of(y, 1), 1)), Refuted)
    assert isinstance(prove_at(t, at(1), eq(stride_of(v, 0), 1)), Refuted)


def test_extents_are_positive_from_the_allocation_on() -> None:
    t = tree("""
        def foo(a: index):
            pass
            if a > 0:
                t: f32[a]
                pass
    """)
    (a,) = (unknown(s) for s in syms(t, "a"))
    assert prove_at(t, (*at(1), ("body", 1)), ge(a, 1)) == Proved()
    assert isinstance(prove_at(t, at(0), ge(a, 1)), Refuted)


def test_facts_of_an_edited_tree_are_its_own() -> None:
    (n,) = (unknown(s) for s in syms(LOOPS, "N"))
    edited = update(LOOPS, at(0), lambda loop: with_child(loop, "lo", get(LOOPS, (*at(0), ("hi", None)))))
    inner = (*at(0), ("body", 0))
    (i,) = (unknown(s) for s in syms(LOOPS, "i"))
    assert prove_at(edited, inner, ge(i, n)) == Proved()
    assert isinstance(prove_at(LOOPS, inner, ge(i, n)), Refuted)


def test_a_model_is_shown_in_the_names_of_the_program() -> None:
    i, act, x = syms(LOOPS, "i", "act", "x")
    model = {
        Opaque(("stride", x, 0)): 1,
        V(i, OTHER): 4,
        BoolAtom(("bool", act)): True,
        Opaque(("config", "CFG", "n", ())): 7,
        BoolAtom(("data", "whatever")): False,
    }
    assert show_model(LOOPS, model) == {"act": 1, "i'": 4, "CFG.n": 7, "stride(x, 0)": 1}


@pytest.mark.parametrize("path", [(("preds", 0),), (("args", 2), ("type", None), ("shape", 0))])
def test_arguments_and_assertions_know_what_is_assumed_at_entry(path: Path) -> None:
    assert facts_at(LOOPS, path) == facts_at(LOOPS, ())
