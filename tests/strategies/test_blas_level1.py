"""`optimize_level_1`: every kernel computes what its naive program does, and is instructions of the machine."""

from __future__ import annotations

import pytest

from backends.targets import avx2, avx512, plain_c
from examples.exo_blas.builder.catalogue import catalogue
from examples.exo_blas.programs import level1
from examples.exo_blas.programs.kernel import LETTERS
from exo_strat import CallCursor, ForCursor, traversals

PROGRAMS = (level1.asum, level1.axpy, level1.copy, level1.dot, level1.rotm, level1.scal, level1.swap)
LOOPS = [level1.kernel(p, precision, "", level1.plan) for p in (*PROGRAMS, level1.amax) for precision in LETTERS]
STRIDED = [
    level1.kernel(p, precision, "_strided", level1.strided, near=False) for p in PROGRAMS for precision in LETTERS
]
KERNELS = {k.name: k for k in (*LOOPS, *STRIDED)}
VECTORS = sorted(k.name for k in LOOPS)
"""Loops over vectors; the ways of `programs/ways.py` call them, and are tested there."""


def test_all_kernels_have_names_of_their_own():
    names = [k.name for k in level1.kernels()]
    assert len(set(names)) == len(names)
    assert set(VECTORS) <= set(names) <= catalogue().keys()


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
