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
from typing import Any, NamedTuple, TypeAlias

from .arguments import Array, Entry, Param, entry
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
    """What stands after the code. The call is a function of its own: a function takes all of its stack at once.

    `exo_again` makes a call that is like one that was checked: `known` begins with the sizes, indices and strides.
    What can be seen from outside is not called from here: another library may have the name.
    """
    arrays = [p.name for p in entry.params if p.kind is ctypes.c_void_p]
    at = {name: k for k, name in enumerate(p.name for p in entry.params if p.fixed)}
    again = ", ".join(
        f"found[{arrays.index(p.name)}]" if p.name in arrays else f"known[{at[p.name]}]" if p.fixed else p.name
        for p in entry.params
    )
    params = ", ".join(map(str, entry.params)) or "void"
    varying = ", ".join(["const int64_t *known", *map(str, _varying(entry.params))])
    return (
        f"{entry.text}\nstatic int exo_run({params}) {{\n    EXO_GUARDED({entry.call})\n}}\n"
        f"{_visible(f'exo_entry({params})')} {{\n    return exo_run({', '.join(p.name for p in entry.params)});\n}}\n"
        f"{_visible(f'exo_again({varying})')} {{\n"
        f"    void *found[] = {{ {', '.join([*arrays, 'NULL'])} }};\n"
        f"    if (!exo_alike({len(arrays)}, known + {len(at)}, found)) return EXO_UNLIKE;\n"
        f"    void *const held = exo_release();\n    const int status = exo_run({again});\n"
        "    exo_acquire(held);\n    return status;\n}\n"
    )


def _visible(function: str) -> str:
    return f'\n__attribute__((visibility("protected"))) int {function};\nint {function}'


def _varying(params: Sequence[Param]) -> list[Param]:
    """What a call that is like another passes: the data values, then the arrays."""
    return sorted((p for p in params if not p.fixed), key=lambda p: p.kind is ctypes.c_void_p)


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


def _alone_after_fork(f: Callable[..., bool], set_threads: Callable[[int], object]) -> Callable[..., bool]:
    """`f`, which uses OpenMP, but in one thread where the threads were lost. That number is the calling thread's."""

    def run(*values: object) -> bool:
        if _Threads.lost:
            set_threads(1)
        _Threads.ran = True
        return f(*values)

    return run


_FUNCTION = re.compile(r"^[\w ()]*?\b(exo_\w+)\([^;{}]*\) \{\n(?:.*\n)*?\}$", re.MULTILINE)
_NAME = re.compile(r"\bexo_\w+")


Integers: TypeAlias = "ctypes.Array[ctypes.c_int64]"


class Span(NamedTuple):
    """The bytes that an array takes, relative to its address, and whether the procedure writes it."""

    first: int
    end: int
    written: bool


class Loaded:
    """The entry point of a library as functions: `call` takes all values, addresses among them.

    `again` is for calls that are like one that was checked: it takes what `known` gave, the numbers of floating point,
    and the `__array_struct__` of each array. It makes the call and returns True where the arrays look as they did
    (dtype, shape, strides, flags) and no written one may share memory; else it does nothing.

    Both raise `MemoryError` where there is too little, and `ArithmeticError` where the code was stopped: at a quotient
    by zero, or a config field that grows too large.
    """

    call: Callable[..., bool]
    again: Callable[..., bool]

    def __init__(self, library: Library, params: Sequence[Param], name: str) -> None:
        path, taken = library
        try:
            free, held = ctypes.CDLL(str(path)), ctypes.PyDLL(str(path))
            call, again, self._look = free.exo_entry, held.exo_again, held.exo_look
            needed, found, wanted = (
                ctypes.c_int64.in_dll(free, v) for v in ("exo_stack_needed", "exo_stack_found", "exo_wanted")
            )
            why = ctypes.c_char_p.in_dll(free, "exo_why")
            free.exo_python(*(ctypes.cast(getattr(ctypes.pythonapi, f), ctypes.c_void_p) for f in _OF_PYTHON))
        except (OSError, AttributeError, ValueError) as e:
            raise CacheError(f"the compiled code {path} can't be loaded ({e}); delete the file and try again") from e
        needed.value = min(taken, 2**62) + _SPARE_STACK if taken > _FREE_STACK else 0

        def check(status: int) -> bool:
            if status == 1:
                raise MemoryError(
                    f"{name}: there is no memory for a buffer of {wanted.value:,} bytes; arrays that it writes may hold"
                    " part of the result"
                )
            if status == 3:
                text = (why.value or b"").decode()
                raise ArithmeticError(f"{name}: {text}; arrays that it writes may hold part of the result")
            if status == 2:
                raise MemoryError(
                    f"{name}: its buffers in DRAM_STACK and in registers take {taken:,} bytes of the stack, and a"
                    f" thread that runs it has {max(found.value, 0):,} left; move one to DRAM with set_memory, or allow"
                    " more: `ulimit -s`, threading.stack_size, for parallel loops OMP_STACKSIZE"
                )
            return status == 0

        self._look.argtypes = [ctypes.py_object, ctypes.c_void_p]
        self._look.restype = None
        call.argtypes = [p.kind for p in params]
        again.argtypes = [
            ctypes.c_void_p,
            *(ctypes.py_object if p.kind is ctypes.c_void_p else p.kind for p in _varying(params)),
        ]
        call.restype = again.restype = check
        threads = getattr(free, "omp_set_num_threads", None)  # of libgomp, where the code has parallel loops
        self._fixed = [i for i, p in enumerate(params) if p.fixed]
        self.call = call if threads is None else _alone_after_fork(call, threads)
        self.again = again if threads is None else _alone_after_fork(again, threads)

    def known(self, values: Sequence[Any], arrays: Sequence[tuple[Array, Span]]) -> Integers:
        """What `again` wants to know of a call with these values and arrays."""
        sizes = [7 + 2 * a.ndim for a, _ in arrays]
        fixed = [values[i] for i in self._fixed]
        known = (ctypes.c_int64 * (len(fixed) + sum(sizes)))(*fixed)
        at = len(fixed)
        for (a, span), size in zip(arrays, sizes, strict=True):
            known[at + 4 : at + 7] = [*span]
            self._look(a.__array_struct__, ctypes.addressof(known) + at * ctypes.sizeof(ctypes.c_int64))
            at += size
        return known


_OF_PYTHON = ("PyCapsule_GetPointer", "PyEval_SaveThread", "PyEval_RestoreThread")
