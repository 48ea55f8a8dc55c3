"""The demonstrations that `exo-strat demo` runs: a naive program, its schedule, and what to compare with.

A demo knows no backend: the command line compiles what `schedule` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exo_strat import Machine, Op, Proc, schedule

from . import programs
from .axpy import axpy as axpy_plan
from .blur import tiles
from .gemm import gemm
from .gemv import gemv
from .gemv import gemv_t as gemv_t_plan
from .rivals import numpy_blas, saxpy

Array: TypeAlias = NDArray[np.float32]
Args: TypeAlias = tuple[Any, ...]
Shape: TypeAlias = tuple[int, ...]

EPS = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Demo:
    """One demonstration.

    A shape is a tuple of sizes, the first arguments of the procedure; `dims` says which of them are the
    extents of each array argument, in order; `outputs` are the positions of the arguments written.
    `expected` computes the result in double precision and `blas` in single, both from the arguments; `routine` is what
    `blas` calls.
    """

    name: str
    doc: str
    plan: Callable[[Machine], Op]
    program: Proc
    shapes: tuple[Shape, ...]
    bench_shape: Shape
    dims: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    terms: int | None
    expected: Callable[[Args], Array]
    blas: Callable[[Args], Callable[[], object]]
    routine: str

    def schedule(self, machine: Machine) -> Proc:
        """What the plan makes of the program."""
        return schedule(self.plan(machine), self.program)

    def inputs(self, shape: Shape, rng: np.random.Generator) -> Args:
        """Random arguments in [-1, 1] for the procedure, in the order of its signature."""
        arrays = [rng.uniform(-1, 1, [shape[d] for d in dims]).astype(np.float32) for dims in self.dims]
        return (*shape, *arrays)

    def reference(self, args: Args) -> Sequence[Array]:
        """What the arguments written should hold afterwards."""
        return [self.expected(args)]

    def tolerance(self, shape: Shape) -> float:
        """The largest error that rounding can explain: the number of additions times the unit roundoff."""
        n = 1 if self.terms is None else shape[self.terms]
        return 2.0 * (n + 2) * EPS

    def flops(self, shape: Shape) -> int:
        """Multiplications and additions."""
        return 2 * int(np.prod(shape, dtype=np.int64))

    def peer(self, args: Args) -> Callable[[], object]:
        """The same computation by a BLAS, on data of its own."""
        return self.blas(tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args))

    @property
    def rival(self) -> str:
        """What `peer` runs."""
        return self.routine.format(blas=numpy_blas(), saxpy=saxpy().name)


@dataclass(frozen=True)
class ImageDemo:
    """A demonstration on one channel of a picture: a procedure of height, width, the channel and the result.

    The result lacks `border` pixels at each edge; `rounding` is how far it may be from `filter`, NumPy's, in parts of
    the largest value.
    """

    name: str
    doc: str
    plan: Callable[[Machine], Op]
    program: Proc
    border: int
    rounding: float
    filter: Callable[[Array], Array]

    def schedule(self, machine: Machine) -> Proc:
        """What the plan makes of the program."""
        return schedule(self.plan(machine), self.program)

    def reference(self, plane: Array) -> Array:
        """The same by NumPy."""
        return self.filter(plane)


def _double(a: Array) -> NDArray[np.float64]:
    return a.astype(np.float64)


def _sgemm_expected(args: Args) -> Array:
    a, b, c = args[3:]
    return np.asarray(_double(c) + _double(a) @ _double(b), np.float32)


def _sgemm_blas(args: Args) -> Callable[[], object]:
    a, b, c = args[3:]
    return lambda: np.matmul(a, b, out=c)


def _gemv_n_expected(args: Args) -> Array:
    a, x, y = args[2:]
    return np.asarray(_double(y) + _double(a) @ _double(x), np.float32)


def _gemv_t_expected(args: Args) -> Array:
    a, x, y = args[2:]
    return np.asarray(_double(y) + _double(a).T @ _double(x), np.float32)


def _gemv_n_blas(args: Args) -> Callable[[], object]:
    a, x, y = args[2:]
    return lambda: np.dot(a, x, out=y)


def _gemv_t_blas(args: Args) -> Callable[[], object]:
    a, x, y = args[2:]
    return lambda: np.dot(a.T, x, out=y)


def _axpy_expected(args: Args) -> Array:
    a, x, y = args[1:]
    return np.asarray(_double(y) + _double(a) * _double(x), np.float32)


def _axpy_blas(args: Args) -> Callable[[], object]:
    return saxpy().call(*args[1:])


def _blur(plane: Array) -> Array:
    third = np.float32(0.3333333)
    rows = (plane[:, :-2] + plane[:, 1:-1] + plane[:, 2:]) * third
    return np.asarray((rows[:-2] + rows[1:-1] + rows[2:]) * third, np.float32)


_MATRIX_SHAPES: tuple[Shape, ...] = (
    (1, 1), (1, 7), (7, 1), (2, 3), (16, 16), (17, 31), (64, 64), (61, 67), (128, 40), (101, 203),
)  # fmt: skip

sgemm = Demo(
    "sgemm",
    "C += A B, a product of single-precision matrices",
    gemm,
    programs.sgemm,
    (
        (1, 1, 1), (1, 1, 7), (1, 7, 1), (7, 1, 1), (2, 3, 5), (6, 64, 8), (6, 64, 256), (12, 128, 512), (17, 31, 13),
        (64, 64, 64), (61, 67, 71), (96, 192, 256), (97, 193, 257), (100, 100, 100), (101, 103, 107), (5, 63, 255),
        (7, 65, 257), (128, 256, 512), (127, 129, 511), (240, 320, 260),
    ),
    (1024, 1024, 1024),
    ((0, 2), (2, 1), (0, 1)),
    (5,),
    2,
    _sgemm_expected,
    _sgemm_blas,
    "numpy.matmul, which calls {blas}",
)  # fmt: skip

gemv_n = Demo(
    "gemv",
    "y += A x",
    gemv,
    programs.sgemv,
    _MATRIX_SHAPES,
    (1024, 1024),
    ((0, 1), (1,), (0,)),
    (4,),
    1,
    _gemv_n_expected,
    _gemv_n_blas,
    "numpy.dot, which calls {blas}",
)

gemv_t = Demo(
    "gemv_t",
    "y += A^T x",
    gemv_t_plan,
    programs.sgemv_trans,
    _MATRIX_SHAPES,
    (1024, 1024),
    ((0, 1), (0,), (1,)),
    (4,),
    0,
    _gemv_t_expected,
    _gemv_t_blas,
    "numpy.dot, which calls {blas}",
)

axpy = Demo(
    "axpy",
    "y += a x",
    axpy_plan,
    programs.saxpy,
    ((1,), (2,), (7,), (8,), (15,), (16,), (17,), (31,), (64,), (100,), (1023,), (4096,)),
    (65536,),
    ((), (0,), (0,)),
    (3,),
    None,
    _axpy_expected,
    _axpy_blas,
    "{saxpy}",
)

blur = ImageDemo("blur", "each pixel the mean of the 3x3 around it", tiles, programs.blur, 1, 8 * EPS, _blur)
