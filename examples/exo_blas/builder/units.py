"""The translation units of the library: a wrapper, and the kernels that it names, for a target.

A file of `cblas/` is a unit for each precision, or one if it says the precision itself (CBLAS_AS); those of
`cblas/complex/` are about complex numbers of these precisions, those of `cblas/both/` about real numbers and about
complex ones. The text of a unit is complete: kernels, interface and wrapper.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from backends.c.memory import ALIGNED
from backends.targets import avx2
from exo_strat import Machine
from strategies.blas import level3

from .. import programs
from ..programs import level2, skinny
from ..programs.calls import product_names
from ..programs.complex_gemm import pairs_names
from ..programs.kernel import COMPLEX_LETTERS, LETTERS, Kernel
from ..programs.storage import NEAR
from .catalogue import find
from .dispatch import entry_points
from .interface import FOLDER, header, parts
from .routines import routine

TYPES = {"f32": "float", "f64": "double"}
LEVEL1 = {f"{programs.__name__}.{module}" for module in ("level1", "complex", "complex_level1")}
ZEROS = f"{programs.__name__}.zeros"

_TYPED = re.compile(r"\b(CBLAS(_I|_OF|_BY)?[(,]|DEFINE\(|EXO_LETTER\b)")
_KERNEL = re.compile(r"\b(REAL_)?KERNEL\((\w+)\)")
_DEFINED = re.compile(r"^(?:[\w *]*\bCBLAS(_AS|_I|_OF|_BY)?\(|DEFINE\()(\w+)(?:\)\(|,)", re.MULTILINE)
_WAYS = re.compile(r"^(?:TWO_WAYS|UPDATE|SUM|SUM_OF_TWO|DOT)\(CBLAS(_AS|_I|_OF|_BY)?, (\w+), (\w+)", re.MULTILINE)
_COMMENT = re.compile(r"//.*")
_NO_ENTRY = re.compile(r"^// no entry point: ", re.MULTILINE)
_FLAGS = re.compile(r"^// flags( without vectors)?: ([^:\n]*)", re.MULTILINE)
_INCLUDE = re.compile(r'^#include "([./\w]+\.h)"\n', re.MULTILINE)
SHARED = "#pragma omp parallel for"
"""A loop of a kernel whose iterations threads share: how many, `threads.h` says."""
COMPLEX = "complex"
BOTH = "both"
"""The folders of the wrappers for complex numbers, and for those and real ones."""


@dataclass(frozen=True)
class Unit:
    """A wrapper, `axpy` or `complex/axpy`, for a precision, or for the one that it says itself (None). One that is for
    both kinds of numbers, for these (`pairs`) or for real ones."""

    wrapper: str
    precision: str | None
    pairs: bool = False

    @property
    def name(self) -> str:
        """What its object file is called: `saxpy`."""
        return self.letter + self.wrapper.rpartition("/")[2]

    @property
    def real(self) -> str:
        """s or d, if the wrapper is for both precisions."""
        return LETTERS[self.precision] if self.precision else ""

    @property
    def letter(self) -> str:
        """What functions begin with: s or d, of complex numbers c or z, if the wrapper is for both precisions."""
        return COMPLEX_LETTERS[self.precision] if self.precision and self.is_complex else self.real

    @property
    def is_complex(self) -> bool:
        """Whether it is about complex numbers."""
        return self.pairs or self.wrapper.startswith(COMPLEX)

    @property
    def looped(self) -> str:
        """What the kernels begin with whose ways are chosen by `level1.h`."""
        return self.real if self.pairs else self.letter

    @property
    def apart(self) -> str:
        """The ending of kernels for vectors of any increments, or for both parts of complex ones."""
        return "_parts" if self.pairs else "_apart"

    @property
    def mixed(self) -> tuple[str, str]:
        """What functions begin with that make real numbers of complex ones, and those that take a real one."""
        return (self.real + self.letter, self.letter + self.real) if self.is_complex else (self.letter, self.letter)

    @property
    def own_text(self) -> str:
        """The wrapper's C text."""
        return (FOLDER / f"{self.wrapper}.c").read_text()

    @property
    def text(self) -> str:
        """The wrapper's C text, with that of the files that it includes."""
        path, text = FOLDER / f"{self.wrapper}.c", self.own_text
        while _INCLUDE.search(text):
            text = _INCLUDE.sub(lambda found: (path.parent / found[1]).read_text(), text)
        return text

    def flags(self, vectors: bool) -> tuple[str, ...]:
        """What the wrapper asks of the C compiler for targets with vectors (`// flags: -mtune=skylake: why`), or for
        those without (`// flags without vectors: -O2: why`)."""
        found = _FLAGS.findall(self.text)
        return tuple(f for without, line in found if bool(without) != vectors for f in line.split())

    @property
    def direct(self) -> bool:
        """Whether its functions for AVX2 are entry points themselves: those of level 1, where a call may take as long
        as a jump, but for wrappers that say otherwise (`// no entry point: why`)."""
        return not _NO_ENTRY.search(self.own_text) and {module for module, _ in kernels_of(self)} <= LEVEL1

    @property
    def by_target(self) -> bool:
        """Whether there is one for each target: not of what is computed again, as few calls are."""
        return {module for module, _ in kernels_of(self)} != {ZEROS}

    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels that the wrapper calls, in order."""
        calls = _KERNEL.findall(_COMMENT.sub("", self.text))
        letters = [(self.real if real else self.letter, name) for real, name in calls]
        ways = [(loop, way) for *_, loop in self.ways() if loop != "iamax" for way in ("", "_long", self.apart)]
        letters += [(self.looped, loop + way) for loop, way in ways]
        return tuple(dict.fromkeys(f"{letter}{name}" for letter, name in letters))

    def defined(self) -> dict[str, str]:
        """The CBLAS functions that the wrapper defines, and what it calls them."""
        found = _DEFINED.findall(_COMMENT.sub("", self.text))
        found += [(kind, name) for kind, name, _ in self.ways()]
        prefixes = {"": self.letter, "_I": f"i{self.letter}", "_AS": "", "_OF": self.mixed[0], "_BY": self.mixed[1]}
        return {f"cblas_{prefixes[kind]}{name}": name for kind, name in found}

    def ways(self) -> list[tuple[str, str, str]]:
        """The functions that it defines by macros of `level1.h`: the ending of CBLAS, their name, and their loop's."""
        found: list[tuple[str, str, str]] = _WAYS.findall(self.own_text)
        return found

    def routines(self) -> tuple[str, ...]:
        """The CBLAS functions that the wrapper defines."""
        return tuple(self.defined())


