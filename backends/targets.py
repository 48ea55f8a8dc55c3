"""Machines by name, as entry points publish them.

`avx2`, `avx512`, `neon` and `gemmini` are made when first asked for: building an instruction set checks all of it.
"""

from __future__ import annotations

from pyrsistent import pmap

from .cpu import features
from .kernel import DRAM, Machine

PLAIN_C = plain_c = Machine(name="c", vec_widths=pmap(), mem_type=DRAM, instructions=pmap())
"""Any processor with a C compiler."""


def __getattr__(name: str) -> Machine:
    if name == "avx2":
        from .x86_avx2 import AVX2_MACHINE

        return AVX2_MACHINE
    if name == "avx512":
        from .x86_avx512 import AVX512_MACHINE

        return AVX512_MACHINE
    if name == "neon":
        from .neon import NEON_MACHINE

        return NEON_MACHINE
    if name == "gemmini":
        from .gemmini import GEMMINI_MACHINE

        return GEMMINI_MACHINE
    raise AttributeError(f"there is no target {name}; there are plain_c, avx2, avx512, neon and gemmini")


def available(machine: Machine) -> bool:
    """Whether the processor at hand can run code for a machine."""
    return features().issuperset(machine.cpu_flags)


def available_targets() -> tuple[Machine, ...]:
    """The machines of this package that the processor at hand can be, the plainest first."""
    machines = (PLAIN_C, __getattr__("neon"), __getattr__("avx2"), __getattr__("avx512"))
    return tuple(m for m in machines if available(m))


def best_machine() -> Machine:
    """The most capable of `available_targets()`."""
    return available_targets()[-1]
