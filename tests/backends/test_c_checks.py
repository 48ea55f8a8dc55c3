"""What the backend refuses, and where it says so (paper, A.7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backends import x86_avx2
from backends.c import (
    AllocationError,
    BackendError,
    CallError,
    InstructionError,
    MemoryAccessError,
    NameClashError,
    PrecisionError,
    RaceError,
    compile,
)
from exo_strat import Memory, Proc

Code = Callable[..., Proc]
AVX = {"AVX2": x86_avx2.AVX2, "load": x86_avx2.mm256_loadu_ps, "store": x86_avx2.mm256_storeu_ps}


def refused(p: Proc, error: type[BackendError], line: str) -> str:
    """The message of the error that compiling `p` ends with; it marks `line`."""
    with pytest.raises(error) as e:
        compile([p])
    marked = [text for text in str(e.value).splitlines() if "-->" in text]
    assert len(marked) == 1 and line in marked[0]
    return str(e.value)


def test_operands_of_different_precisions(code: Code) -> None:
    p = code("""
    def p(x: f32[4], y: f64[4]):
        for i in seq(0, 4):
            y[i] = x[i] * y[i]
    """)
    assert "f32 and f64" in refused(p, PrecisionError, "y[i] = x[i] * y[i]")


@pytest.mark.parametrize(
    ("precision", "rhs", "why"),
    [
        ("i8", "0.5", "not an integer"),
        ("i8", "200.0", "outside the range"),
        ("i32", "x[0] / 2.0", "would round"),
        ("i32", "sin(x[0])", "floating-point"),
    ],
)
def test_what_an_integer_precision_cannot_compute(code: Code, precision: str, rhs: str, why: str) -> None:
    p = code(f"""
    def p(x: {precision}[4]):
        x[1] = {rhs}
    """)
    assert why in refused(p, PrecisionError, "x[1] =")


def test_a_call_that_disagrees_in_precision(code: Code) -> None:
    f = code("""
    def f(x: [f64][4]):
        x[0] = 1.0
    """)
    p = code(
        """
    def p(x: f32[4]):
        f(x[0:4])
    """,
        f=f,
    )
    assert "argument x of f: it is f64 there and f32 here" in refused(p, PrecisionError, "f(x[0:4])")


def test_a_call_that_disagrees_in_memory(code: Code) -> None:
    f = code("""
    def f(x: [f32][4] @ DRAM_STACK):
        x[0] = 1.0
    """)
    p = code(
        """
    def p(x: f32[4]):
        f(x[0:4])
    """,
        f=f,
    )
    assert "DRAM_STACK there" in refused(p, CallError, "f(x[0:4])")


def test_stack_and_static_buffers_pass_for_dram(code: Code) -> None:
    f = code("""
    def f(x: [f32][4]):
        x[0] = 1.0
    """)
    p = code(
        """
    def p():
        x: f32[4] @ DRAM_STACK
        f(x[0:4])
    """,
        f=f,
    )
    assert "f(x);" in compile([p]).source


def test_registers_are_for_instructions(code: Code) -> None:
    p = code(
        """
    def p(y: f32[8]):
        r: f32[8] @ AVX2
        for i in seq(0, 8):
            r[i] = 0.0
    """,
        **AVX,
    )
    assert "written by instructions only" in refused(p, MemoryAccessError, "r[i] = 0.0")


def test_registers_are_not_passed_to_procedures(code: Code) -> None:
    f = code(
        """
    def f(x: [f32][8] @ AVX2):
        pass
    """,
        **AVX,
    )
    p = code(
        """
    def p(y: f32[8]):
        r: f32[8] @ AVX2
        f(r[0:8])
    """,
        f=f,
        **AVX,
    )
    assert "inline" in refused(p, CallError, "f(r[0:8])")


@pytest.mark.parametrize(
    ("alloc", "why"),
    [
        ("r: f32[4] @ AVX2", "must be 8"),
        ("r: f32 @ AVX2", "a single value"),
        ("r: i8[8] @ AVX2", "no registers of i8"),
        ("r: f32[n, 8] @ AVX2", "constant extents"),
        ("r: f32[n] @ DRAM_STACK", "constant extents"),
    ],
)
def test_buffers_that_a_memory_cannot_hold(code: Code, alloc: str, why: str) -> None:
    p = code(
        f"""
    def p(n: size, y: f32[8]):
        {alloc}
        y[0] = 0.0
    """,
        **AVX,
    )
    assert why in refused(p, AllocationError, alloc.split(" @")[0])


def test_a_memory_without_c_meaning(code: Code) -> None:
    p = code(
        """
    def p():
        r: f32[4] @ HBM
    """,
        HBM=Memory("HBM"),
    )
    assert "no C meaning" in refused(p, MemoryAccessError, "r: f32[4]")


def test_an_instruction_wants_a_whole_register(code: Code) -> None:
    p = code(
        """
    def p(y: f32[8]):
        r: f32[8, 8] @ AVX2
        load(r[0, 0:8], y[0:8])
        w = r[0, 0:8]
        store(y[0:8], w)
    """,
        **AVX,
    )
    assert "_mm256_storeu_ps(&y[0], r[0]);" in compile([p]).source


@pytest.mark.parametrize("mode", ["par", "vec"])
def test_loops_with_races(code: Code, mode: str) -> None:
    p = code(f"""
    def p(n: size, x: f32[n], r: f32):
        for i in {mode}(0, n):
            r += x[i]
    """)
    refused(p, RaceError, f"for i in {mode}(0, n):")


def test_templates_mention_arguments_only(code: Code) -> None:
    bad = code("""
    @instr("{dst_data} = {nothing};")
    def bad(dst: [f32][4]):
        for i in seq(0, 4):
            dst[i] = 0.0
    """)
    p = code(
        """
    def p(y: f32[4]):
        bad(y[0:4])
    """,
        bad=bad,
    )
    message = refused(p, InstructionError, "bad(y[0:4])")
    assert "{nothing}" in message and "{dst_data}" in message


def test_an_instruction_may_mean_a_call(code: Code) -> None:
    one = code("""
    def one(x: f32):
        x = 1.0
    """)
    instruction = code(
        """
    @instr("{x_data} = 1;")
    def instruction(x: f32):
        one(x)
    """,
        one=one,
    )
    p = code(
        """
    def p(y: f32):
        instruction(y)
    """,
        instruction=instruction,
    )
    source = compile([p]).source
    assert "*y = 1;" in source and "one" not in source


def test_immediate_operands_are_literals(code: Code) -> None:
    shift = code("""
    @instr("{dst_data} = shift({k_int});")
    def shift(dst: [f32][4], k: index):
        for i in seq(0, 4):
            dst[i] = 0.0
    """)
    p = code(
        """
    def p(n: size, y: f32[4]):
        shift(y[0:4], 3)
        shift(y[0:4], n)
    """,
        shift=shift,
    )
    assert "must be a literal" in refused(p, InstructionError, "shift(y[0:4], n)")


def test_exported_names_stay_or_are_refused(code: Code) -> None:
    p = code("""
    def double(x: f32):
        x = 1.0
    """)
    with pytest.raises(NameClashError, match="rename"):
        compile([p])
    q = code("""
    def q(x: f32):
        x = 1.0
    """)
    r = code("""
    def q(x: f32):
        x = 2.0
    """)
    with pytest.raises(NameClashError, match="two procedures called q"):
        compile([q, r])


def test_there_must_be_something_to_compile() -> None:
    with pytest.raises(BackendError, match="nothing to compile"):
        compile([])
    with pytest.raises(InstructionError, match="is an instruction"):
        compile([x86_avx2.mm256_loadu_ps])
