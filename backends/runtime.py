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

import numpy as np

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
    objects: Sequence[Path] = (),
) -> Library:
    """The library of a module, whose C text is `code`, with an entry point for Python; see `toolchain.build`. All that
    is in `objects` counts as called by it."""
    omp = [f for f in flags if f == "-fopenmp"]
    header = (FOLDER / HEADER).read_text()
    own = (FOLDER / "exo_jit.c").read_text().replace(f'#include "{HEADER}"\n', header)
    rest = build_object("exo_jit", own, (*FLAGS, *omp), command)
    source = f"{header}\n{code}\n{_entry_point(entry(module.functions[0]))}"
    path = build_library(name, source, (*FLAGS, *flags), host, (rest, *objects), command)
    frames = {f: size for made in (path, *objects) for f, size in stack_frames(made).items()}
    return Library(path, stack_use(source, frames))


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
        f"{entry.text}\nstatic int exo_run({params}) {{\n    EXO_GUARDED(exo_stack_needed, {entry.call})\n}}\n"
        f"{_visible(f'exo_entry({params})')} {{\n    return exo_run({', '.join(p.name for p in entry.params)});\n}}\n"
        f"{_like_last(entry, arrays, at, again)}"
        f"{_visible(f'exo_again({varying})')} {{\n"
        f"    void *found[] = {{ {', '.join([*arrays, 'NULL'])} }};\n"
        f"    if (!exo_alike({len(arrays)}, known + {len(at)}, found)) return EXO_UNLIKE;\n"
        f"    void *const held = exo_release();\n    const int status = exo_run({again});\n"
        "    exo_acquire(held);\n    return status;\n}\n"
    )


