"""The generated C computes what the interpreter says, for a sample of rewritten programs, under names that C, its
headers and its library have (`benchmarks.c_words`).

Inputs are small whole numbers, so that single precision is exact; a run whose results are too large for that, or
for the integers that it computes with, is passed over, as is a program that the backend refuses. Of each primitive
there are programs with floats only, and with integers. Config fields are set where the program begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from returns.result import Success

from backends import BackendError, jit
from benchmarks.c_words import c_word
from benchmarks.crossed import DTYPES, arrays, with_state
from exo_strat.cursors.proc import Proc
from exo_strat.interp import Outcome, run
from exo_strat.ir.nodes import Alloc, Arg
from exo_strat.ir.types import Control, Tensor
from exo_strat.ir.walk import walk
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import Inputs, samples
from exo_strat.testing.applications import applications
from exo_strat.testing.bounded import is_bounded, is_mixed, run_bounded
from exo_strat.testing.choices import Choices
from exo_strat.testing.harness import shapes_for
from exo_strat.testing.inputs import config_fields
from exo_strat.testing.programs import random_proc
from exo_strat.testing.renaming import renamed

PROGRAMS = 60
"""How many random programs are looked at for each primitive."""
SAMPLE = {False: 1, True: 1}
"""How many results are compared of programs without integers, and with them: chains compare more (`make soak`)."""

RUNS = 2
"""On how many inputs a program with config fields is compared: it is compiled for each."""

LARGEST = 2**20
"""Whole numbers up to this one, and what they are made of, are exact in single precision."""

NOT_COMPILED = {"make_instr": "the result is an instruction"}
"""Primitives without a sample here, and why."""


def exact(value: object) -> bool:
    """Whether a result, and probably all that it was made of, is a whole number that is not too large."""
    if isinstance(value, tuple):
        return all(map(exact, value))
    return isinstance(value, int) and abs(value) <= LARGEST


def results(name: str) -> Iterator[Proc]:
    """Results of a primitive, one a program, under other names."""
    for seed in range(PROGRAMS):
        ch = Choices.seeded(seed)
        p = random_proc(ch, shapes_for(PRIMITIVES[name]))
        for q, op, c in applications(ch, p, PRIMITIVES[name]) if p is not None else ():
            outcome = op(q, c)
            if isinstance(outcome, Success) and can_be_compared(outcome.unwrap()[0]):
                yield renamed(Choices.seeded(seed), outcome.unwrap()[0], c_word)
                break


def can_be_compared(q: Proc) -> bool:
    declared = [n.type for _, n in walk(q.tree) if isinstance(n, Arg | Alloc)]
    data = [t.base if isinstance(t, Tensor) else t for t in declared if not isinstance(t, Control)]
    return all(str(t) in DTYPES for t in data)


def agree(q: Proc) -> bool:
    """Whether some run of the compiled procedure was compared.

    Raises `BackendError` if it can't be compiled.
    """
    if config_fields(q.tree):
        return max([agrees(q, jit(with_state(q, g), flags=["-O1"]), g) for g in samples(q, RUNS)], default=False)
    compiled = jit(q, flags=["-O1"])
    return max([agrees(q, compiled, given) for given in samples(q)], default=False)


def agrees(q: Proc, compiled: Callable[..., None], given: Inputs) -> bool:
    """Whether a run of the compiled procedure was compared; false if it has no exact meaning."""
    want: Outcome = run(q, given.args, given.configs)
    if want.trap is not None or not all(map(exact, want.outputs.values())):
        return False
    if is_mixed(q.tree) or run_bounded(q.tree, given, strict=True).trap is not None:
        return False
    args = arrays(q, given)
    compiled(*args)
    got = {n: x for n, x in zip(given.args, args, strict=True) if isinstance(x, np.ndarray)}
    for name, value in want.outputs.items():
        assert np.array_equal(got[name], np.array(value)), f"{name} in C: {got[name]}, should be {value}\n{given}\n{q}"
    return True


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - set(NOT_COMPILED)))
def test_compiled_results_agree_with_the_interpreter(name: str) -> None:
    compared = {False: 0, True: 0}
    for q in results(name):
        kind = is_bounded(q.tree)
        if compared[kind] >= SAMPLE[kind]:
            continue
        try:
            compared[kind] += agree(q)
        except BackendError:
            continue
        if compared == SAMPLE:
            return
    assert any(compared.values()), f"no result of {name} could be compared"
