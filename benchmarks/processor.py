"""The numbers of a processor that no system tells, measured, beside those of the machines: latency, and operations a
cycle.

    python -m benchmarks.processor

A cycle is the time of an addition of integers that waits for the one before. Programs are in C, with the instructions
written out, so that no compiler changes them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from backends.native_machine import native_machine
from backends.targets import available_targets
from backends.toolchain import build
from benchmarks.measure import seconds, show
from exo_strat import Machine

OPERATIONS = 64
"""Instructions in a loop, so that the loop itself takes no time beside them."""
CALL = 2000
"""Runs of the loop in a call."""


@dataclass(frozen=True)
class Assembly:
    """How vectors of f32 are named in C, and the instructions on them: what is written comes first."""

    header: str
    vector: str
    register: str
    fma: str
    load: str
    store: str
    add: str


X86 = ("vfmadd231ps %1, %1, %0", "vmovups %1, %0", "vmovups %1, %0", "add %0, %0")
ARM = ("fmla %0.4s, %1.4s, %1.4s", "ldr %q0, %1", "str %q1, %0", "add %0, %0, %0")
ASSEMBLY = {
    "avx2": Assembly("immintrin.h", "__m256", "x", *X86),
    "avx512": Assembly("immintrin.h", "__m512", "v", *X86),
    "neon": Assembly("arm_neon.h", "float32x4_t", "w", *ARM),
}


def source(a: Assembly, chains: int) -> str:
    """C functions that run one kind of instruction `OPERATIONS` times `n` times."""
    sums = ", ".join(f"v{k} = {{0}}" for k in range(chains))
    one = f'asm volatile("{a.fma}" : "+{a.register}"(v0) : "{a.register}"(w));'
    bodies = {
        "cycles": f'asm volatile("{a.add}" : "+r"(x));' * OPERATIONS,
        "latency": one * OPERATIONS,
        "fmas": "".join(one.replace("v0", f"v{k % chains}") for k in range(OPERATIONS)),
        "loads": f'asm volatile("{a.load}" : "={a.register}"(w) : "m"(at[0]));' * OPERATIONS,
        "stores": f'asm volatile("{a.store}" : "=m"(at[0]) : "{a.register}"(w));' * OPERATIONS,
    }
    return f"#include <{a.header}>\n" + "".join(
        f"void {name}(long n) {{\n    long x = 0;\n    {a.vector} w = {{0}}, at[1] = {{{{0}}}}, {sums};\n"
        f"    (void)x, (void)at, (void)w;\n    for (long i = 0; i < n; i++) {{ {body} }}\n}}\n"
        for name, body in bodies.items()
    )


def measured(machine: Machine) -> Iterator[tuple[str, float, float | str]]:
    """Names, what is measured, and what the machine says: cycles of latency, and operations a cycle."""
    text = source(ASSEMBLY[machine.name], chains=machine.registers - 2)
    library = ctypes.CDLL(str(build("processor", text, ("-O2", *machine.cc_flags))))
    names = ("cycles", "latency", "fmas", "loads", "stores")
    runs: list[Callable[[], object]] = [partial(getattr(library, name), ctypes.c_long(CALL)) for name in names]
    cycle, latency, *others = seconds(*runs)
    p, bits = machine.processor, machine.vec_bits("f32")
    yield "latency of a multiply-add, cycles", latency / cycle, float(p.fma_latency)
    for name, t, pipes in zip(names[2:], others, (p.fmas, p.loads, p.stores), strict=True):
        yield f"{name} a cycle", cycle / t, pipes.rate(bits)
    yield "GHz", CALL * OPERATIONS / cycle / 1e9, p.hertz / 1e9 if p.hertz else "unknown"


if __name__ == "__main__":
    machines = [native_machine(m).machine for m in available_targets() if m.name in ASSEMBLY]
    rows = [(m.name, *row) for m in machines for row in measured(m)]
    show("The processor", ("target", "number", "measured", "the machine says"), rows)
