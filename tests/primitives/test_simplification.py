"""Simplification, dead code, rewriting by hand: what is done, what is left alone, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import divide_loop, eliminate_dead_code, rewrite_expr, set_window, stage_mem
from exo_strat.direct import simplify as simplify_at
from exo_strat.frontend.checks import check
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.interp import run
from exo_strat.ops.failure import BadArgument, Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import eliminate_dead_code as eliminate_op
from exo_strat.primitives import rewrite_expr as rewrite_op
from exo_strat.primitives import simplify as simplify_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    n: index
    on: bool


def simplify(p: Proc) -> Proc:
    q = simplify_at(p, p.root())
    assert simplify_at(q, q.root()) is q
    return q


def program(lines: str, args: str = "n: size, x: f32[n + 8], y: f32[8]", **env: object) -> Proc:
    return proc_from_source(f"def foo({args}):\n{_indented(lines)}", {"Cfg": Cfg, **env})


def _indented(lines: str) -> str:
    return "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())


# -- simplify: control --------------------------------------------------------------------------------


def test_what_staging_and_tiling_leave(same: Same, body: Body) -> None:
    p = program("""
assert n % 64 == 0
for i in seq(0, n):
    x[i] = 2.0 * x[i]
""")
    p = divide_loop(p, "i", 64, ["io", "ii"], tail="cut")
    p = stage_mem(p, p.find_loop("ii"), "x[64 * io:64 * io + 64]", "tmp")
    assert body(simplify(p)) == (
        "for io in seq(0, n / 64):\n    tmp: f32[64] @ DRAM\n"
        "    for i0 in seq(0, 64):\n        tmp[i0] = x[64 * io + i0]\n"
        "    for ii in seq(0, 64):\n        tmp[ii] = 2.0 * tmp[ii]\n"
        "    for i0 in seq(0, 64):\n        x[64 * io + i0] = tmp[i0]"
    )
    same(p, simplify(p), n=64)


def test_every_place_of_a_control_expression(same: Same, body: Body) -> None:
    bar = proc_from_source("def bar(k: size, v: f32, z: [f32][k]):\n    for i in seq(0, k):\n        z[i] = v\n")
    p = program(
        """
for i in seq(n - n, (8 * n + 7) / 8):
    a: f32[3 + i + 2]
    w = x[i + i - i:i + 2 + 2]
    bar(2 * 2, x[2 * i - i], a[1 - 1:4])
    w[3 - 2] = a[i - i] * w[i / 1 - i]
    if i + 1 > 2 + 1:
        x[n + i - n] += relu(y[4 * 2 - 1])
""",
        bar=bar,
    )
    q = simplify(p)
    assert body(q) == (
        "for i in seq(0, n):\n    a: f32[i + 5] @ DRAM\n    w = x[i:i + 4]\n    bar(4, x[i], a[0:4])\n"
        "    w[1] = a[0] * w[0]\n    if i + 1 > 3:\n        x[i] += relu(y[7])"
    )
    same(p, q, n=5)


def test_branches_are_decided_by_assertions_ranges_and_conditions(same: Same, body: Body) -> None:
    p = program("""
assert n > 8
if n < 4:
    x[0] = 1.0
else:
    for i in seq(0, 4):
        if i < 4 and x[0] < 2.0:
            x[i] = 3.0
        if x[1] < 2.0:
            if n == 20:
                if n > 19:
                    a: f32
                    a = x[i]
                    x[i] = a
""")
    q = simplify(p)
    assert body(q) == (
        "for i in seq(0, 4):\n    if x[0] < 2.0:\n        x[i] = 3.0\n    if x[1] < 2.0:\n"
        "        if n == 20:\n            a: f32 @ DRAM\n            a = x[i]\n            x[i] = a"
    )
    for n in (9, 20):
        same(p, q, n=n)


def test_loops_that_never_run_and_code_that_does_nothing_go(same: Same, body: Body) -> None:
    p = program("""
assert n % 4 == 0
for i in seq(n, n):
    x[i] = 1.0
for i in seq(0, n % 4):
    x[i] = 2.0
for i in seq(3, 1):
    x[i] = 3.0
for i in seq(0, n):
    if i < 0:
        x[i] = 4.0
    for j in seq(0, i):
        pass
x[0] = 5.0
if n > 4:
    pass
else:
    y[0] = 6.0
if n > 8:
    y[1] = 7.0
else:
    pass
