"""Schedules by Halide's method calls.

    blur_x, blur_y = Func("blur_x"), Func("blur_y")
    schedule = pipeline(
        blur_y.tile("y", "x", "yi", "xi", 32, 256).vectorize("xi", 16).parallel("y"),
        blur_x.compute_at(blur_y, "x").vectorize("xi", 16),
    )

A `Func` is a value: each method returns another one with one Op more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from toolz import concat

from exo_strat import Machine, Memory, Op, identity, seq

from .inlining import H_clone_in, H_compute_inline
from .placement import (
    H_compute_at,
    H_compute_root,
    H_compute_store_at,
    H_compute_with,
    H_fold_storage,
    H_store_at,
    H_store_in,
)
from .stage_loops import H_bound, H_fuse, H_parallel, H_partition, H_reorder, H_split, H_tile, H_unroll, H_vectorize
from .streaming import H_stream

T = TypeVar("T")


@dataclass(frozen=True)
class Func:
    """A stage, and the Ops that schedule it in order. `stored` says that `store_at` was asked for.

    >>> Func("blur").vectorize("x", 8).parallel("y").op
    seq(H_vectorize('blur', 'x', 8), H_parallel('blur', 'y'))
    """

    name: str
    ops: tuple[Op, ...] = ()
    stored: bool = False

    @property
    def op(self) -> Op:
        """All Ops in order."""
        return seq(*self.ops) if self.ops else identity

    def _then(self, op: Op, stored: bool = False) -> Func:
        return Func(self.name, (*self.ops, op), self.stored or stored)

    def tile(
        self, y: str, x: str, yi: str, xi: str, height: int, width: int, tail: str | None = None
    ) -> Func:
        """`H_tile`."""
        return self._then(H_tile(self.name, y, x, yi, xi, height, width, *_given(tail)))

    def split(self, loop: str, outer: str, inner: str, factor: int, tail: str | None = None) -> Func:
        """`H_split`."""
        return self._then(H_split(self.name, loop, outer, inner, factor, *_given(tail)))

    def fuse(self, outer: str, inner: str, fused: str) -> Func:
        """`H_fuse`."""
        return self._then(H_fuse(self.name, outer, inner, fused))

    def reorder(self, *order: str) -> Func:
        """`H_reorder`: the innermost first."""
        return self._then(H_reorder(self.name, *order))

    def vectorize(self, loop: str, width: int | None = None) -> Func:
        """`H_vectorize`."""
        return self._then(H_vectorize(self.name, loop, *_given(width)))

    def stream(self, loop: str, machine: Machine, least: int | None = None) -> Func:
        """`H_stream`."""
        return self._then(H_stream(self.name, loop, machine, *_given(least)))

    def unroll(self, loop: str, factor: int | None = None) -> Func:
        """`H_unroll`."""
        return self._then(H_unroll(self.name, loop, *_given(factor)))

    def parallel(self, loop: str) -> Func:
        """`H_parallel`."""
        return self._then(H_parallel(self.name, loop))

    def bound(self, loop: str, least: int, extent: int) -> Func:
        """`H_bound`."""
        return self._then(H_bound(self.name, loop, least, extent))

    def partition(self, loop: str) -> Func:
        """`H_partition`."""
        return self._then(H_partition(self.name, loop))

    def compute_at(self, consumer: Func, loop: str) -> Func:
        """`H_compute_store_at`; after `store_at`, `H_compute_at` with a window that slides."""
        if self.stored:
            return self._then(H_compute_at(self.name, consumer.name, loop, slide=True))
        return self._then(H_compute_store_at(self.name, consumer.name, loop))

    def store_at(self, consumer: Func, loop: str) -> Func:
        """`H_store_at`."""
        return self._then(H_store_at(self.name, consumer.name, loop), stored=True)

    def store_root(self) -> Func:
        """The buffer stays where it is; so `compute_at` slides."""
        return Func(self.name, self.ops, stored=True)

    def compute_root(self) -> Func:
        """`H_compute_root`."""
        return self._then(H_compute_root(self.name))

    def compute_with(self, other: Func, loop: str) -> Func:
        """`H_compute_with`: the other stage comes after this one."""
        return self._then(H_compute_with(self.name, other.name, loop))

    def compute_inline(self) -> Func:
        """`H_compute_inline`."""
        return self._then(H_compute_inline(self.name))

    def clone_in(self, consumer: Func, name: str) -> Func:
        """`H_clone_in`. The copy is scheduled as `Func(name)`."""
        return self._then(H_clone_in(self.name, consumer.name, name))

    def store_in(self, memory: Memory) -> Func:
        """`H_store_in`."""
        return self._then(H_store_in(self.name, memory))

    def fold_storage(self, dim: str | int, size: int) -> Func:
        """`H_fold_storage`."""
        return self._then(H_fold_storage(self.name, dim, size))


def _given(x: T | None) -> tuple[T, ...]:
    """What is given, as arguments."""
    return () if x is None else (x,)


def pipeline(*stages: Func) -> Op:
    """The schedules of stages as one Op, in the order given: consumers before producers.

    >>> out, a = Func("out").parallel("y"), Func("a").compute_at(Func("out"), "y")
    >>> pipeline(out, a)
    seq(H_parallel('out', 'y'), H_compute_store_at('a', 'out', 'y'))
    """
    return seq(*concat(f.ops for f in stages))
