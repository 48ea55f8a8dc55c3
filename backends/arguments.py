"""What a compiled function asks of its NumPy arguments.

Each parameter has a plan made once; a call asks the plans for the values to pass. All complaints
are `ValueError`s that name the argument.
"""

from __future__ import annotations

import ctypes
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .bf16 import from_bf16
from .c.bfloat import BF16, PRELUDE
from .c.program import Function
from .c.types import c_type, integer_range, window_struct
from .evaluate import Values, evaluate
from .kernel import Control, Expr, Scalar, Sym, Tensor

DTYPES = {
    "bf16": np.uint16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip
CTYPES: dict[str, type[ctypes._SimpleCData[float]] | type[ctypes._SimpleCData[int]]] = {
    "bf16": ctypes.c_double, "f16": ctypes.c_double, "f32": ctypes.c_float, "f64": ctypes.c_double,
    "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
}  # fmt: skip


BY_VALUE = {"bf16": "double", "f16": "double"}
"""As what C gets a number that `ctypes` has no type for: what Python has, so that it is rounded once."""

Array = np.ndarray[Any, np.dtype[Any]]


def plain(given: Any, name: str) -> Any:
    """An argument, of an array of a class of its own the elements: such a class may tell other things of itself than
    what C would find. Raises `ValueError` for a masked array, some of whose elements don't count."""
    if type(given) is np.ndarray or not isinstance(given, np.ndarray):
        return given
    if isinstance(given, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, and masks would be ignored; pass its .filled(..) or .data")
    return given.view(np.ndarray)


@dataclass(frozen=True)
class ControlPlan:
    """A size, index, int, stride or bool."""

    name: str
    sym: Sym
    kind: str
    most: int

    def value(self, given: object) -> int:
        """The number to pass."""
        if isinstance(given, bool | np.bool_) or self.kind == "bool":
            if self.kind != "bool" or not isinstance(given, bool | np.bool_):
                raise ValueError(f"{self.name} is a {self.kind}, not {reprlib.repr(given)}")
            return bool(given)
        try:
            n = index(given)  # type: ignore[arg-type]
        except TypeError as e:
            raise ValueError(f"{self.name} is an integer ({self.kind}), not {reprlib.repr(given)}") from e
        if self.kind == "size" and n < 1:
            raise ValueError(f"{self.name} is a size, so at least 1; it is {n}")
        if abs(n) > self.most:
            end = self.most if n > 0 else -self.most
            raise ValueError(f"{self.name} = {n} is beyond {end}: integers made of it would not fit")
        return n


@dataclass(frozen=True)
class ValuePlan:
    """A single data value that is only read: a Python number or an array of one element."""

    name: str
    scalar: Scalar

    def value(self, given: object) -> float | int:
        """The number to pass."""
        if self.scalar == BF16 and isinstance(given, np.ndarray | np.generic) and given.dtype == np.uint16:
            given = from_bf16(given)
        number = given.item() if isinstance(given, np.ndarray | np.generic) and given.size == 1 else given
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"{self.name} is one number ({self.scalar}), not {shown(given)}")
        if self.scalar.is_float:
            try:
                return float(number)
            except OverflowError as e:
                raise ValueError(f"{self.name} is an {self.scalar}, and {reprlib.repr(number)} is too large") from e
        lo, hi = integer_range(self.scalar)
        if number != number // 1 or not lo <= number <= hi:
            raise ValueError(f"{self.name} is an {self.scalar}, which can't be {number}")
        return int(number)


@dataclass(frozen=True)
class ArrayPlan:
    """A tensor, a window, or a single value that is written (an array of one element)."""

    name: str
    sym: Sym
    dtype: np.dtype[np.generic]
    shape: tuple[Expr, ...]
    window: bool
    written: bool
    scalar: Scalar

    def strides(self, given: Array, values: Values) -> tuple[int, ...]:
        """The strides in elements, if the array is as the procedure wants it."""
        if given.dtype != self.dtype:
            how = " (bf16: see backends.bf16)" if self.scalar == BF16 else ""
            raise ValueError(f"{self.name} must be {self.dtype}{how}, but is {given.dtype}")
        want = tuple(evaluate(e, values) for e in self.shape)
        single = not want and given.size == 1
        if given.shape != want and not single:
            what = f"have shape {want}, but has" if want else "be one element, but has shape"
            raise ValueError(f"{self.name} must {what} {given.shape}")
        if self.written and not given.flags.writeable:
            raise ValueError(f"{self.name} is written, but the array is read-only")
        if not given.flags.aligned:
            raise ValueError(f"{self.name} is not aligned for {self.dtype}; pass a copy")
        if not self.window and not given.flags.c_contiguous:
            what = "a C-contiguous array: it gets the result" if self.written else "np.ascontiguousarray(..)"
            raise ValueError(f"{self.name} is a dense tensor, so C-contiguous; pass {what}")
        return () if not want else self._window_strides(given)

    def _window_strides(self, given: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> tuple[int, ...]:
        item = given.itemsize
        if any(s % item for s, n in zip(given.strides, given.shape, strict=True) if n > 1):
            raise ValueError(f"{self.name} has strides {given.strides}, no multiples of its {item}-byte elements")
        strides: list[int] = []
        dense = 1
        for n, s in zip(reversed(given.shape), reversed(given.strides), strict=True):
            # the stride of a single element means nothing, and NumPy leaves it arbitrary
            strides.append(s // item if n > 1 else dense)
            dense = abs(strides[-1]) * n
        if self.written and _overlaps_itself(given.shape, tuple(reversed(strides))):
            why = "some of its elements share memory" if given.size else "has no elements: an extent is 0"
            raise ValueError(f"{self.name} is written, but {why}")
        return tuple(reversed(strides))


Plan: TypeAlias = ControlPlan | ValuePlan | ArrayPlan


def shown(given: object) -> str:
    """A value in an error message."""
    if isinstance(given, np.ndarray):
        return f"an array of shape {given.shape}"
    return f"{type(given).__name__} {reprlib.repr(given)}"


def _overlaps_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements may share memory: no, if each stride steps over all inner dimensions."""
    reach = 0
    for stride, n in sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if stride <= reach:
            return True
        reach += stride * (n - 1)
    return False


def plans(f: Function) -> tuple[Plan, ...]:
    """The plan of each parameter of a function."""
    out: list[Plan] = []
    for i, a in enumerate(f.tree.args):
        name = f"{f.tree.name}: argument {a.sym}"
        if isinstance(a.type, Control):
            out.append(ControlPlan(name, a.sym, a.type.name, f.most))
            continue
        scalar, written = f.data[a.sym].scalar, i in f.written
        if isinstance(a.type, Scalar) and not written:
            out.append(ValuePlan(name, scalar))
            continue
        shape = tuple(a.type.shape) if isinstance(a.type, Tensor) else ()
        window = isinstance(a.type, Tensor) and a.type.window
        out.append(ArrayPlan(name, a.sym, np.dtype(DTYPES[scalar.name]), shape, window, written, scalar))
    return tuple(out)


class Param(NamedTuple):
    """A parameter of the C function that Python calls."""

    ctype: str
    name: str
    kind: type
    """What `ctypes` calls its type."""
    fixed: bool
    """Whether its value follows from the integers among the arguments and how the arrays look."""

    def __str__(self) -> str:
        return f"{self.ctype} {self.name}"


class Entry(NamedTuple):
    """A C function `exo_call` that takes what `ctypes` passes cheaply (numbers and addresses)."""

    text: str
    params: tuple[Param, ...]
    call: str
    """A call of it with arguments that are named as its parameters."""
    passed: str
    """What it passes on to the procedure, in the same names."""


def entry(f: Function) -> Entry:
    """The function that Python calls."""
    params: list[Param] = []
    passed: list[str] = []

    def param(ctype: str, kind: type, name: str, fixed: bool = False) -> str:
        params.append(Param(ctype, name, kind, fixed))
        return name

    for i, (plan, a) in enumerate(zip(plans(f), f.tree.args, strict=True)):
        name = f"a{i}"
        if isinstance(plan, ControlPlan):
            boolean = plan.kind == "bool"
            kind = ctypes.c_bool if boolean else ctypes.c_int64
            passed.append(param("bool" if boolean else "int64_t", kind, name, fixed=True))
        elif isinstance(plan, ValuePlan):
            by_value = BY_VALUE.get(plan.scalar.name) or c_type(plan.scalar)
            given = param(by_value, CTYPES[plan.scalar.name], name, fixed=not plan.scalar.is_float)
            value = f"exo_double_to_bf16({given})" if plan.scalar == BF16 else given
            passed.append(f"&({c_type(plan.scalar)}){{{value}}}")
        else:
            address = param("void *", ctypes.c_void_p, name)
            if plan.window:
                strides = [param("int64_t", ctypes.c_int64, f"{name}_{d}", fixed=True) for d in range(len(plan.shape))]
                struct = window_struct(f.data[a.sym].scalar, len(plan.shape), not plan.written)
                passed.append(f"(struct {struct}){{ {address}, {{ {', '.join(strides)} }} }}")
            else:
                passed.append(address)
    bfloats = any(isinstance(p, ValuePlan) and p.scalar == BF16 for p in plans(f))
    text = (f"{PRELUDE}\n" if bfloats else "") + (
        f"static __attribute__((noinline)) void exo_call({', '.join(map(str, params)) or 'void'}) {{\n"
        f"    {f.name}({', '.join(passed)});\n}}\n"
    )
    return Entry(text, tuple(params), f"exo_call({', '.join(p.name for p in params)})", ", ".join(passed))
