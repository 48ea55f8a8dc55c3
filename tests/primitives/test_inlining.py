"""Values and windows put in where they are used: accepted, refused for each reason, where cursors go."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import delete_buffer, inline_assign, inline_window
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import inline_assign as assign_op
from exo_strat.primitives import inline_window as window_op

Body = Callable[[Proc], str]
Same = Callable[..., None]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


@config
class Cfg:
    scale: f32
    row: index


READER = proc_from_source("""
def reader(v: f32, w: [f32][2]):
    w[0] = v + w[1]
""")
WRITER = proc_from_source("""
def writer(v: f32):
    v += 1.0
""")


def foo(stmts: str) -> Proc:
    """A procedure with these statements."""
    lines = "\n".join(f"    {line}" for line in stmts.strip("\n").splitlines())
    text = f"def foo(n: size, x: f32[n + 4], y: f32[n + 4], s: f32, b: f32):\n{lines}"
    return proc_from_source(text, {"Cfg": Cfg, "reader": READER, "writer": WRITER})


# -- inline_assign ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 2.0 * b\ny[0] = a * a", "y[0] = 2.0 * b * (2.0 * b)"),
        ("a = b + 1.0\nif a < 2.0:\n    s = a", "if b + 1.0 < 2.0:\n    s = b + 1.0"),
        ("a = b\nfor i in seq(0, n):\n    x[i] = a", "for i in seq(0, n):\n    x[i] = b"),
        ("a = b\nreader(a, x[0:2])", "reader(b, x[0:2])"),
        ("a = b\nCfg.scale = a", "Cfg.scale = b"),
        # what the value reads changes only after, or while, the last use is done
        ("a = y[0]\ny[0] = a + 1.0", "y[0] = y[0] + 1.0"),
        ("a = y[0]\ns = a\ny[0] = 1.0", "s = y[0]\ny[0] = 1.0"),
        ("a = y[0]\nif a < 2.0:\n    y[0] = 1.0", "if y[0] < 2.0:\n    y[0] = 1.0"),
        # the buffer is overwritten: nobody else sees the value
        ("a = b\ns = a\na = 1.0\ny[0] = a", "s = b\na = 1.0\ny[0] = a"),
        ("a = b\na = a + 1.0\ny[0] = a", "a = b + 1.0\ny[0] = a"),
        # its own old value
        ("a = b\ns = a\na = a * 2.0\ny[0] = a", "s = b\na = b * 2.0\ny[0] = a"),
    ],
)
def test_a_value_is_put_in(before: str, after: str, body: Body, same: Same) -> None:
    p = foo(f"a: f32\n{before}")
    q = inline_assign(p, "a = _ #0")
    assert body(q) == f"a: f32 @ DRAM\n{after}"
    if "Cfg" not in before:
        same(p, q, n=3)


def test_the_old_value_of_the_buffer_may_be_part_of_it(body: Body, same: Same) -> None:
    p = foo("a: f32\na = b\na = a + 1.0\ny[0] = a * 2.0")
    q = inline_assign(p, "a = _ #1")
    assert body(q) == "a: f32 @ DRAM\na = b\ny[0] = (a + 1.0) * 2.0"
    same(p, q, n=3)


def test_the_element_is_told_from_others(body: Body, same: Same) -> None:
    p = foo("""
t: f32[4]
t[1] = 5.0
for i in seq(0, n):
    t[0] = x[i]
    t[2] = 3.0
    y[i] = t[0] + t[1] + t[2]
