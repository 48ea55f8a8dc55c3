"""Which values config fields are known to have."""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.memo import forget
from exo_strat.ir.nodes import ReadConfig
from exo_strat.ir.printing import names_at, print_expr
from exo_strat.ir.walk import Path, statements
from exo_strat.logic.effects.config_state import condition_facts, conditions_at, value_facts, values_at
from exo_strat.logic.forms.formula import BoolAtom, eq, neg
from exo_strat.logic.forms.translate import Env, lin

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
    assert known("for i in seq(1, N):\n    CFG.n = 1\npass", 1) == {}
    assert known("for i in seq(0, N):\n    CFG.n = i\n    pass\npass", 0, 1) == {"n": "i"}


def test_a_loop_that_surely_runs_leaves_what_its_last_iteration_does() -> None:
    assert known("for i in seq(0, N):\n    CFG.n = 1\npass", 1) == {"n": "1"}
    assert known("for i in seq(0, N):\n    for j in seq(0, i + 1):\n        CFG.n = 1\npass", 1) == {"n": "1"}
    assert known("for i in seq(0, N):\n    for j in seq(0, i):\n        CFG.n = 1\npass", 1) == {}
    assert known("for i in seq(0, N):\n    CFG.n = i\npass", 1) == {}
    assert known("for i in seq(0, N):\n    w = x[0:2]\n    CFG.n = stride(w, 0)\npass", 1) == {}
    assert known("for i in seq(0, N):\n    CFG.n = 1\n    if b:\n        CFG.n = 2\npass", 1) == {}


def test_what_depends_on_what_a_loop_changes_is_not_known() -> None:
    body = "CFG.n = 1\nCFG.on = True\nfor i in seq(1, N):\n    CFG.on = b\n    CFG.n = CFG.n + 1\npass"
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


# -- conditions ---------------------------------------------------------------------------------------


def conditions(body: str, *path: int) -> list[str]:
    """What is known of fields just before the statement at `path`; what is known to be false in brackets."""
    head = "def foo(a: index, N: size, b: bool, x: f32[8]):\n"
    text = head + "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    tree = proc_from_source(text, {"CFG": CFG, "set": SET, "keep": KEEP}).tree
    steps: Path = tuple(("body" if k >= 0 else "orelse", max(k, 0)) for k in path)
    shown = ((print_expr(e, names_at(tree)), truth) for e, truth in conditions_at(tree, steps))
    return [text if truth else f"[{text}]" for text, truth in shown]


@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        ("if CFG.n < a:\n    pass", (0, 0), ["CFG.n < a"]),
        ("if CFG.n < a:\n    pass\nelse:\n    pass", (0, -1), ["[CFG.n < a]"]),
        ("if CFG.on:\n    if CFG.n == 2:\n        pass", (0, 0, 0), ["CFG.on", "CFG.n == 2"]),
        ("if CFG.on:\n    CFG.n = 1\n    CFG.on = b\n    pass", (0, 1), ["CFG.on"]),
        ("if CFG.on:\n    CFG.n = 1\n    CFG.on = b\n    pass", (0, 2), []),
        ("if CFG.n < a:\n    set(a, x[0:8])\n    pass", (0, 1), []),
        ("if CFG.n < a:\n    keep()\n    pass", (0, 1), ["CFG.n < a"]),
        ("if CFG.n < a:\n    for i in seq(0, N):\n        pass\n        CFG.n = i", (0, 0, 0), []),
        ("for i in seq(0, N):\n    if CFG.n < a:\n        pass\n    CFG.n = i", (0, 0, 0), ["CFG.n < a"]),
        ("for i in seq(0, CFG.n):\n    pass", (0, 0), ["i < CFG.n"]),
        ("for i in seq(0, CFG.n):\n    pass\n    CFG.n = 1", (0, 0), []),
        ("assert CFG.n < 4\npass", (0,), ["CFG.n < 4"]),
        ("assert CFG.n < 4\nCFG.n = 9\npass", (1,), []),
        ("if CFG.scale < 1.0:\n    pass", (0, 0), ["CFG.scale < 1.0"]),
        ("if x[0] < 1.0 and CFG.on:\n    pass", (0, 0), ["CFG.on"]),
        ("if not (x[0] < 1.0 or CFG.on):\n    pass", (0, 0), ["[CFG.on]"]),
        ("if x[0] < 1.0 or CFG.on:\n    pass", (0, 0), []),
        ("CFG.n = a\nfor i in seq(0, CFG.n):\n    CFG.n = 1\n    pass", (1, 1), ["i < a"]),
        ("if CFG.on:\n    pass\npass", (1,), []),
    ],
)
def test_conditions_on_fields_hold_until_one_of_them_may_be_written(
    body: str, path: tuple[int, ...], expected: list[str]
) -> None:
    assert conditions(body, *path) == expected


def test_conditions_are_facts_about_one_moment() -> None:
    read = ReadConfig(CFG, "on")
    key = ("config", "CFG", "on", "now")
    assert condition_facts([(read, True)], Env().at("now")) == (BoolAtom(key),)
    assert condition_facts([(read, False)], Env().at("now")) == (neg(BoolAtom(key)),)


# -- what is remembered -------------------------------------------------------------------------------


def test_loops_around_count_where_nothing_else_is_known() -> None:
    text = """
    def foo():
        for i in seq(0, 4):
            for j in seq({}, i + 1):
                CFG.n = 3
        pass
    """
    for lo, n in ((0, {"n"}), (1, set[str]())):
        tree = proc_from_source(text.format(lo), {"CFG": CFG}).tree
        assert {f.field for f in values_at(tree, (("body", 1),))} == n


def test_a_statement_is_asked_about_in_several_circumstances() -> None:
    text = """
    def foo(a: index, N: size):
        CFG.n = a
        for i in seq(0, N):
            CFG.on = True
            for j in seq(0, i):
                CFG.n = CFG.n
            if N < 8:
                CFG.n = a
            CFG.on = False
        pass
    """
    tree = proc_from_source(text, {"CFG": CFG}).tree
    places = [path for path, _ in statements(tree)]
    at_once = [values_at(tree, path) for path in places]
    for path, known_then in zip(places, at_once, strict=True):
        forget()
        assert values_at(tree, path) == known_then
    assert {f.field for f in at_once[-1]} == {"n", "on"}
