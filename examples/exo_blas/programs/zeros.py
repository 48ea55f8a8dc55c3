"""What is computed again without some zeros (EXO_BLAS_ZEROS=skip), as the reference leaves them out.

It leaves out products with some zeros, so that what is infinite or no number beside them doesn't show. A result is
computed as ever; if something in it is no number, it is computed again from `old`, a copy of what was there before
(`cblas/both/zeros.c`). As in Fortran, no product of complex numbers looks for infinities: 1 times one of these is no
number, so there is no product here that the reference doesn't make, and the others have its factors.

Matrices are column-major: A[j, 0, i] is in row i and column j; a vector is one column. There are the elements for which
i - j is from `first` to `last`. A number is P reals: one, or a real and an imaginary part.
"""

from __future__ import annotations

from functools import cache

from backends.c import Index, Objection, Term
from backends.c.memory import CMemory, HeapMemory
from backends.c.terms import add, binary, mul, num, sub
from exo_strat import *
from exo_strat import proc_from_source
from strategies.blas.calls import calls

from .complex import as_written
from .kernel import COMPLEX_LETTERS, LETTERS, Kernel, typed


class _Columns(HeapMemory):
    """The columns of any matrix, dense, packed, a band or a vector, with the indices (j, 0, i, part).

    Column j begins at j s + j (j - 1) / 2 t, where s is the distance of columns 0 and 1, and t how much farther apart
    two columns are than the two before: 0, but for packed triangles. Arguments have s and t as the distances of their
    first two dimensions, the second of which is of one element.

    >>> index = tuple(Index(Term(i), False) for i in ("j", "0", "i", "k"))
    >>> COLUMNS.element("a", index, (Term("s"), Term("t"), Term("r"), num(1)))
    'a[j * s + j * (j - 1) / 2 * t + i * r + k]'
    """

    def element(self, name: str, index: tuple[Index, ...], strides: tuple[Term, ...]) -> str:
        column, _, row, part = index
        if column.kept and column.at.value != 0:
            raise Objection(f"columns in {self} are not equally far apart; a window has all or one, `{name}[j, 0, ..]`")
        pairs = binary("/", mul(column.at, sub(column.at, num(1))), num(2))
        begin = add(mul(column.at, strides[0]), mul(pairs, strides[1]))
        return f"{name}[{add(add(begin, mul(row.at, strides[2])), part.at)}]"

    def accepts(self, other: CMemory) -> bool:
        return self == other


COLUMNS = _Columns("COLUMNS")

# -- numbers ------------------------------------------------------------------------------------------

# r := a or its conjugate, r += a b, r -= a b, r := r / a, and r without its imaginary part


@proc
def real_given(conj: bool, a: [R][1], r: [R][1]):
    r[0] = a[0]


@proc
def real_add(a: [R][1], b: [R][1], r: [R][1]):
    r[0] += a[0] * b[0]


@proc
def real_take(a: [R][1], b: [R][1], r: [R][1]):
    r[0] += -(a[0] * b[0])


@proc
def real_divide(a: [R][1], r: [R][1]):
    r[0] = r[0] / a[0]


@proc
def real_part(r: [R][1]):
    pass


@proc
def complex_given(conj: bool, a: [R][2], r: [R][2]):
    r[0] = a[0]
    if conj:
        r[1] = -a[1]
    else:
        r[1] = a[1]


@proc
def complex_add(a: [R][2], b: [R][2], r: [R][2]):
    r[0] += a[0] * b[0] - a[1] * b[1]
    r[1] += a[0] * b[1] + a[1] * b[0]


@proc
def complex_take(a: [R][2], b: [R][2], r: [R][2]):
    r[0] += -(a[0] * b[0] - a[1] * b[1])
    r[1] += -(a[0] * b[1] + a[1] * b[0])


@proc
def complex_divide(a: [R][2], r: [R][2]):
    """By R. L. Smith (1962)"""
    q: R
    d: R
    t: R
    t = r[0]
    if abs(a[0]) < abs(a[1]):
        q = a[0] / a[1]
        d = a[1] + a[0] * q
        r[0] = (t * q + r[1]) / d
        r[1] = (r[1] * q - t) / d
    else:
        q = a[1] / a[0]
        d = a[0] + a[1] * q
        r[0] = (t + r[1] * q) / d
        r[1] = (r[1] - t * q) / d


