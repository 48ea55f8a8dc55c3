"""The routines of BLAS as a table: their variants, sizes, operations and memory, and arguments made from their names.

A case is a routine in a precision, a variant and a size; matrices are row-major. Timed calls are repeated on the same
arrays, so data are such that numbers neither grow nor vanish. Where results are compared, they are whole numbers and
halves as far as they can be, of which all sums are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from benchmarks.blas_rivals import aligned, parameters

LETTERS = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}
REAL_OF = {"c64": "f32", "c128": "f64"}
"""The precision of complex numbers."""
WITH_REAL = {"asum": "{1}{0}asum", "nrm2": "{1}{0}nrm2", "cabs1": "{1}cabs1", "rot": "{0}{1}rot", "rscal": "{0}{1}scal"}
"""Functions whose names have the letter of real numbers, too."""
LINE = 64
TYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}


def of_parts(precision: str) -> str:
    """The precision of real numbers, or of the parts of complex ones."""
    return REAL_OF.get(precision, precision)


ROUNDED = ("nrm2", "rot", "rotm", "rotg", "rotmg", "cabs1")
"""Routines of level 1 that round whatever they are given; nrm2 a sum that is exact."""
BATCH = 100
"""Products of a batch."""


class Dims(NamedTuple):
    """Sizes: m x n, and k that is inside a product or the width of a band."""

    m: int
    n: int
    k: int = 0

    def __str__(self) -> str:
        return "x".join(str(v) for v in self if v) if len(set(self) - {0}) > 1 else str(self.n)


Amount = Callable[[Dims], float]
Shapes = Callable[[Dims, str], Mapping[str, tuple[int, int]]]


@dataclass(frozen=True)
class Routine:
    """A routine. `variants` have a letter for each of its options in their order; `flops` are operations, `elements`
    those that a call must touch, in a pass of this `kind`; `shapes` are the matrices with their leading dimensions.
    `alpha` is 1 where a peer has kernels for that only, -1 where the result is multiplied again by the next call; of
    complex numbers it is TURN times that."""

    name: str
    sizes: Sequence[Dims]
    flops: Amount
    elements: Amount
    kind: str = "read"
    variants: Sequence[str] = ("",)
    shapes: Shapes = lambda d, v: {}
    precisions: Sequence[str] = ("f32", "f64")
    alpha: float = 0.5

    def function(self, precision: str) -> str:
        """The CBLAS function: for i-amax the letter is inside, dsdot and sdsdot have none, some have two."""
        if len(self.precisions) == 1:
            return f"cblas_{self.name}"
        form = "i{0}amax" if self.name == "iamax" else f"{{0}}{self.name}"
        if precision in REAL_OF:
            form = WITH_REAL.get(self.name, form)
        return "cblas_" + form.format(LETTERS[precision], LETTERS[of_parts(precision)])


class Case(NamedTuple):
    """A routine in a precision, with a variant, sizes and an increment. Arrays begin so many elements after the
    beginning of a cache line."""

    routine: Routine
    precision: str
    variant: str
    dims: Dims
    inc: int = 1
    after: int = 0

    @property
    def function(self) -> str:
        """The CBLAS function."""
        return self.routine.function(self.precision)

    @property
    def family(self) -> str:
        """The routine with its precision: `sgemv`."""
        return self.function.removeprefix("cblas_")

    @property
    def name(self) -> str:
        """The routine with its variant: `sgemv_n`."""
        inc = f" inc {self.inc}" if self.inc != 1 else ""
        return self.family + (f"_{self.variant}" if self.variant else "") + inc

    @property
    def bytes(self) -> float:
        """What a call must touch: of vectors whose elements are apart all cache lines."""
        size = np.dtype(TYPES[self.precision]).itemsize
        apart = 1 if self.has_matrices else min(abs(self.inc), LINE // size)
        return self.routine.elements(self.dims) * size * apart

    @property
    def has_matrices(self) -> bool:
        """Whether it is of level 2 or 3."""
        return bool(self.routine.shapes(self.dims, self.variant or "nn"))

    @property
    def is_exact(self) -> bool:
        """Whether it gives exact results of whole numbers: no quotients, roots and rotations."""
        return not (self.routine.name.endswith(("sv", "sm")) or self.routine.name in ROUNDED)

    @property
    def flops(self) -> float:
        """The operations of a call."""
        return self.routine.flops(self.dims)


# -- sizes --------------------------------------------------------------------------------------------

_N = (1, 3, 7, 16, 33, 64, 100, 257, 1000, 1024, 2500, 4000, 10007, 40000, 100003, 400000, 1 << 20, 8_000_000)
VECTORS = tuple(Dims(0, n) for n in _N)
ONCE = (Dims(0, 1),)
SQUARES = tuple(Dims(n, n) for n in (2, 4, 8, 15, 16, 31, 40, 64, 100, 128, 255, 256, 500, 1000, 1024, 2000, 4001))
RECTANGLES = (*SQUARES, *(Dims(40, n) for n in (100, 1000, 4000)), Dims(800, 3))
BANDS = tuple(Dims(n, n, k) for k in (3, 20, 150) for n in (30, 100, 1000, 10007) if k < n)
NARROW = tuple(Dims(m, 40) for m in sorted({2**k for k in range(1, 13)} | {3**k for k in range(1, 9)}))
CUBES = tuple(Dims(n, n, n) for n in (4, 8, 16, 31, 48, 64, 127, 128, 255, 256, 512, 1000, 1024, 2048))
PANELS = tuple(
    Dims(m, n, k) for s, b in ((1, 1000), (8, 1000), (40, 1000)) for m, n, k in ((s, b, b), (b, s, b), (b, b, s))
)
THIN = (Dims(20, 20, 20), Dims(4000, 3, 3), Dims(500, 500, 16), Dims(10, 10, 2000))
"""Products that have less work than there is to prepare, for want of size, width or depth."""
LAYERS = tuple(Dims(n, n) for n in (8, 31, 64, 128, 255, 512, 1024))

# -- shapes: row-major, (rows, leading dimension) -----------------------------------------------------


def _general(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    return {"a": (d.m, d.n)}


def _banded(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    return {"a": (d.n, d.k + 1)}


def _packed(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    return {"ap": (1, d.n * (d.n + 1) // 2)}


def _product(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    a = (d.m, d.k) if v[0] == "n" else (d.k, d.m)
    return {"a": a, "b": (d.k, d.n) if v[1] == "n" else (d.n, d.k), "c": (d.m, d.n)}


def _batch(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    """So many matrices one after the other are one with more rows."""
    return {name: (BATCH * rows, columns) for name, (rows, columns) in _product(d, v).items()}


def _sided(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    order = d.m if v[0] == "l" else d.n
    return {"a": (order, order), "b": (d.m, d.n), "c": (d.m, d.n)}


def _rank_k(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    k = d.k or d.n
    a = (d.n, k) if v[1] == "n" else (k, d.n)
    return {"a": a, "b": a, "c": (d.n, d.n)}


# -- the table ----------------------------------------------------------------------------------------


def _combined(*letters: str) -> tuple[str, ...]:
    return tuple(map("".join, product(*letters)))


def _vectors(name: str, flops: float, elements: float, kind: str = "read", **more: Any) -> Routine:
    return Routine(name, VECTORS, lambda d: flops * d.n, lambda d: elements * d.n, kind, **more)


LEVEL_1 = (
    _vectors("asum", 2, 1),
    _vectors("axpy", 2, 2, "update"),
    _vectors("copy", 0, 2, "copy"),
    _vectors("dot", 2, 2),
    _vectors("dsdot", 2, 2, precisions=("f32",)),
    _vectors("sdsdot", 2, 2, precisions=("f32",)),
    _vectors("nrm2", 2, 1),
    _vectors("rot", 6, 2, "scale"),
    _vectors("rotm", 6, 2, "scale"),
    _vectors("scal", 1, 1, "scale", alpha=-1),
    _vectors("swap", 0, 2, "scale"),
    _vectors("iamax", 1, 1),
    Routine("rotg", ONCE, lambda d: 10, lambda d: 4),
    Routine("rotmg", ONCE, lambda d: 10, lambda d: 9),
)


def _all(d: Dims) -> float:
    return d.m * d.n


def _half(d: Dims) -> float:
    return d.n * (d.n + 1) / 2


def _band(d: Dims) -> float:
    return d.n * (d.k + 1)


def _bands(d: Dims) -> float:
    return d.n * (2 * d.k + 1)


def _both_bands(d: Dims, v: str) -> Mapping[str, tuple[int, int]]:
    return {"a": (d.m, 2 * d.k + 1)}


def _matrix(
    name: str,
    sizes: Sequence[Dims],
    each: float,
    held: Amount,
    shapes: Shapes,
    variants: Sequence[str],
    kind: str = "read",
) -> Routine:
    """A routine that does so many operations with `each` element that a matrix holds."""
    return Routine(name, sizes, lambda d: each * held(d), held, kind, variants, shapes)


TRANSPOSED, HALVES, TRIANGLES = ("n", "t"), ("l", "u"), _combined("lu", "nt", "nu")

LEVEL_2 = (
    _matrix("gemv", RECTANGLES, 2, _all, _general, TRANSPOSED),
    _matrix("ger", RECTANGLES, 2, _all, _general, ("",), "scale"),
    _matrix("symv", SQUARES, 4, _half, _general, HALVES),
    _matrix("syr", SQUARES, 2, _half, _general, HALVES, "scale"),
    _matrix("syr2", SQUARES, 4, _half, _general, HALVES, "scale"),
    _matrix("trmv", SQUARES, 2, _half, _general, TRIANGLES),
    _matrix("trsv", SQUARES, 2, _half, _general, TRIANGLES),
    _matrix("gbmv", BANDS, 2, _bands, _both_bands, TRANSPOSED),
    _matrix("sbmv", BANDS, 4, _band, _banded, HALVES),
    _matrix("tbmv", BANDS, 2, _band, _banded, TRIANGLES),
    _matrix("tbsv", BANDS, 2, _band, _banded, TRIANGLES),
    _matrix("spmv", SQUARES, 4, _half, _packed, HALVES),
    _matrix("spr", SQUARES, 2, _half, _packed, HALVES, "scale"),
    _matrix("spr2", SQUARES, 4, _half, _packed, HALVES, "scale"),
    _matrix("tpmv", SQUARES, 2, _half, _packed, TRIANGLES),
    _matrix("tpsv", SQUARES, 2, _half, _packed, TRIANGLES),
)

SKINNY = (
    _matrix("gemv", NARROW, 2, _all, _general, TRANSPOSED),
    _matrix("ger", NARROW, 2, _all, _general, ("",), "scale"),
)


def _cube(d: Dims) -> float:
    return 2 * d.m * d.n * (d.k or d.m)


def _faces(d: Dims) -> float:
    return d.m * d.n + d.m * (d.k or d.m) + (d.k or d.m) * d.n


def _layers(name: str, share: float, shapes: Shapes, variants: Sequence[str], alpha: float = 0.5) -> Routine:
    """A product that does this share of the operations of a general one."""
    return Routine(name, LAYERS, lambda d: share * _cube(d), _faces, "read", variants, shapes, alpha=alpha)


def _complex(routine: Routine, sizes: Sequence[Dims], variants: Sequence[str] = ()) -> Routine:
    """A routine for complex numbers, each operation with which is four of real ones."""
    return replace(
        routine,
        sizes=sizes,
        variants=variants or routine.variants,
        flops=lambda d: 4 * routine.flops(d),
        precisions=tuple(REAL_OF),
    )


LEVEL_3 = (
    Routine("gemm", (*CUBES, *PANELS, *THIN), _cube, _faces, "read", _combined("nt", "nt"), _product),
    _layers("symm", 1, _sided, _combined("lr", "lu")),
    _layers("syrk", 0.5, _rank_k, _combined("lu", "nt")),
    _layers("syr2k", 1, _rank_k, _combined("lu", "nt")),
    _layers("trmm", 0.5, _sided, _combined("lr", "lu", "nt", "nu"), alpha=-1),
    _layers("trsm", 0.5, _sided, _combined("lr", "lu", "nt", "nu"), alpha=-1),
)

_SOME = tuple(Dims(n, n) for n in (16, 64, 128, 256, 1000))
_BLOCKS = tuple(Dims(n, n, n) for n in (8, 16, 31, 64, 127, 256, 512, 1024))
_ADJOINT = _combined("ntc", "ntc")
_NARROW = tuple(d for d in BANDS if d.n <= 1000)
_FLAT = VECTORS[1:-2:2]
_SOLVED = _combined("lu", "nc", "n")
COMPLEX = (
    *(
        _complex(r, _FLAT)
        for r in LEVEL_1
        if r.name in ("asum", "axpy", "copy", "nrm2", "rot", "scal", "swap", "iamax")
    ),
    *(_complex(_vectors(name, 2, 2), _FLAT) for name in ("dotu_sub", "dotc_sub")),
    _complex(_vectors("rscal", 1, 1, "scale", alpha=-1), _FLAT),
    *(_complex(Routine(name, ONCE, lambda d: 10, lambda d: 4), ONCE) for name in ("rotg", "cabs1")),
    *(_complex(r, s, ("n", "t", "c")) for r, s in ((LEVEL_2[0], _SOME), (LEVEL_2[7], _NARROW))),
    *(_complex(_matrix(name, _SOME, 2, _all, _general, ("",), "scale"), _SOME) for name in ("geru", "gerc")),
    *(
        _complex(_matrix(name, _SOME, 4, _half, f, HALVES), _SOME)
        for name, f in (("hemv", _general), ("hpmv", _packed))
    ),
    _complex(_matrix("hbmv", _NARROW, 4, _band, _banded, HALVES), _NARROW),
    *(
        _complex(_matrix(name, _SOME, each, _half, shapes, HALVES, "scale"), _SOME)
        for name, each, shapes in (
            ("her", 2, _general),
            ("her2", 4, _general),
            ("hpr", 2, _packed),
            ("hpr2", 4, _packed),
        )
    ),
    *(_complex(r, _SOME, _SOLVED) for r in LEVEL_2 if r.name in ("trmv", "trsv", "tpmv", "tpsv")),
    *(_complex(r, _NARROW, _SOLVED) for r in LEVEL_2 if r.name in ("tbmv", "tbsv")),
    _complex(LEVEL_3[0], _BLOCKS, _ADJOINT),
    *(_complex(_layers(name, 1, _sided, _combined("lr", "lu")), LAYERS[1:]) for name in ("hemm", "symm")),
    *(
        _complex(_layers(name, share, _rank_k, _combined("lu", turned)), LAYERS[1:])
        for name, share, turned in (("herk", 0.5, "nc"), ("syrk", 0.5, "nt"), ("her2k", 1, "nc"), ("syr2k", 1, "nt"))
    ),
    *(_complex(r, LAYERS[1:], _combined("lr", "lu", "nc", "n")) for r in LEVEL_3[4:]),
)

_SMALL = tuple(Dims(n, n, n) for n in (2, 3, 4, 5, 8, 11, 16, 24, 32))
_BATCHED = Routine(
    "gemm_batch_strided", _SMALL, lambda d: BATCH * _cube(d), lambda d: BATCH * _faces(d), "read",
    _combined("nt", "nt"), _batch, alpha=1,
)  # fmt: skip
BATCHES = (_BATCHED, _complex(_BATCHED, _SMALL, _ADJOINT))

SINGLE = tuple(Dims(n, n, n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 17, 20, 24, 27, 31, 32))

LEVELS = {
    **{"1": LEVEL_1, "2": LEVEL_2, "3": LEVEL_3, "skinny": SKINNY},
    "complex": COMPLEX,
    "batch": BATCHES,
    "small": (replace(LEVEL_3[0], sizes=SINGLE, alpha=1),),
    **{"strided": (*LEVEL_1[:12], *LEVEL_2[:7]), "unaligned": LEVEL_1[:12]},
}
PLACES = {"strided": ((2, 0), (-3, 0)), "unaligned": ((1, 1),)}
"""Of some levels, the increments and where arrays begin; routines of one vector do nothing if theirs is negative."""


def cases(level: str, quick: bool = False, only: Sequence[str] = ()) -> Iterator[Case]:
    """The cases of a level; with `quick` every third size and one variant in four; `only` these routines."""
    for routine in LEVELS[level]:
        sizes = routine.sizes[1::3] if quick and len(routine.sizes) > 1 else routine.sizes
        variants = routine.variants[:: 4 if len(routine.variants) > 4 else 1] if quick else routine.variants
        for precision, variant, dims in product(routine.precisions, variants, sizes):
            for inc, after in PLACES.get(level, ((1, 0),)):
                case = Case(routine, precision, variant, dims, inc, after)
                wanted = not only or routine.name in only or case.family in only
                wanted = wanted and (inc > 0 or any(name == "incy" for _, name in parameters(case.function)))
                if wanted and case.bytes < LARGEST:
                    yield case


# -- arguments ----------------------------------------------------------------------------------------

LARGEST = 3e8
TRANS, UPLO = {"n": 111, "t": 112, "c": 113}, {"u": 121, "l": 122}
DIAG, SIDE = {"n": 131, "u": 132}, {"l": 141, "r": 142}
OPTIONS = {"trans": TRANS, "transa": TRANS, "transb": TRANS, "uplo": UPLO, "diag": DIAG, "side": SIDE}
NUMBERS = {"beta": 1.0, "b2": 0.5, "c": 0.8, "s": 0.6, "layout": 101}
TURN = 0.6 + 0.8j
"""A complex number whose absolute value is 1, and that no library takes for a real one."""
SMALL = 1e-6
"""Elements beside the diagonal of a triangle, where products and solutions are repeated very often."""


@cache
def pool(precision: str) -> np.ndarray:
    """Random numbers in [-1, 1]."""
    if precision in REAL_OF:
        return pool(REAL_OF[precision]).view(TYPES[precision])
    found: np.ndarray = np.random.default_rng(0).uniform(-1, 1, 1 << 22).astype(TYPES[precision])
    return found


def _filled(elements: int, case: Case, start: int, whole: bool) -> np.ndarray:
    """Random numbers, or some of -1, 0 and 1."""
    precision = case.precision
    found = aligned(case.after + elements, TYPES[precision])[case.after :]
    source = pool(precision)[start:]
    for at in range(0, elements, len(source)):
        part = found[at : at + len(source)]
        part[:] = np.rint(1.5 * source[: len(part)]) if whole else source[: len(part)]
    return found


def _diagonal(name: str, lower: bool, d: Dims, rows: int, lda: int) -> np.ndarray:
    """Where the diagonal is among the elements of a triangle."""
    i = np.arange(d.n if name == "ap" else rows)
    if name == "ap":
        return i * (i + 3) // 2 if lower else i * (2 * d.n - i + 1) // 2
    return i * lda + (lda - 1 if lower else 0) if d.k else i * (lda + 1)


def arguments(case: Case, repeated: bool = True) -> list[Any]:
    """The arguments of a case, in the order of the function's parameters; arrays are new. If calls are not `repeated`,
    every element counts as much as any other."""
    routine, d = case.routine, case.dims
    letters = iter(case.variant)
    chosen = {name: next(letters) for _, name in parameters(case.function) if name in OPTIONS}
    shapes = routine.shapes(d, case.variant)
    scalars = {"m": d.m, "n": d.n, "k": d.k or d.m, "kl": d.k, "ku": d.k, "incx": case.inc, "incy": case.inc, **NUMBERS}
    scalars["alpha"] = routine.alpha
    scalars |= {f"ld{name}": ld for name, (_, ld) in shapes.items()}
    scalars |= {"batch": BATCH, **{f"stride{name}": rows * ld // BATCH for name, (rows, ld) in shapes.items()}}
    found: list[Any] = []
    for start, (_, name) in enumerate(parameters(case.function)):
        if name in chosen:
            found.append(OPTIONS[name][chosen[name]])
        elif not name.startswith("*"):
            found.append(scalars[name])
        else:
            array = _array(case, name[1:], shapes, start, repeated)
            if case.routine.name.startswith("t") and name in ("*a", "*ap") and (repeated or not case.is_exact):
                _make_triangle(array, case, name[1:], shapes, chosen["uplo"] == "l", repeated)
            found.append(array)
    return found


def _array(
    case: Case, name: str, shapes: Mapping[str, tuple[int, int]], start: int, repeated: bool
) -> np.ndarray:
    """The array of a parameter."""
    kind = TYPES[case.precision]
    of_place = case.routine.name == "iamax"
    whole = not repeated and (case.routine.name == "nrm2" or (case.is_exact and not of_place))
    if name in ("alpha", "beta"):  # complex ones go by address
        turned = TURN if repeated else 1 + 1j
        return np.array([{**NUMBERS, "alpha": turned * case.routine.alpha}[name]], kind)
    if name == "param":
        return np.array([-1, 0.8, -0.6, 0.6, 0.8], kind)
    if name not in shapes:
        found = _filled(max(case.dims) * abs(case.inc) + 1, case, start, whole)
        return found if repeated or not of_place else _rising(found)
    rows, ld = shapes[name]
    return _filled(rows * ld, case, start, whole)


def _rising(array: np.ndarray) -> np.ndarray:
    """Numbers of which the largest are towards the end, and several."""
    slope = np.linspace(1, 2, len(array), dtype=array.real.dtype)
    found: np.ndarray = np.rint(8 * array * slope) / array.real.dtype.type(8)
    return found


def _make_triangle(
    array: np.ndarray, case: Case, name: str, shapes: Mapping[str, tuple[int, int]], lower: bool, repeated: bool
) -> None:
    """Gives a triangle a diagonal by which numbers neither grow nor vanish, and makes what is beside it small."""
    diagonal = _diagonal(name, lower, case.dims, *shapes[name])
    found = 1 if repeated else 1 + np.abs(array[diagonal]) / 2
    array *= TYPES[of_parts(case.precision)](SMALL if repeated else 1 / sqrt(max(case.dims)))
    array[diagonal] = found
