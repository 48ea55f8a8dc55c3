"""Level 3: products of matrices of any shape, and the ways that they go.

The kernels of `level3` are products of what is near, or of blocks that they pack. Here are those for any beta: products
in blocks, from copies that are turned. `deep`, `wide`, `tall` and `most` are how many rows and columns are taken
together. `product_ways` has the program that chooses the way, and these.
"""

from __future__ import annotations

from functools import cache, partial

from exo_strat import *
from exo_strat import direct
from strategies.blas.level3 import DEPTH, ROWS, optimize_slim, slim_rows
from strategies.blas.products import (
    Kernels,
    Made,
    at_once,
    by_dots,
    by_long_rows,
    by_transposed,
    by_turns,
    calls,
    copied,
    either,
    few_rows_apart,
    from_packed,
    if_narrow,
    in_place,
    in_sums,
)
from strategies.blas.turning import turned

from . import level3
from .kernel import LETTERS, Kernel, kernel_of, named_for, typed
from .level2 import shorter
from .product_ways import chosen
from .storage import KEPT, NEAR

TALL = 4096
"""Rows of a that are turned together."""


@proc
def product(
    m: size, n: size, k: size, deep: size, wide: size, tall: size, alpha: R, a: [R][m, k], b: [R][k, n],
    beta: R, c: [R][m, n],
):  # fmt: skip
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            if beta == 0.0:
                c[i, j] = 0.0
            elif beta != 1.0:
                c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += alpha * (a[i, p] * b[p, j])


@proc
def product_small(m: size, n: size, k: size, alpha: R, a: [R][m, k], b: [R][k, n], beta: R, c: [R][m, n]):
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            if beta == 0.0:
                c[i, j] = 0.0
            elif beta != 1.0:
                c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += alpha * (a[i, p] * b[p, j])


@proc
def product_transposed(
    m: size, n: size, k: size, most: size, deep: size, wide: size, tall: size, alpha: R, a: [R][k, m], b: [R][n, k],
    beta: R, c: [R][m, n],
):  # fmt: skip
    assert stride(a, 1) == 1
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            if beta == 0.0:
                c[i, j] = 0.0
            elif beta != 1.0:
                c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += alpha * (b[j, p] * a[p, i])


@proc
def matrix_turn_rows(m: size, n: size, a: [R][n, m], c: [R][m, n]):
    assert stride(a, 1) == 1
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            c[i, j] = a[j, i]


B_ROWS, B_COLUMNS = "stride(b, 1) == 1", "stride(b, 0) == 1"
A_EITHER = "stride(a, 0) == 1 or stride(a, 1) == 1"
"""Of what rows, or columns, are of neighbours."""


def made(precision: str, machine: Machine, name: str) -> Made:
    """A kernel of `level3`, for a machine."""
    kernel = next(k for k in level3.kernels_for(precision) if k.name == named_for(precision, name))
    return Made(kernel.program, kernel.scheduled(machine))


def by(precision: str, machine: Machine, pack: str) -> Op:
    """Calls of the kernels that compute a block in one way."""
    of = partial(made, precision, machine)
    return calls(Kernels(of(f"gemm_new_{pack}"), of(f"gemm_{pack}"), of("matrix_scale")))


def near(precision: str, machine: Machine) -> Op:
    """Calls of those that read b where it is: for few columns with shorter vectors, if there are some."""
    wide = by(precision, machine, "unpacked")
    if shorter(machine) is machine:
        return wide
    return if_narrow(analysis.size_of(Scalar(precision)), by(precision, machine, "narrow"), wide)


@cache
def slim_kernels(precision: str, machine: Machine, vectors: int) -> Kernels:
    """Kernels for so few columns that one tile has them, of so many vectors."""
    width = machine.vec_width(precision)

    def of(program: Proc) -> Made:
        naive = typed(program, precision, named_for(precision, program.name(), f"slim_{width * vectors}"))
        for fact in (B_ROWS, f"n > {width * (vectors - 1)}", f"n <= {width * vectors}"):
            naive = direct.add_assertion(naive, fact)
        return Made(naive, schedule(optimize_slim(machine, precision, vectors, naive), naive))

    return Kernels(of(level3.gemm_new), of(level3.gemm), made(precision, machine, "matrix_scale"))


