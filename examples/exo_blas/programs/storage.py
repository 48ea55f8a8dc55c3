"""How BLAS packs triangles: memories, which say in C where an element is.

Object code computes with the elements of a matrix or of its diagonal. That rows follow each other without gaps, so that
where one begins is quadratic in its number, is known here only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

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


class Near(HeapMemory):
    """As memory of the heap, but what is small is on the stack."""

    few: ClassVar[int] = 4096
    """The most elements for which there is room on the stack."""

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        if not shape:
            return super().alloc(name, scalar, shape)
        kind, many = c_type(scalar), " * ".join(f"({extent})" for extent in shape)
        room = f"_Alignas({ALIGNED}) {kind} {name}_few[{self.few}];"
        return f"{room} {super().alloc(name, scalar, shape).replace('=', f'= {many} <= {self.few} ? {name}_few :')}"

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return f"if ({name} != {name}_few) {super().free(name, scalar, shape)}" if shape else ""


NEAR = Near("NEAR")
PACKED_LOWER = _Lower("PACKED_LOWER")
PACKED_UPPER = _Upper("PACKED_UPPER")
