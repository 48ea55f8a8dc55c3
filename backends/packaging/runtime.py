"""Calls of compiled functions on NumPy arrays, whose arguments are checked first.

`exo-strat package` puts this file into the wheels that it makes. It needs NumPy and Python's own library only. It is a
part of exo-strat, and under its MIT license.
"""

from __future__ import annotations

import ctypes
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

_KINDS: Mapping[str, tuple[type[np.generic], type]] = {
    "bf16": (np.uint16, ctypes.c_double), "f16": (np.float16, ctypes.c_double),
    "f32": (np.float32, ctypes.c_float), "f64": (np.float64, ctypes.c_double),
    "i8": (np.int8, ctypes.c_int8), "i16": (np.int16, ctypes.c_int16),
    "i32": (np.int32, ctypes.c_int32), "i64": (np.int64, ctypes.c_int64),
    "u8": (np.uint8, ctypes.c_uint8), "u16": (np.uint16, ctypes.c_uint16),
    "u32": (np.uint32, ctypes.c_uint32), "u64": (np.uint64, ctypes.c_uint64),
}  # fmt: skip
"""What elements of a precision are to NumPy, and as what C gets a single one. bfloat16 is kept in `uint16`: these are
the upper halves of `float32`."""

_DTYPES = {name: np.dtype(kind) for name, (kind, _) in _KINDS.items()}
_Array = np.ndarray[Any, np.dtype[Any]]
Seen = dict[str, int]
"""What a condition has looked at, by its text."""


@dataclass(frozen=True)
class Given:
    """What a call was given: its integers, the strides of its arrays in elements, and its arrays and numbers."""

    numbers: Mapping[str, int]
    strides: Mapping[str, tuple[int, ...]]
    data: Mapping[str, Any] = field(default_factory=dict)


# -- parameters ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Number:
    """A size, index, int, stride or bool; numbers beyond `most` would overflow."""

    name: str
    kind: str
    most: int

    def value(self, given: object, where: str) -> int:
        """The number to pass."""
        if isinstance(given, bool | np.bool_) or self.kind == "bool":
            if self.kind != "bool" or not isinstance(given, bool | np.bool_):
                raise ValueError(f"{where} is a {self.kind}, not {reprlib.repr(given)}")
            return bool(given)
        try:
            n = index(given)  # type: ignore[arg-type]
        except TypeError as e:
            raise ValueError(f"{where} is an integer ({self.kind}), not {reprlib.repr(given)}") from e
        if self.kind == "size" and n < 1:
            raise ValueError(f"{where} is a size, so at least 1; it is {n}")
        if abs(n) > self.most:
            raise ValueError(f"{where} = {n} is beyond {self.most}: integers made of it would not fit")
        return n


@dataclass(frozen=True)
class Value:
    """A single number that is only read: one of Python's, or an array of one element."""

    name: str
    precision: str

    def value(self, given: object, where: str) -> float | int:
        """The number to pass."""
        if self.precision == "bf16" and isinstance(given, np.ndarray | np.generic) and given.dtype == np.uint16:
            given = (np.asarray(given).astype(np.uint32) << 16).view(np.float32)
        number = given.item() if isinstance(given, np.ndarray | np.generic) and given.size == 1 else given
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"{where} is one number ({self.precision}), not {_shown(given)}")
        if self.precision[0] in "bf":
            try:
                return float(number)
            except OverflowError as e:
                raise ValueError(f"{where} is an {self.precision}, and {reprlib.repr(number)} is too large") from e
        limits = np.iinfo(_DTYPES[self.precision])
        if number != number // 1 or not limits.min <= number <= limits.max:
            raise ValueError(f"{where} is an {self.precision}, which can't be {number}")
        return int(number)


