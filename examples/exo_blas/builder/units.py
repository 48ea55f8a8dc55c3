"""The translation units of the library: a wrapper, and the kernels that it names, for a target.

A file of `cblas/` is a unit for each precision, or one if it says the precision itself (CBLAS_AS); those of
`cblas/complex/` are about complex numbers of these precisions. The text of a unit is complete: kernels, interface and
wrapper.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from backends.targets import plain_c
from exo_strat import Machine
from strategies.blas import level3

from .. import programs
from ..programs.kernel import COMPLEX_LETTERS, LETTERS, Kernel
from .catalogue import find
from .dispatch import entry_points
from .interface import FOLDER, header, parts
from .routines import routine

TYPES = {"f32": "float", "f64": "double"}
LEVEL1 = f"{programs.__name__}.level1"

_TYPED = re.compile(r"\bCBLAS(_I|_OF|_BY)?\(")
_KERNEL = re.compile(r"\b(REAL_)?KERNEL(_AS)?\((\w+)\)")
_DEFINED = re.compile(r"^[\w *]*\bCBLAS(_AS|_I|_OF|_BY)?\((\w+)\)\(", re.MULTILINE)
_COMMENT = re.compile(r"//.*")
_FLAGS = re.compile(r"^// flags( without vectors)?: ([^:\n]*)", re.MULTILINE)
_INCLUDE = re.compile(r'^#include "([./\w]+\.h)"\n', re.MULTILINE)
COMPLEX = "complex"
"""The folder of the wrappers for complex numbers."""


@dataclass(frozen=True)
class Unit:
    """A wrapper, `axpy` or `complex/axpy`, for a precision, or for the one that it says itself (None)."""

    wrapper: str
    precision: str | None

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
        return COMPLEX_LETTERS[self.precision] if self.precision and self.wrapper.startswith(COMPLEX) else self.real

    @property
    def text(self) -> str:
        """The wrapper's C text, with that of the files that it includes."""
        path = FOLDER / f"{self.wrapper}.c"
        text = path.read_text()
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
        """Whether its functions are entry points themselves, and the same for all targets with vectors: those of level
        1, where a call may take as long as a jump."""
        return {module for module, _ in kernels_of(self)} == {LEVEL1}

    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels that the wrapper calls, in order."""
        calls = _KERNEL.findall(_COMMENT.sub("", self.text))
        letters = ((self.real if real else "" if literal else self.letter, name) for real, literal, name in calls)
        return tuple(dict.fromkeys(f"{letter}{name}" for letter, name in letters))

    def defined(self) -> dict[str, str]:
        """The CBLAS functions that the wrapper defines, and what it calls them."""
        found = _DEFINED.findall(_COMMENT.sub("", self.text))
        letter, real = self.letter, self.real
        prefixes = {"": letter, "_I": f"i{letter}", "_AS": "", "_OF": real + letter, "_BY": letter + real}
        return {f"cblas_{prefixes[kind]}{name}": name for kind, name in found}

    def routines(self) -> tuple[str, ...]:
        """The CBLAS functions that the wrapper defines."""
        return tuple(self.defined())


@cache
def units() -> tuple[Unit, ...]:
    """All units, by file."""
    found: list[Unit] = []
    for path in (*sorted(FOLDER.glob("*.c")), *sorted((FOLDER / COMPLEX).glob("*.c"))):
        own = Unit(path.relative_to(FOLDER).with_suffix("").as_posix(), None)
        typed = _TYPED.search(_COMMENT.sub("", own.text)) is not None
        found += [Unit(own.wrapper, p) for p in TYPES] if typed else [own]
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
    """What wrappers know of a machine and of the plan of products: bytes of a cache line, and of a way of the first
    cache; products of an element in a block, and rows of a tile.

    >>> from backends.targets import avx2
    >>> numbers(avx2)
    {'EXO_LINE': 64, 'EXO_WAY': 4096, 'EXO_DEPTH': 512, 'EXO_ROWS': 6}
    """
    first = machine.processor.cache(1)
    caches = {"EXO_LINE": first.line, "EXO_WAY": first.sets * first.line}
    return caches | {"EXO_DEPTH": level3.DEPTH, "EXO_ROWS": level3.ROWS}


def unit_text(unit: Unit, machine: Machine, kernels: str) -> str:
    """The C source of a unit for a target. Without kernels, it defines the library's own functions."""
    lines = ["#include <math.h>", "#include <stdlib.h>", "#include <string.h>", kernels]
    entries = unit.routines() if unit.direct and machine.vec_widths else ()
    before, after = entry_points(entries, plain_c.name, machine.name) if entries else ("", "")
    if unit.kernels():
        lines += [header(), f"#define EXO_TARGET {machine.name}"]
        lines += [f"#define {name} {value}" for name, value in numbers(machine).items()]
    else:
        lines += ["#pragma GCC visibility push(default)", header(), "#pragma GCC visibility pop"]
    if unit.precision:
        lines += [f"#define EXO_LETTER {unit.letter}", f"#define EXO_REAL {unit.real}"]
        lines += [f"#define T {TYPES[unit.precision]}"]
        lines += [
            f"#define EXO_{kind}{rank} exo_win_{rank}{unit.precision}{'c' if kind == 'IN' else ''}"
            for kind in ("IN", "OUT")
            for rank in (1, 2)
        ]
    lines += [line for name, called in unit.defined().items() for line in routine(name).macros(called)]
    return "\n".join((*lines, before, *parts().values(), unit.text, after))
