"""Instructions made from a table: what a row must say of its masked form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from returns.result import Success

from backends.c import MemoryAccessError, compile
from backends.simd import FUSED, NEEDED, Need, Operation, Registers, does, instructions, missing
from backends.targets import avx2, avx512, neon
from backends.x86_avx2 import AVX2
from exo_strat import Machine, Proc, at, proc_from_source
from strategies import std
from strategies.gemm import schedule_sgemm

REGISTERS = Registers("mm256", "ps", "f32", 8, AVX2, "blendv(OLD, NEW, exo_mask8(n))", "#include <immintrin.h>")
ADD = Operation("add", "dst:V a:V b:V", "dst[i] = a[i] + b[i]", "dst = add(a, b)")
LOAD = Operation("loadu", "dst:V src:M", "dst[i] = src[i]", "dst = loadu(&src)")


def test_a_masked_form_is_derived_where_only_registers_are_touched() -> None:
    whole, masked = instructions(REGISTERS, [ADD])
    assert whole.name() == "mm256_add_ps" and masked.name() == "mm256_mask_add_ps"
    assert masked.tree.instr is not None
    merged = "_mm256_blendv_ps({dst_data}, _mm256_add_ps({a_data}, {b_data}), exo_mask8({n}))"
    assert masked.tree.instr.c == f"{{dst_data}} = {merged};"


@pytest.mark.parametrize("row", [LOAD, replace(LOAD, params="dst:V src:f16")], ids=["whole", "half"])
def test_no_masked_form_is_derived_that_would_touch_memory_beyond_the_mask(row: Operation) -> None:
    with pytest.raises(ValueError, match=r"'loadu' touches src in memory.*give the statement for the first n lanes"):
        instructions(REGISTERS, [row])
    loads = instructions(REGISTERS, [replace(row, masked="dst = maskload(&src, exo_mask8(n))")])
    assert [p.name() for p in loads] == ["mm256_loadu_ps", "mm256_mask_loadu_ps"]


def test_registers_without_masks_have_whole_instructions_only() -> None:
    assert [p.name() for p in instructions(replace(REGISTERS, merge=""), [LOAD])] == ["mm256_loadu_ps"]


def test_a_row_without_a_masked_form_is_named() -> None:
    accumulate = Operation("acc", "dst:V a:V", "dst[i] += a[i]", "dst += a")
    written_out = replace(accumulate, c="dst = dst + a")
    machine = replace(avx2, instructions={"f32": instructions(REGISTERS, [ADD, accumulate])})
    assert [n.what for n in missing(machine, "f32") if n.masked] == ["accumulation, masked"]
    machine = replace(avx2, instructions={"f32": instructions(REGISTERS, [ADD, written_out])})
    assert [n.what for n in missing(machine, "f32") if n.masked] == []


# -- the rows that strategies look for ----------------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs/new-target.md"
VECTORS = [n for n in (*NEEDED, *FUSED) if "j" not in n.statement]


def doing(need: Need) -> Proc:
    """Neon's instruction that is a row."""
    found = does(neon, "f32", need)
    assert found is not None, need.what
    return found


ROWS = replace(neon, instructions={"f32": tuple(map(doing, (*NEEDED, *FUSED)))})
"""A machine with the rows that are asked for, and no others."""


def without(*needs: Need) -> Machine:
    gone = {doing(n).name() for n in needs}
    return replace(ROWS, instructions={"f32": tuple(p for p in ROWS.get_instructions("f32") if p.name() not in gone)})


def is_vector_code(need: Need, machine: Machine) -> bool:
    """Whether a loop around the statement of a row becomes vector code."""
    arrays = ", ".join(f"{x}: f32[n]" for x in "uvwxy")
    loop = f"for i in seq(0, n):\n        {need.statement}"
    p = proc_from_source(f"def p(n: size, a: f32, s: f32, {arrays}):\n    {loop}")
    return isinstance(at("for i in _: _", std.vectorize_for(machine, "f32", strict=True))(p), Success)


@pytest.mark.parametrize("machine", [avx2, avx512, neon])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_the_targets_have_every_row(machine: Machine, precision: str) -> None:
    assert missing(machine, precision) == ()


@pytest.mark.parametrize("need", VECTORS, ids=lambda n: n.what)
def test_a_row_is_what_a_statement_needs(need: Need) -> None:
    assert is_vector_code(need, ROWS)
    assert not is_vector_code(need, without(need)) and missing(without(need), "f32") == (need,)


def test_products_of_matrices_need_a_row_of_their_own() -> None:
    (need,) = [n for n in FUSED if n not in VECTORS]
    assert compile([schedule_sgemm(ROWS)])
    with pytest.raises(MemoryAccessError, match="can be written by instructions only"):
        compile([schedule_sgemm(without(need))])


def test_without_any_fused_row_there_are_two_steps() -> None:
    assert missing(without(*FUSED), "f32") == ()
    assert all(is_vector_code(n, without(*FUSED)) for n in VECTORS)


def test_the_page_lists_the_rows() -> None:
    rows = [f"| {n.what} | `{n.params}` | `{n.lane}` | `{n.statement}` |" for n in (*NEEDED, *FUSED)]
    shown = [line for line in PAGE.read_text().splitlines() if line in rows]
    assert shown == rows
