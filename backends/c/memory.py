"""What a memory means in C: allocation, access, release.

A backend author subclasses `CMemory`; the kernel's own three memories are in a table here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import ClassVar

from ..kernel import DRAM, DRAM_STACK, DRAM_STATIC, Expr, Memory, Scalar, concrete
from .errors import Objection
from .terms import Term, mul, num, offset
from .types import c_type


@dataclass(frozen=True, slots=True)
class Index:
    """An index along one dimension of the underlying buffer; `kept` if the window that is accessed
    spans the dimension, so that the index is where the window starts."""

    at: Term
    kept: bool


class CMemory(Memory):
    """A memory with its C text. The hooks below describe plain, byte-addressed host memory; override
    what differs. A hook raises `Objection(words)` for a buffer or an access that can't be."""

    direct: ClassVar[bool] = True
    """Whether ordinary statements may read and write elements; else only instructions may."""
    pointers: ClassVar[bool] = True
    """Whether a window of it can be held in a C pointer with strides, and passed to procedures."""
    per_thread: ClassVar[bool] = False
    """Whether a buffer outlives its block in C and each thread has a copy of its own, so that other threads reach it
    by its address only."""
    cc_flags: ClassVar[tuple[str, ...]] = ()
    """What the C compiler needs to be told."""
    cpu_flags: ClassVar[tuple[str, ...]] = ()
    """What the processor must have, in the spelling of /proc/cpuinfo."""
    architecture: ClassVar[str] = ""
    """The processors that have it, in the spelling of `uname -m`; "" for all."""
    headers: ClassVar[tuple[Path, ...]] = ()
    """Files of its own that generated C includes; they are put beside it."""

    def __str__(self) -> str:
        return self.name

    def prelude(self) -> str:
        """C text that a file with such buffers needs once, such as an #include."""
        return ""

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        """The declaration of a buffer; a shape of () is a single value."""
        raise Objection(f"{self} has no allocation: it is for arguments only")

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        """What ends the buffer's life, at the end of its block; "" for nothing."""
        return ""

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        """The lvalue of an element; for a window, of its first."""
        return f"{name}[{offset((i.at for i in index), strides)}]"

    @property
    def is_dense(self) -> bool:
        """Whether elements lie row by row without gaps."""
        kind = type(self)
        return kind.element is CMemory.element and kind.exists is CMemory.exists

    def exists(self, index: Sequence[Expr]) -> Expr | None:
        """The condition under which a buffer has an element, where not each within its extents is there; None: always.

        It must be true of all between two of which it is, as only the ends of windows are checked.
        """
        return None

    def epilogue(self) -> str:
        """C text that waits until all instructions on such buffers have done their work; "" if they do it at once.

        It ends a function with such buffers, and blocks in which buffers live that instructions may be at work on.
        An instruction with this text does the same elsewhere.
        """
        return ""

    def accepts(self, other: CMemory) -> bool:
        """Whether an argument that lives in `other` may be passed where this memory is declared."""
        return self == other


class PlacedMemory(CMemory):
    """A memory of fixed size in which the compiler gives each buffer its place, such as a scratchpad.

    Extents are constant, only instructions touch it, and all threads share it. The buffers that are alive at the
    same time, those of callers included, must fit in `capacity`, counted in `unit`: that is checked before printing.
    """

    direct: ClassVar[bool] = False
    pointers: ClassVar[bool] = False
    capacity: ClassVar[int] = 0
    unit: ClassVar[str] = "bytes"

    def units(self, scalar: Scalar, shape: tuple[int, ...]) -> int:
        """How much a buffer takes. Raises `Objection` for one that can't be in this memory."""
        raise Objection(f"{self} doesn't say how much a buffer takes")

    def place(self, name: str, at: int) -> str:
        """The declaration of a buffer that begins `at` so many units."""
        raise Objection(f"{self} doesn't say where a buffer is")


def _extent(shape: tuple[Term, ...]) -> Term:
    return reduce(mul, shape, num(1))


def _constant(memory: Memory, shape: tuple[Term, ...]) -> Term:
    for d, extent in enumerate(shape):
        if extent.value is None:
            raise Objection(f"{memory} needs constant extents, and dimension {d} is `{extent}`; use DRAM")
    return _extent(shape)


ALIGNED = 64
"""Bytes at whose multiples buffers begin: a cache line, and the widest vector, of all processors that are targets."""


