"""Procedures that are called in a process of their own: on this processor, or in an emulator of another one.

Each array ends where a page does, and the pages before and after it can't be touched. So a read or write beyond the end
of an array ends the process, and the answer for that call says so.
"""

from __future__ import annotations

import ctypes
import platform
import shutil
import signal
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from .arguments import DTYPES, ArrayPlan, Entry, Plan, ValuePlan, entry, plans
from .bf16 import from_bf16, to_bf16
from .c import CModule, compile
from .c.bfloat import BF16
from .c.program import Function
from .cpu import features
from .kernel import Machine, Proc
from .toolchain import CompileError, UnsupportedTargetError, compiler


class Array(Protocol):
    """An array with its cells in memory order: element `idx` is `cells[offset + sum(idx * strides)]`."""

    @property
    def cells(self) -> Sequence[object]: ...
    @property
    def offset(self) -> int: ...
    @property
    def strides(self) -> tuple[int, ...]: ...


Given: TypeAlias = "float | Array"
Call: TypeAlias = tuple[int, Sequence[Given]]
"""Which of the procedures, and its arguments: numbers for control arguments, arrays for data."""
Left: TypeAlias = "list[list[float]] | str"
"""The cells of each data argument after a call; or in words how the call went wrong."""

PACKAGES = {"aarch64": "gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user"}

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MARK = 0xa5 };
typedef struct { char *pages; int64_t size, bytes; } Block;

static void next(void *to, size_t n) { if (fread(to, 1, n, stdin) != n) exit(1); }

