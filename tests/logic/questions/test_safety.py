"""The questions that primitives ask, by examples: a small program, a question, the answer.

Programs have `n: size`, `flag: bool`, `s: f32` and the buffers `x`, `y`, `z` of n + 4 numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.exprs import parse_expr
from exo_strat.frontend.scope import scope_at
from exo_strat.ir import types
from exo_strat.ir.build import num
from exo_strat.ir.config import Config
from exo_strat.ir.nodes import For, If, Interval, ProcDef, WriteConfig
from exo_strat.ir.span import Span
from exo_strat.ir.types import Control, Scalar
from exo_strat.ir.walk import Path, get, walk
from exo_strat.logic.questions import safety
from exo_strat.logic.questions.safety import Clash, Safe, Verdict

FIELDS: dict[str, Control | Scalar] = {"k": types.index, "on": types.bool_, "scale": types.f32}
LIB: dict[str, object] = {"CFG": Config("CFG", pmap(FIELDS))}
LIB["set_k"] = proc_from_source("def set_k(v: index):\n    CFG.k = v", LIB)
LIB["add_to"] = proc_from_source("def add_to(w: [f32][2], v: f32):\n    w[0] += v", LIB)
LIB["asks"] = proc_from_source("def asks(w: [f32][2]):\n    assert CFG.k == 2\n    w[0] = 1.0", LIB)

Example = Mapping[str, int] | None


def tree(body: str) -> ProcDef:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    buffers = "x: f32[n + 4], y: f32[n + 4], z: f32[n + 4]"
    return proc_from_source(f"def foo(n: size, flag: bool, s: f32, {buffers}):\n{lines}", LIB).tree


def loops(t: ProcDef) -> list[Path]:
    return [path for path, node in walk(t) if isinstance(node, For)]


def block(t: ProcDef, path: Path, lo: int, hi: int | None = None) -> Span:
    """Statements of the body of what stands at a path."""
    n = len(getattr(get(t, path), "body"))  # noqa: B009
    return Span(path, "body", lo, n if hi is None else hi)


def against(verdict: Verdict) -> Clash:
    assert isinstance(verdict, Clash), verdict
    return verdict


# -- control expressions ------------------------------------------------------------------------------

PLACE = """
CFG.k = n + 1
for i in seq(1, n):
    if flag:
        x[i] = 0.0
"""


def at_write(condition: str) -> Verdict:
    t = tree(PLACE)
    path = (("body", 1), ("body", 0), ("body", 0))
    return safety.holds(t, path, parse_expr(condition, replace(scope_at(t, path), env=LIB)), "it is so")


@pytest.mark.parametrize("condition", ["i < n", "i / 2 < n - 1", "flag", "n > 1 and not i == 0", "i + 3 > CFG.k - n"])
def test_holds(condition: str) -> None:
    assert at_write(condition) == Safe()


@pytest.mark.parametrize(
    ("condition", "example"),
    [
        ("i < 3", {"n": 4, "i": 3}),
        ("n % 2 == 0", {"n": 3}),
        ("not flag", {"n": 2, "flag": 1}),
        ("i == 1 or n < 4", {"n": 4, "i": 2}),
        ("CFG.k == 3", None),
        ("CFG.on", None),
        ("x[0] < 1.0", None),
    ],
)
def test_does_not_hold(condition: str, example: Example) -> None:
    clash = against(at_write(condition))
    assert clash.obligation == "it is so" and clash.counterexample == example


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("2 * i", "i + i", True),
        ("i", "n", False),
        ("(4 * i + 3) / 4", "i", True),
        ("i == 0", "not flag", True),
        ("flag", "i < n", True),
        ("CFG.k", "CFG.k", True),
        ("CFG.k", "n + 1", True),
        ("CFG.k", "n", False),
        ("x[i] < 1.0", "x[i] < 1.0", True),
        ("x[i] < 1.0", "x[i + 1] < 1.0", False),
    ],
)
def test_equal_expressions(a: str, b: str, same: bool) -> None:
    t = tree(PLACE)
    path = (("body", 1), ("body", 0), ("body", 0))
    one, two = (parse_expr(e, replace(scope_at(t, path), env=LIB)) for e in (a, b))
    assert (safety.equal_at(t, path, one, two) == Safe()) == same


BRANCH = """
if CFG.k == 2 and flag:
    for i in seq(0, CFG.k):
        x[0] = 0.0
        CFG.on = True
        if CFG.on:
            x[0] = 1.0