class HeapMemory(CMemory):
    """`malloc`ed, aligned to `ALIGNED` bytes, released at the end of the block. A single value is a local variable."""

    def prelude(self) -> str:
        return HEAP_HELPERS

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        ctype = c_type(scalar)
        if not shape:
            return f"{ctype} {name};"
        extents = [f"sizeof({ctype})", *map(str, shape)]
        total = reduce(lambda a, b: f"exo_times({a}, {b})", extents)
        return f"{ctype} *{name} = exo_alloc({total});"

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return f"exo_free({name});" if shape else ""

    def accepts(self, other: CMemory) -> bool:
        return isinstance(other, HeapMemory | LocalMemory)


class LocalMemory(CMemory):
    """An array of constant size with a storage class."""

    storage: ClassVar[str] = ""

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        if not shape:
            return f"{c_type(scalar)} {name};"
        return f"{self.storage}_Alignas({ALIGNED}) {c_type(scalar)} {name}[{_constant(self, shape)}];"


class StaticMemory(LocalMemory):
    """Not on the stack. One copy a thread, as the body of a parallel loop may allocate such a buffer."""

    storage: ClassVar[str] = "static _Thread_local "
    per_thread: ClassVar[bool] = True


HEAP_HELPERS = """\
#include <stdio.h>
#include <stdlib.h>
// The product of two extents, or a number of bytes that no allocation can have.
static inline size_t exo_times(size_t a, size_t b) {
    return a != 0 && b > PTRDIFF_MAX / a ? PTRDIFF_MAX : a * b;
}
#ifndef EXO_OWN_HEAP  // a program may bring a heap of its own
// Memory aligned to cache lines; ends the program if there is none.
static inline void *exo_alloc(size_t bytes) {
    void *p = bytes > PTRDIFF_MAX - ALIGNED ? NULL : aligned_alloc(ALIGNED, (bytes + LESS) / ALIGNED * ALIGNED);
    if (p == NULL) {
        fprintf(stderr, "out of memory: no %zu bytes for a buffer\\n", bytes);
        abort();
    }
    return p;
}
static inline void exo_free(void *p) { free(p); }
#endif""".replace("ALIGNED", str(ALIGNED)).replace("LESS", str(ALIGNED - 1))

HOST: Mapping[Memory, CMemory] = {
    DRAM: HeapMemory("DRAM"),
    DRAM_STACK: LocalMemory("DRAM_STACK"),
    DRAM_STATIC: StaticMemory("DRAM_STATIC"),
}


def c_memory(memory: Memory) -> CMemory:
    """The C meaning of a memory; raises `Objection` for one that this backend doesn't know."""
    if isinstance(memory, CMemory):
        return memory
    if memory in HOST:
        return HOST[memory]
    raise Objection(f"memory {memory} has no C meaning; make it a `backends.c.CMemory`")


class VectorMemory(CMemory):
    """Vector registers. A buffer is an array of registers, whose innermost dimension is the lanes;
    only instructions touch it. `types` maps a precision to (C type of a register, lanes)."""

    direct: ClassVar[bool] = False
    pointers: ClassVar[bool] = False
    header: ClassVar[str] = "immintrin.h"

    def registers(self) -> Mapping[str, tuple[str, int]]:
        """Precision -> (C type of a register, lanes)."""
        raise Objection(f"{self} declares no registers")

    def prelude(self) -> str:
        return f"#include <{self.header}>"

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        scalar = concrete(scalar)
        if scalar.name not in self.registers():
            raise Objection(f"{self} has no registers of {scalar}; it has {', '.join(sorted(self.registers()))}")
        ctype, lanes = self.registers()[scalar.name]
        if not shape or shape[-1].value != lanes:
            extent = f"`{shape[-1]}`" if shape else "a single value"
            raise Objection(f"the innermost extent in {self} must be {lanes}, the lanes of {scalar}; it is {extent}")
        _constant(self, shape)
        # what a mask leaves alone is then 0, and no value that C has to carry from iteration to iteration
        return f"{ctype} {name}" + ("".join(f"[{n}]" for n in shape[:-1]) or " = {0}") + ";"

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        *outer, lane = index
        if not lane.kept or any(i.kept for i in outer) or lane.at.value != 0:
            raise Objection(f"an instruction takes one whole register of {self}: `{name}[.., 0:lanes]`")
        return name + "".join(f"[{i.at}]" for i in outer)
