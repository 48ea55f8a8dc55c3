from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from backends.targets import avx2, avx512, neon, plain_c
from examples.blas import level3
from examples.blas.kernel import typed
from exo_strat import CallCursor, Machine, Proc, direct, schedule
from strategies.blas.columns import optimize_columns
from strategies.blas.level3 import Tile, in_tiles, largest_tile, micro_kernel, packed, packed_across

Same = Callable[..., None]


@cache
def program(precision: str = "f32") -> Proc:
    any_b = typed(level3.gemm, precision, "gemm")
    return direct.add_assertion(direct.add_assertion(any_b, "stride(b, 1) == 1"), "k <= 256")


def called(p: Proc) -> set[str]:
    return {n.subproc().name() for n in p.root().descendants() if isinstance(n, CallCursor)}


@pytest.mark.parametrize(("machine", "vectors"), [(avx512, 4), (avx2, 2), (neon, 4), (plain_c, 1)], ids=repr)
def test_a_tile_fits_the_registers(machine: Machine, vectors: int) -> None:
    assert (largest_tile(machine, "f32").rows, largest_tile(machine, "f32").vectors) == (6, vectors)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_micro_kernel_is_instructions_only(precision: str) -> None:
    _, kernel = micro_kernel(program(precision), Tile(avx512, precision, 6, 4))
    names = {name.removesuffix("_ps").removesuffix("_pd") for name in called(kernel)}
    assert names == {
        "mm512_setzero", "mm512_loadu", "mm512_fmadd_set1", "mm512_set1_value", "mm512_fmadd_to", "mm512_storeu"
    }  # fmt: skip
    assert not kernel.find_all("_[_] += _") and not kernel.find_all("_[_] = _")


def test_only_the_last_vector_is_masked() -> None:
    _, kernel = micro_kernel(program(), Tile(avx2, "f32", 1, 2, masked=True))
    depth = kernel.find_all("for p in _: _")[0]
    calls = [s.subproc().name() for s in depth.descendants() if isinstance(s, CallCursor)]  # type: ignore[attr-defined]
    assert [c for c in calls if "load" in c] == ["mm256_loadu_ps", "mm256_mask_loadu_ps"]


@pytest.mark.parametrize("machine", [plain_c, neon, avx2, avx512], ids=repr)
@pytest.mark.parametrize("masked", [False, True])
def test_a_micro_kernel_computes_the_product(machine: Machine, masked: bool, computes_the_same: Same) -> None:
    naive, kernel = micro_kernel(program(), Tile(machine, "f32", 2, 1, masked))
    computes_the_same(naive, kernel, k=3, **({"n": 3} if masked else {}))


@pytest.mark.parametrize("pack", [packed, packed_across])
def test_a_block_computes_the_product(pack: Callable[..., object], computes_the_same: Same) -> None:
    block = schedule(in_tiles(program(), largest_tile(plain_c, "f32"), pack), program())
    for m, n, k in ((1, 1, 1), (7, 17, 2), (12, 33, 3), (5, 15, 4)):
        computes_the_same(program(), block, m=m, n=n, k=k)


@pytest.mark.parametrize("name", ["trmm", "trmm_unit", "trsm_unit"])
def test_columns_are_independent(name: str, computes_the_same: Same) -> None:
    naive = typed(getattr(level3, name), "f64", name)
    scheduled = schedule(optimize_columns(avx2, "f64"), naive)
    for m, n in ((1, 1), (3, 16), (4, 23)):
        computes_the_same(naive, scheduled, m=m, n=n)
