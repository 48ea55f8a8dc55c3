"""How functions of a C module are declared."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from backends.c import CModule, compile, module
from exo_strat import Proc

Code = Callable[..., Proc]


@pytest.fixture
def nest(code: Code) -> Proc:
    """A procedure that calls one that calls another."""
    leaf = code("""
    def leaf(x: f32):
        x = 1.0
    """)
    middle = code(
        """
    def middle(x: f32):
        leaf(x)
    """,
        leaf=leaf,
    )
    return code(
        """
    def top(x: f32):
        middle(x)
    """,
        middle=middle,
    )


def declared(module: CModule) -> dict[str, set[str]]:
    """What stands before `void` where a function is declared or defined."""
    found: dict[str, set[str]] = {}
    for before, name in re.findall(r"^(.*)void (\w+)\(", module.text, re.MULTILINE):
        found.setdefault(name, set()).add(before)
    return found


def test_what_nobody_asked_for_is_static(nest: Proc) -> None:
    assert declared(compile([nest])) == {"leaf": {"static "}, "middle": {"static "}, "top": {""}}


def test_of_an_embedded_module_leaves_are_parts_of_their_callers(nest: Proc) -> None:
    assert declared(compile([nest], embedded=True)) == {
        "leaf": {"static inline __attribute__((always_inline)) "},
        "middle": {"static __attribute__((noinline)) "},
        "top": {"static "},
    }


def test_of_many_parts_only_those_of_one_caller_stay(code: Code, nest: Proc, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf = nest.body()[0].subproc().body()[0].subproc()
    top = code(
        """
    def top(x: f32, y: f32):
        leaf(x)
        leaf(y)
    """,
        leaf=leaf,
    )
    assert declared(compile([top], embedded=True))["leaf"] == {"static inline __attribute__((always_inline)) "}
    monkeypatch.setattr(module, "MOST_PARTS", 10)
    assert declared(compile([top], embedded=True))["leaf"] == {"static __attribute__((noinline)) "}
    assert declared(compile([nest], embedded=True))["leaf"] == {"static inline __attribute__((always_inline)) "}


@pytest.fixture
def windowed(code: Code) -> Proc:
    """A procedure that hands a window on, whose rows are of neighbours; of another, one stride is asked for."""
    rows = code("""
    def rows(n: size, a: [f32][n, n], b: [f32][n, n], a_stride_0: index):
        assert stride(b, 1) == 1
        for i in seq(0, n):
            if a_stride_0 == i:
                b[i, 0] = a[0, i]
    """)
    return code(
        """
    def top(n: size, a: [f32][n, n], b: [f32][n, n]):
        assert stride(b, 1) == 1
        rows(n, a[0:n, 0:n], b[0:n, 0:n], 1)
    """,
        rows=rows,
    )


def test_a_window_of_our_own_functions_is_an_address_and_the_strides_that_are_asked_for(windowed: Proc) -> None:
    given = ["int64_t n", "const float *restrict a", "int64_t a_stride_1"]
    given += ["float *restrict b", "int64_t b_stride_0", "int64_t a_stride_0_1"]  # no stride, which has the name
    text = compile([windowed]).text
    assert f"static void rows({', '.join(given)}) {{" in text
    assert "rows(n, a.data, a.strides[1], b.data, b.strides[0], 1);" in text


def test_an_exported_window_is_a_struct_whoever_calls(windowed: Proc) -> None:
    rows = windowed.body()[0].subproc()
    text = compile([windowed, rows]).text
    assert "void rows(int64_t n, struct exo_win_2f32c a, struct exo_win_2f32 b, int64_t a_stride_0) {" in text
    assert re.search(r"rows\(\s*n,\s*\(struct exo_win_2f32c\)\{ a.data, \{ a.strides\[0\], a.strides\[1\] \} \},", text)
