"""The numbers of a processor that no system tells, measured, beside those of the machines: latency, operations a
cycle, lines of the caches, loops; and the bytes that one thread and all of them copy in a second.

    python -m benchmarks.processor

A cycle is the time of an addition of integers that waits for the one before. Programs are in C, with the instructions
written out, so that no compiler changes them. Lines are read one after the other. What a model counts for waits
(`Waits`) is more than what is measured here, where nothing else is done.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from backends.native_machine import native_machine
from backends.targets import available_targets
from backends.toolchain import build
from benchmarks.measure import seconds, show
from exo_strat import Machine

OPERATIONS = 64
"""Instructions in a loop, so that the loop itself takes no time beside them."""
CALL = 2000
"""Runs of the loop in a call."""
COPIED = 1 << 28
"""Bytes that are copied, and read from memory: more than caches hold."""
TRIPS = 1 << 16
"""Loops in a call that are begun and left, of 4 to 11 iterations each: too many for their ends to be foreseen."""

MEMORY = """
#include <stdint.h>
#include <string.h>
void lines(long n, long line, const char *x) {
    for (long k = 0; k < n; k += line)
        asm volatile("" : : "r"(*(const volatile int64_t *)(x + k)));
}
void forwarded(long n) {
    volatile double x = 0.0;
    for (long k = 0; k < n; k++)
        x += 1.0;
}
void loops(long n, const int *trips) {
    for (long k = 0; k < n; k++)
        for (int i = 0; i < trips[k]; i++)
            asm volatile("" : "+r"(i));
}
void iterations(long n) {
    for (long k = 0; k < n; k++)
        asm volatile("" : "+r"(k));
}
void copy(int threads, long n, char *into, const char *from) {
    #pragma omp parallel for num_threads(threads)
    for (long k = 0; k < n; k += 1 << 20)
        memcpy(into + k, from + k, 1 << 20);
}
"""


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
    yield from waits(machine, cycle / CALL / OPERATIONS)
    yield "GHz", CALL * OPERATIONS / cycle / 1e9, p.hertz / 1e9 if p.hertz else "unknown"


def waits(machine: Machine, cycle: float) -> Iterator[tuple[str, float, float | str]]:
    """What lines, loops and values that go through memory take, in cycles of so many seconds, and what the machine
    says; and what is copied."""
    library = ctypes.CDLL(str(build("memory", MEMORY, ("-O2", "-fopenmp"))))
    p, n = machine.processor, CALL * OPERATIONS
    x, into = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)
    trips = np.random.default_rng(0).integers(4, 12, TRIPS, np.int32)
    reads = [c.bytes // 2 for c in p.caches[1:]] + [COPIED]
    line = p.cache(1).line
    found = seconds(
        *(partial(library.lines, ctypes.c_long(size), ctypes.c_long(line), _at(x)) for size in reads),
        partial(library.forwarded, ctypes.c_long(n)),
        partial(library.iterations, ctypes.c_long(n)),
        partial(library.loops, ctypes.c_long(TRIPS), _at(trips)),
    )
    forwarded, iterations, loops = found[len(reads) :]
    for size, t, said in zip(reads, found, p.waits.lines, strict=False):
        yield f"a line of {size / 2**20:g} MiB, cycles", t / cycle * line / size, said
    yield "a value through memory, and an addition, cycles", forwarded / n / cycle, p.waits.forwarded
    yield "an iteration, cycles", iterations / n / cycle, p.waits.iteration
    each = (loops - int(trips.sum()) * iterations / n) / TRIPS
    yield "a loop, cycles", each / cycle, p.waits.loop
    for threads in sorted({1, p.cores}):
        [t] = seconds(partial(library.copy, threads, ctypes.c_long(COPIED), _at(into), _at(x)))
        yield f"GB/s read and written, threads: {threads}", 2 * COPIED / t / 1e9, "-"


def _at(x: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


if __name__ == "__main__":
    machines = [native_machine(m).machine for m in available_targets() if m.name in ASSEMBLY]
    rows = [(m.name, *row) for m in machines for row in measured(m)]
    show("The processor", ("target", "number", "measured", "the machine says"), rows)
