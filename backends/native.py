"""Procedures as Python functions on NumPy arrays, by the system's C compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from .arguments import ArrayPlan, ControlPlan, Plan, ValuePlan, entry, plans, shown
from .c import PRIVATE, BackendError, CModule, compile
from .cpu import features
from .evaluate import Values, evaluate
from .indices import check_data, on_data, taken
from .kernel import (
    Cell,
    Expr,
    ExternCall,
    Machine,
    Proc,
    Read,
    ReadConfig,
    StrideExpr,
    Sym,
    Var,
    has_cells,
    print_expr,
    walk,
)
from .runtime import Library, build, load
from .toolchain import CacheError, CompileError, NoCompilerError, ToolchainError, UnsupportedTargetError

FLAGS = ("-std=gnu11", "-O3", "-fno-math-errno", "-ffp-contract=fast", "-fopenmp-simd")
"""Sums are not reassociated: what the schedule says is what runs. A product that feeds a sum may be
fused with it, which only drops a rounding."""

Array = np.ndarray[Any, np.dtype[Any]]


class _Checked(NamedTuple):
    """What the arguments of a call looked like, and what follows: the values to pass (addresses
    missing) and, for each array, its position among the arguments and that of its address among the
    values, how to get the address, and which bytes it spans, relative to that."""

    signature: list[object]
    values: list[Any]
    arrays: list[tuple[int, int, Callable[[Array], int], int, int]]
    known: Values


class BoundCall:
    """A call of a compiled procedure on fixed arguments: `call()` makes it again."""

    __slots__ = ("_check", "_run", "arguments")

    def __init__(
        self, run: Callable[[], None], arguments: tuple[Any, ...], check: Callable[[], None] | None = None
    ) -> None:
        self._run = run
        self._check = check
        self.arguments = arguments

    def __call__(self) -> None:
        if self._check is not None:  # the data that indices are taken from may be other data now
            self._check()
        self._run()


class JitFunction:
    """A compiled procedure. Call it with the procedure's arguments, by position or by name: ints for
    sizes and indices, numbers for single values that are only read, arrays for the rest (an array of
    one element for a single value that is written). Results are written into the arrays.

    Raises `ValueError`, naming the argument, if one doesn't have the dtype, shape, strides or
    writability that the procedure declares, if an assertion doesn't hold, or if an array that is
    written shares memory with another argument; `MemoryError` if there is no memory for a buffer, or too
    little stack; `ArithmeticError` if an integer is divided by zero, or a config field grows beyond 64 bits.
    """

    def __init__(self, proc: Proc, module: CModule, library: Library) -> None:
        self.proc = proc
        self.module = module
        self.library = library.path
        self._function = module.functions[0]
        self._plans = plans(self._function)
        self._entry = load(library, entry(self._function).types, proc.name())
        # where arrays and numbers stand among the arguments, and numbers among the values passed
        at = _positions(self._plans)
        self._arrays = tuple(i for i, p in enumerate(self._plans) if isinstance(p, ArrayPlan))
        self._controls = {i: p for i, p in enumerate(self._plans) if isinstance(p, ControlPlan)}
        self._numbers = tuple((i, at[i], p) for i, p in enumerate(self._plans) if isinstance(p, ValuePlan))
        self._pairs = tuple(
            (a, b)
            for a, b in combinations(range(len(self._arrays)), 2)
            if self._writes(a) or self._writes(b)
        )
        self._on_data = on_data(proc.tree)
        about = taken(self._on_data)
        self._indices = tuple((a.sym, i) for i, a in enumerate(proc.tree.args) if a.sym in about)
        self._last: _Checked | None = None
        self.__name__ = proc.name()
        self.__doc__ = str(proc)

    def __repr__(self) -> str:
        return f"<compiled {self.proc.name()}: {self.library}>"

    def __call__(self, *args: Any, **named: Any) -> None:
        if named or len(args) != len(self._plans):
            args = self._bound(args, named)
        self._entry(*self._values(args))

    def bind(self, *args: Any, **named: Any) -> BoundCall:
        """The call on these arguments, checked once, to be made many times: what then remains of a
        call's cost in Python is that of one foreign call.

        The arrays are kept alive. Numbers are those given here; arrays are read and written anew by each call.
        """
        args = self._bound(args, named)
        run, last = partial(self._entry, *self._values(args)), self._last
        check = partial(self._check_data, args, last.known) if self._on_data and last is not None else None
        return BoundCall(run, args, check)

    def _check_data(self, args: tuple[Any, ...], known: Values) -> None:
        """Check what is asserted of the data that indices are taken from."""
        data = {sym: args[i] for sym, i in self._indices if isinstance(self._plans[i], ArrayPlan)}
        for sym, i in self._indices:
            plan = self._plans[i]
            if isinstance(plan, ValuePlan):
                data[sym] = plan.value(args[i])
        check_data(self.proc.tree, self._on_data, Values(known.controls, known.strides, data))

    def _values(self, args: tuple[Any, ...]) -> list[Any]:
        """What to pass to C, if the arguments are right."""
        signature = self._signature(args)
        last = self._last
        if last is None or last.signature != signature:
            last = self._check(args, signature)
            self._last = last
        if self._on_data:
            self._check_data(args, last.known)
        values = last.values.copy()
        for i, at, plan in self._numbers:
            values[at] = plan.value(args[i])
        begins: list[int] = []
        ends: list[int] = []
        for i, at, address_of, lo, hi in last.arrays:
            values[at] = address = address_of(args[i])
            begins.append(address + lo)
            ends.append(address + hi)
        for a, b in self._pairs:
            if begins[a] < ends[b] and begins[b] < ends[a]:
                self._refuse_overlap(args, a, b)
        return values

    # -- checks ---------------------------------------------------------------------------------

    def _plan(self, array: int) -> ArrayPlan:
        plan = self._plans[self._arrays[array]]
        assert isinstance(plan, ArrayPlan)
        return plan

    def _writes(self, array: int) -> bool:
        return self._plan(array).written

    def _bound(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order."""
        names = [a.sym.name for a in self.proc.tree.args]
        if len(args) > len(names):
            raise ValueError(f"{self.proc.name()} takes {len(names)} arguments ({', '.join(names)}), not {len(args)}")
        given = dict(zip(names, args, strict=False))
        for name, value in named.items():
            if name not in names or name in given:
                fault = "is given twice" if name in given else f"is none of {', '.join(names)}"
                raise ValueError(f"{self.proc.name()}: argument {name} {fault}")
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise ValueError(f"{self.proc.name()}: argument {missing[0]} is missing")
        return tuple(given[name] for name in names)

    def _signature(self, args: tuple[Any, ...]) -> list[object]:
        """All that the checks look at, save addresses and single values."""
        out: list[object] = []
        for i in self._controls:
            a = args[i]
            # only ints are compared as they are: an array of one integer could change later
            out.append(a if type(a) is int else (type(a), self._controls[i].value(a)))
        for i in self._arrays:
            a = args[i]
            if not isinstance(a, np.ndarray):
                raise ValueError(f"{self._plans[i].name} is an array, not {shown(a)}")
            out += (a.dtype, a.shape, a.strides, a.flags.num)
        return out

    def _check(self, args: tuple[Any, ...], signature: list[object]) -> _Checked:
        """Check the arguments against the plans and the assertions."""
        controls: dict[Sym, int] = {}
        for plan, a in zip(self._plans, args, strict=True):
            if isinstance(plan, ControlPlan):
                controls[plan.sym] = plan.value(a)
        strides: dict[Sym, tuple[int, ...]] = {}
        values: list[Any] = []
        arrays: list[tuple[int, int, Callable[[Array], int], int, int]] = []
        for i, (plan, a) in enumerate(zip(self._plans, args, strict=True)):
            if isinstance(plan, ControlPlan):
                values.append(controls[plan.sym])
            elif isinstance(plan, ValuePlan):
                values.append(None)
            else:
                strides[plan.sym] = plan.strides(a, Values(controls, strides))
                simple = a.flags.writeable and a.flags.c_contiguous
                arrays.append((i, len(values), _address_of_buffer if simple else _address_of_array, *_span(a)))
                values += [None, *(strides[plan.sym] if plan.window else ())]
        known = Values(controls, strides)
        for p in self.proc.tree.preds:
            if not has_cells(p) and not evaluate(p, known):
                raise ValueError(self._broken(p, known))
        return _Checked(signature, values, arrays, known)

    def _broken(self, p: Expr, values: Values) -> str:
        names = {a.sym: a.sym.name for a in self.proc.tree.args}
        shown: dict[str, int] = {}
        for _, n in walk(p):
            if isinstance(n, Var):
                shown[names[n.sym]] = values.controls[n.sym]
            elif isinstance(n, StrideExpr):
                shown[f"stride({names[n.sym]}, {n.dim})"] = values.strides[n.sym][n.dim]
        what = ", ".join(f"{k} = {v}" for k, v in shown.items())
        return f"{self.proc.name()}: argument values break the assertion {print_expr(p, names)}: {what}"

    def _refuse_overlap(self, args: tuple[Any, ...], a: int, b: int) -> None:
        """The byte ranges meet; strided arrays may still be disjoint."""
        first, second = (self._plan(a), self._plan(b)) if self._writes(a) else (self._plan(b), self._plan(a))
        try:
            shared = np.shares_memory(args[self._arrays[a]], args[self._arrays[b]], max_work=100_000)  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            shared = True
        if shared:
            raise ValueError(f"{first.name} is written, but shares memory with argument {second.sym}; copy one")


