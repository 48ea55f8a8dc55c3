"""Procedures as Python functions on NumPy arrays, by the system's C compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import addressof
from functools import partial
from itertools import combinations
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from .arguments import Array, ArrayPlan, ControlPlan, ValuePlan, entry, plain, plans, shown
from .c import PRIVATE, BackendError, CModule, compile
from .c.statements import IN_LANES
from .cpu import features
from .evaluate import Values, evaluate, seen
from .indices import check_data, on_data, taken
from .kernel import (
    Cell,
    Expr,
    ExternCall,
    Machine,
    Proc,
    Read,
    ReadConfig,
    Sym,
    has_cells,
    print_expr,
    walk,
)
from .runtime import UNLIKE, Integers, Library, Loaded, Span, build
from .toolchain import (
    KEEP_ASSEMBLY,
    CacheError,
    CompileError,
    NoCompilerError,
    ToolchainError,
    UnsupportedTargetError,
    fuses_in_turns,
)

FLAGS = ("-std=gnu11", "-O3", "-fno-math-errno", "-ffp-contract=fast", "-fopenmp-simd")
"""Sums are not reassociated: what the schedule says is what runs. A product that feeds a sum may be
fused with it, which only drops a rounding."""
UNFUSED = "-ffp-contract=off"
NO_VECTORS = ("-fno-tree-loop-vectorize", "-fno-tree-slp-vectorize")
"""For code in which gcc 12 fused products in spite of `UNFUSED`: it does so in vectors only."""

_interface = attrgetter("__array_struct__")

_ARRAYS = (np.ndarray,)
_INTEGERS = (int, np.integer, np.bool_)
_NUMBERS = (int, float, np.floating)
"""Arguments of these classes may be compared with those of the last call. Others may have another value the next time:
a size in an array, say."""


class _Checked(NamedTuple):
    """A call that was checked: the types of its arguments, its integers, what `Loaded.again` wants, its address, and
    the dtypes of the arrays, which it points to."""

    types: tuple[type, ...]
    integers: tuple[object, ...]
    known: Integers
    address: int
    dtypes: tuple[object, ...]


class BoundCall:
    """A call of a compiled procedure on fixed arguments: `call()` makes it again."""

    __slots__ = ("_check", "_run", "arguments")

    def __init__(
        self, run: Callable[[], object], arguments: tuple[Any, ...], check: Callable[[], object] | None = None
    ) -> None:
        self._run = run
        self._check = check
        self.arguments = arguments

    def __call__(self) -> None:
        if self._check is not None:  # the data that indices are taken from may be other data now
            self._check()
        self._run()


def run_of(call: BoundCall) -> Callable[[], object]:
    """The call alone, for measurements: without a look at the data that indices are taken from, which must be what was
    checked when it was bound."""
    return call._run


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
        self._loaded = Loaded(library, entry(self._function).params, proc.name())
        self._names = tuple(a.sym.name for a in proc.tree.args)
        self._again = self._loaded.again
        self._like_last = self._loaded.like_last
        self._arrays = tuple(i for i, p in enumerate(self._plans) if isinstance(p, ArrayPlan))
        floats = {i for i, p in enumerate(self._plans) if isinstance(p, ValuePlan) and p.scalar.is_float}
        self._integers = _picker(sorted({*range(len(self._plans))} - {*self._arrays} - floats))
        self._floats = _picker(sorted(floats))
        self._given = _picker(self._arrays)
        self._plain = tuple(
            _ARRAYS if isinstance(p, ArrayPlan) else _NUMBERS if i in floats else _INTEGERS
            for i, p in enumerate(self._plans)
        )
        self._pairs = tuple(
            (a, b) for a, b in combinations(range(len(self._arrays)), 2) if self._writes(a) or self._writes(b)
        )
        self._on_data = on_data(proc.tree)
        about = taken(self._on_data)
        self._indices = tuple((a.sym, i) for i, a in enumerate(proc.tree.args) if a.sym in about)
        self._last: _Checked | None = None
        self.__name__ = proc.name()
        self.__doc__ = str(proc)

    def __repr__(self) -> str:
        return f"<compiled {self.proc.name()}: {self.library}>"

    def again(self, args: tuple[Any, ...]) -> bool:
        """Make the call if the arguments are like those of the last one that was checked; whether it was made."""
        last = self._last  # which another thread may exchange
        if self._like_last is None or last is None:
            return False
        status = self._like_last(last.address, args)
        return status == 0 or (status != UNLIKE and self._loaded.check(status))

    def __call__(self, *args: Any, **named: Any) -> None:
        if named:
            args = self._bound(args, named)
        last = self._last
        if last is not None and self._like_last is not None:
            status = self._like_last(last.address, args)
            if status == 0:
                return
            if status != UNLIKE:
                self._loaded.check(status)
        if (
            last is None
            or (*map(type, args),) != last.types
            or self._integers(args) != last.integers
            or not self._again(last.known, *self._floats(args), *map(_interface, self._given(args)))
        ):
            self._call(self._bound(args, {}))

    def bind(self, *args: Any, **named: Any) -> BoundCall:
        """The call on these arguments, checked once, to be made many times: what then remains of a
        call's cost in Python is that of one foreign call.

        The arrays are kept alive. Numbers are those given here; arrays are read and written anew by each call.
        """
        args = self._bound(args, named)
        check = partial(self._check, args) if self._on_data else None
        return BoundCall(partial(self._loaded.call, *self._check(args)), args, check)

    def _call(self, args: tuple[Any, ...]) -> None:
        """A call with all checks; the next ones may be like it."""
        values = self._check(args)
        types = tuple(map(type, args))
        if not self._on_data and all(issubclass(t, plain) for t, plain in zip(types, self._plain, strict=True)):
            spans = [(args[i], Span(*_span(args[i]), self._writes(k))) for k, i in enumerate(self._arrays)]
            dtypes = tuple(args[i].dtype for i in self._arrays)
            known = self._loaded.known(values, spans)
            self._last = _Checked(types, self._integers(args), known, addressof(known), dtypes)
        self._loaded.call(*values)

    def _check_data(self, args: tuple[Any, ...], known: Values) -> None:
        """Check what is asserted of the data that indices are taken from."""
        data = {sym: args[i] for sym, i in self._indices if isinstance(self._plans[i], ArrayPlan)}
        for sym, i in self._indices:
            plan = self._plans[i]
            if isinstance(plan, ValuePlan):
                data[sym] = plan.value(args[i])
        check_data(self.proc.tree, self._on_data, Values(known.controls, known.strides, data))

    # -- checks ---------------------------------------------------------------------------------

    def _plan(self, array: int) -> ArrayPlan:
        plan = self._plans[self._arrays[array]]
        assert isinstance(plan, ArrayPlan)
        return plan

    def _writes(self, array: int) -> bool:
        return self._plan(array).written

    def _bound(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order."""
        names = self._names
        if len(args) + len(named) == len(names):
            try:  # as many as there are, and each one after those by position is named: so no other is
                return (*args, *[named[n] for n in names[len(args) :]])
            except KeyError:
                pass
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

    def _check(self, args: tuple[Any, ...]) -> list[Any]:
        """What to pass to C, if the arguments are right."""
        args = tuple(plain(a, plan.name) for plan, a in zip(self._plans, args, strict=True))
        controls: dict[Sym, int] = {}
        for plan, a in zip(self._plans, args, strict=True):
            if isinstance(plan, ControlPlan):
                controls[plan.sym] = plan.value(a)
            elif isinstance(plan, ArrayPlan) and not isinstance(a, np.ndarray):
                raise ValueError(f"{plan.name} is an array, not {shown(a)}")
        strides: dict[Sym, tuple[int, ...]] = {}
        values: list[Any] = []
        spans: list[tuple[int, int]] = []
        for plan, a in zip(self._plans, args, strict=True):
            if isinstance(plan, ControlPlan):
                values.append(controls[plan.sym])
            elif isinstance(plan, ValuePlan):
                values.append(plan.value(a))
            else:
                strides[plan.sym] = plan.strides(a, Values(controls, strides))
                address: int = a.__array_interface__["data"][0]
                first, end = _span(a)
                spans.append((address + first, address + end))
                values += [address, *(strides[plan.sym] if plan.window else ())]
        known = Values(controls, strides)
        for p in self.proc.tree.preds:
            if not has_cells(p) and not evaluate(p, known):
                raise ValueError(self._broken(p, known))
        if self._on_data:
            self._check_data(args, known)
        for a, b in self._pairs:
            if spans[a][0] < spans[b][1] and spans[b][0] < spans[a][1]:
                self._refuse_overlap(args, a, b)
        return values

    def _broken(self, p: Expr, values: Values) -> str:
        names = {a.sym: a.sym.name for a in self.proc.tree.args}
        what = ", ".join(f"{text} = {value}" for text, value in seen(p, values, names).items())
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


