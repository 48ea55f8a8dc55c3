"""Chains of rewrites on Gemmini's programs: small products on the way of their schedule, its next steps among
primitives, and what comes out on the model of the accelerator. Imports `strategies`, `backends`, `examples` and the
harness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

import numpy as np

from backends import BackendError
from backends.gemmini import GEMM_ACCUM, GEMM_SCRATCH, GemminiFault, simulate
from examples.gemmini.matmul import Product, blocking, matmul, steps
from exo_strat import Op, Proc, schedule
from exo_strat.interp import array, run
from exo_strat.testing import Inputs, samples
from exo_strat.testing.chains import Draw, starting
from strategies import gemmini

from .chain_parts import ALLOCATIONS, LOOPS, STATEMENTS, root
from .compiled import Different, compiles
from .crossed import arrays

PRODUCTS = (Product(5, 6, 3), Product(17, 4, 3, "column"), Product(3, 18, 5, "full"), Product(4, 3, 33))
"""Small ones, with partial tiles on each side."""
RUNS = 2
"""How many inputs a program is compared on."""


@cache
def _versions() -> tuple[tuple[Proc, Op | None], ...]:
    """Each version of a product, and the step of its schedule that comes next."""
    found: dict[Proc, Op | None] = {}
    for s in PRODUCTS:
        plan = steps(s, blocking(s))
        versions = accumulate(plan, lambda p, step: schedule(step, p), initial=matmul(s))
        found |= zip(versions, (*plan, None), strict=True)
    return tuple(found.items())


@cache
def programs() -> tuple[Proc, ...]:
    """Products on the way to Gemmini, of those versions that C takes; half of them are there."""
    found = [p for p, _ in _versions() if compiles(p)]
    there = [p for p in found if _is_there(p)]
    return (*found, *there * (len(found) // len(there)))


def _is_there(p: Proc) -> bool:
    return any(m.name in str(p) for m in (GEMM_ACCUM, GEMM_SCRATCH))


def draws(p: Proc) -> Sequence[Draw]:
    """Steps of a chain from one of the programs: those of its schedule, and Gemmini's strategies."""
    plan = [starting(step, root) for q, step in _versions() if step is not None and q.origin is p.origin]
    return (
        *plan,
        starting(gemmini.hoist_configs(), root),
        starting(gemmini.load_once(), STATEMENTS),
        starting(gemmini.load_ahead(), LOOPS),
        starting(gemmini.start_in_loop(), LOOPS),
        starting(gemmini.fuse_all_loops(), root),
        starting(gemmini.autolift_alloc(4096), ALLOCATIONS),
    )


def agrees(q: Proc) -> bool:
    """Whether some run of a program on the model was compared: one that uses the accelerator.

    Raises `Different` if a result is another one, or breaks a rule of the hardware.
    """
    if not _is_there(q):
        return False
    try:
        simulated = simulate(q)
    except BackendError:
        return False
    compared = 0
    for given in map(_with_positive_scale, samples(q, RUNS)):
        done, args = run(q, given.args, given.configs), arrays(q, given)
        if done.trap is not None:
            continue
        try:
            simulated(*args)
        except GemminiFault as e:
            raise Different(f"{e}\nwith {given}\n{q}") from e
        for name, got in zip(given.args, args, strict=True):
            want = done.outputs.get(name)
            if want is not None and not np.array_equal(got, np.array(want)):
                raise Different(f"{name} on the model: {got}, should be {want}\nwith {given}\n{q}")
        compared += 1
    return compared > 0


def _with_positive_scale(given: Inputs) -> Inputs:
    """The same with a scale for which the hardware's ReLU is that of the program: one that is not negative."""
    scale = given.args.get("scale")
    return given if scale is None else replace(given, args={**given.args, "scale": array(0.25)})