def _address_of_buffer(a: Array) -> int:
    """The address of a writable, contiguous array: three times as fast as the general way."""
    return ctypes.addressof(ctypes.c_char.from_buffer(a))  # type: ignore[arg-type]


def _address_of_array(a: Array) -> int:
    address: int = a.__array_interface__["data"][0]
    return address


def _span(a: Array) -> tuple[int, int]:
    """The bytes that an array spans, relative to its first element."""
    steps = [s * (n - 1) for s, n in zip(a.strides, a.shape, strict=True)]
    return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + a.itemsize


def _positions(plan: Sequence[Plan]) -> tuple[int, ...]:
    positions: list[int] = []
    at = 0
    for p in plan:
        positions.append(at)
        at += 1 + (len(p.shape) if isinstance(p, ArrayPlan) and p.window else 0)
    return tuple(positions)


def check_assertions(proc: Proc) -> None:
    """Raise a `BackendError` for an assertion that can't be checked when Python calls: a call looks at sizes, indices
    and strides, once for all calls on the same arrays."""
    names = {a.sym: a.sym.name for a in proc.tree.args}
    for p in proc.tree.preds:
        nodes = [n for _, n in walk(p, into=lambda n: not isinstance(n, Cell))]
        if any(isinstance(n, ReadConfig) for n in nodes):
            raise BackendError(f"{proc.name()}: an assertion reads config state, which Python callers can't see")
        if any(isinstance(n, Read | ExternCall) for n in nodes):
            raise BackendError(
                f"{proc.name()}: the assertion {print_expr(p, names)} asks for data, which is not looked at when Python"
                " calls; write the procedure without it, or with an `if`"
            )


