"""Comparing what two procedures compute, and the laws that every rewrite obeys."""

from __future__ import annotations

import pytest
from returns.result import Success

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc, _next_version
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.direct import parallelize_loop, set_window
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir.build import data, num
from exo_strat.ir.nodes import Const
from exo_strat.ir.types import R
from exo_strat.ir.walk import walk
from exo_strat.ops.strategy import Atomic, Outcome
from exo_strat.testing import Inputs, Malformed, Miscompiled, assert_equivalent, assert_lawful, samples


def parsed(body: str, args: str = "n: size, x: f32[n]") -> Proc:
    return proc_from_source(f"def foo({args}):\n    " + body.strip().replace("\n", "\n    "))


class Wrong(Atomic):
    """Makes the first literal 7."""

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        path = next(path for path, n in walk(p.tree) if isinstance(n, Const) and n.type == R)
        rw = Rewrite(p)
        rw.replace(path, data(7.0))
        q = rw.finish(self, ())
        return Success((q, q.root()))


def test_a_difference_is_shown_with_the_input_and_both_procedures() -> None:
    p, q = parsed("x[0] = 1.0"), parsed("x[n - 1] = 1.0")
    with pytest.raises(Miscompiled) as e:
        assert_equivalent(p, q, Inputs({"n": 2, "x": [5, 6]}, {}), how="my_rewrite()")
    text = str(e.value)
    assert "with n = 2, x = [5, 6]\nx should be (1, 6), is (5, 1)" in text
    assert "the original:\ndef foo(n: size, x: f32[n] @ DRAM):\n    x[0] = 1.0" in text
    assert "what was made of it by my_rewrite():" in text


def test_sizes_for_which_both_are_equal_do_not_hide_the_others() -> None:
    p, q = parsed("x[0] = 1.0"), parsed("x[n - 1] = 1.0")
    assert assert_equivalent(p, q, Inputs({"n": 1, "x": [5]}, {})) == 1
    with pytest.raises(Miscompiled):
        assert_equivalent(p, q)


def test_a_new_trap_is_a_difference() -> None:
    p = parsed("a: f32\na = 1.0\nx[0] = a")
    q = parsed("a: f32\nx[0] = a")
    with pytest.raises(Miscompiled, match="the new procedure traps: uninitialised"):
        assert_equivalent(p, q)


def test_inputs_without_a_meaning_do_not_count() -> None:
    p = parsed("a: f32\nif n > 4:\n    a = 1.0\nx[0] = a")
    meaningful = assert_equivalent(p, p)
    assert meaningful == sum(i.args["n"] > 4 for i in samples(p)) > 0  # type: ignore[operator]


def test_config_fields_are_compared() -> None:
    from exo_strat.testing.library import environment

    texts = ["def foo(r: f32):\n    Cfg.mode = 1", "def foo(r: f32):\n    Cfg.mode = 2"]
    p, q = (proc_from_source(t, environment()) for t in texts)
    with pytest.raises(Miscompiled, match=r"Cfg.mode should be 1, is 2"):
        assert_equivalent(p, q)


def test_parallel_loops_run_in_other_orders() -> None:
    body = "for i in {}(0, n):\n    if i == 0:\n        x[0] = x[0] + 2.0\n    else:\n        x[0] = x[0] * 2.0"
    p, q = parsed(body.format("seq")), parsed(body.format("par"))
    with pytest.raises(Miscompiled):
        assert_equivalent(p, q)
    assert assert_equivalent(q, q) < len(samples(q)), "what depends on the order has no meaning"


def test_a_narrower_procedure_is_compared_where_it_may_be_called() -> None:
    p = parsed("x[0] = 1.0", "n: size, x: [f32][n]")
    q = set_window(p, "x", False)
    with pytest.raises(Miscompiled, match="not dense"):
        assert_equivalent(p, q)
    assert assert_equivalent(p, q, narrower=True) > 0


def test_a_race_breaks_a_law() -> None:
    p = parsed("for i in seq(0, n):\n    a: f32\n    a = 1.0\n    x[i] = a")
    q = parallelize_loop(p, "i")
    assert_lawful(p, q, str(p))
    racy = parsed("a: f32\nfor i in par(0, n):\n    a = 1.0\n    x[i] = a")
    assert assert_equivalent(p, racy) > 0, "each iteration runs in one step: the race does not show in a run"
    rewritten = _next_version(p, racy.tree, q.rewritten, True)  # type: ignore[arg-type]
    with pytest.raises(Malformed, match="race"):
        assert_lawful(p, rewritten, str(p))


def test_ill_formed_results_break_a_law() -> None:
    p = parsed("for i in seq(0, n):\n    x[i] = 1.0")
    rw = Rewrite(p)
    rw.set((("body", 0),), lo=num(-1))
    with pytest.raises(Malformed, match="not well-formed"):
        assert_lawful(p, rw.finish("bad", ()), str(p))
