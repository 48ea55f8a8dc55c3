"""Calls and config fields that the static checks accept and refuse."""

from __future__ import annotations

from textwrap import dedent

import pytest
from pyrsistent import pmap

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.ir import types
from exo_strat.ir.config import Config

CFG = Config("CFG", pmap({"n": types.size, "row": types.stride_, "on": types.bool_, "scale": types.f32}))


def accepted(text: str, **names: Proc) -> Proc:
    return proc_from_source(dedent(text), {"CFG": CFG, **names})


def refused(text: str, message: str, **names: Proc) -> CheckError:
    with pytest.raises(CheckError) as caught:
        accepted(text, **names)
    assert message in caught.value.message
    return caught.value


SCALE = """
    def scale(n: size, x: [f32][n]):
        for i in seq(0, n):
            x[i] = 2.0 * x[i]
"""
COPY = """
    def copy(n: size, dst: [f32][n], src: [f32][n]):
        for i in seq(0, n):
            dst[i] = src[i]
"""
ADD = """
    def add(n: size, dst: [f32][n], a: [f32][n], b: [f32][n]):
        for i in seq(0, n):
            dst[i] = a[i] + b[i]
"""
LOAD = """
    def load(dst: [f32][8], src: [f32][8]):
        assert stride(src, 0) == 1
        assert stride(dst, 0) == 1
        for i in seq(0, 8):
            dst[i] = src[i]
"""


class TestCalls:
    def test_sizes_are_positive(self) -> None:
        refused("""
            def foo(N: size, x: f32[N]):
                for i in seq(0, N):
                    scale(N - i - 1, x[i + 1:N])
        """, "scale: size argument n may be less than 1", scale=accepted(SCALE))
        accepted("""
            def foo(N: size, x: f32[N]):
                for i in seq(0, N):
                    scale(N - i, x[i:N])
        """, scale=accepted(SCALE))

    def test_shapes_agree(self) -> None:
        refused("""
            def foo(N: size, x: f32[N]):
                scale(N, x[1:N])
        """, "scale: dimension 0 of argument x may differ", scale=accepted(SCALE))

    def test_windows_in_arguments_are_accesses(self) -> None:
        refused("""
            def foo(N: size, x: f32[N]):
                for i in seq(0, N):
                    scale(8, x[i:i + 8])
        """, "x[i:i + 8] may be out of bounds", scale=accepted(SCALE))

    def test_assertions_hold_with_arguments_put_in(self) -> None:
        half = accepted("""
            def half(n: size, x: [f32][n]):
                assert n % 2 == 0
                pass
        """)
        accepted("""
            def foo(N: size, x: f32[4 * N]):
                half(4 * N, x)
                half(2 * N, x[N:3 * N])
        """, half=half)
        e = refused("""
            def foo(N: size, x: f32[N]):
                half(N, x)
        """, "half asserts n % 2 == 0, which may be false here; for example N = 1", half=half)
        assert e.counterexample == {"N": 1}

    def test_strides_follow_through_windows(self) -> None:
        load = accepted(LOAD)
        accepted("""
            def foo(N: size, x: f32[N, 16]):
                t: f32[8]
                for i in seq(0, N):
                    row = x[i, 4:16]
                    load(t, row[2:10])
                    load(x[i, 0:8], t)
        """, load=load)
        refused("""
            def foo(N: size, x: f32[N, 16]):
                t: f32[8]
                if N >= 8:
                    load(t, x[0:8, 3])
        """, "load asserts stride(src, 0) == 1", load=load)

    def test_strides_of_window_arguments_are_unknown_unless_asserted(self) -> None:
        text = """
            def foo(x: [f32][8]):
                {}
                t: f32[8]
                load(t, x)
        """
        refused(text.format("pass"), "stride(src, 0) == 1", load=accepted(LOAD))
        accepted(text.format("assert stride(x, 0) == 1"), load=accepted(LOAD))

    def test_dense_arguments_are_whole_buffers(self) -> None:
        dense = accepted("""
            def dense(n: size, m: size, x: f32[n, m]):
                x[n - 1, m - 1] = 0.0
        """)
        accepted("""
            def foo(N: size, x: f32[N, 8]):
                dense(N, 8, x)
        """, dense=dense)
        refused("""
            def foo(N: size, x: f32[N, 8]):
                dense(8, N, x)
        """, "dense: dimension 0 of argument x may differ", dense=dense)

    def test_a_written_buffer_has_one_name(self) -> None:
        copy = accepted(COPY)
        refused("""
            def foo(x: f32[8]):
                copy(8, x, x)
        """, "copy: arguments dst and src may overlap in x, and dst is written", copy=copy)
        refused("""
            def foo(x: f32[8]):
                a = x[0:5]
                b = x[3:8]
                copy(5, a, b)
        """, "may overlap in x", copy=copy)

    def test_two_halves_of_a_buffer_are_two_buffers(self) -> None:
        accepted("""
            def foo(N: size, x: f32[2 * N], y: f32[2, N]):
                copy(N, x[0:N], x[N:2 * N])
                copy(N, y[0, 0:N], y[1, 0:N])
                lo = x[0:N]
                copy(N, x[N:2 * N], lo)
        """, copy=accepted(COPY))

    def test_what_is_only_read_may_be_passed_twice(self) -> None:
        accepted("""
            def foo(x: f32[8], y: f32[8]):
                add(8, y, x, x)
        """, add=accepted(ADD))

    def test_writes_of_callees_of_callees_count(self) -> None:
        outer = accepted("""
            def outer(a: [f32][8], b: [f32][8]):
                w = a[0:8]
                copy(8, w, b)
        """, copy=accepted(COPY))
        refused("""
            def foo(x: f32[8]):
                outer(x, x)
        """, "arguments a and b may overlap", outer=outer)

    def test_scalar_arguments(self) -> None:
        put = accepted("""
            def put(to: f32, by: f32):
                to = by
        """)
        accepted("""
            def foo(N: size, x: f32[N + 1], s: f32):
                put(s, x[N])
                put(x[N], s)
                put(x[0], x[1])
                put(s, 2.0 * s)
        """, put=put)
        refused("""
            def foo(N: size, x: f32[N], s: f32):
                put(s, x[N])
        """, "x[N] may be out of bounds", put=put)
        refused("""
            def foo(s: f32):
                put(2.0 * s, s)
        """, "put writes its argument to", put=put)
        refused("""
            def foo(s: f32):
                put(s, s)
        """, "may overlap", put=put)

    def test_bool_arguments_are_put_in(self) -> None:
        f = accepted("""
            def f(b: bool, n: size):
                assert b == False or n > 4
                pass
        """)
        accepted("""
            def foo(n: size):
                f(n > 4, n)
                f(False, n)
        """, f=f)
        refused("""
            def foo(n: size):
                f(n > 3, n)
        """, "f asserts", f=f)


