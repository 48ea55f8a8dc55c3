"""`optimize_level_1`: every kernel computes what its naive program does, and is instructions of the machine."""

from __future__ import annotations

import pytest

from backends.targets import avx2, avx512, plain_c
from examples.exo_blas.builder.catalogue import catalogue
from examples.exo_blas.programs.level1 import kernels
from exo_strat import CallCursor, ForCursor, traversals

KERNELS = {k.name: k for k in kernels()}
VECTORS = sorted(name for name in KERNELS if not name.endswith("strided") and "iamax" not in name)


def test_all_kernels_have_names_of_their_own():
    assert KERNELS.keys() <= catalogue().keys()


@pytest.mark.parametrize("machine", [plain_c, avx2, avx512], ids=str)
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_a_kernel_computes_what_its_program_does(name, machine, computes_the_same):
    kernel = KERNELS[name]
    scheduled = kernel.scheduled(machine)
    for n in (1, 9, 71, 281):
        computes_the_same(kernel.program, scheduled, n=n)


@pytest.mark.parametrize("machine", [avx2, avx512], ids=str)
@pytest.mark.parametrize("name", VECTORS)
def test_whole_vectors_are_instructions(name, machine):
    scheduled = KERNELS[name].scheduled(machine)
    loops = [c for c in traversals.nlr(scheduled.root()) if isinstance(c, ForCursor)]
    calls = [any(isinstance(s, CallCursor) for s in loop.body()) for loop in loops]
    # sums: pairs, if they are few; several pairs, and those left over. Updates: several vectors, single ones, the rest
    assert calls == ([True, True, True] if "_mask" in str(scheduled) else [True, True, False])


@pytest.mark.parametrize("name", ["sdot", "sdot_strided"])
def test_without_vectors_sums_are_of_numbers(name):
    code = str(KERNELS[name].scheduled(plain_c))
    # eight sums, of which one is t, and the result
    assert code.count(": f32 @") == 8 + 1
    assert "x[8 * iooo + 7] * y[8 * iooo + 7]" in code


@pytest.mark.parametrize("name, twos", [("dcopy", True), ("dswap", True), ("drotm", False)])
def test_elements_that_are_no_neighbours_are_taken_in_twos_if_statements_are_few(name, twos):
    assert ("y[2 * io + 1] = " in str(KERNELS[f"{name}_strided"].scheduled(avx2))) == twos
