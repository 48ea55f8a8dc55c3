"""What candidates take on this machine: the measure of a search.

Each measurement is a process of its own, on one processor unless threads share a loop: a crash or a hang ends the
candidate and nothing else. The best one so far takes turns with it, so that what else the machine does meets both; one
that is hopeless is stopped early, and one that is close or faster is looked at longer. Who would be the best must
compute what the unscheduled program does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from mmap import PAGESIZE
from statistics import median, quantiles
from typing import Any, Final

import numpy as np

from exo_strat.tuning import Ended, Prepared, Timed
from exo_strat.tuning.apart import apart

from .arguments import DTYPES
from .bf16 import from_bf16, to_bf16
from .c import BackendError, compile
from .c.bfloat import BF16
from .evaluate import Values, evaluate
from .indices import on_data, taken
from .kernel import (
    Binary,
    Const,
    Control,
    Expr,
    Machine,
    Proc,
    Scalar,
    Sym,
    Tensor,
    Unary,
    Var,
    concrete,
    print_expr,
    walk,
)
from .meeting import meeting
from .native import JitFunction, jit, run_of
from .toolchain import ToolchainError

FEW, MANY = 3, 15
"""How often a candidate is timed at least, and at most where it is close to the best one, or would take its place."""
ENOUGH: Final = 5.0
"""Seconds of a candidate's samples after which `FEW` are as good as `MANY`; after twice as many, fewer do."""
CLOSE: Final = 0.05
"""A candidate is close to the best one if it is slower by no more than this part."""
HOPELESS: Final = 1.5
"""A candidate whose fastest call takes so many times the best one's median is not timed again."""
SAMPLE: Final = 1e-3
"""Seconds that one sample takes at least: a shorter call is made several times."""
ROUNDING: Final = 1 << 16
"""By how many roundings of the largest number of an array results may differ: sums are made in any order."""


@dataclass(frozen=True, eq=False)
class Measuring:
    """Times calls of what strategies make of a procedure; see `measuring`."""

    proc: Proc
    arguments: Mapping[str, Any]
    machine: Machine | None
    flags: tuple[str, ...]
    limit: float
    processor: int | None = None
    pinned: bool = False
    wanted: dict[str, Any] = field(default_factory=dict)
    """What the unscheduled program computes, once that is known."""

    def prepare(self, p: Proc) -> Prepared | Ended:
        """A candidate, compiled. Candidates of one C text are one program."""
        try:
            text = compile([p], "candidate").text
            jit(p, self.machine, self.flags)
        except (BackendError, ToolchainError) as e:
            return Ended("refused", str(e))
        return Prepared(sha256(text.encode()).hexdigest(), Proc(p.tree))  # how it was made need not be pickled

    def time(self, candidate: Prepared, best: Prepared | None) -> Timed | Ended:
        """Median seconds of a call, beside those of the best one so far."""
        if not self.wanted:
            [computed] = apart([self._wanted], 1, self.limit)
            if isinstance(computed, Ended):
                return Ended(computed.status, f"the unscheduled program: {computed.reason}")
            self.wanted.update(computed)
        [found] = apart([partial(self._time, candidate.code, best.code if best else None)], 1, self.limit)
        return found

    def _wanted(self) -> dict[str, Any]:
        return _Run(jit(self.proc), self.arguments).results()

    def _time(self, candidate: Proc, best: Proc | None) -> Timed | Ended:
        compiled = [jit(p, self.machine, self.flags) for p in (candidate, best) if p is not None]
        if self.processor is not None and (self.pinned or not any(f.module.parallel for f in compiled)):
            os.sched_setaffinity(0, {self.processor})
        runs = [_Run(f, self.arguments) for f in compiled]
        times = race(runs)
        mine, *other = map(median, times)
        if not other or mine < other[0]:
            wrong = differing(*(self._readable(x) for x in (runs[0].results(), self.wanted)))
            if wrong:
                return Ended("wrong", wrong)
        return Timed(mine, _spread(times[0]), other[0] if other else None)

    def _readable(self, results: Mapping[str, Any]) -> dict[str, Any]:
        """Results with bfloat16 as numbers."""
        halves = {str(a.sym) for a in self.proc.tree.args if not isinstance(a.type, Control) and _kind(a.type) == BF16}
        return {name: from_bf16(x).astype(np.float16) if name in halves else x for name, x in results.items()}


def _kind(t: Scalar | Tensor) -> Scalar:
    return t.base if isinstance(t, Tensor) else t


