"""Room for copies of vectors whose elements are not neighbours, or are still needed."""

from __future__ import annotations

from functools import reduce
from typing import Final

from backends.c import Term
from backends.c.memory import HeapMemory
from backends.c.terms import mul, num
from backends.c.types import c_type
from backends.kernel import Scalar

FEW: Final = 512
"""Elements for which there is room on the stack."""


class _Near(HeapMemory):
    """On the stack, if there are at most `FEW` elements, else on the heap, where memory of any alignment takes glibc a
    few nanoseconds, and aligned memory as long as a band of 1000 rows."""

    def prelude(self) -> str:
        return HELPER

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        """The stack's part has a name that no variable of object code has.

        >>> from exo_strat import f64
        >>> for part in NEAR.alloc("u", f64, (num(600),)).split(" : "):
        ...     print(part)
        double exo_few_u[512], *u = 600 <= 512 ? exo_few_u
        exo_vector(600 * sizeof(double));
        """
        if not shape:
            return super().alloc(name, scalar, shape)
        kind, count = c_type(scalar), reduce(mul, shape, num(1))
        few, needed = f"exo_few_{name}", mul(count, Term(f"sizeof({kind})"))
        return f"{kind} {few}[{FEW}], *{name} = {count} <= {FEW} ? {few} : exo_vector({needed});"

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return f"if ({name} != exo_few_{name}) free({name});" if shape else ""


NEAR = _Near("NEAR")

HELPER = """\
#include <stdio.h>
#include <stdlib.h>
#ifndef EXO_OWN_HEAP  // a program may bring a heap of its own
// Memory for a vector; ends the program if there is none.
static inline void *exo_vector(size_t bytes) {
    void *p = malloc(bytes);
    if (p == NULL) {
        fprintf(stderr, "out of memory: no %zu bytes for a vector\\n", bytes);
        abort();
    }
    return p;
}
#endif"""