CONFIGURE = """
    def configure(s: stride):
        CFG.row = s
"""
LOAD_ROWS = """
    def load_rows(n: size, dst: [f32][n, 8], src: [f32][n, 8]):
        assert stride(src, 0) == CFG.row
        for i in seq(0, n):
            for j in seq(0, 8):
                dst[i, j] = src[i, j]
"""


class TestConfig:
    """Assertions of callees about config fields hold by the values that were written."""

    def body(self, *lines: str) -> tuple[str, dict[str, Proc]]:
        head = "def foo(N: size, x: f32[N, 16], y: f32[N, 8], on: bool):\n    t: f32[N, 8]\n"
        names = {"configure": accepted(CONFIGURE), "load_rows": accepted(LOAD_ROWS)}
        return head + "".join(f"    {line}\n" for line in lines), names

    @pytest.mark.parametrize(
        "lines",
        [
            ("CFG.row = 16", "load_rows(N, t, x[0:N, 0:8])"),
            ("configure(stride(x, 0))", "load_rows(N, t, x[0:N, 0:8])", "load_rows(N, t, x[0:N, 8:16])"),
            ("configure(16)", "for i in seq(0, 4):", "    load_rows(N, t, x[0:N, i:i + 8])"),
            ("CFG.row = 8", "for i in seq(0, 4):", "    load_rows(N, t, y)", "    configure(8)"),
            ("if on:", "    CFG.row = 8", "else:", "    configure(8)", "load_rows(N, t, y)"),
            ("for i in seq(0, N):", "    CFG.row = 8", "load_rows(N, t, y)"),
            ("CFG.row = 8", "CFG.n = 4", "if N >= 4:", "    load_rows(4, t[0:4, 0:8], y[0:4, 0:8])"),
        ],
    )
    def test_known(self, lines: tuple[str, ...]) -> None:
        text, names = self.body(*lines)
        accepted(text, **names)

    @pytest.mark.parametrize(
        "lines",
        [
            ("load_rows(N, t, y)",),
            ("CFG.row = 8", "load_rows(N, t, x[0:N, 0:8])"),
            ("CFG.row = 8", "for i in seq(0, 4):", "    load_rows(N, t, y)", "    configure(16)"),
            ("if on:", "    CFG.row = 8", "load_rows(N, t, y)"),
            ("for i in seq(1, N):", "    CFG.row = 8", "load_rows(N, t, y)"),
            ("CFG.row = 8", "for i in seq(0, N):", "    CFG.row = i", "load_rows(N, t, y)"),
        ],
    )
    def test_not_known(self, lines: tuple[str, ...]) -> None:
        text, names = self.body(*lines)
        refused(text, "load_rows asserts stride(src, 0) == CFG.row", **names)

    def test_an_assertion_passes_the_duty_to_the_caller(self) -> None:
        outer = accepted("""
            def outer(t: f32[4, 8], x: f32[4, 8]):
                assert CFG.row == 8
                load_rows(4, t, x)
        """, load_rows=accepted(LOAD_ROWS))
        text, names = self.body("if N == 4:", "    outer(t, y)")
        refused(text, "outer asserts CFG.row == 8", outer=outer, **names)