@cache
def units() -> tuple[Unit, ...]:
    """All units, by file."""
    found: list[Unit] = []
    for path in (p for folder in ("", COMPLEX, BOTH) for p in sorted((FOLDER / folder).glob("*.c"))):
        own = Unit(path.relative_to(FOLDER).with_suffix("").as_posix(), None)
        typed = _TYPED.search(_COMMENT.sub("", own.text)) is not None
        kinds = (False, True) if own.wrapper.startswith(BOTH) else (False,)
        found += [Unit(own.wrapper, p, kind) for kind in kinds for p in TYPES] if typed else [own]
    return tuple(found)


def kernels_of(unit: Unit) -> tuple[tuple[str, Kernel], ...]:
    """The kernels of a unit, each with its module. Raises `ValueError` if there is none of a name."""
    return tuple(map(find, unit.kernels()))


def sharing(chosen: Sequence[Unit]) -> tuple[tuple[Unit, ...], ...]:
    """Units in groups that have no kernel in common; those with most kernels first."""
    groups: list[list[Unit]] = []
    for unit in chosen:
        met = [g for g in groups if any(set(unit.kernels()) & set(u.kernels()) for u in g)]
        groups = [g for g in groups if g not in met] + [[u for g in met for u in g] + [unit]]
    return tuple(tuple(g) for g in sorted(groups, key=lambda g: -sum(len(u.kernels()) for u in g)))