def jit(
    proc: Proc, machine: Machine | None = None, flags: Sequence[str] = (), compiler: Sequence[str] = ()
) -> JitFunction:
    """Compile a procedure for the processor at hand.

    `machine` gives compiler flags (without one, all of the processor's features are used); `flags` are
    added. `compiler` is the command of the C compiler, else that of `CC` or the system's. The result is
    kept on disk, by content, in the user's cache directory or in `EXO_STRAT_CACHE_DIR`. A procedure that
    uses config state keeps it between calls.

    Raises a `BackendError` if the procedure can't be compiled; `UnsupportedTargetError` if this
    processor can't run it; `NoCompilerError`, `CompileError` or `CacheError` for what these say.
    """
    if not isinstance(proc, Proc):
        raise TypeError(f"jit compiles a procedure, not {proc!r}; schedule(op, p) gives one")
    module = compile([proc], "exo_jit", prefix=PRIVATE)
    check_assertions(proc)
    wanted = dict.fromkeys((*module.cpu_flags, *(machine.cpu_flags if machine else ())))
    missing = [f for f in wanted if f not in features()]
    if missing:
        raise UnsupportedTargetError(f"{proc.name()} needs a processor with {', '.join(missing)}, which this one lacks")
    chosen = machine.cc_flags if machine else ("-march=native",)
    omp = ("-fopenmp",) if module.parallel else ()
    all_flags = tuple(dict.fromkeys((*FLAGS, *chosen, *module.cc_flags, *omp, *flags)))
    host = sorted(features()) if any("native" in f for f in all_flags) else []
    return JitFunction(proc, module, build(proc.name(), module, module.text, all_flags, host, tuple(compiler)))


__all__ = [
    "CacheError",
    "CompileError",
    "JitFunction",
    "NoCompilerError",
    "ToolchainError",
    "UnsupportedTargetError",
    "jit",
]
