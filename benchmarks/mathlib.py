"""The errors and the times of `strategies.mathlib`.

    python -m benchmarks.mathlib errors [--only exp,log] [--precision f32] [--target avx2] [--samples 24]
    python -m benchmarks.mathlib times [--only exp,log] [--sleef /path/to/libsleef.so.3]

`errors` compares with the C library at a wider precision: f32 for each of its 2^32 arguments, f64 for 2^samples of
them, half of random bits and half from an interval, and powers for 2^samples pairs. `times` takes turns with libmvec
(glibc) and SLEEF, where they are found, on 4096 numbers; each figure is a median of the rounds.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median

from backends.c import compile
from backends.targets import avx2, avx512, plain_c
from benchmarks.measure import show
from exo_strat import Machine, Proc, at, proc_from_source, schedule
from strategies import std
from strategies.mathlib import NAMES, approximate_all
from strategies.mathlib.functions import NUMBERS

INTERVALS = {
    "exp": (-80.0, 80.0), "log": (0.01, 100.0), "tanh": (-4.0, 4.0), "erf": (-3.0, 3.0), "sigmoid": (-20.0, 20.0),
    "sin": (-100.0, 100.0), "cos": (-100.0, 100.0), "pow": (0.01, 100.0), "rsqrt": (0.01, 100.0),
}  # fmt: skip
"""Where functions are timed, and f64 is sampled densely."""
PAIRS = ("pow",)
"""Functions of two numbers. The second are timed from -10 to 10."""
ROUNDS, CALLS = 25, 20
COLUMNS = ("ours", "libmvec", "SLEEF u10", "SLEEF u35")
TARGETS = {m.name: m for m in (plain_c, avx2, avx512)}


class Errors(ctypes.Structure):
    _fields_ = (
        ("worst", ctypes.c_double), ("at", ctypes.c_double), ("wrong", ctypes.c_int64), ("signs", ctypes.c_int64),
        ("first_wrong", ctypes.c_double),
    )  # fmt: skip


def loop(name: str, precision: str, machine: Machine) -> Proc:
    """A loop of calls as vector code."""
    called = next((f.name for f, n in NAMES.items() if n == name), name)
    second, passed = (f"w: {precision}[n], ", "x[i], w[i]") if name in PAIRS else ("", "x[i]")
    p = proc_from_source(
        f"def ours(n: size, x: {precision}[n], {second}y: {precision}[n]):\n"
        f"    for i in seq(0, n):\n        y[i] = {called}({passed})\n"
    )
    p = schedule(approximate_all(precision), p)
    return schedule(at("for i in _: _", std.vectorize_for(machine, precision, strict=bool(machine.vec_widths))), p)


@cache
def library(name: str, precision: str, machine: Machine) -> ctypes.CDLL:
    """A function with what measures it, compiled."""
    module = compile([loop(name, precision, machine)], "mathlib")
    single, bits = precision == "f32", 512 if machine is avx512 else 256
    limit = repr(NUMBERS[precision].turns) if name in ("sin", "cos") else "INFINITY"
    wider = "" if single else "l"
    given = "ours(n, x, w, y)" if name in PAIRS else "ours(n, x, y)"
    own = {"sigmoid": f"1 / (1 + exp{wider}(-(x)))", "rsqrt": f"1 / sqrt{wider}(x)", "pow": f"pow{wider}(x, w)"}
    reference = own.get(name, f"{name}{wider}(x)")
    settings = {
        "T": "float" if single else "double", "V": f"__m{bits}{'' if single else 'd'}", "LIMIT": limit,
        "WIDE": "double" if single else "long double", "TWO": str(int(name in PAIRS)),
        "OURS(n, x, w, y)": given, "REFERENCE(x, w)": f"({reference})",
        "LEAST": "-125" if single else "-1021", "DIGITS": "24" if single else "53",
    }  # fmt: skip
    defines = "".join(f"#define {k} {v}\n" for k, v in settings.items())
    folder = Path(tempfile.mkdtemp(prefix="mathlib"))
    source = folder / "mathlib.c"
    source.write_text(module.text + defines + Path(__file__).with_suffix(".c").read_text())
    made = folder / "mathlib.so"
    flags = dict.fromkeys((*machine.cc_flags, f"-m{'avx512f' if bits == 512 else 'avx2'}", "-mfma"))
    how = ["gcc", "-O3", "-std=gnu11", *flags, "-fopenmp", "-fPIC", "-shared", "-o", str(made), str(source), "-lm"]
    subprocess.run(how, check=True)
    found = ctypes.CDLL(str(made))
    found.measured.restype = Errors
    found.measured.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_double, ctypes.c_double]
    found.nanoseconds.restype = ctypes.c_double
    found.nanoseconds.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_int]
    return found


def errors(name: str, precision: str, machine: Machine, samples: int) -> Errors:
    """The largest error over all arguments of f32, or over samples of f64."""
    count = 2**32 if precision == "f32" and name not in PAIRS else 2**samples
    found: Errors = library(name, precision, machine).measured(0, count, *INTERVALS[name])
    return found


# -- time -----------------------------------------------------------------------------------------------


@cache
def rivals(name: str, precision: str, machine: Machine, sleef: str) -> dict[str, ctypes.c_void_p]:
    """The functions of other libraries for one vector."""
    single, wide = precision == "f32", machine is avx512
    lanes, f = machine.vec_width(precision), "f" if single else ""
    stem, end = f"Sleef_{name}{f or 'd'}{lanes}", "avx512f" if wide else "avx2"
    of_glibc = f"_ZGV{'e' if wide else 'd'}N{lanes}{'vv' if name in PAIRS else 'v'}_{name}{f}"
    found = {}
    for library_name, path, symbols in (
        ("libmvec", "libmvec.so.1", {"": of_glibc}),
        ("SLEEF", sleef, {u: f"{stem}_{u}{end}" for u in ("u10", "u35")}),
    ):
        try:
            opened = ctypes.CDLL(path)
        except OSError:
            continue
        for variant, symbol in symbols.items():
            if hasattr(opened, symbol):
                found[f"{library_name} {variant}".strip()] = ctypes.cast(getattr(opened, symbol), ctypes.c_void_p)
    return found


def times(name: str, precision: str, machine: Machine, sleef: str) -> dict[str, float]:
    """Nanoseconds an element: ours, and those of others, which take turns."""
    made, others = library(name, precision, machine), rivals(name, precision, machine, sleef)
    runs = {"ours": None, **others}
    rounds: dict[str, list[float]] = {who: [] for who in runs}
    for _ in range(ROUNDS):
        for who, f in runs.items():
            rounds[who].append(made.nanoseconds(f, *INTERVALS[name], CALLS))
    return {who: median(found) for who, found in rounds.items()}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["errors", "times"])
    parser.add_argument("--only", default=",".join(INTERVALS))
    parser.add_argument("--precision", default="f32,f64")
    parser.add_argument("--target", default="avx2")
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--sleef", default="libsleef.so.3")
    given = parser.parse_args(argv)
    machine = TARGETS[given.target]
    rows: list[tuple[object, ...]] = []
    for precision in given.precision.split(","):
        for name in given.only.split(","):
            if given.what == "errors":
                e = errors(name, precision, machine, given.samples)
                wrong = f"{e.wrong}, as of {e.first_wrong!r}" if e.wrong else "0"
                rows.append((f"{name} {precision}", f"{e.worst:.3f}", f"{e.at!r}", wrong, e.signs))
                print(*rows[-1], flush=True)
            else:
                t = times(name, precision, machine, given.sleef)
                rows.append((f"{name} {precision}", *(f"{t[w]:.3f}" if w in t else "-" for w in COLUMNS)))
    if given.what == "errors":
        columns = ("function", "ulp", "at", "wrong NaN or infinity", "zeros of the other sign")
        show(f"Largest errors, in ulp, {machine.name}", columns, rows)
    else:
        show(f"ns an element, {machine.name}", ("function", *COLUMNS), rows)


if __name__ == "__main__":
    main()
