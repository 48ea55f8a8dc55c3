"""Instructions made from a table: what a row must say of its masked form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backends.simd import Operation, Registers, instructions
from backends.x86_avx2 import AVX2

REGISTERS = Registers("mm256", "ps", "f32", 8, AVX2, "blendv(OLD, NEW, exo_mask8(n))", "#include <immintrin.h>")
ADD = Operation("add", "dst:V a:V b:V", "dst[i] = a[i] + b[i]", "dst = add(a, b)")
LOAD = Operation("loadu", "dst:V src:M", "dst[i] = src[i]", "dst = loadu(&src)")


def test_a_masked_form_is_derived_where_only_registers_are_touched() -> None:
    whole, masked = instructions(REGISTERS, [ADD])
    assert whole.name() == "mm256_add_ps" and masked.name() == "mm256_mask_add_ps"
    assert masked.tree.instr is not None
    merged = "_mm256_blendv_ps({dst_data}, _mm256_add_ps({a_data}, {b_data}), exo_mask8({n}))"
    assert masked.tree.instr.c == f"{{dst_data}} = {merged};"


@pytest.mark.parametrize("row", [LOAD, replace(LOAD, params="dst:V src:H")], ids=["whole", "half"])
def test_no_masked_form_is_derived_that_would_touch_memory_beyond_the_mask(row: Operation) -> None:
    with pytest.raises(ValueError, match=r"'loadu' touches src in memory.*give the statement for the first n lanes"):
        instructions(REGISTERS, [row])
    loads = instructions(REGISTERS, [replace(row, masked="dst = maskload(&src, exo_mask8(n))")])
    assert [p.name() for p in loads] == ["mm256_loadu_ps", "mm256_mask_loadu_ps"]


def test_registers_without_masks_have_whole_instructions_only() -> None:
    assert [p.name() for p in instructions(replace(REGISTERS, merge=""), [LOAD])] == ["mm256_loadu_ps"]