pass
""")
    q = simplify(p)
    assert body(q) == (
        "x[0] = 5.0\nif n > 4:\n    pass\nelse:\n    y[0] = 6.0\nif n > 8:\n    y[1] = 7.0"
    )
    for n in (4, 12):
        same(p, q, n=n)


def test_a_procedure_or_body_that_does_nothing_keeps_a_pass(body: Body) -> None:
    p = program("for i in seq(0, n):\n    if i < 0:\n        x[i] = 4.0\n")
    assert body(simplify(p)) == "pass"
    q = program("for i in seq(0, n):\n    if i < 0:\n        x[i] = 1.0\n    else:\n        x[i] = 2.0\n        pass\n")
    assert body(simplify(q)) == "for i in seq(0, n):\n    x[i] = 2.0"


def test_lower_bounds_and_negative_numbers(same: Same, body: Body) -> None:
    p = program("""
for i in seq(-3, 0):
    y[i / 4 + 2] = x[i % 4]
    if i < -3:
        y[0] = 1.0
    if (i - 1) / 4 == -1:
        y[i + 3] += x[(i + 4) / 4 + 1]
""")
    q = simplify(p)
    assert body(q) == "for i in seq(-3, 0):\n    y[1] = x[i + 4]\n    y[i + 3] += x[1]"
    same(p, q, n=1)


def test_two_loops_of_one_name_are_two_scopes(same: Same, body: Body) -> None:
    p = program("""
for i in seq(0, 4):
    y[i / 4] = 1.0
for i in seq(4, 8):
    y[i / 4] = 2.0
""")
    assert body(simplify(p)) == "for i in seq(0, 4):\n    y[0] = 1.0\nfor i in seq(4, 8):\n    y[1] = 2.0"
    same(p, simplify(p), n=1)


def test_config_fields_may_change_and_decide_nothing(body: Body) -> None:
    p = program("""
if Cfg.n < 4:
    Cfg.n = n + 4 - 4
    if Cfg.n < 4:
        y[0] = 1.0
if Cfg.on and n > 0:
    y[1] = 1.0
""")
    assert body(simplify(p)) == (
        "if Cfg.n < 4:\n    Cfg.n = n\n    if Cfg.n < 4:\n        y[0] = 1.0\nif Cfg.on:\n    y[1] = 1.0"
    )


def test_assertions_and_signatures_stay() -> None:
    p = program("assert n + 1 > 1 + 0\nassert n % 8 == 0\nx[0] = 1.0")
    assert simplify(p) is p


# -- simplify: data -----------------------------------------------------------------------------------


def test_neutral_and_absorbing_constants(same: Same, body: Body) -> None:
    p = program("""
y[0] = 1.0 * (x[0] + 0.0) / 1.0 - 0.0
y[1] = x[0] * (0.0 * x[1]) + x[2]
y[2] += x[3] - x[3] + 0.0 * x[1]
y[3] = 0.0 - x[0]
y[4] += 0.0 * x[0]
""")
    q = simplify(p)
    assert body(q) == "y[0] = x[0]\ny[1] = x[2]\ny[2] += x[3] - x[3]\ny[3] = 0.0 - x[0]"
    same(p, q, n=4)


def test_an_assignment_converts(body: Body) -> None:
    """So a conversion to the precision of what is assigned says nothing. One to another precision rounds, a number that
    is made of literals or of control has no other precision, and an accumulation adds what was converted."""
    p = proc_from_source("""
    def foo(n: size, x: f32[4], y: f64[4], k: i32[4]):
        y[0] = f64(x[0] * x[1])
        y[1] = f64(f64(1.0 * x[1]))
        y[2] = f64(f32(y[0]))
        y[3] = f64(f32(x[0]) + x[1])
        x[0] = f32(y[0] + f64(x[1]))
        x[1] = f64(y[0])
        x[2] = f32(0.1)
        x[3] = f32(n)
        k[0] = i32(x[0])
        y[0] += f64(x[0])
        for i in seq(0, 4):
            y[i] = f64(x[i])
    """)
    q = simplify(p)
    assert body(q).splitlines() == [
        "y[0] = x[0] * x[1]",
        "y[1] = x[1]",
        "y[2] = f32(y[0])",
        "y[3] = f32(x[0]) + x[1]",
        "x[0] = y[0] + f64(x[1])",
        "x[1] = f64(y[0])",
        "x[2] = f32(0.1)",
        "x[3] = f32(n)",
        "k[0] = x[0]",
        "y[0] += f64(x[0])",
        "for i in seq(0, 4):",
        "    y[i] = x[i]",
    ]
    assert simplify(q) is q


def test_a_value_that_is_passed_does_not_become_a_reference(same: Same, body: Body) -> None:
    bar = proc_from_source("""
