"""What a call from Python costs: with all checks, like the last one, also by name, bound, of a function that
`@compiled` made, and of one in a package; least of many runs, in microseconds.

python -m benchmarks.calls
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from timeit import timeit
from typing import Any

import numpy as np
import numpy.typing as npt

from backends import JitFunction, jit
from backends.packaging import package, usual_machines
from exo_strat import Proc, proc_from_source, rename, schedule
from importers.numpy import compiled

Vector = npt.NDArray[np.float32]
_RUNS, _CALLS = 200, 500


def vectors(n: int) -> Proc:
    """A procedure of a size, a number and `n` small vectors."""
    args = ", ".join(f"x{i}: f32[n]" for i in range(n))
    total = " + ".join(f"x{i}[i]" for i in range(1, n))
    loop = f"for i in seq(0, n):\n        x0[i] += a * ({total})"
    return proc_from_source(f"def sums(n: size, a: f32, {args}):\n    {loop}")


def ways(f: JitFunction, arrays: int) -> dict[str, Callable[[], object]]:
    """The ways to call it."""
    args = (4, 0.5, *(np.zeros(4, np.float32) for _ in range(arrays)))
    named = {str(a.sym): x for a, x in zip(f.proc.tree.args, args, strict=True)}
    return {
        "checked": lambda: f._call(args),
        "like the last": lambda: f(*args),
        "by name": lambda: f(**named),
        "bound": f.bind(*args),
    }


@compiled
def sums2(a: float, x: Vector, y: Vector) -> None:
    x += a * y


@compiled
def sums3(a: float, x: Vector, y: Vector, z: Vector) -> None:
    x += a * (y + z)


@compiled
def sums5(a: float, x: Vector, y: Vector, z: Vector, v: Vector, w: Vector) -> None:
    x += a * (y + z + v + w)


def packaged(counts: Iterable[int], folder: Path) -> Any:
    """A module that `exo-strat package` would make, with `sums2` and so on."""
    procs = [schedule(rename(f"sums{n}"), vectors(n)) for n in counts]
    package([(machine, procs) for machine in usual_machines()], "called", "0.1.0", folder, unpacked=True)
    sys.path.insert(0, str(folder))
    return importlib.import_module("called")


DECORATED = {2: sums2, 3: sums3, 5: sums5}


def main() -> None:
    argparse.ArgumentParser(prog="python -m benchmarks.calls", description=__doc__).parse_args()
    print("microseconds a call")
    with tempfile.TemporaryDirectory() as folder:
        measure(packaged(DECORATED, Path(folder)))


def measure(module: Any) -> None:
    """Print what calls cost, of functions with so many arrays as are decorated, and packaged."""
    for arrays, f in DECORATED.items():
        calls = ways(jit(vectors(arrays)), arrays)
        args = (0.5, *(np.zeros(4, np.float32) for _ in range(arrays)))
        calls["decorated"] = partial(f, *args)
        calls["packaged"] = partial(getattr(module, f"sums{arrays}"), 4, *args)
        least = dict.fromkeys(calls, float("inf"))
        for _ in range(_RUNS):
            for way, call in calls.items():
                least[way] = min(least[way], timeit(call, number=_CALLS))
        print(f"{arrays} arrays:", ", ".join(f"{way} {t / _CALLS * 1e6:.2f}" for way, t in least.items()))


if __name__ == "__main__":
    main()