else:
    x[0] = 2.0
    CFG.k = 4
    x[0] = 3.0
"""
TWICE, AFTER_ON = (("body", 0), ("body", 0), ("body", 0)), (("body", 0), ("body", 0), ("body", 2), ("body", 0))


@pytest.mark.parametrize(
    ("path", "condition", "known"),
    [
        (TWICE, "CFG.k == 2", True),
        (TWICE, "CFG.k > 1 and flag", True),
        (TWICE, "i < CFG.k", True),
        (TWICE, "i < CFG.k - 1", False),
        (TWICE, "i < 2", True),
        (TWICE, "CFG.on", False),
        (AFTER_ON, "CFG.on", True),
        (AFTER_ON, "i < CFG.k", True),
        ((("body", 0), ("orelse", 0)), "not (CFG.k == 2) or not flag", True),
        ((("body", 0), ("orelse", 0)), "CFG.k < 2", False),
        ((("body", 0), ("orelse", 2)), "CFG.k == 4", True),
        ((("body", 0), ("orelse", 2)), "not (CFG.k == 2) or not flag", True),
    ],
)
def test_what_branches_on_config_fields_tell(path: Path, condition: str, known: bool) -> None:
    t = tree(BRANCH)
    e = parse_expr(condition, replace(scope_at(t, path), env=LIB))
    assert (safety.holds(t, path, e, "it is so") == Safe()) == known


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("x[i]", "x[i + 0]", True),
        ("x[i]", "x[(2 * i + 1) / 2]", True),
        ("x[i] + y[i]", "y[i] + x[i]", True),
        ("x[i] + (y[i] - s)", "y[i] - s + x[i]", True),
        ("x[i] - y[i]", "y[i] - x[i]", False),
        ("x[i] - (y[i] - s)", "x[i] + s - y[i]", True),
        ("-(x[i] - s)", "s - x[i]", True),
        ("2.0 * (x[i] * y[i])", "y[i] * 2.0 * x[i]", True),
        ("x[i] * x[i]", "x[i]", False),
        ("x[i] + x[i]", "x[i] + y[i]", False),
        ("x[i] / y[i]", "y[i] / x[i]", False),
        ("x[i] / s", "x[i + 0] / s", True),
        ("fmax(x[i], y[i])", "fmax(x[i], y[i + 0])", True),
        ("fmax(x[i], y[i])", "fmin(x[i], y[i])", False),
        ("x[i]", "y[i]", False),
        ("x[i]", "x[i + 1]", False),
        ("1.0", "2.0", False),
        ("CFG.scale * s", "s * CFG.scale", True),
        ("x[CFG.k % 2]", "x[CFG.k % 2 + 0]", False),
        ("x[i] < 1.0", "x[i + 0] < 1.0", True),
        ("x[i] < 1.0", "x[i] < 2.0", False),
    ],
)
def test_equal_data(a: str, b: str, same: bool) -> None:
    asked = "if {}:\n    pass\n" if "<" in a else "s = {}\n"
    t = tree("for i in seq(0, n):\n" + indented(asked.format(a) + asked.format(b)))
    first, second = get(t, (("body", 0), ("body", 0))), get(t, (("body", 0), ("body", 1)))
    one, two = (n.cond if isinstance(n, If) else n.rhs for n in (first, second))  # type: ignore[union-attr]
    assert (safety.equal_at(t, (("body", 0), ("body", 0)), one, two) == Safe()) == same
    assert (safety.equal_at(t, (("body", 0), ("body", 0)), two, one) == Safe()) == same


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


KNOWN = [
    ("CFG.k = 2", "if CFG.k == 1:\n    x[0] = 0.0", "y[0] = x[0]", True),
    ("CFG.k = 2", "if CFG.k == 2:\n    x[0] = 0.0", "y[0] = x[0]", False),
    ("CFG.k = 2", "for i in seq(0, CFG.k):\n    if i < n:\n        x[i] = 0.0", "y[0] = x[2]", True),
    ("CFG.k = 2", "for i in seq(0, CFG.k):\n    if i < n:\n        x[i] = 0.0", "y[0] = x[1]", False),
    ("CFG.k = 2", "if CFG.k == 1:\n    x[0] = 0.0", "CFG.k = 1", False),
    ("CFG.on = True", "if CFG.on:\n    x[0] = 0.0\nelse:\n    x[1] = 0.0", "y[0] = x[1]", True),
    ("CFG.k = 2", "for i in seq(0, n):\n    if CFG.k == 1:\n        x[0] = 0.0\n    CFG.k = 1", "y[0] = x[0]", False),
]


@pytest.mark.parametrize(("first", "one", "two", "free"), KNOWN)
def test_known_fields_decide_conditions(first: str, one: str, two: str, free: bool) -> None:
    t = tree(f"{first}\n{one}\n{two}")
    assert (safety.commute(t, block(t, (), 1, 2), block(t, (), 2, 3)) == Safe()) == free


@pytest.mark.parametrize(
    ("expression", "body", "same"),
    [
        ("n + 1 < 3", "x[0] = 0.0\nCFG.k = 1", True),
        ("x[0]", "y[0] = 0.0\nx[1] = 0.0", True),
        ("x[0]", "for i in seq(0, n):\n    x[i + 1] = 0.0", True),
        ("x[0]", "for i in seq(0, n):\n    x[i] += 1.0", False),
        ("x[0]", "w = x[0:2]\nadd_to(w, 1.0)", False),
        ("x[0]", "add_to(x[1:3], x[0])", True),
        ("x[0]", "for i in seq(n, n):\n    x[i - 1] = 0.0", True),
        ("CFG.k < 1", "CFG.scale = 1.0", True),
        ("CFG.k < 1", "if x[0] < 0.0:\n    set_k(2)", False),
        ("CFG.scale * 2.0", "CFG.scale = 1.0", False),
        ("x[0] < CFG.scale", "x[0] = 1.0", False),
        ("x[CFG.k % 2]", "CFG.k = 1", False),
        ("x[CFG.k % 2]", "x[1] = 1.0", False),
    ],
)
def test_what_code_leaves_unchanged(expression: str, body: str, same: bool) -> None:
    is_condition = "<" in expression
    t = tree((f"if {expression}:\n    pass" if is_condition else f"CFG.scale = {expression}") + f"\n{body}")
    first = t.body[0]
    assert isinstance(first, If | WriteConfig)
    e = first.cond if isinstance(first, If) else first.rhs
    assert (safety.unchanged(t, block(t, (), 1), e) == Safe()) == same


def test_code_that_never_runs_is_still_in_the_text() -> None:
    t = tree("CFG.k = 2\nif CFG.k == 1:\n    x[3] = 0.0\nx[0] = 1.0")
    x, window = t.args[3].sym, [Interval(num(0), num(2))]
    assert against(safety.within(t, block(t, (), 1), x, window)).details == "it writes x[3]"
    assert isinstance(safety.fully_written(t, block(t, (), 1, 2), x, window), Clash)


# -- order --------------------------------------------------------------------------------------------

COMMUTE = [
    ("x[0] = 1.0", "y[0] = 2.0", True),
    ("x[0] = 1.0", "x[1] = 2.0", True),
    ("x[0] = s", "y[0] = s", True),
    ("x[0] += 1.0", "x[0] += y[0]", True),
    ("x[0] += 1.0", "x[0] = 2.0", False),
    ("x[0] = 1.0", "x[0] = 2.0", False),
    ("x[0] = 1.0", "y[0] = x[0]", False),
    ("for i in seq(0, n):\n    x[i] = 1.0", "y[0] = x[n]", True),
    ("for i in seq(0, n):\n    x[i] = 1.0", "y[0] = x[n - 1]", False),
    ("for i in seq(0, n / 2):\n    x[2 * i] = 1.0", "for i in seq(0, n / 2):\n    x[2 * i + 1] = 2.0", True),
    ("if n < 4:\n    x[0] = 1.0", "if n > 3:\n    x[0] = 2.0", True),
    ("if flag:\n    x[0] = 1.0", "if not flag:\n    x[0] = 2.0", True),
    ("if CFG.on:\n    x[0] = 1.0", "if not CFG.on:\n    x[0] = 2.0", False),
    ("CFG.k = 1", "if CFG.k == 1:\n    x[0] = 0.0", False),
    ("CFG.k = 1", "for i in seq(0, CFG.k):\n    x[0] = 0.0", False),
    ("CFG.k = 1", "CFG.scale = 1.0", True),
    ("CFG.k = 2", "asks(x[0:2])", False),
    ("set_k(1)", "x[0] = CFG.scale", True),
    ("set_k(1)", "set_k(2)", False),
    ("set_k(1)", "add_to(x[1:3], CFG.scale)", True),
    ("set_k(1)", "for i in seq(0, CFG.k):\n    add_to(x[1:3], 2.0)", False),
    ("add_to(x[0:2], 1.0)", "add_to(x[0:2], 2.0)", True),
    ("add_to(x[0:2], 1.0)", "x[1] = 2.0", True),
    ("add_to(x[0:2], y[0])", "y[0] = 2.0", False),
    ("w = x[0:2]", "x[0] = 1.0", True),
    ("w = x[0:2]", "w[0] = 1.0", False),
    ("CFG.k = 1", "w = x[CFG.k % 2:4]", False),
    ("a: f32", "x[0] = 1.0", True),
    ("a: f32", "a = 1.0", False),
    ("CFG.k = 1", "a: f32[CFG.k % 2 + 1]", False),
]


@pytest.mark.parametrize(("one", "two", "free"), COMMUTE)
def test_statements_that_commute(one: str, two: str, free: bool) -> None:
    t = tree(f"{one}\n{two}")
    assert (safety.commute(t, block(t, (), 0, 1), block(t, (), 1, 2)) == Safe()) == free


def nest(body: str, inner: str = "j in seq(0, n)") -> ProcDef:
    return tree(f"for i in seq(0, n):\n    for {inner}:\n        " + body.replace("\n", "\n        "))


SWAPPED = {"n": 2, "i": 0, "i'": 1, "j": 1, "j'": 0}


@pytest.mark.parametrize(
    "body",
    [
        "x[i] += y[j]",
        "x[i] = x[i] + y[j]",
        "x[i] = y[i]",
        "x[j] = y[j]",
        "if i == j:\n    x[0] = y[i]",
        "a: f32\na = x[i]\nx[i] = a + y[j]",
        "add_to(x[i:i + 2], y[j])",
    ],
)
def test_loops_that_may_be_interchanged(body: str) -> None:
    assert safety.interchange(nest(body), (("body", 0),)) == Safe()


@pytest.mark.parametrize(
    ("body", "example"),
    [
        ("x[0] = y[i]", SWAPPED),
        ("CFG.k = i", SWAPPED),
        ("s = x[i]\ny[i] += s", SWAPPED),
        ("if j < 3:\n    x[i + j] = y[j]", SWAPPED),
        ("if y[0] < 0.0:\n    x[0] = y[i]", None),
        ("x[CFG.k % 4] = y[i]", None),
    ],
)
def test_loops_that_may_not_be_interchanged(body: str, example: Example) -> None:
    assert against(safety.interchange(nest(body), (("body", 0),))).counterexample == example


def test_a_classic_that_must_not_be_interchanged() -> None:
    text = """
    def foo(n: size, x: f32[n + 1, n + 1]):
        for i in seq(0, n):
            for j in seq(0, n):
                x[i + 1, j] = x[i, j + 1]
    """
    clash = against(safety.interchange(proc_from_source(text).tree, (("body", 0),)))
    assert clash.counterexample == {"n": 2, "i": 0, "i'": 1, "j": 1, "j'": 0}
    assert clash.obligation == "iterations of i and j that change places commute"
    skewed = proc_from_source(text.replace("x[i, j + 1]", "x[i, j]")).tree
    assert safety.interchange(skewed, (("body", 0),)) == Safe()


def test_interchange_of_a_triangle_and_of_bounds_that_change() -> None:
    assert safety.interchange(nest("x[i] += y[j]", "j in seq(0, i)"), (("body", 0),)) == Safe()
    assert safety.interchange(nest("x[i] += y[i]", "j in seq(0, CFG.k)"), (("body", 0),)) == Safe()
    against(safety.interchange(nest("set_k(3)", "j in seq(0, CFG.k)"), (("body", 0),)))


def test_interchange_brings_all_iterations_into_a_parallel_loop() -> None:
    # (0, 0) and (2, 1) meet, and keep their order only if j runs in order.
    text = "for i in seq(0, n):\n    for j in {}(0, n):\n        if j == i / 2:\n            x[i - 2 * j] = y[j]"
    assert safety.interchange(tree(text.format("seq")), (("body", 0),)) == Safe()
    clash = against(safety.interchange(tree(text.format("par")), (("body", 0),)))
    assert clash.counterexample == {"n": 3, "i": 2, "i'": 0, "j": 1, "j'": 0}


SPLIT = [
    ("x[{i}] = 1.0", "y[{i}] = x[{i}]", True),
    ("x[{i} + 1] = 1.0", "y[{i}] = x[{i}]", True),
    ("x[{i}] = 1.0", "y[{i}] = x[{i} + 1]", False),
    ("x[{i} + 1] += 1.0", "x[{i}] += 2.0", True),
    ("s = 0.0", "s += x[{i}]", False),
    ("s += y[{i}]", "s += x[{i}]", True),
    ("s = x[{i}]", "y[{i}] = s", False),
    ("if {i} == 0:\n    s = 0.0", "s += x[{i}]", True),
    ("if {i} == 1:\n    s = 0.0", "s += x[{i}]", False),
    ("CFG.k = {i}", "if CFG.k == 1:\n    x[{i}] = 0.0", False),
    ("if y[{i}] < 0.0:\n    x[{i}] = 1.0", "y[{i} + 1] = 0.0", False),
    ("if y[{i} + 1] < 0.0:\n    x[{i}] = 1.0", "y[{i}] = 0.0", True),
    ("add_to(x[{i}:{i} + 2], 1.0)", "y[{i}] = x[{i} + 1]", False),
    ("add_to(x[{i}:{i} + 2], 1.0)", "y[{i} + 1] = x[{i}]", True),
    ("for k in seq(0, 2):\n    x[2 * {i} / 2 + k] = 1.0", "y[{i}] = x[{i}]", True),
]


@pytest.mark.parametrize(("one", "two", "free"), SPLIT)
def test_fission_and_fusion_ask_the_same(one: str, two: str, free: bool) -> None:
    whole = tree(loop("i", one, two))
    assert (safety.fission(whole, (("body", 0),), 1) == Safe()) == free
    parts = tree(loop("i", one) + loop("j", two))
    assert (safety.fuse(parts, (("body", 0),), (("body", 1),)) == Safe()) == free


def loop(i: str, *stmts: str, mode: str = "seq", bounds: str = "0, n") -> str:
    body = [f"    {line}" for s in stmts for line in s.format(i=i).splitlines()]
    return "\n".join([f"for {i} in {mode}({bounds}):", *body, ""])


def test_a_split_is_shown_with_the_iterations_that_change_places() -> None:
    t = tree(loop("i", "x[{i}] = 1.0", "y[{i}] = x[{i} + 1]"))
    clash = against(safety.fission(t, (("body", 0),), 1))
    assert clash.counterexample == {"n": 2, "i": 0, "i'": 1}
    assert clash.details == "one reads x[i + 1], the other writes x[i]"


def test_what_the_first_part_defines_stays_with_it() -> None:
    t = tree(loop("i", "a: f32", "a = 1.0", "x[{i}] = a", "y[{i}] = 1.0"))
    for k, free in ((1, False), (2, False), (3, True)):
        assert (safety.fission(t, (("body", 0),), k) == Safe()) == free
    t = tree(loop("i", "w = x[{i}:{i} + 2]", "w[0] = 1.0"))
    clash = against(safety.fission(t, (("body", 0),), 1))
    assert clash.obligation == "w is defined in the first part and used in the second"


def test_ranges_that_config_fields_give() -> None:
    keep, change = "x[{i}] = 0.0", "CFG.k = 1"
    for first, free in ((keep, True), (change, False)):
        t = tree(loop("i", f"if {{i}} < n:\n    {first}", "s += 1.0", bounds="0, CFG.k"))
        assert (safety.fission(t, (("body", 0),), 1) == Safe()) == free
        t = tree(loop("i", first) + loop("j", "s += 1.0", bounds="0, CFG.k"))
        assert (safety.fuse(t, (("body", 0),), (("body", 1),)) == Safe()) == free


def test_fused_parallel_loops_may_not_race() -> None:
    for mode, free in (("seq", True), ("par", False)):
        t = tree(loop("i", "x[{i} + 1] = 1.0", mode=mode) + loop("j", "y[{i}] = x[{i}]", mode=mode))
        assert (safety.fuse(t, (("body", 0),), (("body", 1),)) == Safe()) == free
        t = tree(loop("i", "x[{i} + 1] += 1.0", mode=mode) + loop("j", "x[{i}] += y[{i}]", mode=mode))
        assert (safety.fuse(t, (("body", 0),), (("body", 1),)) == Safe()) == free


@pytest.mark.parametrize(
    ("body", "example"),
    [
        ("x[{i}] = y[{i}] + y[{i} + 1]", "safe"),
        ("a: f32\na = y[{i}]\nx[{i}] = a", "safe"),
        ("for k in seq(0, 2):\n    if k == 0:\n        x[2 * {i} / 2 + k] += y[k]", "safe"),
        ("x[{i} + 1] = x[{i}]", {"n": 2, "i": 1, "i'": 0}),
        ("s += x[{i}]", {"n": 2, "i": 1, "i'": 0}),
        ("x[{i} / 2] = 1.0", {"n": 2, "i": 1, "i'": 0}),
        ("set_k({i})", {"n": 2, "i": 1, "i'": 0}),
        ("if x[0] < 0.0:\n    x[{i}] = 0.0", None),
    ],
)
def test_parallel_iterations(body: str, example: Example | str) -> None:
    verdict = safety.parallel(tree(loop("i", body)), (("body", 0),))
    assert verdict == Safe() if example == "safe" else against(verdict).counterexample == example


# -- repetition ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "again"),
    [
        ("x[0] = y[0]", True),
        ("x[0] = 0.0\nx[0] += y[0]\ny[1] = x[0]", True),
        ("s = 0.0\nfor k in seq(0, n):\n    s += x[k] * y[k]\nz[0] = s", True),
        ("for k in seq(0, n):\n    x[k + 1] = 0.0\ny[0] = x[0]", True),
        ("CFG.k = 1\nif CFG.k == 1:\n    x[0] = 0.0", True),
        ("if flag:\n    x[0] = 0.0\nif flag:\n    x[0] += 1.0", True),
        ("a: f32\na = x[0]\ny[0] = a", True),
        ("x[0] += y[0]", False),
        ("x[0] = x[1]\nx[1] = y[0]", False),
        ("y[0] = x[0]\nx[0] = 0.0", False),
        ("s = 0.0\nif flag:\n    x[0] = 0.0\nx[0] += 1.0", False),
        ("if x[0] < 0.0:\n    x[0] = 1.0", False),
        ("if CFG.k == 1:\n    x[0] = 0.0\nCFG.k = 2", False),
        ("for k in seq(0, n):\n    x[k + 1] = x[k]", True),
        ("for k in seq(0, n):\n    x[k] = x[k + 1]", False),
        ("for k in seq(0, CFG.k):\n    x[0] = 0.0\nx[0] += 1.0", False),
        ("add_to(x[0:2], 1.0)", False),
        ("x[0] = 0.0\nadd_to(x[0:2], 1.0)", True),
        ("x[1] = 0.0\nadd_to(x[0:2], 1.0)", False),
    ],
)
def test_code_that_may_run_again(body: str, again: bool) -> None:
    t = tree(body)
    assert (safety.idempotent(t, block(t, (), 0)) == Safe()) == again
    t = tree(loop("i", body))
    assert (safety.repeatable(t, (("body", 0),)) == Safe()) == again


def test_a_value_that_repetition_changes_is_shown() -> None:
    t = tree(loop("i", "for k in seq(0, n):\n    x[k] = x[k + 1]"))
    clash = against(safety.repeatable(t, (("body", 0),)))
    assert clash.obligation == "the code writes what it reads, before it reads it"
    assert clash.details == "it reads x[k + 1]"
    assert clash.counterexample == {"n": 2, "k": 0}


def test_a_body_that_uses_its_iterator_cannot_stand_for_the_loop() -> None:
    t = tree(loop("i", "x[{i}] = 0.0"))
    assert against(safety.repeatable(t, (("body", 0),))).obligation == "the loop's body does not depend on i"