@dataclass(frozen=True)
class Array:
    """A tensor, a window, or a single number that is written. A window may have any strides, other arrays are
    C-contiguous."""

    name: str
    precision: str
    shape: Callable[[Given], tuple[int, ...]]
    rank: int
    window: bool
    written: bool

    def strides(self, a: _Array, known: Given, where: str) -> tuple[int, ...]:
        """The strides in elements, if the array is as it must be."""
        dtype = _DTYPES[self.precision]
        if a.dtype != dtype:
            how = " (bf16: the upper halves of float32)" if self.precision == "bf16" else ""
            raise ValueError(f"{where} must be {dtype}{how}, but is {a.dtype}")
        want = self.shape(known)
        if a.shape != want and (want or a.size != 1):
            what = f"have shape {want}, but has" if want else "be one element, but has shape"
            raise ValueError(f"{where} must {what} {a.shape}")
        if self.written and not a.flags.writeable:
            raise ValueError(f"{where} is written, but the array is read-only")
        if not a.flags.aligned:
            raise ValueError(f"{where} is not aligned for {dtype}; pass a copy")
        if not self.window and not a.flags.c_contiguous:
            what = "a C-contiguous array: it gets the result" if self.written else "np.ascontiguousarray(..)"
            raise ValueError(f"{where} is a dense tensor, so C-contiguous; pass {what}")
        return self._window_strides(a, where) if want else ()

    def _window_strides(self, a: _Array, where: str) -> tuple[int, ...]:
        item = a.itemsize
        if any(s % item for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
            raise ValueError(f"{where} has strides {a.strides}, no multiples of its {item}-byte elements")
        strides: list[int] = []
        dense = 1
        for n, s in zip(reversed(a.shape), reversed(a.strides), strict=True):
            # the stride of a single element means nothing, and NumPy leaves it arbitrary
            strides.append(s // item if n > 1 else dense)
            dense = abs(strides[-1]) * n
        found = tuple(reversed(strides))
        if self.written and _overlaps_itself(a.shape, found):
            why = "some of its elements share memory" if a.size else "has no elements: an extent is 0"
            raise ValueError(f"{where} is written, but {why}")
        return found


def _overlaps_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements may share memory: no, if each stride steps over all inner dimensions."""
    reach = 0
    for stride, n in sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if stride <= reach:
            return True
        reach += stride * (n - 1)
    return False


def _plain(given: Any, where: str) -> Any:
    """An argument, of an array of a class of its own the elements: such a class may tell other things of itself than
    what C would find, and of a masked array some elements don't count."""
    if type(given) is np.ndarray or not isinstance(given, np.ndarray):
        return given
    if isinstance(given, np.ma.MaskedArray):
        raise ValueError(f"{where} is a masked array, and masks would be ignored; pass its .filled(..) or .data")
    return given.view(np.ndarray)


def _shown(given: object) -> str:
    if isinstance(given, np.ndarray):
        return f"an array of shape {given.shape}"
    return f"{type(given).__name__} {reprlib.repr(given)}"


def _ctypes_of(p: Number | Value | Array) -> tuple[type, ...]:
    """As what C gets an argument."""
    if isinstance(p, Number):
        return (ctypes.c_bool if p.kind == "bool" else ctypes.c_int64,)
    if isinstance(p, Value):
        return (_KINDS[p.precision][1],)
    return (ctypes.c_void_p, *(ctypes.c_int64,) * (p.rank * p.window))


# -- conditions ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """What must hold of arguments: its text, and a function that gives None where it holds, else what it looked at. One
    `on_data` is about the elements of arrays."""

    text: str
    broken: Callable[[Given], Seen | None]
    on_data: bool = False


def within(v: Given, name: str, lo: int, hi: int) -> Seen | None:
    """The first element that is not in range."""
    data = v.data[name]
    if lo <= int(data.min()) and int(data.max()) < hi:
        return None
    faults = np.asarray([not lo <= int(n) < hi for n in data.flat])
    return _at(data, name, int(np.flatnonzero(faults)[0]))


def rising(v: Given, name: str) -> Seen | None:
    """The first element that is less than the one before."""
    data = v.data[name]
    falls = np.flatnonzero(data[1:] < data[:-1])
    return {**_at(data, name, int(falls[0])), **_at(data, name, int(falls[0]) + 1)} if falls.size else None


def distinct(v: Given, name: str) -> Seen | None:
    """Two elements that are equal."""
    data = v.data[name]
    flat = data.reshape(-1)
    order = np.argsort(flat, kind="stable")
    same = np.flatnonzero(flat[order[1:]] == flat[order[:-1]])
    if not same.size:
        return None
    k = int(same[0])
    return {**_at(data, name, int(order[k])), **_at(data, name, int(order[k + 1]))}


def _at(data: _Array, name: str, flat: int) -> Seen:
    place = tuple(int(k) for k in np.unravel_index(flat, data.shape))
    return {f"{name}{list(place)}": int(data[place])}


# -- functions ----------------------------------------------------------------------------------------


class Library:
    """A compiled library. Raises `ImportError` if it can't be loaded, or has no code for this processor."""

    def __init__(self, path: Path, name: str, wanted: str) -> None:
        try:
            self.c = ctypes.CDLL(str(path))
        except OSError as e:
            raise ImportError(f"{name}: the compiled library {path} can't be loaded: {e}") from e
        chosen = getattr(self.c, f"{name}_isa")
        chosen.restype = ctypes.c_char_p
        found = chosen()
        if found is None:
            raise ImportError(f"{name} is compiled for processors with {wanted}; this one lacks some of it")
        self.instruction_set: str = found.decode()

    def check(self, status: int, name: str) -> None:
        """Raises what a status means."""
        partly = "arrays that it writes may hold part of the result"
        if status == 1:
            raise MemoryError(f"{name}: there is no memory for a buffer of {self._number('wanted'):,} bytes; {partly}")
        if status == 2:
            raise MemoryError(
                f"{name}: its buffers may take {self._number('wanted'):,} bytes of the stack, and a thread that"
                f" runs it has {max(self._number('stack_found'), 0):,} left; allow more: `ulimit -s`,"
                " threading.stack_size, for parallel loops OMP_STACKSIZE"
            )
        if status:
            why = ctypes.c_char_p.in_dll(self.c, "exo_why").value or b"it was stopped"
            raise ArithmeticError(f"{name}: {why.decode()}; {partly}")

    def _number(self, name: str) -> int:
        return ctypes.c_int64.in_dll(self.c, f"exo_{name}").value


class Function:
    """A compiled function: what it takes, and what must hold of it."""

    def __init__(
        self,
        library: Library,
        name: str,
        parameters: Sequence[Number | Value | Array],
        conditions: Sequence[Condition] = (),
    ) -> None:
        self._library, self._name = library, name
        self._parameters = tuple((p, f"{name}: argument {p.name}") for p in parameters)
        self._shapely = tuple(c for c in conditions if not c.on_data)
        self._on_data = tuple(c for c in conditions if c.on_data)
        arrays = [(k, p) for k, p in enumerate(parameters) if isinstance(p, Array)]
        self._pairs = tuple((a, b) for a, b in combinations(arrays, 2) if a[1].written or b[1].written)
        self._c = getattr(library.c, f"exo_python_{name}")
        self._c.argtypes = [t for p in parameters for t in _ctypes_of(p)]
        self._c.restype = ctypes.c_int

    def __call__(self, *args: Any) -> None:
        """Check the arguments and make the call."""
        args = tuple(_plain(a, where) for (_, where), a in zip(self._parameters, args, strict=True))
        numbers: dict[str, int] = {}
        for (p, where), a in zip(self._parameters, args, strict=True):
            if isinstance(p, Number):
                numbers[p.name] = p.value(a, where)
            elif isinstance(p, Array) and not isinstance(a, np.ndarray):
                raise ValueError(f"{where} is an array, not {_shown(a)}")
        strides: dict[str, tuple[int, ...]] = {}
        data: dict[str, Any] = {}
        known, passed = Given(numbers, strides, data), list[Any]()
        for (p, where), a in zip(self._parameters, args, strict=True):
            if isinstance(p, Number):
                passed.append(numbers[p.name])
            elif isinstance(p, Value):
                passed.append(p.value(a, where))
                data[p.name] = passed[-1]
            else:
                strides[p.name] = p.strides(a, known, where)
                data[p.name] = a
                passed += [a.__array_interface__["data"][0], *(strides[p.name] if p.window else ())]
        for c in (*self._shapely, *self._on_data):
            found = c.broken(known)
            if found is not None:
                what = ", ".join(f"{text} = {value}" for text, value in found.items())
                raise ValueError(f"{self._name}: argument values break the assertion {c.text}: {what}")
        self._check_apart(args)
        self._library.check(self._c(*passed), self._name)

    def _check_apart(self, args: Sequence[Any]) -> None:
        """No array that is written shares memory with another."""
        for (i, first), (k, second) in self._pairs:
            if np.may_share_memory(args[i], args[k]):
                try:
                    shared = np.shares_memory(args[i], args[k], max_work=100_000)  # type: ignore[arg-type]
                except np.exceptions.TooHardError:
                    shared = True
                if shared:
                    written, other = (first, second) if first.written else (second, first)
                    what = f"argument {written.name} is written, but shares memory with argument {other.name}"
                    raise ValueError(f"{self._name}: {what}; copy one")
