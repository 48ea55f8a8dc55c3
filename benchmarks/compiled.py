"""Whether compiled code computes what the interpreter says: many procedures in one C program, watched by sanitizers,
or in an emulator; and whether compilers agree on it.

Each array is a block on the heap of exactly its size, and what an input leaves out holds a number that nobody
expects. Results are compared where the interpreter has a value; what lies between the elements of a window stays.
Numbers are small and whole, so that single precision is exact; where they are not whole, a little may be lost.
"""

from __future__ import annotations

import os
import platform
import re
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from shutil import which

from backends import BackendError
from backends.c import CModule, compile
from backends.c.names import field_name, spelled
from backends.c.types import c_type
from exo_strat import Proc, rename
from exo_strat.interp import Array, Outcome, run
from exo_strat.ir.nodes import Binary, Call, ExternCall, ProcDef
from exo_strat.ir.types import Control, Scalar, Tensor, bf16
from exo_strat.ir.walk import is_control, walk
from exo_strat.testing import Inputs, samples
from exo_strat.testing.bounded import is_mixed, run_bounded
from exo_strat.testing.inputs import config_fields
from exo_strat.testing.sparse import sparsest

LARGEST = 2**20
"""Whole numbers up to this one, and what they are made of, are exact in single precision."""
LARGEST_BF16 = 2**8
"""The same of bf16."""
CLOSE = 1e-4
"""What may be lost of numbers that are not whole, by the size of the result."""
CLOSE_BF16 = 2**-6
"""The same where some are stored as bf16."""
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
CALLS = 3
"""How many inputs each procedure is run on."""

WATCH = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
THREADS = ("-O1", "-g", "-fopenmp", "-fsanitize=thread")


HERE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())


@dataclass(frozen=True)
class Build:
    """A way to compile: the command, its flags, whether only parallel code is, for which processors, and what runs
    the result."""

    name: str
    command: str
    flags: tuple[str, ...]
    parallel: bool = False
    architecture: str = HERE
    emulator: tuple[str, ...] = ()

    def takes(self, c: Case) -> bool:
        """Whether a case is compiled in this way."""
        return (c.module.parallel or not self.parallel) and self.architecture == (c.module.architecture or HERE)


BUILDS = (
    Build("gcc, address and undefined behaviour", "gcc", (*WATCH, "-fopenmp")),
    Build("clang, threads", "clang", THREADS, parallel=True),
    Build("Neon", "aarch64-linux-gnu-gcc", ("-O2", "-static"), architecture="aarch64", emulator=("qemu-aarch64",)),
)


@cache
def builds() -> tuple[Build, ...]:
    """The ways that this machine has."""
    return tuple(b for b in BUILDS if all(map(which, (b.command, *b.emulator))) and _works(b))


def _works(b: Build) -> bool:
    try:
        return _program(b, {"main": "int main(void) { return 0; }\n"}).returncode == 0
    except CompileFailed:
        return False


class CompileFailed(AssertionError):
    """The C compiler refuses what the backend made."""


class Different(AssertionError):
    """Compiled code that computes something else, or that a sanitizer stopped."""


@dataclass(frozen=True)
class Case:
    """A procedure, its C, and runs of it with what they leave."""

    p: Proc
    module: CModule
    runs: tuple[tuple[Inputs, Outcome], ...]


def case(p: Proc) -> Case | None:
    """A procedure with inputs, or None if the backend refuses it or no run of it has an exact meaning."""
    p = rename.direct(p, "entry")
    module = _module(p)
    if module is None:
        return None
    most = LARGEST_BF16 if "bf16" in module.text else LARGEST
    found = tuple(_runs(p, partial(is_whole if module.architecture or _decides(p.tree) else _small, most=most)))
    return Case(p, module, found) if found else None


def compiles(p: Proc) -> bool:
    """Whether the backend takes a procedure."""
    return _module(rename.direct(p, "entry")) is not None


def _module(p: Proc) -> CModule | None:
    try:
        return compile([p])
    except BackendError:
        return None


