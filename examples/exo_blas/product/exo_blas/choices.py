"""The numbers that decide which way a routine goes, and profiles, which set them.

A profile is a text: the processor that it is for, then a line for each number, for an instruction set. The library
reads the file that `EXO_BLAS_PROFILE` names when it is loaded. A result is right whichever the numbers are.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from .meanings import MEANINGS
from .places import loaded

NO_LIMIT: Final = 1 << 60
"""What stands for `no limit` in a profile."""

_LINE = re.compile(r"(\w+) (\w+) (\d+)  # (\d+) to (\d+)")
_PROCESSOR = "processor: "


class Choice(NamedTuple):
    """A number: its name, its value, and the least and the most that it may be."""

    name: str
    value: int
    least: int
    most: int

    @property
    def about(self) -> str:
        """What it may be, and what it is about.

        >>> Choice("gemv_panel", 48, 8, NO_LIMIT).about
        '8 or more: rows of such a panel'
        """
        bounds = f"{self.least} or more" if self.most == NO_LIMIT else f"{self.least} to {self.most}"
        return f"{bounds}: {MEANINGS[self.name]}"


def shown(value: int) -> str:
    """A value as a profile has it.

    >>> shown(64), shown(1 << 60)
    ('64', 'no limit')
    """
    return "no limit" if value == NO_LIMIT else str(value)


class Choices(NamedTuple):
    """All numbers of a library, by name, with the processor and the instruction set that they are for."""

    processor: str
    isa: str
    numbers: Mapping[str, Choice]

    def profile(self, values: Mapping[str, int], remarks: Mapping[str, str] | None = None) -> str:
        """The profile that sets some numbers, each with a remark."""
        told = remarks or {}
        lines = (f"{self.isa} {n} {shown(v)}" + (f"  # {told[n]}" if n in told else "") for n, v in values.items())
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
