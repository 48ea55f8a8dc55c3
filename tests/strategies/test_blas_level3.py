from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from backends import available, jit
from backends.targets import avx2, avx512, neon, plain_c
from examples.exo_blas.programs import level3
from examples.exo_blas.programs.kernel import typed
from exo_strat import CallCursor, Machine, Proc, at, direct, schedule
from strategies.blas.level3 import (
    ROWS,
    Pack,
    fits,
    micro_kernel,
    optimize_gemm,
    optimize_slim,
    packed,
    packed_across,
    slim_rows,
    tile_vectors,
)
from strategies.std import Tile, transposed

Same = Callable[..., None]


PROGRAMS = (level3.gemm, level3.gemm_new)


@cache
def program(precision: str = "f32", naive: Proc = level3.gemm) -> Proc:
    any_b = typed(naive, precision, "gemm")
    return direct.add_assertion(direct.add_assertion(any_b, "stride(b, 1) == 1"), "k <= 512")


def kernel(naive: Proc, tile: Tile) -> tuple[Proc, Proc]:
    """A program for a tile, and the micro-kernel that is called for it."""
    sizes = {"m": tile.rows} if tile.masked else {"m": tile.rows, "n": tile.cols}
    small = direct.partial_eval(naive, **sizes)
    for bound in (f"n > {tile.cols - tile.width}", f"n <= {tile.cols}") if tile.masked else ():
        small = direct.add_assertion(small, bound)
    (call,) = schedule(at("for j in _: _", micro_kernel(naive, tile)), small).body()
    assert isinstance(call, CallCursor)
    return small, call.subproc()


def called(p: Proc) -> set[str]:
    return {n.subproc().name() for n in p.root().descendants() if isinstance(n, CallCursor)}


@pytest.mark.parametrize(("machine", "vectors"), [(avx512, 4), (avx2, 2), (neon, 4), (plain_c, 1)], ids=repr)
def test_a_tile_fits_the_registers(machine: Machine, vectors: int) -> None:
    assert tile_vectors(machine) == vectors and fits(machine, ROWS, vectors)
    assert not machine.vec_widths or not fits(machine, ROWS, vectors + 1)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_micro_kernel_is_instructions_only(precision: str) -> None:
    _, scheduled = kernel(program(precision), Tile(avx512, precision, 6, 4))
    names = {name.removesuffix("_ps").removesuffix("_pd") for name in called(scheduled)}
    assert names == {
        "mm512_setzero", "mm512_loadu", "mm512_fmadd_set1", "mm512_set1_value", "mm512_fmadd", "mm512_storeu",
        "prefetch",
    }  # fmt: skip
    assert not scheduled.find_all("_[_] += _") and not scheduled.find_all("_[_] = _")


def test_all_of_c_is_read_before_it_is_written() -> None:
    _, scheduled = kernel(program(), Tile(avx512, "f32", 3, 1, masked=True))
    kinds = [s.subproc().name() for s in scheduled.root().descendants() if isinstance(s, CallCursor)]
    assert kinds[-3:] == ["mm512_mask_storeu_ps"] * 3
    assert kinds.count("mm512_mask_storeu_ps") == 3


def test_only_the_load_of_the_last_vector_is_masked() -> None:
    """Lanes that are left over are zeros, which are multiplied and added up like the others."""
    _, scheduled = kernel(program(), Tile(avx2, "f32", 1, 2, masked=True))
    depth = scheduled.find_all("for p in _: _")[0]
    calls = [s.subproc().name() for s in depth.descendants() if isinstance(s, CallCursor)]  # type: ignore[attr-defined]
    assert [c for c in calls if "load" in c] == ["mm256_loadu_ps", "mm256_maskz_loadu_ps"]
    assert {c for c in calls if "load" not in c} == {"mm256_fmadd_set1_ps"}


def test_what_is_set_before_the_sum_is_set_with_it() -> None:
    _, scheduled = kernel(program("f32", level3.gemm_new), Tile(avx2, "f32", 1, 1))
    assert called(scheduled) == {
        "mm256_setzero_ps", "prefetch", "mm256_loadu_ps", "mm256_fmadd_set1_ps", "mm256_set1_value_ps", "mm256_mul_ps",
        "mm256_storeu_ps",
    }  # fmt: skip


@pytest.mark.parametrize("machine", [plain_c, neon, avx2, avx512], ids=repr)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("naive", PROGRAMS, ids=Proc.name)
def test_a_micro_kernel_computes_the_product(
    machine: Machine, masked: bool, naive: Proc, computes_the_same: Same
) -> None:
    small, scheduled = kernel(program("f32", naive), Tile(machine, "f32", 2, 1, masked))
    computes_the_same(small, scheduled, k=3, **({"n": 3} if masked else {}))


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=repr)
def test_columns_are_copied_to_rows(machine: Machine) -> None:
    naive = typed(level3.matrix_turn, "f32", "turn")
    scheduled = schedule(at("for j in _: _", transposed(machine, "f32")), naive)
    assert called(scheduled) == {i.name() for i in machine.get_transposes("f32")}
    if not available(machine):
        pytest.skip(f"this processor has no {machine}")
    for m, n in ((1, 1), (4, 8), (9, 19)):
        a, c = np.arange(m * n, dtype="f4").reshape(n, m), np.zeros((m, n), "f4")
        jit(scheduled, machine)(m, n, a.T, c)
        assert np.array_equal(c, a.T)


SHAPES = ((1, 1, 1), (7, 17, 2), (12, 33, 3), (5, 15, 4))


@pytest.mark.parametrize("pack", [packed, packed_across, None])
def test_a_product_of_any_shape(pack: Pack | None, computes_the_same: Same) -> None:
    scheduled = schedule(optimize_gemm(plain_c, "f32", program(), pack), program())
    for m, n, k in SHAPES:
        computes_the_same(program(), scheduled, m=m, n=n, k=k)


def test_rows_that_tiles_leave_in_tiles_of_two_and_one(computes_the_same: Same) -> None:
    naive = program("f32", level3.gemm_new)
    scheduled = schedule(optimize_gemm(avx2, "f32", naive, None, rest=(2,)), naive)
    assert called(scheduled) == {f"gemm_{rows}x{v}" for rows in (1, 2, 6) for v in ("2", "1m", "2m")}
    for m, n, k in ((8, 16, 2), *SHAPES):
        computes_the_same(naive, scheduled, m=m, n=n, k=k)


@pytest.mark.parametrize(("machine", "vectors"), [(avx2, 1), (avx2, 3), (avx512, 2)], ids=repr)
def test_a_slim_product_is_tiles_one_beside_none(machine: Machine, vectors: int, computes_the_same: Same) -> None:
    width, rows = machine.vec_width("f32"), slim_rows(machine)[vectors]
    naive = direct.add_assertion(program(), f"n > {width * (vectors - 1)}")
    naive = direct.add_assertion(naive, f"n <= {width * vectors}")
    scheduled = schedule(optimize_slim(machine, "f32", vectors, naive), naive)
    assert called(scheduled) == {f"gemm_{r + 1}x{vectors}{m}" for r in range(rows) for m in ("", "m")}
    for m, n in ((1, width * vectors), (rows + 3, width * vectors - 1)):
        computes_the_same(naive, scheduled, m=m, n=n, k=3)


def test_a_product_by_vectors(computes_the_same: Same) -> None:
    naive = program("f32", level3.gemm_new)
    scheduled = schedule(optimize_gemm(avx2, "f32", naive), naive)
    for m, n, k in ((1, 257, 1), *SHAPES):
        computes_the_same(naive, scheduled, m=m, n=n, k=k)