def bar(v: f32, z: [f32][2]):
    z[0] = 2.0
    z[1] = v
""")
    p = program("bar(1.0 * x[0], x[0:2])\nbar(x[0] * 1.0 + 0.0 * x[3], x[0:2])\nbar(0.0 * x[0], y[0:2])", bar=bar)
    q = simplify(p)
    assert body(q) == "bar(1.0 * x[0], x[0:2])\nbar(x[0] + 0.0, x[0:2])\nbar(0.0, y[0:2])"
    same(p, q, n=4)


# -- simplify: cursors --------------------------------------------------------------------------------


def test_the_focus_only(applied: Applied, body: Body) -> None:
    p = program("x[0 + 0] = 1.0\nfor i in seq(0, 4):\n    x[i + 0] = 1.0")
    q, c = applied(simplify_op(), p, p.find_loop("i"))
    assert body(q) == "x[0 + 0] = 1.0\nfor i in seq(0, 4):\n    x[i] = 1.0"
    assert c == q.find_loop("i")
    q, c = applied(simplify_op(), p, p.root())
    assert c == q.root()


def test_cursors_to_what_stays_stay(applied: Applied) -> None:
    p = program("""
for i in seq(0, 4):
    pass
    if i < 4:
        x[0 + i] = y[i]
        y[i] = 2.0
    for j in seq(0, 0):
        y[j] = 3.0
""")
    q, _ = applied(simplify_op(), p, p.root())
    for pattern in ("x[_] = _", "y[_] = 2.0"):
        assert q.forward(p.find(pattern)) == q.find(pattern)
    assert q.forward(p.find("y[_] = 2.0")).node is p.find("y[_] = 2.0").node
    assert not q.forward(p.find("y[_] = 3.0")).is_valid
    assert not q.forward(p.find("if _: _")).is_valid


def test_nothing_to_do_is_the_same_procedure() -> None:
    p = program("for i in seq(0, n):\n    x[i] = y[0]")
    assert simplify(p) is p


INDEX = st.sampled_from(["i", "j", "n", "2 * i", "(i + j) / 2", "(4 * i + j) % 4", "i - 3", "j % 2", "n / 2", "3 - j"])
CONDITION = st.builds("{} {} {}".format, INDEX, st.sampled_from(["<", ">=", "=="]), INDEX)


@given(st.lists(st.tuples(CONDITION, INDEX, st.sampled_from(["and", "or"]), CONDITION), min_size=1, max_size=3),
       st.integers(-2, 1), st.integers(-1, 3), INDEX)  # fmt: skip
def test_what_a_procedure_computes_stays(
    stores: list[tuple[str, str, str, str]], lo: int, count: int, bound: str
) -> None:
    lines = [f"for i in seq({lo}, {lo + count}):", f"    for j in seq(-1, {bound.replace('j', 'i')}):"]
    for k, (first, index, op, second) in enumerate(stores):
        lines += [f"        if {first} {op} {second}:", f"            y[({index}) % 4] = 2.0 * y[{k}] + {k + 1}.0",
                  "        else:", f"            y[7 - ({index}) % 4] += 1.0"]  # fmt: skip
    p = program("\n".join(lines), "n: size, y: f32[8]")
    q = simplify(p)
    check(q.tree)
    for n in (1, 2, 5):
        inputs = {"n": n, "y": list(range(8))}
        assert run(q, inputs) == run(p, inputs)


# -- eliminate_dead_code ------------------------------------------------------------------------------

DEAD = program("""
assert n < 4
for i in seq(n, 3 - 3):
    x[i] = 1.0
for i in seq(0, n):
    if i < 4:
        x[i] = 2.0
        y[i] = 2.0
    else:
        x[i] = 3.0
    if i > 4:
        x[i] = 4.0
    if i > 4:
        x[i] = 5.0
    else:
        y[i] = 5.0
""")


def test_dead_code(same: Same, body: Body, applied: Applied) -> None:
    kept = DEAD.find("y[_] = 2.0")
    p, c = applied(eliminate_op(), DEAD, DEAD.find_loop("i"))
    assert c == p.body()[0] and str(c.node) == "Pass()"
    p, c = applied(eliminate_op(), p, p.forward(DEAD.find("if i < 4: _")))
    assert [str(s) for s in c] == [str(p.find("x[_] = 2.0")), str(p.find("y[_] = 2.0"))]
    assert p.forward(kept) == p.find("y[_] = 2.0")
    p = eliminate_dead_code(eliminate_dead_code(p, "if i > 4: _"), "if i > 4: _")
    assert body(p) == (
        "pass\nfor i in seq(0, n):\n    x[i] = 2.0\n    y[i] = 2.0\n    pass\n    y[i] = 5.0"
    )
    for n in (1, 3):
        same(DEAD, p, n=n)


def test_code_that_may_run_is_not_dead(refused: Refused) -> None:
    p = program("""