def slim(precision: str, machine: Machine, vectors: int) -> Op:
    """Calls of kernels for so few columns that one tile has them, of so many vectors."""
    by_slim = calls(slim_kernels(precision, machine, vectors))
    # blocks in two take a frame on the stack from all calls: only where half of a tile would stay empty often
    return few_rows_apart(ROWS, by_slim) if slim_rows(machine)[vectors] == ROWS else by_slim


def slim_machines(precision: str, machine: Machine) -> tuple[tuple[Machine, int], ...]:
    """For which vectors there are slim tiles, and how many of them a tile has, from few columns to many."""
    own = tuple((machine, vectors) for vectors in slim_rows(machine))
    narrower = shorter(machine)
    return own if narrower is machine else ((narrower, 1), *own)


def at_once_by(precision: str, machine: Machine) -> Op:
    """What a product that is one block is computed by: if it has few columns, by slim tiles."""
    call = few_rows_apart(ROWS, by(precision, machine, "unpacked"))
    for narrow, vectors in reversed(slim_machines(precision, machine)):
        columns = vectors * narrow.vec_width(precision)
        call = either(f"n <= {columns}", slim(precision, narrow, vectors), call)
    return call


def turn_of_rows(precision: str, machine: Machine) -> Made:
    """What turns rows of neighbours."""
    program = typed(matrix_turn_rows, precision, named_for(precision, "matrix_turn_rows"))
    return Made(program, schedule(at("for j in _: _", turned(machine, precision, by_rows=True)), program))


def plan(precision: str, way: str, machine: Machine) -> Op:
    """What products that go one way are scheduled by."""
    scale, add, turn = (made(precision, machine, f"matrix_{what}") for what in ("scale", "add", "turn"))
    match way:
        case "packed" | "across":
            return from_packed(by(precision, machine, way), turn, KEPT, DEPTH, TALL)
        case "dots":
            add, zero = (made(precision, machine, name) for name in ("gemm_dots", "matrix_zero"))
            return by_dots(add, zero, scale, turn, NEAR)
        case "turns":
            return by_turns(near(precision, machine), turn, NEAR)
        case "long_rows":
            return by_long_rows(near(precision, machine), turn, KEPT)
        case "near":
            return in_place(near(precision, machine))
        case "tiny":
            return seq(nav(moves.find_loop("j")), in_sums())
        case "small":
            return seq(nav(moves.find_loop("j")), at_once(at_once_by(precision, machine), scale))
        case "small_turned":
            each = at_once(at_once_by(precision, machine), scale)
            return seq(nav(moves.find_loop("j")), copied("b", NEAR, turn, each))
        case _:
            return by_transposed(near(precision, machine), scale, turn_of_rows(precision, machine), add, KEPT)


WAYS: dict[str, tuple[Proc, tuple[str, ...]]] = {
    "near": (product, (B_ROWS,)),
    "packed": (product, (B_ROWS,)),
    "across": (product, (B_COLUMNS,)),
    "dots": (product, (B_COLUMNS, A_EITHER)),
    "turns": (product, (B_COLUMNS,)),
    "long_rows": (product, (B_COLUMNS,)),
    "tiny": (product_small, ()),
    "small": (product_small, (B_ROWS,)),
    "small_turned": (product_small, (B_COLUMNS,)),
    "transposed": (product_transposed, ()),
}
"""The program of each way that a product goes, and what is so if it does."""


def kernels_for(precision: str) -> tuple[Kernel, ...]:
    """The kernels of a precision."""
    found = []
    for way, (program, given) in WAYS.items():
        made = kernel_of(program, precision, partial(plan, precision, way), "", *given)
        name = named_for(precision, "product", way)
        found.append(Kernel(name, precision, schedule(rename(name), made.program), made.plan))
    return (*found, chosen(precision, found))


def kernels() -> tuple[Kernel, ...]:
    """All kernels of this module."""
    return tuple(k for precision in LETTERS for k in kernels_for(precision))