def _runs(p: Proc, fits: Callable[[object], bool]) -> Iterator[tuple[Inputs, Outcome]]:
    inputs = samples(p)
    for k, given in enumerate(inputs[:: max(1, len(inputs) // CALLS)][:CALLS]):
        if k % 2:
            given = sparsest(p.tree, given) or given
        done = run(p, given.args, given.configs)
        if done.trap is not None or is_mixed(p.tree) or run_bounded(p.tree, given, strict=True).trap is not None:
            continue
        if all(map(fits, (*done.outputs.values(), *done.configs.values()))):
            yield given, done


def _decides(tree: ProcDef) -> bool:
    """Whether something depends on a comparison of data, there or in what is called."""
    return any(
        (isinstance(n, Binary) and n.op in COMPARISONS and not is_control(n.lhs))
        or (isinstance(n, ExternCall) and n.f.name == "select")
        or (isinstance(n, Call) and _decides(n.f.tree))
        for _, n in walk(tree)
    )


def is_whole(value: object, most: int = LARGEST) -> bool:
    """Whether all of a result is whole numbers that single precision holds, or was never written."""
    if isinstance(value, tuple):
        return all(is_whole(x, most) for x in value)
    return value is None or (isinstance(value, int) and abs(value) <= most)


def _small(value: object, most: int) -> bool:
    if isinstance(value, tuple):
        return all(_small(x, most) for x in value)
    return value is None or abs(value) <= most  # type: ignore[arg-type]


# -- C ------------------------------------------------------------------------------------------------

UNEXPECTED = 113
"""What a cell holds that was never written."""


_WIDE = """\
static double wide(uint16_t x) {  // of bf16, which is the upper half of a float
    const uint32_t bits = (uint32_t)x << 16;
    float held;
    memcpy(&held, &bits, 4);
    return held;
}"""


def unit(c: Case, k: int) -> str:
    """The C text of a case, with a function `chain_K` that makes its runs and prints what they leave."""
    name = f"chain_{k}"
    text = re.sub(r" entry(_admits)?\(", rf" {name}_entry\1(", c.module.text)
    lines = ["#include <stdio.h>", "#include <stdlib.h>", text, _WIDE, f"void {name}(void) {{"]
    for given, _ in c.runs:
        lines += ["    {", *_call(c, f"{name}_entry", given), "    }"]
    return "\n".join([*lines, "}", ""])


def _call(c: Case, entry: str, given: Inputs) -> Iterator[str]:
    (function,), passed = c.module.functions, list[str]()
    for field in config_fields(c.p.tree):
        state = f"exo_cfg_{spelled(field.config.name)}"
        if re.search(rf"}} {state}\b", c.module.source):
            value = given.configs[f"{field.config.name}.{field.field}"]
            yield f"        {state}.{field_name(field.field)} = {int(value)};"  # type: ignore[call-overload]
    shown = list[str]()
    for n, (a, value) in enumerate(zip(c.p.tree.args, given.args.values(), strict=True)):
        if isinstance(a.type, Control):
            passed.append(str(int(value)))  # type: ignore[call-overload]
            continue
        assert isinstance(value, Array)
        data = function.data[a.sym]
        t, cells = c_type(data.scalar), [_literal(UNEXPECTED if x is None else x, data.scalar) for x in value.cells]
        yield f"        {t} *a{n} = malloc({len(cells)} * sizeof({t}));"
        yield f"        memcpy(a{n}, ({t}[]){{ {', '.join(cells)} }}, {len(cells)} * sizeof({t}));"
        read = f"{'wide' if data.scalar == bf16 else '(double)'}(a{n}[i])"
        shown.append(f'        for (int i = 0; i < {len(cells)}; i++) printf("%.17g\\n", {read});')
        shown.append(f"        free(a{n});")
        if isinstance(a.type, Tensor) and a.type.window:
            const = "" if n in function.written else "c"
            strides = ", ".join(map(str, value.strides))
            struct = f"struct exo_win_{data.rank}{data.scalar.name}{const}"
            passed.append(f"({struct}){{ a{n} + {value.offset}, {{ {strides} }} }}")
        else:
            passed.append(f"a{n} + {value.offset}")
    yield f"        {entry}({', '.join(passed)});"
    yield from shown


def _literal(x: int | Fraction, at: Scalar) -> str:
    """A number in C; one of bf16 by its bits."""
    return str(struct.unpack("<I", struct.pack("<f", x))[0] >> 16) if at == bf16 else str(x)


def _main(count: int) -> str:
    calls = [f'    printf("@{k}\\n"); fflush(stdout); chain_{k}();' for k in range(count)]
    heads = [f"void chain_{k}(void);" for k in range(count)]
    return "\n".join(["#include <stdio.h>", *heads, "int main(void) {", *calls, "    return 0;", "}", ""])


def _program(b: Build, texts: Mapping[str, str], more: Iterable[str] = ()) -> subprocess.CompletedProcess[str]:
    """Compiles some files together and runs them."""
    with tempfile.TemporaryDirectory() as scratch:
        sources = [Path(scratch, f"{name}.c") for name in texts]
        for source, text in zip(sources, texts.values(), strict=True):
            source.write_text(text)
        made = Path(scratch, "main")
        flags = ["-std=gnu11", "-w", "-fwrapv", "-include", "string.h", *b.flags, *dict.fromkeys(more)]
        done = subprocess.run(
            [b.command, *flags, "-o", str(made), *map(str, sources), "-lm"], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise CompileFailed(done.stderr[:3000])
        quiet = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1", "OMP_NUM_THREADS": "3"}
        env = {**os.environ, **quiet, "OMP_MAX_ACTIVE_LEVELS": "1"}
        return subprocess.run([*b.emulator, made], capture_output=True, text=True, check=False, env=env)


# -- comparing ----------------------------------------------------------------------------------------


def compare(cases: Sequence[Case], b: Build) -> None:
    """Asserts that compiled procedures leave what the interpreter says.

    Raises `Different` or `CompileFailed` with the procedure.
    """
    cases = list(filter(b.takes, cases))
    if not cases:
        return
    units = {f"u{k}": unit(c, k) for k, c in enumerate(cases)}
    try:
        done = _program(b, {"main": _main(len(cases)), **units}, (f for c in cases for f in c.module.cc_flags))
    except CompileFailed as e:
        bad = next((c for k, c in enumerate(cases) if f"u{k}.c" in str(e)), cases[0])
        raise CompileFailed(f"{b.name} refuses this:\n{bad.p}\n{e}") from None
    parts = [block.splitlines()[1:] for block in done.stdout.split("@")[1:]]
    if done.returncode != 0:
        bad = cases[max(0, len(parts) - 1)]
        raise Different(f"{b.name} stops with {done.returncode}:\n{bad.p}\n{done.stderr[:3000]}")
    for c, lines in zip(cases, parts, strict=True):
        wrong = _difference(c, [float(x) for x in lines])
        if wrong and not _twice_as_wide(c, b):
            raise Different(f"{b.name}: {wrong}\n{c.p}")


def _twice_as_wide(c: Case, b: Build) -> bool:
    """Whether all is right in double precision: then it was single precision that lost something."""
    if c.module.architecture:  # instructions have one precision
        return False
    text = unit(c, 0).replace("float", "double")
    done = _program(b, {"main": _main(1), "u0": text})
    return done.returncode == 0 and not _difference(c, [float(x) for x in done.stdout.split()[1:]])


def _difference(c: Case, numbers: Sequence[float]) -> str:
    """What of the cells of all runs, in order, is not as it should be."""
    rest, close = iter(numbers), CLOSE_BF16 if "bf16" in c.module.text else CLOSE
    for given, done in c.runs:
        for name, value in given.args.items():
            if not isinstance(value, Array):
                continue
            got = [next(rest) for _ in value.cells]
            want = [float(UNEXPECTED) if x is None else float(x) for x in value.cells]
            for at, x in zip(value.places(), _flat(done.outputs[name]), strict=True):
                want[at] = got[at] if x is None else float(x)
            if any(abs(g - w) > close * (1 + abs(w)) for g, w in zip(got, want, strict=True)):
                return f"{name} in C: {got}, should be {want}\nwith {given}"
    return ""


def _flat(value: object) -> Iterator[int | Fraction | None]:
    if isinstance(value, tuple):
        for x in value:
            yield from _flat(x)
    else:
        yield value  # type: ignore[misc]


__all__ = [
    "BUILDS", "Build", "Case", "CompileFailed", "Different", "HERE", "builds", "case", "compare", "compiles",
    "is_whole", "unit",
]  # fmt: skip
