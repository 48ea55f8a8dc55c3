"""Which data value a config field is known to hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrsistent import pmap

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.interp import run
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.nodes import ReadConfig
from exo_strat.ir.printing import names_at, print_expr
from exo_strat.logic.effects.config_data import held_at

CFG = Config("CFG", pmap({"scale": types.f32, "other": types.f32}))
SET = proc_from_source("def set(v: f32):\n    CFG.scale = v", {"CFG": CFG})
KEEP = proc_from_source("def keep(v: f32):\n    CFG.other = v", {"CFG": CFG})
MAYBE = proc_from_source("def maybe(v: f32, b: bool):\n    if b:\n        CFG.scale = v", {"CFG": CFG})
SPENT = proc_from_source("def spent(v: f32):\n    CFG.scale = v\n    v = 0.0", {"CFG": CFG})
ALSO = proc_from_source("def also(v: f32, r: [f32][2]):\n    CFG.scale = v\n    r[0] = 0.0", {"CFG": CFG})
FROM = proc_from_source("def from_(r: [f32][2]):\n    CFG.scale = r[0]", {"CFG": CFG})


def indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines()).rstrip("\n")


def procedure(body: str) -> Proc:
    head = "def foo(n: size, s: f32, b: bool, x: f32[n + 4]):\n"
    callees = {"set": SET, "keep": KEEP, "maybe": MAYBE, "spent": SPENT, "also": ALSO, "from_": FROM}
    return proc_from_source(head + indented(body) + "\n", {"CFG": CFG, **callees})


def held(body: str) -> str | None:
    """What `CFG.scale` is known to hold just before the last statement of a procedure."""
    tree = procedure(f"{body}\npass").tree
    found = held_at(tree, (("body", len(tree.body) - 1),), ReadConfig(CFG, "scale"))
    return None if found is None else print_expr(found, names_at(tree))


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("CFG.scale = s", "s"),
        ("CFG.scale = 2.0 * x[n]", "2.0 * x[n]"),
        ("CFG.scale = s\nCFG.scale = x[0]", "x[0]"),
        ("CFG.scale = s\nCFG.other = 1.0\nx[0] = s", "s"),
        ("if b:\n    CFG.scale = s\nelse:\n    set(s)", "s"),
        ("CFG.scale = s\nfor i in seq(0, n):\n    CFG.scale = s\n    x[i] = s", "s"),
        ("for i in seq(0, n):\n    CFG.scale = s\n    x[i] = 0.0", "s"),
        ("for i in seq(0, n):\n    for j in seq(0, i + 1):\n        set(s)", "s"),
        ("set(x[1])", "x[1]"),
        ("set(2.0 * s)", "2.0 * s"),
        ("CFG.scale = s\nkeep(x[0])", "s"),
        ("also(s, x[0:2])", "s"),
    ],
)
def test_a_field_holds_what_it_was_last_set_to(body: str, value: str) -> None:
    assert held(body) == value


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "CFG.scale = s\ns = 1.0",
        "CFG.scale = x[0]\nw = x[0:2]\nw[1] = 1.0",
        "w = x[0:2]\nCFG.scale = w[0]\nx[1] = 1.0",
        "CFG.scale = CFG.other",
        "CFG.scale = s\nif b:\n    CFG.scale = 1.0",
        "CFG.scale = s\nfor i in seq(0, n):\n    CFG.scale = x[i]",
        "CFG.scale = s\nfor i in seq(0, n):\n    x[i] = CFG.scale\n    s += 1.0",
        "for i in seq(0, n):\n    CFG.scale = x[i]",
        "for i in seq(1, n):\n    CFG.scale = s",
        "for i in seq(0, n):\n    CFG.scale = s\n    s += 1.0",
        "for i in seq(0, n):\n    t: f32\n    t = s\n    CFG.scale = t",
        "CFG.scale = s\nmaybe(s, b)",
        "spent(s)",
        "also(2.0 * x[0], x[0:2])",
        "from_(x[0:2])",
    ],
)
def test_nothing_is_known_of_what_may_have_changed(body: str) -> None:
    assert held(body) is None


def test_a_later_iteration_finds_what_the_one_before_left() -> None:
    text = "def foo(n: size, s: f32, x: f32[n]):\n    CFG.scale = s\n    for i in seq(0, n):\n        CFG.scale = s\n"
    for last, known in [("x[i] = s", True), ("CFG.scale = x[i]", False)]:
        tree = proc_from_source(f"{text}        {last}\n", {"CFG": CFG}).tree
        found = held_at(tree, (("body", 1), ("body", 0)), ReadConfig(CFG, "scale"))
        assert (found is not None) == known


# -- by running ------------------------------------------------------------------------------------------

SIMPLE = st.sampled_from(
    [
        "CFG.scale = s", "CFG.scale = x[0]", "CFG.scale = 2.0 * x[1]", "CFG.scale = w[0]", "CFG.other = s",
        "CFG.scale = CFG.other", "s = 3.0", "s += x[2]", "x[0] = s", "x[1] = CFG.scale", "w[0] = 5.0", "w[1] += s",
        "set(s)", "set(2.0 * x[0])", "keep(x[1])", "maybe(s, b)", "spent(s)", "also(s, x[0:2])", "also(2.0 * s, w)",
        "from_(x[0:2])",
    ]
)  # fmt: skip
BLOCKS = st.recursive(
    st.lists(SIMPLE, min_size=1, max_size=3).map("\n".join),
    lambda inner: st.one_of(
        st.builds("{}\n{}".format, inner, inner),
        st.builds("if b:\n{}\nelse:\n{}".format, inner.map(indented), inner.map(indented)),
        st.builds("for i in seq({}, n):\n{}".format, st.sampled_from(["0", "2"]), inner.map(indented)),
    ),
    max_leaves=4,
)


@given(BLOCKS, st.booleans(), st.integers(1, 2))
def test_the_expression_gives_what_the_field_holds(body: str, b: bool, n: int) -> None:
    whole = f"w = x[1:3]\nCFG.other = 1.0\nCFG.scale = s\n{body}"
    found = held(whole)
    if found is None:
        return
    p = procedure(f"{whole}\nx[3] = CFG.scale\nx[4] = {found}")
    out = run(p, {"n": n, "s": 7, "b": b, "x": [1, 2, 3, 4, 5, 6][: n + 4]})
    assert out.trap is None and out.outputs["x"][3] == out.outputs["x"][4]


def test_what_calls_that_double_at_each_level_leave_is_found_once_for_each() -> None:
    f = SET
    for _ in range(40):
        f = proc_from_source("def f(v: f32):\n    f(v)\n    f(v)", {"f": f})
    p = proc_from_source("def foo(s: f32):\n    f(s)\n    pass", {"f": f})
    found = held_at(p.tree, (("body", 1),), ReadConfig(CFG, "scale"))
    assert found is not None and print_expr(found, names_at(p.tree)) == "s"
