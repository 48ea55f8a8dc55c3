"""The matrix product of `matmul` by a schedule as in appendix B of the paper, for sizes that are multiples of 16.

B stays in the scratchpad, in panels of columns that are as wide as fit; of A there are 16 rows. Of C there are up to
four tiles in the accumulator, zeroed first. At every step the program computes what the naive one does.
"""

from __future__ import annotations

from dataclasses import dataclass

from backends.gemmini import BLOCK, DIM, GEMM_ACCUM, GEMM_SCRATCH, operations
from backends.gemmini.operations import Operation
from exo_strat import Op, Proc, at, named, schedule, seq, set_memory, simplify
from strategies import gemmini

from . import matmul as any_size
from .kernels import Case
from .matmul import Product, largest_divisor, matmul


@dataclass(frozen=True)
class Blocking:
    """How large the parts of a product are: columns in a panel of B, and tiles that are loaded at once, of A along k
    and of B along j; elements of A and of B that are in the scratchpad at most."""

    panel: int
    along_k: int
    along_j: int
    a_elements: int
    b_elements: int


def blocking(m: int, k: int) -> Blocking:
    """The blocking for B of k rows and m columns, both multiples of 16.

    >>> blocking(256, 512)
    Blocking(panel=256, along_k=4, along_j=4, a_elements=8192, b_elements=253952)
    """
    along_k, along_j = (largest_divisor(x // DIM, BLOCK) for x in (k, m))
    room = GEMM_SCRATCH.capacity * DIM
    # 16 rows of A, if there is room for as many columns of B; else one block, and it is loaded again each time
    a_elements = DIM * k if 2 * DIM * k <= room else DIM * DIM * along_k
    b_elements = room - a_elements
    step = DIM * along_j
    panel = step * largest_divisor(m // step, max(1, b_elements // (k * step)))
    return Blocking(panel, along_k, along_j, a_elements, b_elements)


@named
def use(operation: Operation) -> Op:
    """The nest around a statement as an instruction, its configuration as far out as it goes."""
    return gemmini.map_to(operation.plain, operation.configured)


@named
def stage(matrix: str, name: str, elements: int) -> Op:
    """What is used of a matrix as tiles in the scratchpad. Focus: the code that uses it. Returns the load."""
    return gemmini.stage_and_lift(matrix, name, GEMM_SCRATCH, elements) >> gemmini.tile_layout()


def tiles(b: Blocking) -> tuple[Op, ...]:
    """The first steps: loops over tiles, sums in a buffer of their own, and their three nests apart."""
    return (
        at("for i in _: _", gemmini.tile_loops([("i", DIM), ("j", DIM)])),
        at("for io in _: _", gemmini.tile_loops([("jo", b.panel // DIM)])),
        at("for joi in _: _", gemmini.tile_loops([("joi", b.along_j)])),
        at("res: _", gemmini.autolift_alloc(b.along_j * DIM * DIM, n_lifts=3)) >> simplify(),
        at("for k in _: _", gemmini.fission_as_much_as_possible()),
        at("for joii in _: _ #1", gemmini.tile_loops([("k", DIM)])) >> simplify(),
    )


def steps(b: Blocking) -> tuple[Op, ...]:
    """The schedule of the paper, step by step."""
    return (
        *tiles(b),
        at("for ko in _: _", gemmini.tile_loops([("ko", b.along_k)])) >> simplify(),
        at("for koi in _: _", stage("A", "a_tmp", b.a_elements)),
        at("for joii in _: _ #1", stage("B", "b_tmp", b.b_elements)),
        at("res: _", set_memory(GEMM_ACCUM)) >> simplify(),
        at("res[_] += _", use(operations.product("matmul_acc_i8"))),
        at("a_tmp[_] = _", use(operations.load("ld_i8_block", 1))),
        at("b_tmp[_] = _", use(operations.load("ld_i8_block", 2))),
        at("res[_] = 0.0", use(operations.load("zero_acc_i32", 0))),
        at("C[_] = _", use(operations.store("st_acc_i8"))) >> simplify(),
        *once(),
    )


def once() -> tuple[Op, ...]:
    """The last steps: tiles that stay are loaded once, short loops go."""
    return (
        at("do_ld_i8_block_id1(_)", gemmini.load_once()),
        at("do_ld_i8_block_id2(_)", gemmini.load_once()),
        gemmini.unroll_all("joii") >> simplify(),
    )


def scheduled(n: int, m: int, k: int) -> Proc:
    """The product for Gemmini."""
    return schedule(seq(*steps(blocking(m, k))), matmul(Product(n, m, k)))


def case(n: int, m: int, k: int) -> Case:
    """A product, to be measured."""
    return any_size.case(Product(n, m, k), steps(blocking(m, k)), ", as in the paper")


CASES = (case(256, 256, 512),)