for i in seq(-1, n - 3):
    x[i + 1] = 1.0
for i in seq(0, n):
    if i < 4:
        x[i] = 2.0
    if Cfg.n < 4:
        x[i] = 3.0
    if x[i] < x[i]:
        x[i] = 4.0
""")
    f = refused(eliminate_dead_code, p, "i")
    assert isinstance(f, Unsafe) and f.counterexample is not None
    assert f.counterexample["n"] > 2
    f = refused(eliminate_dead_code, p, "if i < 4: _")
    assert isinstance(f, Unsafe) and f.counterexample is not None and f.counterexample["i"] >= 4
    for pattern in ("if Cfg.n < 4: _", "if x[_] < x[_]: _"):
        f = refused(eliminate_dead_code, p, pattern)
        assert isinstance(f, Unsafe) and f.counterexample is None
    assert isinstance(refused(eliminate_dead_code, p, "x[_] = 1.0"), NotApplicable)


# -- rewrite_expr -------------------------------------------------------------------------------------

TILED = program("""
assert n % 4 == 0
for i in seq(0, n / 4):
    for j in seq(0, 4):
        x[4 * i + j] = y[(4 * i + j) / 4 - i]
""")


def test_rewrite_to_what_is_equal_here(same: Same, body: Body, applied: Applied) -> None:
    index = TILED.find("y[_]").idx()[0]
    q, c = applied(rewrite_op("0"), TILED, index)
    assert body(q).endswith("x[4 * i + j] = y[0]") and c == q.find("y[_]").idx()[0]
    assert q.forward(TILED.find("x[_] = _")) == q.find("x[_] = _")
    same(TILED, q, n=8)
    bound = rewrite_expr(TILED, TILED.find_loop("i").hi(), "(n + 3) / 4")
    assert "for i in seq(0, (n + 3) / 4):" in body(bound)


@pytest.mark.parametrize("new", ["1", "j", "n - n + i", "(4 * i + j) % 4"])
def test_rewrite_to_something_else_is_refused(refused: Refused, new: str) -> None:
    f = refused(rewrite_expr, TILED, TILED.find("y[_]").idx()[0], new)
    assert isinstance(f, Unsafe) and f.counterexample is not None


def test_rewrite_says_where_the_two_differ(refused: Refused) -> None:
    f = refused(rewrite_expr, TILED, "y[_]", "y[j]")
    assert "(4 * i + j) / 4 - i is not j, in `y[(4 * i + j) / 4 - i]` and `y[j]`" in str(f)
    f = refused(rewrite_expr, TILED, TILED.find_loop("i").hi(), "n")
    assert "these are `n / 4` and `n`\nfor instance with n = 4" in str(f)


def test_rewrite_takes_what_is_in_scope_and_of_the_same_kind(refused: Refused) -> None:
    hi = TILED.find_loop("i").hi()
    assert isinstance(refused(rewrite_expr, TILED, hi, "j - j + n / 4"), BadArgument)
    inner = TILED.find("y[_]").idx()[0]
    f = refused(rewrite_expr, TILED, hi, inner)
    assert isinstance(f, BadArgument) and "not in scope" in f.message
    assert isinstance(refused(rewrite_expr, TILED, hi, "i < n"), BadArgument)
    assert isinstance(refused(rewrite_expr, TILED, hi, "y[0]"), BadArgument)


def test_assertions_do_not_prove_themselves_away(refused: Refused) -> None:
    preds = [c for c in TILED.find_all("n % 4") if c.path[0][0] == "preds"]
    for c in preds:
        assert isinstance(refused(rewrite_expr, TILED, c, "0"), NotApplicable)


def test_a_divisor_may_become_a_size_that_equals_it(refused: Refused, body: Body) -> None:
    p = program("assert n == 4\nfor i in seq(0, n):\n    x[i / 4] = 1.0")
    assert "x[i / n] = 1.0" in body(rewrite_expr(p, p.find("i / 4").rhs(), "n"))
    p = program("for i in seq(0, n):\n    x[i / 4] = 1.0")
    assert isinstance(refused(rewrite_expr, p, p.find("i / 4").rhs(), "n"), Unsafe)


def test_a_config_field_is_what_it_is_known_to_be(refused: Refused, body: Body) -> None:
    p = program("Cfg.n = n\nif Cfg.n < 4:\n    Cfg.n = 0\nif Cfg.n < 5:\n    x[0] = 1.0")
    assert body(rewrite_expr(p, p.find("Cfg.n"), "n")).startswith("Cfg.n = n\nif n < 4:")
    assert isinstance(refused(rewrite_expr, p, p.find("Cfg.n #1"), "n"), Unsafe)


def test_strides_are_known_of_dense_buffers_only(refused: Refused, body: Body) -> None:
    p = program("if stride(x, 0) == 1:\n    y[0] = 1.0")
    stride = p.find("stride(x, 0)")
    assert "if 1 == 1" in body(rewrite_expr(p, stride, "1"))
    q = set_window(p, "x")
    assert isinstance(refused(rewrite_expr, q, stride, "1"), Unsafe)


BUMP = proc_from_source("def bump(v: f32):\n    v += 1.0")
DATA = program("w = x[1:3]\nfor i in seq(0, 2):\n    x[i] = 2.0 * w[i] + y[i] * y[0]\nbump(y[0])", bump=BUMP)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2.0 * _", "w[i] * 2.0"),
        ("_ + _", "y[0] * y[i] + 2.0 * x[i + 1]"),
        ("w[_]", "x[1 + i]"),
    ],
)
def test_data_may_be_written_otherwise(old: str, new: str, same: Same, body: Body) -> None:
    q = rewrite_expr(DATA, DATA.find(old), new)
    assert new in body(q)
    same(DATA, q, n=8)


def test_other_data_is_refused(refused: Refused) -> None:
    for old, new in (("w[_]", "x[i]"), ("2.0 * _", "2.0 * x[i]"), ("2.0 * _", "w[i] + w[i]")):
        assert isinstance(refused(rewrite_expr, DATA, DATA.find(old), new), Unsafe)
    assert isinstance(refused(rewrite_expr, DATA, DATA.find("y[i]"), "i"), BadArgument)
    passed = DATA.find("bump(_)").args()[0]  # type: ignore[attr-defined]
    f = refused(rewrite_expr, DATA, passed, "y[0]")
    assert isinstance(f, NotApplicable) and "a place" in f.message


def test_a_part_that_is_known_may_decide_a_condition_on_data(body: Body) -> None:
    p = program("for i in seq(0, n):\n    if x[i] < 2.0 or i < n:\n        x[i] = 1.0")
    assert "if" not in body(simplify_at(p))


AGAIN = """
if y[0] < 1.0:
    {}
    if {}:
        x[0] = 2.0
    else:
        x[1] = 3.0