def _picker(at: Sequence[int]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """A function that picks these of the arguments; a slice is the fastest."""
    first = at[0] if at else 0
    return itemgetter(*at if len(at) > 1 else (slice(first, first + len(at)),))


def _span(a: Array) -> tuple[int, int]:
    """The bytes that an array spans, relative to its first element."""
    steps = [s * (n - 1) for s, n in zip(a.strides, a.shape, strict=True)]
    return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + a.itemsize


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
    added; with `-ffp-contract=off` each product is rounded, also where gcc 12 would fuse it, but for `f16`, which C may
    compute in `f32`.
    `compiler` is the command of the C compiler, else that of `CC` or the system's. The result is
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

    def built(text: str, *more: str) -> Library:
        return build(proc.name(), module, text, (*all_flags, *more), host, tuple(compiler))

    if UNFUSED not in flags:
        return JitFunction(proc, module, built(module.text))
    library = built(module.text, KEEP_ASSEMBLY)
    if fuses_in_turns(library.path):
        library = built(module.text.replace(IN_LANES, ""), *NO_VECTORS)
    return JitFunction(proc, module, library)


__all__ = [
    "CacheError",
    "CompileError",
    "JitFunction",
    "NoCompilerError",
    "ToolchainError",
    "UnsupportedTargetError",
    "jit",
]