""")
    q = inline_assign(p, "t[0] = _")
    assert "y[i] = x[i] + t[1] + t[2]" in body(q)
    same(p, q, n=3)


def test_the_statements_that_may_see_the_value_are_returned(applied: Applied) -> None:
    p = foo("a: f32\na = b\ns = a\na = 1.0\ny[0] = a")
    q, c = applied(assign_op(), p, p.find("a = b"))
    assert [str(s) for s in c] == [str(s) for s in q.body()[1:3]]  # type: ignore[attr-defined]
    p = foo("for i in seq(0, n):\n    a: f32\n    a = b")
    q, c = applied(assign_op(), p, p.find("a = b"))
    assert c == q.find_loop("i")


def test_then_the_buffer_can_go(body: Body) -> None:
    p = foo("for i in seq(0, n):\n    a: f32\n    a = x[i]\n    y[i] = a")
    assert body(delete_buffer(inline_assign(p, "a = _"), "a")) == "for i in seq(0, n):\n    y[i] = x[i]"


@pytest.mark.parametrize(
    "stmts",
    [
        "s = b\ny[0] = s",  # an argument: the caller sees it
        "s = b\ny[0] = s\nif n < 3:\n    s = 0.0",
        "a: f32[2]\na[0] = b\nw = a[0:2]\ny[0] = w[0]",
        "a: f32[2]\nw = a[0:2]\na[0] = b\ny[0] = a[0]",
        "a: f32\na = b\nwriter(a)\ny[0] = a",
        "a: f32[2]\na[1] = 0.0\na[0] = b\nreader(s, a[0:2])",
    ],
)
def test_a_buffer_that_others_may_see_is_kept(stmts: str, refused: Refused) -> None:
    p = foo(stmts)
    target = "s = _" if stmts.startswith("s") else "a = _" if "a: f32\n" in stmts else "a[0] = _"
    assert isinstance(refused(inline_assign, p, target), NotApplicable)


@pytest.mark.parametrize(
    "stmts",
    [
        # written again
        "a = b\na += 1.0\ny[0] = a",
        "a = b\nif n < 3:\n    a = 1.0\ny[0] = a",
        "a = b\nfor i in seq(0, n):\n    a = 1.0\ny[0] = a",
        # an operand changes before the use
        "a = b\nb = 1.0\ny[0] = a",
        "a = y[0]\nfor i in seq(0, n):\n    y[i] = a",
        "a = y[0]\nw = y[0:2]\nw[0] = 1.0\ns = a",
        "a = b\nif n < 3:\n    b = 1.0\n    y[0] = a",
        "a = y[1]\nreader(a, y[0:2])\ns = a\nreader(a, y[1:3])\ny[0] = a",
        "a = Cfg.scale\nCfg.scale = 1.0\ny[0] = a",
    ],
)
def test_a_value_that_may_change_is_not_put_in(stmts: str, refused: Refused) -> None:
    assert isinstance(refused(inline_assign, foo(f"a: f32\n{stmts}"), "a = _ #0"), Unsafe)


@pytest.mark.parametrize(
    "stmts",
    [
        "a: f32\nif n < 3:\n    a = b\nelse:\n    a = 1.0\ny[0] = a",
        "a: f32\na = 1.0\nfor i in seq(0, n):\n    y[i] = a\n    a = b",
        "a: f32\na = 1.0\nfor i in seq(0, n):\n    a = a + b\ny[0] = a",
        "a: f32\na = 1.0\nfor i in seq(0, n):\n    a = a + b\n    y[i] = a",
        "a: f32\na = 1.0\nfor i in seq(0, n):\n    for j in seq(0, 2):\n        y[i] = a\n    a = b",
        "a: f32\na = 1.0\nfor i in seq(0, n):\n    if i < 1:\n        a = b\n    else:\n        y[i] = a",
    ],
)
def test_a_value_that_is_seen_later_is_kept(stmts: str, refused: Refused) -> None:
    p = foo(stmts)
    target = "a = a + b" if "a + b" in stmts else "a = b"
    f = refused(inline_assign, p, target)
    assert isinstance(f, Unsafe) and "a" in f.details


def test_a_value_of_an_argument_goes_if_it_is_overwritten(body: Body, same: Same) -> None:
    p = foo("for i in seq(0, n):\n    y[i] = b\n    s += y[i]\n    y[i] = 2.0 * y[i]")
    q = inline_assign(p, "y[_] = _")
    assert body(q) == "for i in seq(0, n):\n    s += b\n    y[i] = 2.0 * b"
    same(p, q, n=3)


def test_a_value_of_an_argument_is_kept_that_others_may_see_meanwhile(refused: Refused) -> None:
    p = foo("w = y[0:n]\ny[0] = b\ns = w[0]\ny[0] = 0.0")
    assert "through a window" in refused(inline_assign, p, "y[0] = b").message
    q = foo("w = y[0:n]\nw[0] = b\ns = y[0]\nw[0] = 0.0")
    assert isinstance(refused(inline_assign, q, "w[0] = b"), NotApplicable)
    f = refused(inline_assign, foo("y[0] = b\ny[n - 1] += 1.0\ny[0] = 0.0"), "y[0] = b")
    assert isinstance(f, Unsafe) and "not written again" in f.message


def test_a_value_that_no_later_iteration_sees_may_go(body: Body, same: Same) -> None:
    p = foo("a: f32\nfor i in seq(0, n):\n    a = 1.0\n    y[i] = a\n    a = b\n    x[i] = a")
    q = inline_assign(p, "a = b")
    assert body(q).endswith("    y[i] = a\n    x[i] = b")
    same(p, q, n=3)


def test_it_must_be_known_whether_a_read_sees_the_value(refused: Refused) -> None:
    p = foo("t: f32[8]\nfor j in seq(0, 8):\n    t[j] = 0.0\nfor i in seq(0, 4):\n    t[i] = b\n    y[i] = t[0]")
    failure = refused(inline_assign, p, "t[i] = _")
    assert isinstance(failure, Unsafe) and failure.counterexample is not None and failure.counterexample["i"] == 0


def test_a_scalar_must_not_become_an_alias_in_a_call(refused: Refused) -> None:
    p = foo("a: f32\na = x[0]\nreader(a, x[0:2])")
    assert isinstance(refused(inline_assign, p, "a = _"), Unsafe)


# -- inline_window ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "want"),
    [
        ("w[i] = 0.0", "x[2 + i] = 0.0"),
        ("w[i] += w[1] * w[0]", "x[2 + i] += x[3] * x[2]"),
        ("w[i] = max(w[i], b)", "x[2 + i] = max(x[2 + i], b)"),
        ("reader(b, w)", "reader(b, x[2:4])"),
        ("v = w[1:2]\n    v[0] = 1.0", "v = x[3:4]\n    v[0] = 1.0"),
        ("if stride(w, 0) == 1:\n        w[i] = 1.0", "if stride(x, 0) == 1:\n        x[2 + i] = 1.0"),
    ],
)
def test_uses_of_a_window_go_to_the_buffer(use: str, want: str, body: Body, same: Same) -> None:
    p = foo(f"w = x[2:4]\nfor i in seq(0, 2):\n    {use}")
    q = inline_window(p, "w = _")
    assert body(q) == f"for i in seq(0, 2):\n    {want}"
    same(p, q, n=3)


def test_a_row_keeps_its_points(body: Body, same: Same) -> None:
    p = proc_from_source("""
