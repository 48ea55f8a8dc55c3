"""Kernels in blocked form: their text for a precision, and what the parts that they call are scheduled by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from exo_strat import Machine, Op, Proc, identity, proc_from_source, seq
from strategies.blas.calls import with_plan

MANY = 64
"""Columns from which on it pays to copy a matrix by columns to rows."""

PAD = {"f32": 16, "f64": 8}
"""By how many elements rows of a copy are further apart than they are long: by a line, so that those of 4 KB don't
begin in one set of a cache."""


class Part(NamedTuple):
    """A procedure that kernels call, and what it is scheduled by."""

    program: Proc
    plan: Callable[[Machine], Op]


def written(sources: str, precision: str, known: Mapping[str, object]) -> Proc:
    """Object code over `R` for a precision: the last one of some programs, each of which may call those before it.

    >>> print(written("def zero(x: R): x = 0.0", "f64", {}))
    def zero(x: f64 @ DRAM):
        x = 0.0
    """
    *before, last = re.sub(r"\bR\b", precision, sources).strip().split("\n\n")
    known = dict(known)
    for source in before:
        made = proc_from_source(source, known)
        known[made.name()] = made
    return proc_from_source(last, known)


def all_of(parts: tuple[Part, ...], machine: Machine) -> Op:
    """The calls of parts become those of what their plans make of them."""
    return seq(identity, *(with_plan(part.program, part.plan(machine)) for part in parts))
