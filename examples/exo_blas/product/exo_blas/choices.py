"""The numbers that decide which way a routine goes, and profiles, which set them.

A profile is a text: the processor that it is for, then a line for each number, for an instruction set. The library
reads the file that `EXO_BLAS_PROFILE` names when it is loaded. A result is right whichever the numbers are.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .places import loaded

_LINE = re.compile(r"(\w+) (\w+) (\d+)  # (\d+) to (\d+)")
_PROCESSOR = "processor: "


class Choice(NamedTuple):
    """A number: its name, its value, and the least and the most that it may be."""

    name: str
    value: int
    least: int
    most: int


class Choices(NamedTuple):
    """All numbers of a library, by name, with the processor and the instruction set that they are for."""

    processor: str
    isa: str
    numbers: Mapping[str, Choice]

    def profile(self, values: Mapping[str, int], remarks: Mapping[str, str] | None = None) -> str:
        """The profile that sets some numbers, each with a remark."""
        told = remarks or {}
        lines = (f"{self.isa} {n} {v}" + (f"  # {told[n]}" if n in told else "") for n, v in values.items())
        return "".join(f"{line}\n" for line in (_PROCESSOR + self.processor, *lines))


def choices(library: ctypes.CDLL | None = None) -> Choices:
    """The numbers that the library uses: the one that functions on arrays call, unless another is given.

    >>> choices().numbers["gemm_slim"].most
    256
    """
    tell = (library or loaded()).exo_blas_choices_64
    tell.argtypes, tell.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_int
    room = ctypes.create_string_buffer(tell(None, 0) + 1)
    tell(room, len(room))
    return read(room.value.decode().splitlines())


def read(lines: Iterable[str]) -> Choices:
    """What the library tells, line by line.

    >>> read(["processor: A", "c gemm_near 7  # 0 to 9"]).numbers["gemm_near"].most
    9
    """
    processor, *rest = lines
    found = [m.groups() for m in map(_LINE.fullmatch, rest) if m]
    numbers = {name: Choice(name, int(value), int(least), int(most)) for _, name, value, least, most in found}
    return Choices(processor.removeprefix(_PROCESSOR), found[0][0], numbers)
