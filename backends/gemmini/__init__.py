"""Gemmini, a matrix accelerator with memories and configuration of its own.

Every instruction is an attribute of this package, by its name: `from backends.gemmini import do_matmul_acc_i8`.
"""

from __future__ import annotations

from pyrsistent import pmap

from ..kernel import Machine, Proc
from .execute import DO_PRODUCTS
from .externs import clamp_i8, mul_f32, round_even
from .loads import DO_LOADS
from .memories import BLOCK, DIM, GEMM_ACCUM, GEMM_SCRATCH, INCLUDE_DIR
from .model import Counts, GemminiFault, Simulation, simulate
from .state import CONFIG_EX, CONFIG_LD, CONFIG_ST, config_ex, config_ld, config_ld_scaled, config_st, fence, flush
from .stores import DO_STORES

_CONFIGS = (*config_ld, *config_ld_scaled, config_st, config_ex)
INSTRUCTIONS: dict[str, Proc] = {
    **DO_LOADS,
    **DO_PRODUCTS,
    **DO_STORES,
    **{p.name(): p for p in (*_CONFIGS, fence, flush)},
}
"""All instructions, by name."""

GEMMINI_MACHINE = Machine(
    name="gemmini",
    vec_widths=pmap(),
    mem_type=GEMM_SCRATCH,
    instructions=pmap({"i8": tuple(INSTRUCTIONS.values())}),
    cpu_flags=("gemmini",),
)
"""The accelerator as a target. No processor that this package runs on has one: `simulate` runs its programs."""


def __getattr__(name: str) -> Proc:
    if name in INSTRUCTIONS:
        return INSTRUCTIONS[name]
    raise AttributeError(f"Gemmini has no instruction {name}; it has {', '.join(sorted(INSTRUCTIONS))}")


__all__ = [
    "BLOCK",
    "CONFIG_EX",
    "CONFIG_LD",
    "CONFIG_ST",
    "DIM",
    "GEMMINI_MACHINE",
    "GEMM_ACCUM",
    "GEMM_SCRATCH",
    "INCLUDE_DIR",
    "INSTRUCTIONS",
    "Counts",
    "GemminiFault",
    "Simulation",
    "clamp_i8",
    "config_ex",
    "config_ld",
    "config_ld_scaled",
    "config_st",
    "fence",
    "flush",
    "mul_f32",
    "round_even",
    "simulate",
]
