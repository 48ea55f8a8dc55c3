"""Calling compiled procedures: what is accepted, and each complaint."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backends import (
    BackendError,
    CacheError,
    CompileError,
    JitFunction,
    NoCompilerError,
    UnsupportedTargetError,
    jit,
    x86_avx512,
)
from backends.toolchain import KEEP_ASSEMBLY, build, fuses_in_turns
from exo_strat import Proc, proc_from_source

Code = Callable[..., Proc]


@pytest.fixture
def axpy(code: Code) -> JitFunction:
    return jit(
        code("""
    def axpy(n: size, a: f32, x: [f32][n], y: [f32][n]):
        assert n % 2 == 0
        for i in seq(0, n):
            y[i] += a * x[i]
    """)
    )


@pytest.fixture
def dense(code: Code) -> JitFunction:
    return jit(
        code("""
    def scale(m: size, n: size, on: bool, r: f32, x: f32[m, n], y: [f32][m, n]):
        assert stride(y, 1) == 1
        for i in seq(0, m):
            for j in seq(0, n):
                if on:
                    y[i, j] = 2.0 * x[i, j]
        r = x[0, 0]
    """)
    )


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def test_positions_names_and_kinds_of_numbers(axpy: JitFunction) -> None:
    y = ones(4)
    axpy(4, 2.0, ones(4), y)
    axpy(np.int64(4), np.float32(2), x=ones(4), y=y)
    axpy(n=4, a=np.array([2.0]), x=ones(4), y=y)
    assert y.tolist() == [7, 7, 7, 7]


def test_any_stride_of_whole_elements_is_a_window(axpy: JitFunction) -> None:
    big = ones(16)
    axpy(4, 1.0, ones(8)[::-2], big[1::4])
    assert big[1::4].tolist() == [2] * 4 and big.sum() == 20
    axpy(4, 1.0, np.broadcast_to(np.float32(3), 4), big[1::4])
    assert big.sum() == 32
    # interleaved, but disjoint
    axpy(8, 1.0, big[::2], big[1::2])


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ((0, 1.0, ones(1), ones(1)), "argument n is a size"),
        ((3, 1.0, ones(3), ones(3)), r"assertion n % 2 == 0: n = 3"),
        ((4.0, 1.0, ones(4), ones(4)), "argument n is an integer"),
        ((True, 1.0, ones(4), ones(4)), "argument n is a size, not True"),
        ((4, "1", ones(4), ones(4)), "argument a is one number"),
        ((4, ones(2), ones(4), ones(4)), "argument a is one number"),
        ((4, 1.0, ones(5), ones(4)), r"argument x must have shape \(4,\), but has \(5,\)"),
        ((4, 1.0, [1, 1, 1, 1], ones(4)), "argument x is an array, not list"),
        ((4, 1.0, ones(4).astype(float), ones(4)), "argument x must be float32, but is float64"),
        ((4, 1.0, ones(4).astype(">f4"), ones(4)), "argument x must be float32, but is >f4"),
        ((4, 1.0, ones(4), np.broadcast_to(np.float32(0), 4)), "argument y is written, but the array is read-only"),
        ((4, 1.0, ones(4)), "argument y is missing"),
        ((4, 1.0, ones(4), ones(4), 5), "takes 4 arguments"),
    ],
)
def test_complaints_name_the_argument(axpy: JitFunction, args: tuple[object, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        axpy(*args)


def test_names_given_twice_or_unknown(axpy: JitFunction) -> None:
    with pytest.raises(ValueError, match="argument n is given twice"):
        axpy(4, n=4)
    with pytest.raises(ValueError, match="argument z is none of n, a, x, y"):
        axpy(z=4)


def test_what_is_written_shares_no_memory(axpy: JitFunction) -> None:
    y = ones(8)
    with pytest.raises(ValueError, match="argument y is written, but shares memory with argument x"):
        axpy(4, 1.0, y[:4], y[2:6])
    overlapping = np.lib.stride_tricks.as_strided(y, (4,), (0,))
    with pytest.raises(ValueError, match="argument y is written, but some of its elements share memory"):
        axpy(4, 1.0, ones(4), overlapping)


def test_strides_within_elements_and_unaligned_data(axpy: JitFunction) -> None:
    raw = np.zeros(64, np.uint8)
    record = np.zeros(4, np.dtype([("tag", "u1", 2), ("value", "f4")]))
    with pytest.raises(ValueError, match="argument y"):
        axpy(4, 1.0, ones(4), record["value"])
    with pytest.raises(ValueError, match="argument y is not aligned"):
        axpy(4, 1.0, ones(4), raw[1:17].view(np.float32))


def test_dense_tensors_are_contiguous_and_assertions_see_strides(dense: JitFunction) -> None:
    r, x, y = ones(1), ones(2, 3), ones(2, 6)
    dense(2, 3, True, r, x, y[:, :3])
    assert y.sum() == 18
    dense(2, 3, False, np.zeros((), np.float32), x, y[:, :3])
    with pytest.raises(ValueError, match="argument x is a dense tensor"):
        dense(2, 3, True, r, ones(3, 2).T, y[:, :3])
    with pytest.raises(ValueError, match=r"stride\(y, 1\) == 1: stride\(y, 1\) = 2"):
        dense(2, 3, True, r, x, y[:, ::2])
    with pytest.raises(ValueError, match="argument on is a bool, not 1"):
        dense(2, 3, 1, r, x, y[:, :3])
    with pytest.raises(ValueError, match="argument r must be one element"):
        dense(2, 3, True, ones(2), x, y[:, :3])
    with pytest.raises(ValueError, match="argument r is an array, not float"):
        dense(2, 3, True, 1.0, x, y[:, :3])


def test_a_call_like_the_last_one_is_still_checked_for_what_may_differ(axpy: JitFunction) -> None:
    x, y = ones(4), ones(4)
    axpy(4, 1.0, x, y)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        axpy(4, 1.0, x, y)
    with pytest.raises(ValueError, match="shares memory"):
        axpy(4, 1.0, x, x)


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ((True, 1.0, ones(1), ones(1)), "argument n is an integer|argument n is a size, not True"),
        ((4.0, 1.0, ones(4), ones(4)), "argument n is an integer"),
        ((2**64 + 4, 1.0, ones(4), ones(4)), "argument n = 18446744073709551620 is beyond"),
        ((4, "1", ones(4), ones(4)), "argument a is one number"),
        ((4, 1.0, ones(4), ones(5)), r"argument y must have shape \(4,\)"),
        ((4, 1.0, ones(4), np.ones(4, np.int32)), "argument y must be float32"),
        ((4, 1.0, ones(4), np.ones(4, ">f4")), "argument y must be float32"),
        ((4, 1.0, ones(4), np.frombuffer(bytes(16), np.float32)), "argument y is written, but the array is read-only"),
        ((4, 1.0, [1.0] * 4, ones(4)), "argument x is an array"),
        ((4, 1.0, ones(4)), "argument y is missing"),
    ],
)
def test_a_call_unlike_the_last_is_checked_anew(axpy: JitFunction, args: tuple[object, ...], complaint: str) -> None:
    y = ones(4)
    axpy(4, 1.0, ones(4), y)
    axpy(4, 1.0, ones(4), y)
    with pytest.raises(ValueError, match=complaint):
        axpy(*args)
    axpy(4, 2.0, ones(4)[::-1], y)
    axpy(4, 1, ones(4), y)
    assert y.tolist() == [6, 6, 6, 6]


def test_views_of_one_array_are_told_apart_by_their_bytes(axpy: JitFunction) -> None:
    z = ones(9)
    axpy(4, 1.0, z[:4], z[5:])
    axpy(4, 1.0, z[5:], z[:4])
    assert z.tolist() == [3, 3, 3, 3, 1, 2, 2, 2, 2]
    with pytest.raises(ValueError, match="argument y is written, but shares memory"):
        axpy(4, 1.0, z[2:6], z[5:])
    axpy(4, 1.0, z[:8:2], z[1:9:2])
    axpy(4, 1.0, z[:8:2], z[1:9:2])
    assert z.tolist() == [3, 9, 3, 9, 1, 4, 2, 6, 2]


def test_other_threads_run_during_a_call_like_the_last_one(code: Code) -> None:
    f = jit(
        code("""
    def spin(n: size, m: size, x: f64[1]):
        for i in seq(0, n):
            for j in seq(0, m):
                x[0] = x[0] * 0.5 + 1.0
    """)
    )
    x = np.zeros(1)
    f(20_000, 10_000, x)
    running = threading.Thread(target=f, args=(20_000, 10_000, x))
    running.start()
    assert running.is_alive()
    running.join()
    assert x[0] == pytest.approx(2)


def test_a_size_in_an_array_is_read_at_each_call(code: Code) -> None:
    f = jit(
        code("""
    def f(i: index, x: f32[4]):
        assert i >= 0 and i < 4
        x[i] = 1.0
    """)
    )
    i, x = np.array(0), np.zeros(4, np.float32)
    f(i, x)
    i[...] = 2
    f(i, x)
    assert x.tolist() == [1, 0, 1, 0]
    i[...] = 4
    with pytest.raises(ValueError, match="i = 4"):
        f(i, x)


def test_a_bound_call_is_checked_once_and_made_often(axpy: JitFunction) -> None:
    x, y = ones(4), ones(4)
    call = axpy.bind(4, 1.0, x, y=y)
    call()
    x[0] = 3
    call()
    assert y.tolist() == [5, 3, 3, 3]
    with pytest.raises(ValueError, match="argument n is a size"):
        axpy.bind(0, 1.0, x, y)


def test_integers_fit_their_precision(code: Code) -> None:
    f = jit(
        code("""
    def f(a: i8, y: i8[1]):
        y[0] = a
    """)
    )
    y = np.zeros(1, np.int8)
    f(-128, y)
    assert y[0] == -128
    for bad in (128, 0.5, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="argument a is an i8"):
            f(bad, y)


def test_compiled_code_is_kept(code: Code, cache_dir: Path) -> None:
    p = code("""
    def p(x: f32):
        x = 1.0
    """)
    first = jit(p).library
    built = first.stat().st_mtime_ns
    assert jit(p).library == first and first.stat().st_mtime_ns == built
    assert {f.suffix for f in cache_dir.iterdir()} == {".c", ".json", ".o", ".so"}
    assert jit(p, flags=["-O1"]).library != first


def test_a_cache_that_cannot_be_written(code: Code, cache_dir: Path) -> None:
    cache_dir.write_text("a file where the folder should be")
    p = code("""
    def p(x: f32):
        x = 1.0
    """)
    with pytest.raises(CacheError, match="EXO_STRAT_CACHE_DIR"):
        jit(p)


def test_no_compiler(code: Code, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p = code("""
    def p(x: f32):
        x = 1.0
    """)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompilerError, match="no-such-compiler"):
        jit(p)
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoCompilerError, match="install one or set CC"):
        jit(p)


def test_the_compilers_complaint_is_shown(code: Code, cache_dir: Path) -> None:
    bad = code("""
    @instr("{dst_data} = no_such_intrinsic();")
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
    with pytest.raises(CompileError, match="no_such_intrinsic"):
        jit(p, flags=["-Werror=implicit-function-declaration"])


