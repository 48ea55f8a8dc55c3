"""Programs that the static checks accept and refuse, by the place where an error can hide."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pyrsistent import pmap, pvector

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.checks import check
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.ir import types
from exo_strat.ir.build import num, var
from exo_strat.ir.config import Config
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Assign, For, Interval, Pass, ProcDef, Read, WindowExpr
from exo_strat.ir.walk import get, update, with_child

CFG = Config("CFG", pmap({"n": types.size, "row": types.stride_, "on": types.bool_, "scale": types.f32,
                           "k": types.index}))


def _foo(lines: str) -> str:
    return "def foo(N: size, x: f32[8]):\n" + indent(lines, "    ")


def accepted(text: str, **names: Proc) -> Proc:
    return proc_from_source(dedent(text), {"CFG": CFG, **names})


def refused(text: str, message: str, **names: Proc) -> CheckError:
    with pytest.raises(CheckError) as caught:
        accepted(text, **names)
    assert message in caught.value.message
    return caught.value


class TestBounds:
    def test_a_loop_over_the_extent(self) -> None:
        accepted("""
            def foo(N: size, x: f32[N], y: f32[N]):
                for i in seq(0, N):
                    x[i] = y[i]
        """)

    def test_one_too_far_with_the_values_that_show_it(self) -> None:
        e = refused(
            """
            def foo(N: size, x: f32[N], y: f32[N]):
                for i in seq(0, N):
                    x[i] = y[i + 1]
            """,
            "y[i + 1] may be out of bounds in dimension 0; "
            "for example N = 1, i = 0: index 1, and y has extent 1",
        )
        assert e.path == (("body", 0), ("body", 0), ("rhs", None))
        assert e.counterexample == {"N": 1, "i": 0}

    @pytest.mark.parametrize("target", ["x[i] = 0.0", "x[i] += 1.0", "x[0] = y[i]", "x[0] = sin(y[i])", "x[0] = -y[i]"])
    def test_wherever_it_hides(self, target: str) -> None:
        refused(f"""
            def foo(N: size, x: f32[N], y: f32[N]):
                for i in seq(0, N + 1):
                    {target}
        """, "out of bounds")

    @pytest.mark.parametrize(
        ("lo", "hi", "ok"), [("1", "N", True), ("-1", "N", False), ("N", "0", True), ("2 - N", "1", False)]
    )
    def test_loops_start_anywhere_and_may_be_empty(self, lo: str, hi: str, ok: bool) -> None:
        text = f"""
            def foo(N: size, x: f32[N]):
                for i in seq({lo}, {hi}):
                    x[i] = 0.0
        """
        if ok:
            accepted(text)
        else:
            refused(text, "x[i] may be out of bounds")

    def test_a_symbolic_lower_bound(self) -> None:
        accepted("""
            def foo(N: size, a: index, x: f32[N]):
                assert a >= 0
                for i in seq(a, N):
                    x[i] = 0.0
        """)

    def test_tiles_with_a_tail(self) -> None:
        accepted("""
            def foo(N: size, x: f32[N]):
                for io in seq(0, N / 8):
                    for ii in seq(0, 8):
                        x[io * 8 + ii] = 0.0
                for i in seq(0, N % 8):
                    x[i + N / 8 * 8] = 0.0
        """)

    def test_tiles_with_a_guard(self) -> None:
        accepted("""
            def foo(N: size, x: f32[N]):
                for io in seq(0, (N + 7) / 8):
                    for ii in seq(0, 8):
                        if io * 8 + ii < N:
                            x[io * 8 + ii] = 0.0
        """)

    def test_a_guard_on_the_wrong_side(self) -> None:
        refused("""
            def foo(N: size, x: f32[N]):
                for i in seq(0, N + 8):
                    if i < N:
                        pass
                    else:
                        x[i] = 0.0
        """, "x[i] may be out of bounds")

    def test_floor_division_of_negative_numbers(self) -> None:
        refused("""
            def foo(N: size, x: f32[N]):
                for i in seq(-1, 1):
                    x[i / 2] = 0.0
        """, "i = -1: index -1")
        accepted("""
            def foo(x: f32[4], a: index):
                x[a % 4] = 0.0
        """)

    def test_what_is_known_of_config_fields(self) -> None:
        for lines in (
            "CFG.n = 4\nx[CFG.n] = 1.0",
            "if CFG.n < 8:\n    x[CFG.n] = 0.0",
            "if 0 <= CFG.k and CFG.k < 8:\n    x[CFG.k] = 0.0",
            "if CFG.k < 0 or CFG.k >= 8:\n    pass\nelse:\n    x[CFG.k] = 0.0",
            "assert CFG.k >= 0\nassert CFG.k < 8\nx[CFG.k] = x[7 - CFG.k]",
            "assert CFG.n <= 8\nfor i in seq(0, CFG.n):\n    x[i] = 0.0",
            "CFG.n = 8\nfor i in seq(0, CFG.n):\n    CFG.n = 1\n    x[i] = 0.0",
            "CFG.k = 3\nw = x[CFG.k:CFG.k + 2]\nCFG.k = 9\nw[1] = 0.0",
            "CFG.k = 2\na: f32[CFG.k]\nfor i in seq(0, CFG.k):\n    a[i] = 0.0",
            "if CFG.n == N:\n    CFG.n = CFG.n + 1",
            "for i in seq(0, CFG.k % 3):\n    w = x[i:i + 2]\n    w[0] = 0.0",
        ):
            accepted(_foo(lines))
        for lines, message in (
            ("if CFG.n < 9:\n    x[CFG.n] = 0.0", "in dimension 0; for example CFG.n = 8"),
            ("if CFG.n < 8:\n    CFG.n = N\n    x[CFG.n] = 0.0", "x[CFG.n] may be out of bounds"),
            ("assert CFG.n <= 8\nfor i in seq(0, CFG.n):\n    x[i] = 0.0\n    CFG.n = 9", "x[i] may be out of bounds"),
            ("for i in seq(0, N):\n    CFG.n = 4\nx[CFG.n + 4] = 1.0", "x[CFG.n + 4] may be out of bounds"),
            ("if CFG.k < 8 or CFG.on:\n    x[CFG.k] = 0.0", "x[CFG.k] may be out of bounds"),
            ("x[CFG.n] = 0.0", "for example CFG.n = 8"),
        ):
            refused(_foo(lines), message)

    def test_sizes_in_config_fields_are_positive(self) -> None:
        refused(_foo("CFG.n = 0 - 3"), "CFG.n is a size, and may be set to less than 1; for example the value is -3")
        refused(_foo("CFG.n = N - 1"), "CFG.n is a size, and may be set to less than 1; for example N = 1")
        refused(_foo("CFG.n = CFG.k"), "CFG.n is a size, and may be set to less than 1")
        accepted(_foo("for i in seq(0, N):\n    CFG.n = i + 1"))
        accepted(_foo("if CFG.k > 0:\n    CFG.n = CFG.k"))
        accepted(_foo("CFG.k = 0 - 3\nCFG.row = 0 - 1"))

    def test_conditions_on_data_say_nothing(self) -> None:
        accepted("""
            def foo(N: size, x: f32[N], i: index):
                if CFG.on and 0 <= i and i < N:
                    x[i] = 0.0
        """)

    def test_bool_arguments(self) -> None:
        accepted("""
            def foo(b: bool, N: size, x: f32[N]):
                assert b == False or N > 4
                if b == True:
                    x[4] = 0.0
        """)

    def test_two_loops_of_one_name_are_two_scopes(self) -> None:
        refused("""
            def foo(x: f32[4]):
                for i in seq(0, 4):
                    x[i] = 0.0
                for i in seq(0, 5):
                    x[i] = 0.0
        """, "i = 4: index 4")


class TestWindows:
    def test_reads_and_writes_through_windows_of_windows(self) -> None:
        accepted("""
            def foo(N: size, x: f32[N, 8]):
                for i in seq(0, N):
                    row = x[i, 2:8]
                    part = row[1:4]
                    for j in seq(0, 3):
                        part[j] = row[j + 3]
        """)

    @pytest.mark.parametrize("access", ["w[j] = 0.0", "x[0] = w[j]", "v = w[j:j + 1]", "v = w[0:j]", "v = w[2 - j:3]"])
    def test_a_window_has_its_own_extent(self, access: str) -> None:
        refused(f"""
            def foo(x: f32[8]):
                w = x[2:5]
                for j in seq(0, 5):
                    {access}
        """, "out of bounds in dimension 0")

    def test_creation_is_an_access(self) -> None:
        e = refused("""
            def foo(N: size, x: f32[N]):
                w = x[0:N + 1]
        """, "x[0:N + 1] may be out of bounds in dimension 0; for example N = 1: 0:2, and x has extent 1")
        assert e.path == (("body", 0), ("rhs", None))

    def test_a_window_may_be_empty_but_not_reversed(self) -> None:
        accepted("""
            def foo(N: size, x: f32[N]):
                w = x[N:N]
        """)
        refused("""
            def foo(N: size, x: f32[N], a: index):
                assert 0 <= a and a < N
                w = x[a:a - 1]
        """, "out of bounds")


class TestExtents:
    def test_allocations_are_not_empty(self) -> None:
        refused("""
            def foo(N: size):
                t: f32[N - 1]
        """, "extent N - 1 of dimension 0 may be less than 1; for example N = 1: extent 0")
        accepted("""
            def foo(N: size):
                if N > 1:
                    t: f32[N - 1]
        """)

    def test_nor_are_arguments(self) -> None:
        refused("""
            def foo(N: size, x: f32[N - 1]):
                pass
        """, "may be less than 1")
        accepted("""
            def foo(N: size, x: f32[N - 1]):
                assert N >= 2
                x[N - 2] = 0.0
        """)

    def test_an_extent_is_known_where_the_allocation_is(self) -> None:
        accepted("""
            def foo(n: index):
                if n > 3:
                    t: f32[n]
                    for i in seq(0, n - 1):
                        t[i] = 0.0
                    t[n - 1] = 0.0
        """)


class TestTrees:
    """What no parser produces, but a wrong rewrite may."""

    def valid(self) -> ProcDef:
        return accepted("""
            def foo(N: size, x: f32[N], y: f32[N]):
                for i in seq(0, N):
                    x[i] = y[i]
        """).tree

    def refuse(self, t: ProcDef, message: str) -> None:
        with pytest.raises(CheckError, match=message):
            check(t)

    def test_variables_are_in_scope(self) -> None:
        stray = Sym("j", 99)
        t = self.valid()
        self.refuse(update(t, (("body", 0), ("body", 0), ("idx", 0)), lambda _: var(stray)), "no control variable j")
        self.refuse(
            update(t, (("body", 0), ("body", 0), ("rhs", None)), lambda _: Read(stray, pvector())), "no buffer j"
        )

    def test_each_variable_is_bound_once(self) -> None:
        t = self.valid()
        loop = get(t, (("body", 0),))
        assert isinstance(loop, For)
        self.refuse(update(t, (("body", 0), ("body", 0)), lambda _: loop), "bound twice")

    def test_blocks_are_not_empty(self) -> None:
        self.refuse(update(self.valid(), (("body", 0), ("body", None)), lambda _: pvector()), "empty")

    def test_control_and_data_do_not_mix(self) -> None:
        t = self.valid()
        at = (("body", 0), ("body", 0))
        self.refuse(update(t, (*at, ("rhs", None)), lambda _: num(1)), "control integer, where a data value")
        read = get(t, (*at, ("rhs", None)))
        self.refuse(update(t, (*at, ("idx", 0)), lambda _: read), "data value, where a control integer")

    def test_dimensions_agree(self) -> None:
        t = self.valid()
        self.refuse(
            update(t, (("body", 0), ("body", 0), ("idx", None)), lambda idx: idx + idx),  # type: ignore[operator]
            "2 indices given, but x has 1 dimensions",
        )

    def test_dense_arguments_are_not_windows(self) -> None:
        f = accepted("""
            def f(x: f32[8]):
                pass
        """)
        t = accepted("""
            def foo(x: f32[8]):
                f(x)
        """, f=f).tree
        window = WindowExpr(t.args[0].sym, pvector([Interval(num(0), num(8))]))
        self.refuse(update(t, (("body", 0), ("args", 0)), lambda _: window), "a whole dense tensor, not a window")

    def test_an_unchanged_statement_is_checked_again_where_less_is_known(self) -> None:
        t = self.valid()
        check(t)
        check(t)
        body = t.body[0]
        assert isinstance(body, For)
        self.refuse(with_child(t, "body", pvector([with_child(body, "lo", num(-1))])), "out of bounds")
        assert isinstance(body.body[0], Assign)
        check(with_child(t, "body", pvector([Pass(), body])))