def measuring(
    p: Proc,
    sizes: Mapping[str, int],
    machine: Machine | None = None,
    *,
    arguments: Mapping[str, Any] | None = None,
    flags: Sequence[str] = (),
    limit: float = 60.0,
    seed: int = 0,
    pinned: bool = False,
) -> Measuring:
    """The measure of calls of a procedure with some sizes, on this machine: for `exo_strat.tuning.tune`.

    `sizes` are its integer arguments. Arrays and numbers are random, from `seed`, unless `arguments` has them: floating
    point numbers from 0.5 to 1.5, integers from 0 to 9; those of which the procedure asserts something meet that.
    `machine` and `flags` are as for `jit`. One measurement takes `limit` seconds at most. If
    `pinned`, it has one processor though threads share loops.

    Raises `ValueError` if an integer argument is missing, if the sizes don't meet what the procedure asserts of them or
    name none of its arguments, or if it asserts something of an array's elements, `arguments` lacks it, and no elements
    are found of which it holds.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def scale(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 2.0 * x[i]
    ... ''')
    >>> measure = measuring(p, {"n": 1000})
    >>> measure.time(measure.prepare(p), None).seconds > 0
    True
    """
    made = random_arguments(p, sizes, seed, arguments or {})
    processor = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return Measuring(p, made, machine, tuple(flags), limit, processor, pinned)


# -- arguments ----------------------------------------------------------------------------------------