def test_a_processor_that_lacks_the_vectors(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    p = code(
        """
    def p(y: f32[16]):
        r: f32[16] @ AVX512
        zero(r[0:16])
        store(y[0:16], r[0:16])
    """,
        AVX512=x86_avx512.AVX512,
        zero=x86_avx512.mm512_setzero_ps,
        store=x86_avx512.mm512_storeu_ps,
    )
    monkeypatch.setattr("backends.native.features", lambda: frozenset({"avx2", "fma", "f16c"}))
    with pytest.raises(UnsupportedTargetError, match="avx512f"):
        jit(p)


@pytest.mark.parametrize("condition", ["x[0] > 0.0", "n > 2 and y > 1.0", "sin(y) < 1.0"])
def test_an_assertion_on_data(code: Code, condition: str) -> None:
    p = code(f"""
    def p(n: size, y: f32, x: f32[n]):
        assert {condition}
        x[0] = y
    """)
    with pytest.raises(BackendError, match="asks for data"):
        jit(p)


# -- calls like the last one ----------------------------------------------------------------------------


class Own(np.ndarray):
    """A class of arrays of one's own."""


@pytest.mark.parametrize(
    ("x", "why"),
    [
        (np.ones(4, np.float64), "must be float32"),
        (np.ones(3, np.float32), "shape"),
        (np.ones((4, 1), np.float32), "shape"),
        (np.ones(8, np.float32)[::2], "C-contiguous"),
        (np.ones(4, ">f4"), "must be float32"),
        (np.frombuffer(bytes(16), np.float32), "read-only"),
        (np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float32), "aligned"),
        ([1.0] * 4, "is an array"),
    ],
)
def test_arguments_that_are_wrong_are_found_after_a_call_with_right_ones(x, why: str) -> None:
    f = jit(proc_from_source("def scale(n: size, a: f32, x: f32[n]):\n    for i in seq(0, n): x[i] = a * x[i]"))
    right = np.ones(4, np.float32)
    for _ in range(2):
        f(4, 2.0, right)
        with pytest.raises(ValueError, match=why):
            f(4, 2.0, x)
    assert right.tolist() == [4.0] * 4
    assert (
        not f.again((4, 2, right))
        and not f.again((5, 2.0, right))
        and not f.again((4, 2.0))
        and f.again((4, 0.5, right))
    )
    assert (
        not f.again((4, 2.0, right.view(Own))) and not f.again((True, 2.0, right)) and not f.again((2**70, 2.0, right))
    )
    assert right.tolist() == [2.0] * 4


