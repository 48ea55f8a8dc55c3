"""What is best by the numbers of a machine alone, before anything is measured: defaults for what a search may improve.

Sizes of products of matrices are those of the model in: Low, Igual, Smith, Quintana-Ortí, "Analytical modeling is
enough for high-performance BLIS", ACM TOMS 43(2), 2016. There, vectors are down a column of C; here they are along a
row. So what it says of rows and A is about columns and B here, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from exo_strat import Cache, Machine, Scalar, analysis


class TileSize(NamedTuple):
    """So many rows, and vectors in each of them, of sums in registers."""

    rows: int
    vectors: int


@dataclass(frozen=True)
class Blocks:
    """How a product C += A B is cut: `rows` and `columns` of C of which the sums are in registers, the products of each
    that are made at a time (`depth`), columns of B that are near (`near`), and rows of A that are in the last cache
    (`far`; None if there is no third level: any number). In elements.

    For each tile of C, a panel of B passes, `depth` by `columns`, while the rows of A stay in the first cache. The
    block of B, `depth` by `near`, stays in the second.
    """

    rows: int
    columns: int
    depth: int
    near: int
    far: int | None


def nearest(candidates: Iterable[int], value: int) -> int:
    """The candidate that is nearest to a value, as the default of a hole: the smaller one of two.

    >>> nearest((128, 256, 512), 320)
    256
    """
    return min(candidates, key=lambda n: (abs(n - value), n))


def flops_a_cycle(machine: Machine, precision: str) -> float:
    """The most operations on data that a core does in a cycle: two for each multiply-add of each element of a vector.

    >>> from backends.targets import avx2, avx512
    >>> flops_a_cycle(avx2, "f32"), flops_a_cycle(avx512, "f64")
    (32.0, 16.0)
    """
    return 2 * machine.vec_width(precision) * machine.processor.fmas.rate(machine.vec_bits(precision))


def in_flight(machine: Machine, precision: str) -> int:
    """How many multiply-adds on vectors are under way at once when none waits for another: what a unit has begun until
    the first is done.

    >>> from backends.targets import avx2, avx512
    >>> in_flight(avx2, "f32"), in_flight(avx512, "f32")
    (8, 4)
    """
    return ceil(machine.processor.fma_latency * machine.processor.fmas.rate(machine.vec_bits(precision)))


def partial_sums(machine: Machine) -> int:
    """In how many parts a sum is made so that additions don't wait for each other, of vectors of any length: a power of
    two, which takes half of the registers at most.

    >>> from backends.targets import avx2
    >>> partial_sums(avx2)
    8
    """
    units, parts = machine.processor.fmas.count, 1
    while parts < units * machine.processor.fma_latency and 4 * parts <= machine.registers:
        parts *= 2
    return parts


def tile_size(machine: Machine, precision: str) -> TileSize:
    """Rows and vectors of a tile of C. Of those whose sums, a row of B and an element of A fit the registers and that
    keep the units busy, it is the one with the fewest loads for a multiply-add; of several, that with more rows. Where
    none keeps the units busy, it is the one with the most sums.

    >>> from backends.targets import avx2, avx512
    >>> tile_size(avx2, "f32"), tile_size(avx512, "f32")
    (TileSize(rows=4, vectors=3), TileSize(rows=5, vectors=5))
    """
    room = machine.registers - 1
    sizes = [TileSize(r, v) for v in range(1, room) for r in range(1, room // v)]
    needed = in_flight(machine, precision)
    busy = [t for t in sizes if t.rows * t.vectors >= needed]
    if not busy:
        return max(sizes, key=lambda t: (t.rows * t.vectors, t.rows), default=TileSize(1, 1))
    return min(busy, key=lambda t: ((t.rows + t.vectors) / (t.rows * t.vectors), -t.rows))


def blocks(machine: Machine, precision: str, tile: TileSize | None = None) -> Blocks:
    """How a product is cut for the caches of a machine, for a tile or that of `tile_size`.

    >>> from backends.targets import avx2
    >>> blocks(avx2, "f32", TileSize(6, 2))
    Blocks(rows=6, columns=16, depth=320, near=608, far=22932)
    """
    tile = tile or tile_size(machine, precision)
    element = analysis.size_of(Scalar(precision))
    rows, columns = tile.rows, tile.vectors * machine.vec_width(precision)
    depth = _depth(machine.processor.cache(1), rows, columns, element)
    row = depth * element
    near = _beside(machine.processor.cache(2), rows * row, row, columns)
    third = machine.processor.cache(3) if len(machine.processor.caches) > 2 else None
    return Blocks(rows, columns, depth, near, _beside(third, near * row, row, rows) if third else None)


def _depth(first: Cache, rows: int, columns: int, element: int) -> int:
    """So many products that the panel of B and the rows of A fit the first cache, each in ways of its own, with one way
    left for C."""
    passing = max(1, int((first.ways - 1) / (1 + rows / columns)))
    return max(1, passing * _way(first) // (columns * element))


def _beside(cache: Cache, other: int, line: int, step: int) -> int:
    """How many lines of so many bytes stay in a cache beside `other` bytes, with one way left for C: a multiple of
    `step`, and at least that."""
    ways = max(1, cache.ways - 1 - ceil(other / _way(cache)))
    return max(1, ways * _way(cache) // line // step) * step


def _way(cache: Cache) -> int:
    """The bytes of a way."""
    return cache.sets * cache.line
