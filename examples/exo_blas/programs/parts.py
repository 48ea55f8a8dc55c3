"""Kernels in blocked form: their text for a precision, and what the parts that they call are scheduled by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from exo_strat import Machine, Op, Proc, identity, proc_from_source, seq
from strategies.blas.calls import with_plan


class Part(NamedTuple):
    """A procedure that kernels call, and what it is scheduled by."""

    program: Proc
    plan: Callable[[Machine], Op]


def written(source: str, precision: str, calls: Mapping[str, Proc]) -> Proc:
    """Object code over `R` that calls procedures, for a precision.

    >>> print(written("def zero(x: R): x = 0.0", "f64", {}))
    def zero(x: f64 @ DRAM):
        x = 0.0
    """
    return proc_from_source(re.sub(r"\bR\b", precision, source), dict(calls))


def all_of(parts: tuple[Part, ...], machine: Machine) -> Op:
    """The calls of parts become those of what their plans make of them."""
    return seq(identity, *(with_plan(part.program, part.plan(machine)) for part in parts))