def _like_last(entry: Entry, arrays: Sequence[str], at: Mapping[str, int], again: str) -> str:
    """`exo_like_last`: such a call with the arguments as Python has them, in a tuple. A truth value, and what C gets
    in another form, are never like the last ones."""
    by_argument = {p.name: p for p in entry.params if "_" not in p.name}
    count = len(by_argument)
    lines = [f"    if (known == NULL || exo_arguments(given) != {count}) return EXO_UNLIKE;"]
    for k, p in enumerate(by_argument.values()):
        value = f"exo_argument(given, {k})"
        if p.kind is ctypes.c_void_p:
            continue
        if p.kind in (ctypes.c_double, ctypes.c_float) and p.ctype in ("double", "float"):
            lines += [f"    double n_{p.name};", f"    if (!exo_number({value}, &n_{p.name})) return EXO_UNLIKE;"]
            lines += [f"    const {p.ctype} {p.name} = n_{p.name};"]
        elif p.fixed and p.kind is not ctypes.c_bool:
            last = f"(int64_t)known[{at[p.name]}]"
            if p.kind is ctypes.c_uint64:  # whose upper half is negative there, as a number that it can't hold is
                lines += [f"    if ({last} < 0) return EXO_UNLIKE;"]
            lines += [f"    if (!exo_same_integer({value}, {last})) return EXO_UNLIKE;"]
        else:
            lines += ["    return EXO_UNLIKE;"]
            break
    places = [f"exo_argument(given, {k})" for k, name in enumerate(by_argument) if name in arrays]
    body = "\n".join(lines)
    if lines[-1] == "    return EXO_UNLIKE;":
        return f"{_visible('exo_like_last(const int64_t *known, void *given)')} {{\n    return EXO_UNLIKE;\n}}\n"
    return (
        f"{_visible('exo_like_last(const int64_t *known, void *given)')} {{\n{body}\n"
        f"    void *found[] = {{ {', '.join([*places, 'NULL'])} }};\n"
        f"    if (!exo_same_arrays({len(arrays)}, known + {len(at)}, found)) return EXO_UNLIKE;\n"
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


def stack_needed(taken: int) -> int:
    """How many bytes of the stack must be there for code that takes so many; 0 for what any function may take."""
    return min(taken, 2**62) + _SPARE_STACK if taken > _FREE_STACK else 0


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
    like_last: Callable[[int | None, tuple[object, ...]], int] | None
    """`again` of the arguments as Python has them, with the address of `known`: 0 if it made the call, `UNLIKE` if they
    aren't alike or not of exactly the classes `int`, `float` and `ndarray`, else what `check` wants. None where this
    Python or NumPy lays out objects in an unknown way."""
    check: Callable[[int], bool]
    """Raises what a status means."""

    def __init__(self, library: Library, params: Sequence[Param], name: str) -> None:
        path, taken = library
        try:
            free, held = ctypes.CDLL(str(path)), ctypes.PyDLL(str(path))
            call, again, self._look = free.exo_entry, held.exo_again, held.exo_look
            needed, found, wanted = (
                ctypes.c_int64.in_dll(free, v) for v in ("exo_stack_needed", "exo_stack_found", "exo_wanted")
            )
            why = ctypes.c_char_p.in_dll(free, "exo_why")
            functions = [ctypes.cast(getattr(ctypes.pythonapi, f), ctypes.c_void_p).value for f in _OF_PYTHON]
            free.exo_python((ctypes.c_void_p * len(functions))(*functions))
            like_last = held.exo_like_last
        except (OSError, AttributeError, ValueError) as e:
            raise CacheError(f"the compiled code {path} can't be loaded ({e}); delete the file and try again") from e
        needed.value = stack_needed(taken)

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
        self.check = check
        like_last.argtypes = [ctypes.c_void_p, ctypes.py_object]
        like_last.restype = ctypes.c_int
        self.like_last = like_last if threads is None and _is_as_expected(held) else None
        self._fixed = [i for i, p in enumerate(params) if p.fixed]
        self.call = call if threads is None else _alone_after_fork(call, threads)
        self.again = again if threads is None else _alone_after_fork(again, threads)

    def known(self, values: Sequence[Any], arrays: Sequence[tuple[Array, Span]]) -> Integers:
        """What `again` wants to know of a call with these values and arrays."""
        sizes = [_HEAD + 2 * a.ndim for a, _ in arrays]
        fixed = [values[i] for i in self._fixed]
        known = (ctypes.c_int64 * (len(fixed) + sum(sizes)))(*fixed)
        at = len(fixed)
        for (a, span), size in zip(arrays, sizes, strict=True):
            known[at + 4 : at + _HEAD] = [*span, id(a.dtype), _state(a)]
            self._look(a.__array_struct__, ctypes.addressof(known) + at * ctypes.sizeof(ctypes.c_int64))
            at += size
        return known


_HEAD = 9
"""What `exo_jit.c` notes of an array before its extents."""
UNLIKE = 4
"""The status of a call whose arguments are not like those of the last one."""


def _state(a: Array) -> int:
    """NumPy's own bits for what a call asks of an array."""
    return a.flags.c_contiguous | a.flags.aligned << 8 | a.flags.writeable << 10


_LARGEST = 80
"""How many bytes of an array are looked at."""


def _is_as_expected(library: ctypes.PyDLL) -> bool:
    """Whether arrays look in memory as `exo_jit.c` has it: found out on a few of them."""
    look = library.exo_layout
    look.argtypes, look.restype = [ctypes.py_object, ctypes.c_int, ctypes.c_void_p], None
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    if np.ndarray.__basicsize__ < _LARGEST or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    for a in (np.zeros((2, 3), np.float32), np.zeros((3, 4, 5), np.int8)[::2, :, ::-1], frozen, np.zeros(())):
        seen = (ctypes.c_int64 * (5 + 2 * a.ndim))()
        address = a.__array_interface__["data"][0]
        want = [id(np.ndarray), address, a.ndim, id(a.dtype), _state(a), *a.shape, *a.strides]
        for deep in (0, 1):
            look(a, deep, ctypes.addressof(seen))
            if [*seen][: 5 if not deep else None] != want[: 5 if not deep else None]:
                return False
    library.exo_types.argtypes, library.exo_types.restype = [ctypes.c_void_p] * 3, None
    library.exo_types(id(np.ndarray), id(int), id(float))
    return True


_OF_PYTHON = (
    *("PyCapsule_GetPointer", "PyEval_SaveThread", "PyEval_RestoreThread", "PyTuple_GetItem", "PyTuple_Size"),
    *("PyLong_AsLongLongAndOverflow", "PyFloat_AsDouble"),
)