def numbers(machine: Machine) -> dict[str, int]:
    """What wrappers know of a machine and of plans: bytes of a cache line, and of a way of the first cache; rows of a
    tile; vectors of a row of few columns, and bytes of one; elements of a matrix for which there is room on the stack.

    >>> from backends.targets import avx2
    >>> for name, value in numbers(avx2).items():
    ...     print(name, value)
    EXO_LINE 64
    EXO_WAY 4096
    EXO_ROWS 6
    EXO_VECTORS 10
    EXO_WIDTH 32
    EXO_NEAR 4096
    """
    first = machine.processor.cache(1)
    caches = {"EXO_LINE": first.line, "EXO_WAY": first.sets * first.line, "EXO_ROWS": level3.ROWS}
    return caches | {"EXO_VECTORS": skinny.VECTORS, "EXO_WIDTH": vector_bytes(avx2), "EXO_NEAR": NEAR.few}


def vector_bytes(machine: Machine) -> int:
    """Bytes of a vector, or of what a compiler may take for one where a target has none.

    >>> from backends.targets import avx512, plain_c
    >>> vector_bytes(plain_c), vector_bytes(avx512)
    (16, 64)
    """
    return 4 * machine.vec_widths.get("f32", 4)


def unit_text(unit: Unit, machine: Machine, kernels: str) -> str:
    """The C source of a unit for a target."""
    lines = ["#include <math.h>", "#include <stdlib.h>", "#include <string.h>"]
    lines += ["#define EXO_OWN_HEAP", "#define exo_free free"]
    lines += ["#define exo_alloc exo_blas_memory", "#define exo_vector exo_blas_vector"]
    lines += ["__attribute__((malloc)) void *exo_blas_vector(size_t bytes);"]
    lines += [f"__attribute__((malloc, assume_aligned({ALIGNED}))) void *exo_blas_memory(size_t bytes);"]
    names = (*product_names(machine), *pairs_names(machine))
    lines += [name for name in names if name.split()[1] in kernels]
    if SHARED in kernels:  # profile.h says how many
        lines.append("int exo_threads(void);")
    lines.append(kernels.replace(SHARED, f"{SHARED} num_threads(exo_threads())"))
    entries = unit.routines() if unit.direct and machine == avx2 else ()
    before, after = entry_points(entries, machine.name) if entries else ("", "")
    lines += [header(), f"#define EXO_TARGET {machine.name}"]
    lines += [f"#define {name} {value}" for name, value in numbers(machine).items()]
    lines.append(f"#define EXO_VECTOR {vector_bytes(machine if unit.direct else level2.shorter(machine))}")
    lines.append(f"#define EXO_VECTORIZED {int(bool(machine.vec_widths))}")
    lines.append(f"#define EXO_LONGER {int(level2.shorter(machine) != machine)}")
    lines += [f"#define EXO_REAL {unit.real}", f"#define EXO_LOOP {unit.looped}"]
    lines += [f"#define REALS {1 + unit.is_complex}", f"#define COUNTED {1 + unit.pairs}"]
    precision = unit.precision or "f32"
    lines += [f"#define EXO_APART {unit.apart}", f"#define T {TYPES[precision]}"]
    for rank in (1, 2, 3, 4):
        window = f"{rank} exo_win_{rank}{precision}"
        lines += [f"#define EXO_IN{window}c", f"#define EXO_OUT{window}"]
    if unit.precision:
        lines += [f"#define EXO_OF {unit.mixed[0]}", f"#define EXO_BY {unit.mixed[1]}"]
        lines += [f"#define EXO_LETTER {unit.letter}"]
    lines += [line for name, called in unit.defined().items() for line in routine(name).macros(called)]
    return "\n".join((*lines, before, *parts().values(), unit.text, after))
