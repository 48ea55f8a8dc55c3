"""Which values config fields are known to have."""

from __future__ import annotations

from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.nodes import ReadConfig
from exo_strat.ir.printing import names_at, print_expr
from exo_strat.ir.walk import Path
from exo_strat.logic.configs import value_facts, values_at
from exo_strat.logic.formula import BoolAtom, eq
from exo_strat.logic.translate import Env, lin

CFG = Config("CFG", pmap({"n": types.index, "on": types.bool_, "scale": types.f32}))

SET = proc_from_source(
    """
    def set(k: index, x: [f32][8]):
        w = x[2:4]
        CFG.n = k + 1
    """,
    {"CFG": CFG},
)
KEEP = proc_from_source(
    """
    def keep():
        CFG.scale = 1.0
    """,
    {"CFG": CFG},
)


def known(body: str, *path: int) -> dict[str, str]:
    """The fields known just before the statement at `path` of a procedure with this body."""
    head = "def foo(a: index, N: size, b: bool, x: f32[8]):\n"
    text = head + "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    tree = proc_from_source(text, {"CFG": CFG, "set": SET, "keep": KEEP}).tree
    steps: Path = tuple(("body", k) for k in path)
    return {f.field: print_expr(v, names_at(tree)) for f, v in values_at(tree, steps).items()}


def test_a_write_is_known_until_the_next() -> None:
    assert known("CFG.n = a\nCFG.on = True\nCFG.n = 3\npass", 2) == {"n": "a", "on": "True"}
    assert known("CFG.n = a\nCFG.on = True\nCFG.n = 3\npass", 3) == {"n": "3", "on": "True"}


def test_known_fields_are_put_into_the_next() -> None:
    assert known("CFG.n = a\nCFG.n = CFG.n + 1\npass", 2) == {"n": "a + 1"}
    assert known("CFG.n = CFG.n + 1\npass", 1) == {}


def test_assertions_are_known_at_entry() -> None:
    assert known("assert CFG.n == a\npass", 0) == {"n": "a"}


def test_data_is_not_tracked() -> None:
    assert known("CFG.scale = x[0]\npass", 1) == {}


def test_branches_meet() -> None:
    assert known("if b:\n    CFG.n = 1\nelse:\n    CFG.n = 1\npass", 1) == {"n": "1"}
    assert known("if b:\n    CFG.n = 1\npass", 1) == {}


def test_a_loop_comes_round_and_may_not_run() -> None:
    assert known("CFG.n = 1\nfor i in seq(0, N):\n    pass\n    CFG.n = 1\npass", 1, 0) == {"n": "1"}
    assert known("CFG.n = 1\nfor i in seq(0, N):\n    pass\n    CFG.n = 2\npass", 1, 0) == {}
    assert known("for i in seq(0, N):\n    CFG.n = 1\npass", 1) == {}
    assert known("for i in seq(0, N):\n    CFG.n = i\n    pass\npass", 0, 1) == {"n": "i"}


def test_what_depends_on_what_a_loop_changes_is_not_known() -> None:
    body = "CFG.n = 1\nCFG.on = True\nfor i in seq(0, N):\n    CFG.on = b\n    CFG.n = CFG.n + 1\npass"
    assert known(body, 3) == {}


def test_calls_leave_values_in_terms_of_their_arguments() -> None:
    assert known("set(a, x)\npass", 1) == {"n": "a + 1"}
    assert known("CFG.n = 5\nset(CFG.n, x)\npass", 2) == {"n": "5 + 1"}
    assert known("CFG.n = 5\nkeep()\npass", 2) == {"n": "5"}
    assert known("set(CFG.n, x)\npass", 1) == {}


def test_values_are_facts_of_a_moment() -> None:
    tree = proc_from_source("def foo():\n    CFG.n = 3\n    CFG.on = True\n    pass", {"CFG": CFG}).tree
    env = Env(moment="now")
    facts = value_facts(values_at(tree, (("body", 2),)), env)
    assert facts == (eq(lin(ReadConfig(CFG, "n"), env), 3), BoolAtom(("config", "CFG", "on", "now")))
