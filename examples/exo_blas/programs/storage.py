"""Memories of the library: how BLAS packs triangles, and where copies are made.

Object code computes with the elements of a matrix or of its diagonal. That rows follow each other without gaps, so that
where one begins is quadratic in its number, is known here only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from backends.c import Index, Objection, Term
from backends.c.memory import ALIGNED, HeapMemory
from backends.c.terms import add, binary, mul, num, sub
from backends.c.types import c_type
from backends.kernel import Binary, Expr, Scalar


class Packed(HeapMemory):
    """The rows of a triangle, or its diagonal. Arguments are given n as the distance of their rows, or elements."""

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        row, column = index[0], index[-1]
        if row.kept:
            raise Objection(f"rows in {self} are not equally far apart; a window is of one, `{name}[i, lo:hi]`")
        twice = mul(row.at, self.twice_mean(row.at, strides[0]))
        return f"{name}[{add(binary('/', twice, num(2)), column.at)}]"

    def twice_mean(self, i: Term, n: Term) -> Term:
        """Twice how far apart the rows up to row i are in the mean, measured from where column 0 is, or would be."""
        raise Objection(f"{self} doesn't say where a row begins")


class _Lower(Packed):
    """Row i has the columns 0 to i."""

    def twice_mean(self, i: Term, n: Term) -> Term:
        return add(i, num(1))

    def exists(self, index: Sequence[Expr]) -> Expr:
        return Binary("<=", index[-1], index[0])


class _Upper(Packed):
    """Row i has the columns i to n - 1."""

    def twice_mean(self, i: Term, n: Term) -> Term:
        return sub(sub(mul(num(2), n), num(1)), i)

    def exists(self, index: Sequence[Expr]) -> Expr:
        return Binary("<=", index[0], index[-1])


PACKED_LOWER = _Lower("PACKED_LOWER")
PACKED_UPPER = _Upper("PACKED_UPPER")


class _Few(HeapMemory):
    """On the stack if there are at most 4096 elements."""

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        if not shape:
            return super().alloc(name, scalar, shape)
        here, count, heap = f"{name}_few", reduce(mul, shape), super().alloc(name, scalar, shape).partition(" = ")[2]
        array = f"_Alignas({ALIGNED}) {c_type(scalar)} {here}[{MOST}];"
        return f"{array}\n{c_type(scalar)} *{name} = {count} <= {MOST} ? {here} : {heap}"

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return f"if ({name} != {name}_few) exo_free({name});" if shape else ""


class _Kept(HeapMemory):
    """In room that a thread keeps for its next call (`room.h`, for the wrappers whose kernels have such buffers).

    What has no room there is on the heap, so the kernels have buffers on the heap, too.
    """

    def prelude(self) -> str:
        return "static void *exo_room(size_t bytes);\nstatic void exo_leave(void *given);"

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return super().alloc(name, scalar, shape).replace("exo_alloc", "exo_room")

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return f"exo_leave({name});" if shape else ""


MOST = 4096
FEW = _Few("FEW")
KEPT = _Kept("KEPT")