def test_an_array_that_is_shared_is_found_after_a_call_with_others() -> None:
    f = jit(proc_from_source("def add(n: size, x: f32[n], y: f32[n]):\n    for i in seq(0, n): x[i] += y[i]"))
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    f(4, x, y)
    assert not f.again((4, x, x))
    with pytest.raises(ValueError, match="shares memory"):
        f(4, x, x)
    f(4, x, y)
    assert x.tolist() == [3.0] * 4


def test_a_call_by_name_is_compared_with_the_last_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    f = jit(proc_from_source("def scale(n: size, a: f32, x: f32[n]):\n    for i in seq(0, n): x[i] = a * x[i]"))
    x, checked, checks = np.ones(4, np.float32), list[object](), JitFunction._check
    monkeypatch.setattr(JitFunction, "_check", lambda f, args: (checked.append(args), checks(f, args))[1])
    f(4, 2.0, x)
    f(x=x, a=3.0, n=4)
    f(4, a=0.5, x=x)
    assert x.tolist() == [3.0] * 4 and len(checked) == 1
    with pytest.raises(ValueError, match="argument b is none of n, a, x"):
        f(4, b=2.0, x=x)
    with pytest.raises(ValueError, match="must be float32"):
        f(n=4, a=2.0, x=x.astype(np.float64))
    with pytest.raises(ValueError, match="argument x is given twice"):
        f(4, 2.0, x, x=x)
    with pytest.raises(ValueError, match="argument n is given twice"):  # as many arguments as there are
        f(4, 2.0, n=4)
    assert x.tolist() == [3.0] * 4