// A block from the input, which ends where a page does, between two pages that can't be touched.
static Block block(void) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    int64_t bytes;
    next(&bytes, sizeof bytes);
    const int64_t size = (bytes + page - 1) / page * page;
    char *p = mmap(NULL, (size_t)(size + 2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit(1);
    memset(p + page, MARK, (size_t)size);
    next(p + page + size - bytes, (size_t)bytes);
    if (mprotect(p, (size_t)page, PROT_NONE) || mprotect(p + page + size, (size_t)page, PROT_NONE)) exit(1);
    return (Block){ p + page, size, bytes };
}

static void *first(Block b, int64_t offset) { return b.pages + b.size - b.bytes + offset; }

// The block to the output, after a byte that says whether what stands before it is as it was.
static void back(Block b) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    bool same = true;
    for (int64_t i = 0; i < b.size - b.bytes; i++) same = same && (unsigned char)b.pages[i] == MARK;
    fputc(same, stdout);
    fwrite(first(b, 0), 1, (size_t)b.bytes, stdout);
    munmap(b.pages - page, (size_t)(b.size + 2 * page));
}
"""


class Isolated:
    """Compiled procedures. Call it with a list of calls; it answers each."""

    def __init__(self, functions: Sequence[Function], command: Sequence[str], folder: tempfile.TemporaryDirectory[str]):
        self._plans = [plans(f) for f in functions]
        self._command = command
        self._folder = folder  # removed with this

    def __call__(self, calls: Sequence[Call]) -> list[Left]:
        answers: list[Left] = []
        while len(answers) < len(calls):
            given = b"".join(self._packed(c) for c in calls[len(answers) :])
            ran = subprocess.run(self._command, input=given, capture_output=True, check=False)
            answers += self._read(calls[len(answers) :], ran.stdout)
            if len(answers) < len(calls):
                answers.append(_ended(ran.returncode, ran.stderr.decode(errors="replace")))
        return answers

    def _packed(self, call: Call) -> bytes:
        k, args = call
        return struct.pack("=i", k) + b"".join(map(_bytes, self._plans[k], args))

    def _read(self, calls: Sequence[Call], out: bytes) -> Iterator[Left]:
        """The answers to the calls that came to their end."""
        at = 0
        for k, args in calls:
            left, outside = list[list[float]](), False
            for plan, a in zip(self._plans[k], args, strict=True):
                if isinstance(plan, ValuePlan):
                    left.append(_numbers(_array(a)))
                if not isinstance(plan, ArrayPlan):
                    continue
                cells = len(_array(a).cells)
                if at + 1 + cells * plan.dtype.itemsize > len(out):
                    return
                outside = outside or not out[at]
                found = np.frombuffer(out, plan.dtype, cells, at + 1)
                left.append((from_bf16(found) if plan.scalar == BF16 else found).tolist())
                at += 1 + cells * plan.dtype.itemsize
            yield "it wrote before the beginning of an argument" if outside else left


def isolated(procs: Sequence[Proc], machine: Machine) -> Isolated:
    """Procedures of different names, compiled for a machine into one program, which runs here or in qemu-user.

    Raises `UnsupportedTargetError` where neither can be, and says what to install; `CompileError` and what `compile`
    raises.
    """
    module = compile(procs, "isolated")
    functions = {f.tree.name: f for f in module.functions}
    ordered = [functions[p.name()] for p in procs]
    command, emulator = _tools(module, machine)
    folder = tempfile.TemporaryDirectory(prefix="exo-isolated-")
    source, program = Path(folder.name, "isolated.c"), Path(folder.name, "isolated")
    source.write_text(_program(module, ordered))
    build = [*command, str(source), "-o", str(program), "-lm"]
    made = subprocess.run(build, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise CompileError(f"the C compiler refused the instructions of {machine}\n{made.stderr}")
    return Isolated(ordered, (*emulator, str(program)), folder)


def _tools(module: CModule, machine: Machine) -> tuple[list[str], list[str]]:
    """The command of the C compiler, less the source; and that of the emulator, if one is needed."""
    another = module.architecture not in ("", platform.machine())
    missing = set() if another else {*module.cpu_flags, *machine.cpu_flags} - features()
    if missing:
        raise UnsupportedTargetError(f"{machine} needs a processor with {', '.join(sorted(missing))}")
    command = module.compile_command(Path(), ("-O1", *machine.cc_flags), ("cc",) if another else compiler())
    emulator = [f"qemu-{module.architecture}"] if another else []
    for tool in (command[0], *emulator):
        if shutil.which(tool) is None:
            install = PACKAGES.get(module.architecture, "a cross compiler and qemu-user")
            raise UnsupportedTargetError(f"{machine} needs {tool}, which can't be found; Debian has {install}")
    # to a program, not an object file
    return [f for f in command if f not in ("-c", str(Path()))] + ["-static"] * another, emulator


def _program(module: CModule, functions: Sequence[Function]) -> str:
    """The module, and a program that makes the calls of its input: a number of a function and its arguments each."""
    cases = "\n".join(_case(k, entry(f), plans(f)) for k, f in enumerate(functions))
    switch = "\n".join(f"        case {k}: case{k}(); break;" for k in range(len(functions)))
    main = (
        "int main(void) {\n    int32_t k;\n    while (fread(&k, sizeof k, 1, stdin) == 1) {\n"
        f"        switch (k) {{\n{switch}\n        }}\n        fflush(stdout);\n    }}\n    return 0;\n}}\n"
    )
    return f"{module.text}{_MAIN}\n{cases}\n{main}"


def _case(k: int, called: Entry, takes: Sequence[Plan]) -> str:
    """A C function that reads the arguments of one function, calls it, and writes its arrays."""
    lines, after = list[str](), list[str]()
    for i, plan in enumerate(takes):
        if isinstance(plan, ArrayPlan):
            lines.append(f"Block b{i} = block(); int64_t o{i}; next(&o{i}, 8); void *a{i} = first(b{i}, o{i});")
            after.append(f"back(b{i});")
            lines += [f"int64_t a{i}_{d}; next(&a{i}_{d}, 8);" for d in range(len(plan.shape) * plan.window)]
        else:
            param = next(p for p in called.params if p.name == f"a{i}")
            lines.append(f"{param}; next(&a{i}, sizeof a{i});")
    body = "\n    ".join([*lines, f"{called.call};", *after])
    return f"{called.text}static void case{k}(void) {{\n    {body}\n}}\n".replace("exo_call(", f"exo_call{k}(")


def _array(given: Given) -> Array:
    assert not isinstance(given, int | float), "an array is needed"
    return given


def _numbers(a: Array) -> list[float]:
    return [float(v) if isinstance(v, int | float | Fraction) else 0.0 for v in a.cells]


def _bytes(plan: Plan, given: Given) -> bytes:
    """An argument as the program reads it."""
    if isinstance(plan, ArrayPlan):
        a = _array(given)
        numbers = np.array(_numbers(a))
        cells = (to_bf16(numbers) if plan.scalar == BF16 else numbers.astype(plan.dtype)).tobytes()
        place = struct.pack("=q", a.offset * plan.dtype.itemsize)
        strides = struct.pack(f"={len(a.strides)}q", *a.strides) if plan.window else b""
        return struct.pack("=q", len(cells)) + cells + place + strides
    if isinstance(plan, ValuePlan):
        passed = {"f16": "f32", "bf16": "f64"}.get(plan.scalar.name, plan.scalar.name)
        return np.array([plan.value(x) for x in _numbers(_array(given))]).astype(DTYPES[passed]).tobytes()
    return bytes((ctypes.c_bool if plan.kind == "bool" else ctypes.c_int64)(plan.value(given)))


def _ended(status: int, errors: str) -> str:
    """Why a call did not come to its end."""
    if status in (-signal.SIGSEGV, -signal.SIGBUS):
        return "it read or wrote beyond the end of an argument"
    if status == -signal.SIGILL:
        return "the processor has no such instruction"
    return f"the program ended with status {status} {errors.strip()}".strip()