def random_arguments(p: Proc, sizes: Mapping[str, int], seed: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a procedure, given its integers and some of the others: see `measuring`."""
    rng, made = np.random.default_rng(seed), dict[str, Any]()
    controls = _controls(p, sizes)
    asserted = on_data(p.tree)
    about = taken(asserted)
    shapes: dict[Sym, tuple[int, ...]] = {}
    for a in p.tree.args:
        t = a.type
        if isinstance(t, Control):
            made[str(a.sym)] = controls[a.sym]
            continue
        shapes[a.sym] = tuple(evaluate(e, Values(controls, {})) for e in t.shape) if isinstance(t, Tensor) else ()
        if str(a.sym) in given:
            made[str(a.sym)] = given[str(a.sym)]
        elif a.sym not in about:
            made[str(a.sym)] = _numbers(rng, _kind(t), shapes[a.sym] or (1,))
    if about:
        kinds = {a.sym: _kind(a.type) for a in p.tree.args if not isinstance(a.type, Control)}
        data = {sym: np.asarray(made[str(sym)]).reshape(shapes[sym]) for sym in about if str(sym) in made}
        wanted = {sym: np.empty(shapes[sym], DTYPES[concrete(kinds[sym]).name]) for sym in kinds if sym in about}
        missing = [sym for sym in wanted if sym not in data]
        try:
            drawn = meeting(p.tree, asserted, controls, data, {sym: wanted[sym] for sym in missing}, rng)
        except ValueError as e:
            if not missing:
                raise
            names = ", ".join(map(str, missing))
            raise ValueError(
                f"{p.name()} asserts something of the elements of {names}, and none were found of which it holds: "
                f"give them in `arguments` of `measuring` ({e})"
            ) from e
        made |= {str(sym): drawn[sym].reshape(shapes[sym] or (1,)) for sym in missing}
    return {str(a.sym): made[str(a.sym)] for a in p.tree.args}


def _controls(p: Proc, sizes: Mapping[str, int]) -> dict[Sym, int]:
    """The integer arguments of a procedure, of which all that it asserts holds."""
    kinds = {a.sym: a.type for a in p.tree.args if isinstance(a.type, Control)}
    names = [str(sym) for sym in kinds]
    for name in sizes:
        if name not in names:
            raise ValueError(f"{p.name()} has no integer argument {name}; it has {', '.join(names) or 'none'}")
    for name in names:
        if name not in sizes:
            raise ValueError(f"{p.name()} takes {name}, too: say with which number to measure")
    controls = {sym: int(sizes[str(sym)]) for sym in kinds}
    for sym, kind in kinds.items():
        if kind.name == "size" and controls[sym] <= 0:
            raise ValueError(f"{sym} is a size, which is at least 1, not {controls[sym]}")
    for e in p.tree.preds:
        if _is_of_integers(e) and not evaluate(e, Values(controls, {})):
            given = ", ".join(f"{sym} = {n}" for sym, n in controls.items())
            claim = print_expr(e, {sym: str(sym) for sym in controls})
            raise ValueError(f"{p.name()} asserts {claim}, which does not hold of {given}")
    return controls


def _is_of_integers(e: Expr) -> bool:
    """Whether an assertion is one of integer arguments alone."""
    return all(isinstance(n, Const | Var | Unary | Binary) for _, n in walk(e))


def _numbers(rng: np.random.Generator, kind: Scalar, shape: tuple[int, ...]) -> Any:
    if kind == BF16:
        return to_bf16(rng.random(shape) + 0.5)
    numbers = rng.random(shape) + 0.5 if kind.is_float else rng.integers(0, 10, shape)
    return numbers.astype(DTYPES[concrete(kind).name])


# -- runs ---------------------------------------------------------------------------------------------


class _Run:
    """A compiled procedure on arguments of its own."""

    def __init__(self, compiled: JitFunction, arguments: Mapping[str, Any]) -> None:
        self.start = arguments
        self.given = {name: _copy(x) for name, x in arguments.items()}
        self.call = run_of(compiled.bind(**self.given))  # no procedure writes the data that it takes indices from
        self.calls = 1

    def reset(self) -> None:
        """The arrays as they were given."""
        for name, x in self.start.items():
            if isinstance(x, np.ndarray):
                self.given[name][...] = x

    def results(self) -> dict[str, Any]:
        """What one call leaves in the arrays."""
        self.reset()
        self.call()
        return {name: x.copy() for name, x in self.given.items() if isinstance(x, np.ndarray)}

    def sample(self) -> float:
        """Seconds of a call: the mean of as many as are needed to measure a time."""
        while True:
            self.reset()
            begin = now()
            for _ in range(self.calls):
                self.call()
            taken = elapsed(begin, now())
            if taken >= SAMPLE:
                return taken / self.calls
            self.calls = max(self.calls * 2, int(self.calls * SAMPLE / max(taken, 1e-9)))


def now() -> tuple[float, float]:
    """The time, and the time that this process had processors."""
    return time.perf_counter(), time.process_time()


def elapsed(begin: tuple[float, float], end: tuple[float, float]) -> float:
    """Seconds between two times, less those in which others had the processor: what passed, or what the process had of
    it if that is less. With several threads it has more.

    >>> elapsed((1.0, 0.5), (4.0, 1.5)), elapsed((1.0, 0.5), (2.0, 4.5))
    (1.0, 1.0)
    """
    return min(b - a for a, b in zip(begin, end, strict=True))


def _copy(x: Any) -> Any:
    """A copy that begins as far into a page as the original: whether vectors cross lines of the caches, and whether
    stores pass them, depends on that."""
    if not isinstance(x, np.ndarray):
        return x
    room = np.empty(x.nbytes + PAGESIZE, np.uint8)
    first = (x.ctypes.data - room.ctypes.data) % PAGESIZE
    made = room[first : first + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def race(runs: Sequence[_Run]) -> list[list[float]]:
    """Samples of a candidate and of the best one so far, in turns: few if it is slower or takes seconds, many if they
    are close or it would be the best."""
    for run in runs:
        run.sample()  # pages and caches
    times: list[list[float]] = [[] for _ in runs]
    while len(times[0]) < MANY:
        for run, found in zip(runs, times, strict=True):
            found.append(run.sample())
        if len(runs) > 1 and min(times[0]) > HOPELESS * median(times[1]):
            break
        if sum(times[0]) >= (ENOUGH if len(times[0]) >= FEW else 2 * ENOUGH):
            break
        if len(times[0]) >= FEW and not (len(runs) > 1 and median(times[0]) <= (1 + CLOSE) * median(times[1])):
            break
    return times


def _spread(times: Sequence[float]) -> float:
    """The distance of the quartiles."""
    if len(times) < 2:
        return 0.0
    low, _, high = quantiles(times, n=4)
    return high - low


def differing(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """What of the results is not what it should be; an empty text if nothing is."""
    for name, want in wanted.items():
        got = found[name]
        if want.dtype.kind != "f":
            if not np.array_equal(got, want):
                return f"{name} is not what the unscheduled program computes"
            continue
        most = float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0))
        bound = ROUNDING * float(np.finfo(want.dtype).eps) * most
        if not np.allclose(got, want, rtol=0.0, atol=bound, equal_nan=True):
            apart_by = float(np.nanmax(np.abs(got.astype(float) - want.astype(float))))
            return f"{name} is {apart_by:.1e} from what the unscheduled program computes, where {bound:.1e} is rounding"
    return ""
