"""The case studies: programs, versions, arguments to run them on, and what ELEVATE's papers report of them.

Imports the programs and their schedules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from exo_strat import Op, Proc, partial_eval, schedule

from . import binomial, convolution, harris, matmul

Args: TypeAlias = tuple[Any, ...]
Draw: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A program and its versions; the first is what the others are compared with.

    `arguments(draw, *sizes)` gives the arguments of a call, where `draw(*shape)` makes an array of numbers. Programs
    run on the sizes `large`, and in exact arithmetic on `small`.
    """

    name: str
    program: Proc
    versions: Mapping[str, Op]
    arguments: Callable[..., Args]
    small: tuple[int, ...]
    large: tuple[int, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Reported:
    """What the paper says of a version: rewrite steps, with those of traversals, and the speed-up over the baseline."""

    steps: str
    speedup: str = ""


# "Achieving High-Performance the Functional Way" (ICFP 2020), sections 6.2 and 6.3
MATMUL_PAPER = {
    "baseline": Reported("657", "1"),
    "blocking": Reported("~40,000"),
    "vectorization": Reported("~40,000"),
    "loop permutation": Reported("~40,000"),
    "array packing": Reported("~63,000"),
    "cache blocks": Reported("~63,000"),
    "parallel": Reported("~63,000", "~110"),
}
PAPER_SECONDS = "< 2"


def product_of(n: int) -> Case:
    """The product of two matrices of n rows and columns, in ELEVATE's seven versions."""

    def arguments(draw: Draw, *_: int) -> Args:
        return draw(n, n), draw(n, n), np.zeros((n, n), np.float32)

    program = schedule(partial_eval(n, n, n), matmul.mm)
    return Case(f"matrix product, {n} x {n}", program, matmul.VERSIONS, arguments, (), ())


def _binomial(draw: Draw, h: int, w: int) -> Args:
    return h, w, draw(3), draw(3), draw(h + 2, w + 2), np.zeros((h, w), np.float32)


def _convolution(draw: Draw, n: int) -> Args:
    return n, draw(3), draw(n + 2), np.zeros(n, np.float32)


def _gauss(draw: Draw, h: int, w: int) -> Args:
    return h, w, draw(5, 5), draw(h + 4, w + 4), np.zeros((h, w), np.float32)


def _harris(draw: Draw, h: int, w: int) -> Args:
    return h, w, draw(3, h + 4, w + 4), np.zeros((h, w), np.float32)


STENCILS = (
    Case("binomial filter", binomial.binomial, binomial.VERSIONS, _binomial, (3, 5), (1024, 1024)),
    Case("1-D convolution", convolution.convolution, convolution.TILED, _convolution, (64,), (1 << 20,)),
    Case("5x5 Gauss filter", convolution.gauss, convolution.GAUSS, _gauss, (2, 32), (1024, 1024)),
    Case("Harris corners", harris.harris, harris.VERSIONS, _harris, (64, 2), (1024, 1024)),
)