def foo(m: size, x: f32[4, m + 2, 3]):
    for k in seq(0, 3):
        w = x[k, 1:m + 2, 2]
        for i in seq(0, m):
            w[i] = w[i + 1]
""")
    q = inline_window(p, "w = _")
    assert body(q).splitlines()[-1].strip() == "x[k, 1 + i, 2] = x[k, 1 + (i + 1), 2]"
    same(p, q, m=3)


def test_cursors_into_the_uses_survive(applied: Applied) -> None:
    p = foo("w = x[2:4]\nfor i in seq(0, 2):\n    w[i] = b * 2.0")
    store, value = p.find("w[_] = _"), p.find("b * 2.0")
    q, c = applied(window_op(), p, p.find("w = _"))
    assert [str(s) for s in c] == [str(s) for s in q.body()]  # type: ignore[attr-defined]
    assert q.forward(store) == q.find("x[_] = _") and q.forward(value) == q.find("b * 2.0")
    assert not q.forward(p.find("w = _")).is_valid


def test_a_window_that_nobody_uses_goes(body: Body) -> None:
    p = foo("for i in seq(0, n):\n    w = x[0:2]")
    assert body(inline_window(p, "w = _")) == "for i in seq(0, n):\n    pass"


def test_a_window_stays_where_it_was_defined(refused: Refused) -> None:
    text = """
def foo(x: f32[8]):
    w = x[Cfg.row % 4:Cfg.row % 4 + 2]
    {}
    w[0] = 1.0
"""
    p = proc_from_source(text.format("Cfg.row = 3"), {"Cfg": Cfg})
    assert isinstance(refused(inline_window, p, "w = _"), Unsafe)
    assert inline_window(proc_from_source(text.format("Cfg.scale = 3.0"), {"Cfg": Cfg}), "w = _")