@proc
def complex_part(r: [R][2]):
    r[1] = 0.0


# -- programs -----------------------------------------------------------------------------------------


def programs(P: int, given: Proc, add: Proc, take: Proc, divide: Proc, part: Proc) -> tuple[Proc, ...]:
    """What wrappers call, for numbers of P reals."""

    @proc
    def zeros_set(number: R, r: [R][P]):
        for k in seq(0, P):
            r[k] = 0.0
        r[0] = number

    @proc
    def zeros_times(a: [R][P], b: [R][P], r: [R][P]):
        zeros_set(0.0, r)
        add(a, b, r)

    @proc
    def zeros_look(number: R, a: [R][P], found: R):
        """found := 1, if a is something else than the number"""
        if a[0] != number:
            found = 1.0
        for k in seq(1, P):
            if a[k] != 0.0:
                found = 1.0

    @proc
    def zeros_scaled(a: [R][P], b: [R][P], r: [R][P]):
        """r := a b, or b if a is 1"""
        some: R
        some = 0.0
        zeros_look(1.0, a, some)
        if some != 0.0:
            zeros_times(a, b, r)
        else:
            given(False, b, r)

    @proc
    def zeros_copy(m: size, n: size, first: index, last: index, x: [R][n, 1, m, P] @ COLUMNS, old: R[n, m, P]):
        for j in seq(0, n):
            for i in seq(max(0, j + first), min(m, j + last + 1)):
                for k in seq(0, P):
                    old[j, i, k] = x[j, 0, i, k]

    @proc
    def zeros_check(m: size, n: size, first: index, last: index, x: [R][n, 1, m, P] @ COLUMNS, wrong: R):
        wrong = 0.0
        for j in seq(0, n):
            for i in seq(max(0, j + first), min(m, j + last + 1)):
                for k in seq(0, P):
                    if x[j, 0, i, k] != x[j, 0, i, k]:
                        wrong = 1.0

    @proc
    def zeros_left_product(
        vector: bool, unit: bool, conj: bool, m: size, n: size, order: size, first: index, last: index, alpha: [R][P],
        a: [R][order, 1, order, P] @ COLUMNS, old: R[n, m, P], x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """X := alpha A X, without zeros of X; of a vector, A X"""
        assert order == m
        for j in seq(0, n):
            for i in seq(0, m):
                zeros_set(0.0, x[j, 0, i, 0:P])
            for p in seq(0, m):
                some: R
                some = 0.0
                zeros_look(0.0, old[j, p, 0:P], some)
                if some != 0.0:
                    t: R[P] @ DRAM_STACK
                    e: R[P] @ DRAM_STACK
                    if vector:
                        given(False, old[j, p, 0:P], t)
                    else:
                        zeros_times(alpha, old[j, p, 0:P], t)
                    for i in seq(max(0, p + first), min(m, p + last + 1)):
                        if unit and i == p:
                            for k in seq(0, P):
                                x[j, 0, i, k] += t[k]
                        else:
                            given(conj, a[p, 0, i, 0:P], e)
                            add(t, e, x[j, 0, i, 0:P])

    @proc
    def zeros_right_product(
        turned: bool, unit: bool, conj: bool, m: size, n: size, order: size, first: index, last: index, alpha: [R][P],
        a: [R][order, 1, order, P] @ COLUMNS, old: R[n, m, P], x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """X := alpha X A, without zeros of A that aren't on its diagonal; if that is turned, without a product alpha
        a[j, j] of 1"""
        assert order == n
        e: R[P] @ DRAM_STACK
        t: R[P] @ DRAM_STACK
        for j in seq(0, n):
            if unit:
                given(False, alpha, t)
            else:
                given(conj, a[j, 0, j, 0:P], e)
                zeros_times(alpha, e, t)
            for i in seq(0, m):
                if turned:
                    zeros_scaled(t, old[j, i, 0:P], x[j, 0, i, 0:P])
                else:
                    zeros_times(t, old[j, i, 0:P], x[j, 0, i, 0:P])
            for p in seq(max(0, j + first), min(n, j + last + 1)):
                if p != j:
                    some: R
                    some = 0.0
                    given(conj, a[j, 0, p, 0:P], e)
                    zeros_look(0.0, e, some)
                    if some != 0.0:
                        zeros_times(alpha, e, t)
                        for i in seq(0, m):
                            add(t, old[p, i, 0:P], x[j, 0, i, 0:P])

    @proc
    def zeros_left_step(
        p: index, unit: bool, conj: bool, m: size, first: index, last: index, a: [R][m, 1, m, P] @ COLUMNS,
        x: [R][m, P],
    ):  # fmt: skip
        """The p-th number of a solution, and what the others are without it"""
        assert p >= 0 and p < m
        some: R
        some = 0.0
        zeros_look(0.0, x[p, 0:P], some)
        if some != 0.0:
            e: R[P] @ DRAM_STACK
            if not unit:
                given(conj, a[p, 0, p, 0:P], e)
                divide(e, x[p, 0:P])
            for i in seq(max(0, p + first), min(m, p + last + 1)):
                if i != p:
                    given(conj, a[p, 0, i, 0:P], e)
                    take(e, x[p, 0:P], x[i, 0:P])

    @proc
    def zeros_left_solution(
        unit: bool, conj: bool, m: size, n: size, order: size, first: index, last: index, alpha: [R][P],
        a: [R][order, 1, order, P] @ COLUMNS, old: R[n, m, P], x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """X := alpha A^-1 X, without zeros of X"""
        assert order == m
        for j in seq(0, n):
            for i in seq(0, m):
                zeros_scaled(alpha, old[j, i, 0:P], x[j, 0, i, 0:P])
            for q in seq(0, m):
                if last == 0:
                    zeros_left_step(m - 1 - q, unit, conj, m, first, last, a, x[j, 0, 0:m, 0:P])
                else:
                    zeros_left_step(q, unit, conj, m, first, last, a, x[j, 0, 0:m, 0:P])

    @proc
    def zeros_right_step(
        j: index, unit: bool, conj: bool, m: size, n: size, first: index, last: index, a: [R][n, 1, n, P] @ COLUMNS,
        x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """The j-th column of a solution, of the columns that are known"""
        assert j >= 0 and j < n
        e: R[P] @ DRAM_STACK
        one: R[P] @ DRAM_STACK
        for p in seq(max(0, j + first), min(n, j + last + 1)):
            if p != j:
                some: R
                some = 0.0
                given(conj, a[j, 0, p, 0:P], e)
                zeros_look(0.0, e, some)
                if some != 0.0:
                    for i in seq(0, m):
                        take(e, x[p, 0, i, 0:P], x[j, 0, i, 0:P])
        if not unit:
            zeros_set(1.0, one)
            given(conj, a[j, 0, j, 0:P], e)
            divide(e, one)
            for i in seq(0, m):
                given(False, x[j, 0, i, 0:P], e)
                zeros_times(one, e, x[j, 0, i, 0:P])

    @proc
    def zeros_right_solution(
        turned: bool, unit: bool, conj: bool, m: size, n: size, order: size, first: index, last: index, alpha: [R][P],
        a: [R][order, 1, order, P] @ COLUMNS, old: R[n, m, P], x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """X := alpha X A^-1, without zeros of A; if that is turned, alpha comes last"""
        assert order == n
        for j in seq(0, n):
            for i in seq(0, m):
                if turned:
                    given(False, old[j, i, 0:P], x[j, 0, i, 0:P])
                else:
                    zeros_scaled(alpha, old[j, i, 0:P], x[j, 0, i, 0:P])
        for q in seq(0, n):
            if last == 0:
                zeros_right_step(q, unit, conj, m, n, first, last, a, x)
            else:
                zeros_right_step(n - 1 - q, unit, conj, m, n, first, last, a, x)
        if turned:
            e: R[P] @ DRAM_STACK
            for j in seq(0, n):
                for i in seq(0, m):
                    given(False, x[j, 0, i, 0:P], e)
                    zeros_scaled(alpha, e, x[j, 0, i, 0:P])

    @proc
    def zeros_triangle(
        solved: bool, left: bool, vector: bool, turned: bool, unit: bool, conj: bool, m: size, n: size, order: size,
        first: index, last: index, alpha: [R][P], a: [R][order, 1, order, P] @ COLUMNS, old: R[n, m, P],
        x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """X, if something in it is no number"""
        assert not left or order == m
        assert left or order == n
        wrong: R
        zeros_check(m, n, -n, m, x, wrong)
        if wrong != 0.0:
            if solved:
                if left:
                    zeros_left_solution(unit, conj, m, n, order, first, last, alpha, a, old, x)
                else:
                    zeros_right_solution(turned, unit, conj, m, n, order, first, last, alpha, a, old, x)
            elif left:
                zeros_left_product(vector, unit, conj, m, n, order, first, last, alpha, a, old, x)
            else:
                zeros_right_product(turned, unit, conj, m, n, order, first, last, alpha, a, old, x)

    @proc
    def zeros_update(
        two: bool, hermitian: bool, conj: bool, conj_a: bool, conj_b: bool, m: size, n: size, depth: size, first: index,
        last: index, alpha: [R][P], beta: [R][P], a: [R][depth, 1, m, P] @ COLUMNS,
        b: [R][depth, 1, n, P] @ COLUMNS, old: R[n, m, P], x: [R][n, 1, m, P] @ COLUMNS,
    ):  # fmt: skip
        """X := alpha A B^T + beta X, or alpha A B^T + alpha B A^T + beta X, if something in it is no number; without
        zeros of what is transposed. All A and B may be conjugated, and alpha; the second alpha is then not, if X is
        Hermitian, and else as the first."""
        assert not two or m == n
        wrong: R
        zeros_check(m, n, first, last, x, wrong)
        if wrong != 0.0:
            scaled: R
            scaled = 0.0
            zeros_look(0.0, beta, scaled)
            for j in seq(0, n):
                for i in seq(max(0, j + first), min(m, j + last + 1)):
                    zeros_set(0.0, x[j, 0, i, 0:P])
                    if scaled != 0.0:
                        c: R[P] @ DRAM_STACK
                        given(False, old[j, i, 0:P], c)
                        if hermitian and i == j:
                            part(c)
                        zeros_scaled(beta, c, x[j, 0, i, 0:P])
                for d in seq(0, depth):
                    some: R
                    f: R[P] @ DRAM_STACK
                    s: R[P] @ DRAM_STACK
                    t: R[P] @ DRAM_STACK
                    u: R[P] @ DRAM_STACK
                    e: R[P] @ DRAM_STACK
                    some = 0.0
                    given(conj_b, b[d, 0, j, 0:P], f)
                    zeros_look(0.0, f, some)
                    given(conj, alpha, e)
                    zeros_times(e, f, t)
                    if two:
                        given(conj_b, a[d, 0, j, 0:P], s)
                        zeros_look(0.0, s, some)
                        given(hermitian != conj, alpha, e)
                        zeros_times(e, s, u)
                    if some != 0.0:
                        for i in seq(max(0, j + first), min(m, j + last + 1)):
                            given(conj_a, a[d, 0, i, 0:P], e)
                            add(t, e, x[j, 0, i, 0:P])
                            if two:
                                given(conj_a, b[d, 0, i, 0:P], e)
                                add(u, e, x[j, 0, i, 0:P])
                if hermitian and j < m:
                    part(x[j, 0, j, 0:P])

    return zeros_copy, zeros_triangle, zeros_update


@cache
def typed_with_calls(program: Proc, precision: str, letter: str) -> Proc:
    """The program in a precision, and so all that it calls."""
    called = {c.subproc().name(): c.subproc() for c in calls(program)}
    own = {name: typed_with_calls(p, precision, letter) for name, p in called.items()}
    return typed(proc_from_source(str(program), {"COLUMNS": COLUMNS, **own}), precision, f"{letter}{program.name()}")


@cache
def kernels() -> tuple[Kernel, ...]:
    """All kernels of what is computed again."""
    real = programs(1, real_given, real_add, real_take, real_divide, real_part)
    pairs = programs(2, complex_given, complex_add, complex_take, complex_divide, complex_part)
    found = []
    for letters, of_both in ((LETTERS, real), (COMPLEX_LETTERS, pairs)):
        for t, letter in letters.items():
            own = [typed_with_calls(p, t, letter) for p in of_both]
            found += [Kernel(p.name(), t, p, as_written) for p in own]
    return tuple(found)