def test_a_number_that_an_unsigned_argument_cannot_hold_is_not_like_the_last_one() -> None:
    f = jit(proc_from_source("def fill(v: u64, n: size, x: u64[n]):\n    for i in seq(0, n):\n        x[i] = v\n"))
    x = np.zeros(3, dtype=np.uint64)
    for value in (5, 5, 2**64 - 1, 2**64 - 1):
        f(value, 3, x)
        assert (x == value).all()
    with pytest.raises(ValueError, match="can't be -1"):
        f(-1, 3, x)


@pytest.mark.parametrize(("name", "kind"), [("f32", np.float32), ("f64", np.float64)])
def test_powers_are_those_of_c_in_vectors_too(code: Code, name: str, kind: type[np.floating]) -> None:
    """gcc 12 would take square roots, which are -0.0 and NaN."""
    f = jit(
        code(f"""
    def roots(n: size, x: {name}[n], y: {name}[n]):
        for i in seq(0, n):
            y[i] = pow(x[i], 0.5)
    """)
    )
    x = np.array([-0.0, -np.inf, 4.0, 9.0] * 8, kind)
    y = np.full_like(x, 7.0)
    f(x.size, x, y)
    assert y[:4].tolist() == [0.0, np.inf, 2.0, 3.0] and not np.signbit(y).any()


@pytest.mark.parametrize("kind", ["seq", "vec"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_products_are_not_fused_if_so_asked_whatever_gcc_makes_of_pairs(code: Code, precision: str, kind: str) -> None:
    """gcc 12 fuses them in vectors of sums and differences in turns, `-ffp-contract=off` or not."""
    f = jit(
        code(f"""
    def times(n: size, a: {precision}, b: {precision}, x: {precision}[2 * n], y: {precision}[2 * n]):
        for i in {kind}(0, n):
            y[2 * i] = a * x[2 * i] - b * x[2 * i + 1]
            y[2 * i + 1] = a * x[2 * i + 1] + b * x[2 * i]
    """),
        flags=("-ffp-contract=off",),
    )
    dtype = np.float32 if precision == "f32" else np.float64
    x = np.random.default_rng(0).standard_normal(200).astype(dtype)
    a, b, y = dtype(0.3), dtype(0.7), np.zeros(200, dtype)
    f(100, a, b, x, y)
    assert np.array_equal(y[0::2], a * x[0::2] - b * x[1::2])
    assert np.array_equal(y[1::2], a * x[1::2] + b * x[0::2])


def test_what_can_not_be_looked_at_may_be_fused() -> None:
    """A compiler that keeps no assembly must not pass for one that fused nothing."""
    source = "double f(double a, double b, double c) { return a * b + c; }"
    assert fuses_in_turns(build("unseen", source, ("-O2",)))
    assert not fuses_in_turns(build("seen", source, ("-O2", KEEP_ASSEMBLY)))
