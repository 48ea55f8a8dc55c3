"""Programs of the classes that a suite of loop nests has, written from their mathematics: object code, and C beside it.

Each module is a class. The C, plain loops with nothing aliased, is in the file of the same name.
"""

from __future__ import annotations

from pathlib import Path

from . import dynamic, images, products, solvers, statistics, sweeps, vectors
from .program import SCALES, Program

CLASSES = {
    module.__name__.rpartition(".")[2]: module.PROGRAMS
    for module in (products, vectors, solvers, statistics, dynamic, images, sweeps)
}
PROGRAMS = {p.name: p for programs in CLASSES.values() for p in programs}
"""By name; a program and its C have the same one."""


def class_of(name: str) -> str:
    """The class of a program."""
    return next(c for c, programs in CLASSES.items() if any(p.name == name for p in programs))


def sources() -> tuple[Path, ...]:
    """The C files."""
    return tuple(Path(__file__).with_name(f"{c}.c") for c in CLASSES)


__all__ = ["CLASSES", "PROGRAMS", "Program", "SCALES", "class_of", "sources"]
