"""The demonstrations: schedule, compile, check against NumPy, time beside a BLAS.

Demos and backends are found through entry points; `Demo` says what a demo provides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from .. import plugins
from ..cursors.proc import Proc
from ..ir.nodes import Call
from ..ir.walk import walk
from ..machine import Machine
from ..ops.strategy import Op, schedule
from .targets import Target, compiling, runnable, write_c

T = TypeVar("T")
Array: TypeAlias = NDArray[Any]
Args: TypeAlias = tuple[Any, ...]
Shape: TypeAlias = tuple[int, ...]

ROUNDS = 15
SAMPLE_SECONDS = 0.02


class Demo(Protocol):
    """A program with a schedule, inputs and an answer to compare with. `outputs` are the positions of
    the arguments that it writes; `reference` gives their expected values in that order."""

    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def shapes(self) -> tuple[Shape, ...]: ...
    @property
    def bench_shape(self) -> Shape: ...
    @property
    def outputs(self) -> tuple[int, ...]: ...
    @property
    def program(self) -> Proc: ...
    def plan(self, machine: Machine) -> Op: ...
    def inputs(self, shape: Shape, rng: np.random.Generator) -> Args: ...
    def reference(self, args: Args) -> Sequence[Array]: ...
    def tolerance(self, shape: Shape) -> float: ...
    def flops(self, shape: Shape) -> int: ...
    def peer(self, args: Args) -> Callable[[], object]: ...
    @property
    def rival(self) -> str: ...


class Kernel(Protocol):
    """A compiled procedure: it is called with the arguments, or bound to them, to be called again and again."""

    def __call__(self, *args: Any) -> object: ...
    def bind(self, *args: Any) -> Callable[[], object]: ...


@dataclass(frozen=True)
class Error:
    """How far a result is from the expected one, for one shape: 1 is the demo's own bound."""

    shape: Shape
    ratio: float

    @property
    def passed(self) -> bool:
        """Whether the result is within the bound; NaN is not."""
        return self.ratio <= 1.0


@dataclass(frozen=True)
class Speed:
    """GFLOP/s, medians of interleaved runs on the same data."""

    ours: float
    blas: float


def jit(proc: Proc, machine: Machine) -> Kernel:
    """The procedure as a function on NumPy arrays, by the installed backend."""
    compile_ = cast(Callable[[Proc, Machine], Kernel], plugins.load(plugins.BACKENDS, "jit"))
    with compiling():
        return compile_(proc, machine)


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """What `action` gives and the seconds that it took."""
    start = time.perf_counter()
    value = action()
    return value, time.perf_counter() - start


def rewrites(proc: Proc) -> int:
    """How many primitive rewrites made a procedure and those that it calls."""
    found, todo = dict[int, Proc](), [proc]
    while todo:
        p = todo.pop()
        found[id(p)] = p
        called = [n.f for _, n in walk(p.tree) if isinstance(n, Call)]
        todo += [f for f in called if isinstance(f, Proc) and id(f) not in found]
    return sum(len(p.history()) for p in found.values())


def check(demo: Demo, kernel: Kernel) -> tuple[Error, ...]:
    """Run the kernel on every shape of the demo and compare it with the reference."""
    return tuple(_check(demo, kernel, shape, seed) for seed, shape in enumerate(demo.shapes))


def _check(demo: Demo, kernel: Kernel, shape: Shape, seed: int) -> Error:
    args = demo.inputs(shape, np.random.default_rng(seed))
    expected = demo.reference(args)
    kernel(*args)
    pairs = zip((args[i] for i in demo.outputs), expected, strict=True)
    worst = np.max([np.max(np.abs(got - want), initial=0.0) for got, want in pairs])
    return Error(shape, float(worst) / demo.tolerance(shape))


def measure(demo: Demo, kernel: Kernel) -> Speed:
    """Time the kernel and the BLAS in turns, so that a change of the machine's clock meets both. Both are bound to the
    arguments: to check them takes as long as a short product."""
    args = demo.inputs(demo.bench_shape, np.random.default_rng(0))
    rivals = kernel.bind(*args), demo.peer(args)
    calls = [_calls(run) for run in rivals]
    rounds = [[seconds(run, n) for run, n in zip(rivals, calls, strict=True)] for _ in range(ROUNDS)]
    ours, blas = (demo.flops(demo.bench_shape) / median(column) / 1e9 for column in zip(*rounds, strict=True))
    return Speed(ours, blas)


