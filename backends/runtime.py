"""The C around a procedure that Python calls, and what it reports: no memory, no stack, no value.
 It remembers of the process whether OpenMP's threads ran.

The C is in `exo_jit.h` and `exo_jit.c`. The entry point returns a status; `load` makes it an exception.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .arguments import Entry, entry
from .c import CModule
from .toolchain import CacheError, build_object, stack_frames
from .toolchain import build as build_library

FOLDER = Path(__file__).parent
HEADER = "exo_jit.h"
FLAGS = ("-std=gnu11", "-O2", "-fvisibility=hidden")
"""Flags of the C compiler besides those that a procedure needs: procedures call each other, not other libraries."""

_FREE_STACK = 2**14
"""What C code may take of the stack unasked, as any function of the C library does."""
_SPARE_STACK = 2**16
"""What is left for library functions that the code calls."""


class Library(NamedTuple):
    """A compiled procedure, and the bytes of the stack that a call takes."""

    path: Path
    stack: int


def build(
    name: str,
    module: CModule,
    code: str,
    flags: Sequence[str],
    host: Sequence[str] = (),
    command: tuple[str, ...] = (),
) -> Library:
    """The library of a module, whose C text is `code`, with an entry point for Python; see `toolchain.build`."""
    omp = [f for f in flags if f == "-fopenmp"]
    header = (FOLDER / HEADER).read_text()
    own = (FOLDER / "exo_jit.c").read_text().replace(f'#include "{HEADER}"\n', header)
    rest = build_object("exo_jit", own, (*FLAGS, *omp), command)
    source = f"{header}\n{code}\n{_entry_point(entry(module.functions[0]))}"
    path = build_library(name, source, (*FLAGS, *flags), host, (rest,), command)
    return Library(path, stack_use(source, stack_frames(path)))


def _entry_point(entry: Entry) -> str:
    """What stands after the code. The call is a function of its own: a function takes all of its stack at once."""
    params = ", ".join(entry.params) or "void"
    declared = f"int exo_entry({params})"
    visible = '__attribute__((visibility("default")))'
    return f"{entry.text}\n{visible} {declared};\n{declared} {{\n    EXO_GUARDED({entry.call})\n}}\n"


def stack_use(code: str, frames: Mapping[str, int]) -> int:
    """The bytes of the stack that the last function of a C text takes with what it calls. Callees stand first. What
    `frames` has and the text does not define counts as called by it."""
    taken: dict[str, int] = {}
    last = ""
    for m in _FUNCTION.finditer(code):
        last = m[1]
        callees = set(_NAME.findall(m[0])) & taken.keys()
        taken[last] = frames.get(last, 0) + max((taken[f] for f in callees), default=0)
    return taken[last] + sum(size for f, size in frames.items() if f not in taken)


class _Threads:
    """Whether threads of OpenMP ran in this process, and whether it was forked from one where they did: those threads
    are not there any more, but libgomp would wait for them."""

    ran = False
    lost = False

    @classmethod
    def forked(cls) -> None:
        """What a child does first."""
        cls.lost = cls.lost or cls.ran


os.register_at_fork(after_in_child=_Threads.forked)


def _alone_after_fork(f: Callable[..., None], set_threads: Callable[[int], object]) -> Callable[..., None]:
    """`f`, which uses OpenMP, but in one thread where the threads were lost. That number is the calling thread's."""

    def run(*values: object) -> None:
        if _Threads.lost:
            set_threads(1)
        _Threads.ran = True
        f(*values)

    return run


_FUNCTION = re.compile(r"^[\w ()]*?\b(exo_\w+)\([^;{}]*\) \{\n(?:.*\n)*?\}$", re.MULTILINE)
_NAME = re.compile(r"\bexo_\w+")


def load(library: Library, types: Sequence[type], name: str) -> Callable[..., None]:
    """The entry point of a library as a function. It raises `MemoryError` where there is too little, and
    `ArithmeticError` where the code was stopped: at a quotient by zero, or a config field that grows too large."""
    path, taken = library
    try:
        loaded = ctypes.CDLL(str(path))
        f: Any = loaded.exo_entry
        needed, found, wanted = (
            ctypes.c_int64.in_dll(loaded, v) for v in ("exo_stack_needed", "exo_stack_found", "exo_wanted")
        )
    except (OSError, AttributeError, ValueError) as e:
        raise CacheError(f"the compiled code {path} can't be loaded ({e}); delete the file and try again") from e
    needed.value = min(taken, 2**62) + _SPARE_STACK if taken > _FREE_STACK else 0

    def check(status: int) -> None:
        if status == 1:
            raise MemoryError(
                f"{name}: there is no memory for a buffer of {wanted.value:,} bytes; arrays that it writes may hold"
                " part of the result"
            )
        if status == 3:
            text = ctypes.c_char_p.in_dll(loaded, "exo_why").value or b""
            raise ArithmeticError(f"{name}: {text.decode()}; arrays that it writes may hold part of the result")
        if status == 2:
            raise MemoryError(
                f"{name}: its buffers in DRAM_STACK and in registers take {taken:,} bytes of the stack, and a thread"
                f" that runs it has {max(found.value, 0):,} left; move one to DRAM with set_memory, or allow more:"
                " `ulimit -s`, threading.stack_size, for parallel loops OMP_STACKSIZE"
            )

    f.argtypes = list(types)
    f.restype = check
    threads = getattr(loaded, "omp_set_num_threads", None)  # of libgomp, where the code has parallel loops
    return f if threads is None else _alone_after_fork(f, threads)
