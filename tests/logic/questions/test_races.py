"""Races of parallel loops in a procedure: of all, or of those that may hang on config fields."""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.nodes import For, ProcDef
from exo_strat.ir.walk import rewrite, with_child
from exo_strat.logic.questions.races import new_race, races

CFG = Config("CFG", pmap({"k": types.index}))
READS = proc_from_source("def reads(y: f32[8]):\n    if CFG.k < 3:\n        y[0] = 0.0", {"CFG": CFG})


def racing(body: str) -> ProcDef:
    """A procedure in which the iterations of a loop all write one place, in parallel: no check would let it through."""
    text = "def foo(n: size, x: f32[8]):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    tree = proc_from_source(text, {"CFG": CFG, "reads": READS}).tree
    return rewrite(tree, lambda n: with_child(n, "mode", "par") if isinstance(n, For) else n)


LOOP = "for i in seq(0, n):\n    x[0] = 1.0"
INSIDE = "".join(f"\n    {line}" for line in LOOP.split("\n"))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("for i in seq(0, n):\n    x[0] = 1.0\n    if CFG.k < i:\n        pass", id="read inside"),
        pytest.param("for i in seq(0, n):\n    x[0] = 1.0\n    CFG.k = 1", id="written inside"),
        pytest.param("for i in seq(0, n):\n    reads(x)", id="read in what it calls"),
        pytest.param("for i in seq(0, CFG.k):\n    x[0] = 1.0", id="its bound"),
        pytest.param(f"if CFG.k < n:{INSIDE}", id="a condition around it"),
        pytest.param(f"assert CFG.k < 3\n{LOOP}", id="an assertion"),
        pytest.param(f"assert 0 <= CFG.k and CFG.k < 4\nw = x[CFG.k:CFG.k + 2]\n{LOOP}", id="a window that it may use"),
    ],
)
def test_a_race_that_may_hang_on_fields_is_asked_for(body: str) -> None:
    tree = racing(body)
    assert races(tree) == races(tree, of_fields=True) != ()


def test_others_are_not() -> None:
    tree = racing(f"CFG.k = 1\n{LOOP}\nCFG.k = 2")
    assert len(races(tree)) == 1
    assert races(tree, of_fields=True) == ()


def test_one_race_hides_no_other() -> None:
    one, both = racing(LOOP), racing(f"{LOOP}\nfor j in seq(0, n):\n    x[1] = 1.0")
    assert new_race(one, one) is None and new_race(one, both) is not None