def _calls(run: Callable[[], object]) -> int:
    """How many calls make a sample long enough for the clock. The first call only warms up."""
    run()
    return max(1, round(SAMPLE_SECONDS / max(seconds(run, 1), 1e-7)))


def seconds(run: Callable[[], object], calls: int) -> float:
    """The seconds that one of so many calls in a row takes."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


@dataclass(frozen=True)
class Report:
    """What a demonstration found."""

    demo: Demo
    rewrites: int
    schedule_seconds: float
    compile_seconds: float
    errors: tuple[Error, ...]
    speed: Speed | None
    files: tuple[Path, ...]

    @property
    def worst(self) -> Error:
        """The shape whose result is furthest off; one that has NaN, if any has."""
        return next((e for e in self.errors if math.isnan(e.ratio)), max(self.errors, key=lambda e: e.ratio))

    @property
    def passed(self) -> bool:
        """Whether every shape's result is within its bound."""
        return all(e.passed for e in self.errors)


Look: TypeAlias = Callable[[Proc, Machine, Op, Path], object]
"""What writes how a strategy schedules a procedure as a file to look at."""


def run_demo(demo: Demo, target: Target, folder: Path, console: Console, look: Look) -> bool:
    """Run a demonstration on a target, write its C and the film of its schedule to `folder`, print a report. Whether it
    passed."""
    widest = runnable(None).name
    which = "the widest of this processor" if target.name == widest else f"though this processor has {widest}"
    console.print(f"[b]{demo.name}[/b]: {demo.doc}; target {target.name}, {which}", highlight=False, soft_wrap=True)
    report = _run(demo, target.machine, folder, console)
    print_report(report, console)
    film = folder / f"{demo.name}.html"
    with step(console, "drawing"):
        look(demo.program, target.machine, demo.plan(target.machine), film)
    print_rows([("to look at", str(film))], console)
    return report.passed


def step(console: Console, what: str) -> AbstractContextManager[object]:
    """Says on a terminal what is done."""
    return console.status(what) if console.is_terminal else nullcontext()


def _run(demo: Demo, machine: Machine, folder: Path, console: Console) -> Report:
    with step(console, "scheduling"):
        proc, schedule_seconds = timed(lambda: schedule(demo.plan(machine), demo.program))
    with step(console, "compiling"):
        kernel, compile_seconds = timed(lambda: jit(proc, machine))
        files = write_c([proc], demo.name, folder).files
    with step(console, "checking against NumPy"):
        errors = check(demo, kernel)
    with step(console, "timing"):
        speed = measure(demo, kernel) if all(e.passed for e in errors) else None
    return Report(demo, rewrites(proc), schedule_seconds, compile_seconds, errors, speed, files)


def print_report(r: Report, console: Console) -> None:
    """Print what a demonstration found, a line each."""
    checked = f"{len(r.errors)} shapes checked against NumPy"
    rows = [
        ("rewrites applied", str(r.rewrites)),
        ("schedule time", f"{r.schedule_seconds:.2f} s"),
        ("compile time", f"{r.compile_seconds:.2f} s"),
        ("largest error", f"{r.worst.ratio:.2g} of the bound, at {_text(r.worst.shape)}; {checked}"),
    ]
    if r.speed is not None:
        ratio = r.speed.ours / r.speed.blas
        rows += [
            ("this kernel", f"{r.speed.ours:.1f} GFLOP/s at {_text(r.demo.bench_shape)}, one thread"),
            ("BLAS", f"{r.speed.blas:.1f} GFLOP/s, one thread; this kernel does {ratio:.2f} times that"),
            ("that is", r.demo.rival),
        ]
    print_rows([*rows, *(("wrote", str(file)) for file in r.files)], console)


def print_rows(rows: Iterable[tuple[str, str]], console: Console) -> None:
    """Print labels and values, a line each."""
    for label, value in rows:
        console.print(Text.assemble((f"  {label:18}", "dim"), value), soft_wrap=True)


def _text(shape: Shape) -> str:
    return " x ".join(map(str, shape))
