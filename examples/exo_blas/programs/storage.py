"""Where elements are in C: memories of packed triangles, and room for copies.

Object code computes with the elements of a matrix or of its diagonal. That rows of a packed triangle follow each other
without gaps, so that where one begins is quadratic in its number, is known here only. So is that a copy of a few
elements is on the stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from backends.c import Index, Objection, Term
from backends.c.memory import ALIGNED, CMemory, HeapMemory
from backends.c.terms import add, binary, mul, num, sub
from backends.kernel import Binary, Const, Control, Expr, Scalar


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

    def accepts(self, other: CMemory) -> bool:
        return other in (self, PACKED)


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


class _Either(CMemory):
    """A triangle that is one of both. It is handed on as a whole to who knows which, and has no elements till then."""

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        return f"{name}[0]"

    def exists(self, index: Sequence[Expr]) -> Expr:
        return Const(False, Control("bool"))


PACKED = _Either("PACKED")
PACKED_LOWER = _Lower("PACKED_LOWER")
PACKED_UPPER = _Upper("PACKED_UPPER")


class _Rows(HeapMemory):
    """The rows of any matrix, dense, packed or a band, with the indices (i, 0, j).

    Row i begins at i (s + (i - 1) t), where s is the distance of rows 0 and 1, and 2 t how much farther apart two rows
    are than the two before: 0, but for packed triangles. Arguments have s and t as the distances of their first two
    dimensions, the second of which is of one element; the third is of neighbours.

    >>> print(ROWS.element("a", tuple(Index(Term(i), False) for i in "i0j"), (Term("s"), Term("t"), num(1))))
    a[i * (s + (i - 1) * t) + j]
    """

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        row, _, column = index
        if row.kept and row.at.value != 0:
            raise Objection(f"rows in {self} aren't equally far apart; a window has all or one, `{name}[i, 0, lo:hi]`")
        begin = mul(row.at, add(strides[0], mul(sub(row.at, num(1)), strides[1])))
        return f"{name}[{add(begin, column.at)}]"

    def accepts(self, other: CMemory) -> bool:
        return self == other


ROWS = _Rows("ROWS")


class _Pairs(HeapMemory):
    """The reals of pairs, which may be apart: arguments are given the distance of pairs, in pairs.

    >>> PAIRS.element("x", (Index(Term("i"), False),), (Term("s"),))
    'x[i / 2 * (2 * s) + i % 2]'
    """

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        at = index[0].at
        return f"{name}[{add(mul(binary('/', at, num(2)), mul(num(2), strides[0])), binary('%', at, num(2)))}]"

    def accepts(self, other: CMemory) -> bool:
        return self == other


PAIRS = _Pairs("PAIRS")


class _Room(HeapMemory):
    """On the stack, if there are at most so many elements, else on the heap."""

    few: ClassVar[int] = 512

    def alloc(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        """The stack's part has a name that no variable of object code has.

        >>> from exo_strat import f64
        >>> for part in ROOM.alloc("u", f64, (num(600),)).split(" : "):
        ...     print(part)
        _Alignas(64) double exo_few_u[512], *u = exo_times(sizeof(double), 600) <= sizeof exo_few_u ? exo_few_u
        exo_alloc(exo_times(sizeof(double), 600));
        """
        pointer, _, heap = super().alloc(name, scalar, shape).partition(" = ")
        if not heap:
            return pointer
        kind, _, _ = pointer.partition(" *")
        needed = heap.removeprefix("exo_alloc(").removesuffix(");")
        few, start = f"exo_few_{name}", f"_Alignas({ALIGNED}) {kind}"
        return f"{start} {few}[{self.few}], *{name} = {needed} <= sizeof {few} ? {few} : {heap}"

    def free(self, name: str, scalar: Scalar, shape: tuple[Term, ...]) -> str:
        return f"if ({name} != exo_few_{name}) {super().free(name, scalar, shape)}" if shape else ""


class _Near(_Room):
    """Likewise, of more."""

    few: ClassVar[int] = 4096


class _Block(_Room):
    """Likewise, of still more."""

    few: ClassVar[int] = 8192


ROOM = _Room("ROOM")
"""Of a vector."""
NEAR = _Near("NEAR")
BLOCK = _Block("BLOCK")
"""Of matrices."""


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


KEPT = _Kept("KEPT")