else:
    if y[0] < 1.0:
        x[2] = 4.0
"""


@pytest.mark.parametrize("cond", ["y[0] < 1.0", "w[0] < 1.0", "y[n - n] < 1.0"])
def test_a_condition_on_data_that_was_asked_before(cond: str, same: Same, body: Body) -> None:
    p = program("w = y[0:2]" + AGAIN.format("y[1] = x[0]", cond))
    q = eliminate_dead_code(p, p.find_all("if _: _")[1])
    assert "x[1] = 3.0" not in body(q)
    same(p, q, n=1)
    q = eliminate_dead_code(p, p.find_all("if _: _")[2])
    assert "x[2] = 4.0" not in body(q)
    same(p, q, n=1)


@pytest.mark.parametrize(
    ("between", "cond"),
    [("y[0] = 2.0", "y[0] < 1.0"), ("w[0] = 2.0", "y[0] < 1.0"), ("pass", "y[1] < 1.0"), ("pass", "y[0] < 2.0")],
)
def test_a_condition_on_data_that_may_have_changed(between: str, cond: str, refused: Refused) -> None:
    p = program("w = y[0:2]" + AGAIN.format(between, cond))
    assert isinstance(refused(eliminate_dead_code, p, p.find_all("if _: _")[1]), Unsafe)


def test_a_condition_on_data_that_a_later_iteration_changes(refused: Refused) -> None:
    p = program("""
if y[0] < 1.0:
    for i in seq(0, 2):
        if y[0] < 1.0:
            x[i] = 1.0
        y[0] = 4.0
""")
    assert isinstance(refused(eliminate_dead_code, p, p.find_all("if _: _")[1]), Unsafe)
