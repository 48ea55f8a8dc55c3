"""Instructions from text: the operands that they share, and their environment.

An instruction has two forms. The `do_` form is what the hardware does: its assertions ask the configuration register
for what it needs. The plain form is a procedure that asks for nothing; it has no C text, as no single instruction
does it. `operations` relates the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import TypeVar

from ..kernel import DRAM, Proc, proc_from_source
from .externs import clamp_i8, mul_f32, round_even
from .memories import BLOCK, DIM, GEMM_ACCUM, GEMM_SCRATCH, HEADER
from .state import REGISTERS

Kind = TypeVar("Kind")

ENV = {
    **REGISTERS,
    "DRAM": DRAM,
    "GEMM_SCRATCH": GEMM_SCRATCH,
    "GEMM_ACCUM": GEMM_ACCUM,
    "mul_f32": mul_f32,
    "round_even": round_even,
    "clamp_i8": clamp_i8,
}

SIZES = f"""\
assert n <= {DIM}
assert m <= {DIM}
"""
BLOCK_SIZES = f"""\
assert n <= {DIM}
assert m <= {BLOCK}
"""


def kind_of(kinds: Mapping[str, Kind], name: str, what: str) -> Kind:
    """The kind of this name."""
    if name not in kinds:
        raise ValueError(f"Gemmini has no {what} {name!r}; there are {', '.join(kinds)}")
    return kinds[name]


def rows(name: str) -> str:
    """Assertions that a matrix in DRAM has contiguous rows, each after the one before."""
    return f"assert stride({name}, 0) >= 0\nassert stride({name}, 1) == 1\n"


def tile(*names: str) -> str:
    """Assertions that windows of a local memory are rows one after the other."""
    return "".join(f"assert stride({x}, 0) == {DIM}\nassert stride({x}, 1) == 1\n" for x in names)


def tiles(*names: str) -> str:
    """Assertions that windows of a local memory are tiles of 16 rows, one after the other."""
    strides = (DIM * DIM, DIM, 1)
    return "".join(f"assert stride({x}, {d}) == {s}\n" for x in names for d, s in enumerate(strides))


def plain(name: str, params: str, asserts: str, body: str) -> Proc:
    """A procedure of this text."""
    return proc_from_source(f"def {name}({params}):\n{indent(asserts + body, '    ')}", ENV)


def instruction(c: Sequence[str], name: str, params: str, asserts: str, body: str) -> Proc:
    """An instruction of this text, which is so many lines of C."""
    decorator = f"@instr({chr(10).join(c)!r}, {f'#include {chr(34)}{HEADER}{chr(34)}'!r})\n"
    return proc_from_source(f"{decorator}def {name}({params}):\n{indent(asserts + body, '    ')}", ENV)
