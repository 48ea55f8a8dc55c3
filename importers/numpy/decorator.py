"""`@compiled`: a NumPy function that is imported and compiled when it is first called."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from importlib.metadata import entry_points
from types import MethodType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from exo_strat import Op, Proc, SchedulingError, schedule

from ..control import Poly
from ..report import ImportRefusedError, Report
from . import kept
from .convert import Imported, argument_types, imported
from .kinds import DTYPES
from .program import Procedure
from .source import Standing, Used, all_of, changed, code_of, of_function, signature
from .translate import Returned
from .types import Type
from .waiting import waiting

P = ParamSpec("P")
R = TypeVar("R")
Plan = Op | Callable[[Proc], Proc]
Call = Callable[[tuple[object, ...]], Any]
"""A compiled function, which takes its arguments as a tuple."""


UNFUSED = ("-ffp-contract=off",)
"""NumPy rounds each product, so `x * x - y * y` is 0 where x and y are equal. Products of matrices, which are BLAS
there, are fused with their sums here, too: by instructions, which the flag is not about."""
MOST = 8
"""For how many values of its integers a function is compiled, if it is not taken for all."""


class CompiledWarning(UserWarning):
    """A function runs in NumPy: the text says why."""


def compiled(f: Callable[P, R] | None = None, *, plan: Plan | None = None) -> Any:
    """A NumPy function as a compiled one. At the first call with arguments of some types it is imported, scheduled with
    `plan`, compiled for this processor, and kept. Other sizes don't compile again; other types, numbers of dimensions,
    flags (`bool`) and extents of 1 do. What is only taken for single values of Python's integers, such as an axis, is
    compiled for each of some. What isn't taken runs in NumPy, with a warning that names line and reason.

    `plan` is an Op, or a function of procedures; without one it is the plan `numpy` of an installed package, a function
    of a machine that gives an Op: here `strategies.auto.for_numpy`.

    Arrays must be C-contiguous and not overlap, or the call runs in NumPy, with a warning. Elements are rounded as
    NumPy rounds them; sums are in another order, and data is no NaN where numbers are compared. A number outside of the
    function that changes is compiled in anew.

    >>> @compiled
    ... def scale(x, by):
    ...     x *= by
    >>> scale.__name__
    'scale'
    """
    if f is None:
        return lambda g: Compiled(g, plan)
    return Compiled(f, plan)


class Compiled(Standing, Generic[P, R]):
    """A NumPy function that is compiled when it is called; `python` is the function itself."""

    python: Callable[P, R]

    def __init__(self, f: Callable[P, R], plan: Plan | None = None) -> None:
        self.python = f
        self.plan = plan
        self._said: set[str] = set()
        self._begin()
        update_wrapper(self, f)

    def _begin(self) -> None:
        """Nothing is compiled: of the function as it is now."""
        self._signature = signature(self.python)
        self._arity = _arity(self._signature)
        self._all = all_of(self.python)
        """What the signature is of."""
        self._used: list[Used] = [code_of(self.python)]
        """What the compiled code was made of: its own text, and what it took from the program around it."""
        self._made: dict[tuple[object, ...], _Runner | None] = {}
        """The compiled code for arguments of some types; None if it isn't taken."""
        self._single: set[tuple[object, ...]] = set()
        """The types of arguments for which code is for single values of Python's integers: of other values it isn't
        taken."""
        self._last: Call | None = None
        """What the last call ran, for calls with arguments like its own."""

    def __repr__(self) -> str:
        return f"<compiled {self.python.__name__}>"

    def __get__(self, of: object, owner: type | None = None) -> Any:
        """As a method: a function of the object and the arguments. An object is no array, so it runs in NumPy, with a
        warning."""
        return self if of is None else MethodType(self, of)

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        given: tuple[object, ...] = args
        if changed(self._used):
            self._begin()
        if self._last is not None and not named and len(args) == self._arity:
            made, result = self._last(args)
            if made:
                return result  # type: ignore[no-any-return]
        if named or len(args) != self._arity:
            given = self._bound(*args, **named)
        call = self._code(given)
        if call is None:
            return self.python(*args, **named)
        try:
            found: R = call.full(given)
            self._last = call.like_last
        except ValueError as e:  # raised before anything is written: these arguments are not as the C asks for
            self._warn(str(e), 3)
            return self.python(*args, **named)
        return found

    def text(self, *args: P.args, **named: P.kwargs) -> str:
        """The Python file that is imported for such arguments."""
        return self._taken(self._bound(*args, **named), [])[0].text

    def _bound(self, *args: object, **named: object) -> tuple[object, ...]:
        """The values of all arguments, in the order of the definition: also of those that are given by name only."""
        if changed((self._all,)):
            self._begin()
        bound = self._signature.bind(*args, **named)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _taken(self, given: tuple[object, ...], used: list[Used]) -> tuple[Imported, bool]:
        """The imported function, and whether only for the values of Python's integers that are given."""
        try:
            return self._import(given, used), False
        except ImportRefusedError as refused:
            if not _integers(given):
                raise
            try:
                return self._import(given, used, single=True), True
            except ImportRefusedError:
                raise refused from None

    def _import(self, given: tuple[object, ...], used: list[Used], single: bool = False) -> Imported:
        source = of_function(self.python, used)
        types = argument_types(source, given, {})
        known = (bool, int) if single else (bool,)
        flags = {n: Type("known", value=v) for n, v in zip(types, given, strict=False) if type(v) in known}
        found = imported(source, types | flags)
        report = Report(list(found.procedure.unlike))
        if report.problems:
            raise report.refuse(source.file, source.lines)
        return found

    def _code(self, given: tuple[object, ...]) -> _Runner | None:
        """The compiled function for arguments like these; None if it isn't taken."""
        key = tuple([_key(a) for a in given])
        single = key in self._single
        key = (*key, *_integers(given)) if single else key
        if key in self._made:
            return self._made[key]
        if single and sum(k[: len(given)] == key[: len(given)] for k in self._made) >= MOST:
            self._warn(f"it is compiled for single values of its integers, and was for {MOST} of them", 4)
            return None
        made = self._make(given)
        if made is not None and made.single and not single:
            self._single.add(key)
            key = (*key, *_integers(given))
        self._made[key] = made
        return made

    def _make(self, given: tuple[object, ...]) -> _Runner | None:
        """Import and compile; None if it isn't taken."""
        try:
            with waiting(f"scheduling and compiling {self.python.__name__}"):
                found, single = self._taken(given, self._used)
                return _Runner(found, _compiled(found.proc, self.plan), list(self._signature.parameters), given, single)
        except ImportRefusedError as e:
            self._warn(str(e))
        except (ValueError, RuntimeError, SchedulingError) as e:  # the backend's and the compiler's
            self._warn(str(e).splitlines()[0])
        return None

    def _warn(self, why: str, level: int = 5) -> None:
        if why not in self._said:
            self._said.add(why)
            warnings.warn(f"{self.python.__name__} runs in NumPy: {why}", CompiledWarning, stacklevel=level)


def _arity(s: inspect.Signature) -> int:
    """With how many arguments, none by name, a call gives all of them; -1 if there is no such call."""
    named = any(p.kind is p.KEYWORD_ONLY for p in s.parameters.values())
    return -1 if named else len(s.parameters)


def _key(a: object) -> object:
    """What of an argument decides which code is made."""
    if type(a) is np.ndarray:
        return (a.dtype, tuple([e == 1 for e in a.shape])) if 1 in a.shape else (a.dtype, a.ndim)
    return (type(a), a) if a is None or isinstance(a, str | bool) else type(a)


def _integers(given: Sequence[object]) -> tuple[int, ...]:
    """Python's integers among arguments."""
    return tuple([a for a in given if type(a) is int])


def _compiled(p: Proc, plan: Plan | None) -> Callable[..., None]:
    """A procedure, scheduled and compiled. A schedule of the usual plan is kept for other processes, if it is known
    that its text means the same."""
    make: Callable[[Proc], Callable[..., None]] = partial(_backend("jit"), flags=UNFUSED)
    if plan is not None:
        return make(schedule(plan, p) if isinstance(plan, Op) else plan(p))
    usual = next(iter(entry_points(group="exo_strat.plans", name="numpy")), None)
    if usual is None:
        return make(p)
    machine = _backend("machine")()
    parts = kept.parts(p, usual.value, machine)
    found = kept.find(parts, machine)
    if found is not None:
        return make(found)
    done = schedule(usual.load()(machine), p)
    run = make(done)
    text = kept.written(done, machine)
    again = kept.read(text, machine)
    if again is not None and _c_text(make(again)) == _c_text(run) != "":
        kept.keep(parts, text)
    return run


def _c_text(run: Callable[..., None]) -> str:
    return str(getattr(getattr(run, "module", None), "text", ""))


def _backend(name: str) -> Callable[..., Any]:
    """A function of the backend, found as the command line finds it."""
    found = next(iter(entry_points(group="exo_strat.backends", name=name)), None)
    if found is None:
        raise RuntimeError(f"no backend {name} is installed: install exo-strat with pip")
    made: Callable[..., Any] = found.load()
    return made


class _Runner:
    """A compiled procedure, called with the arguments of the Python function. `like_last` makes the call only if the
    arguments are like those of the last one, for which it asks the backend, and says whether it did."""

    def __init__(
        self,
        made: Imported,
        run: Callable[..., None],
        names: list[str],
        given: Sequence[object] = (),
        single: bool = False,
    ) -> None:
        p = made.procedure
        self.single = single
        self.run = run
        self.returned = made.returned
        self.procedure = p
        self.outputs = p.outputs
        at = {n: k for k, n in enumerate(names)}
        controls = []
        word = self._words(p)
        args, compute, empty = word("args"), word("run"), word("empty")
        for name in p.controls:
            k = at.get(made.given.get(name, name), 0)
            own = f"{args}[{k}]"
            if k < len(given) and isinstance(given[k], np.integer):
                own = f"{own}.item()"
            where = next((f"{args}[{at[n]}].shape[{d}]" for n, d in _axes(made, name)), own)
            controls.append((name, where))
        lines = [f"    {name} = {where}" for name, where in controls]
        passed = list(p.controls)
        for b in p.arguments:
            place = f"{args}[{at[made.given.get(b.name, b.name)]}]"
            passed.append(f"{place}.view({word('uint8')})" if b.kind.is_bool and b.shape else place)
        for k, b in enumerate(p.outputs):
            lines += [f"    if {_python(e)} < 0: raise ValueError({_asked(p)!r})" for e in b.shape if not e.is_atom()]
            extents = ", ".join(_python(e) for e in b.shape) or "1"
            lines.append(f"    {word(f'out{k}')} = {empty}(({extents},), {word(f'dtype{k}')})")
            passed.append(word(f"out{k}"))
        after = []
        if p.outside is not None:
            out = word(f"out{p.outputs.index(p.outside)}")
            after.append(f"    if {out}[0]: raise IndexError('an index of {p.name} is outside of its array')")
        result = self._result(made.returned, at, made)
        env: dict[str, Any] = {empty: np.empty, word("uint8"): np.uint8, compute: self.run, "max": max, "min": min}
        env |= {word(f"dtype{k}"): np.dtype(DTYPES[b.kind.precision]) for k, b in enumerate(p.outputs)}
        full = [*lines, f"    {compute}({', '.join(passed)})", *after, f"    return {result}"]
        exec("\n".join([f"def call({args}):", *full]), env)
        self.full: Call = env["call"]
        self.like_last = self._like_last(given, lines, f"({''.join(f'{x}, ' for x in passed)})", [*after, result], env)

    @staticmethod
    def _words(p: Procedure) -> Callable[[str], str]:
        """How the text of a call spells its own names, which sizes and numbers don't have."""

        def word(name: str) -> str:
            while name in p.controls:
                name += "_"
            return name

        return word

    def _like_last(
        self, given: Sequence[object], lines: list[str], passed: str, end: list[str], env: dict[str, Any]
    ) -> Call | None:
        """The function that only makes calls like the last one. The backend compares what it gets: exactly arrays,
        `float` and `int`. What it doesn't see is compared here: flags, and whether what it gets as bytes are truths."""
        again = getattr(self.run, "again", None)
        plain = (np.ndarray, float, int, bool, type(None))
        if again is None or not given or any(type(v) not in plain for v in given):
            return None
        word = self._words(self.procedure)
        args, truth, more = word("args"), word("truth"), word("again")
        tests = [f"{args}[{k}] is not {v}" for k, v in enumerate(given) if v is None or isinstance(v, bool)]
        if self.single:
            ints = [(k, v) for k, v in enumerate(given) if type(v) is int]
            tests += [f"type({args}[{k}]) is not int or {args}[{k}] != {v}" for k, v in ints]
        truths = [k for k, v in enumerate(given) if isinstance(v, np.ndarray) and v.dtype == np.bool_]
        tests += [f"{args}[{k}].dtype is not {truth}" for k in truths]
        first = [f"    if {' or '.join(tests)}: return False, None"] if tests else []
        *after, result = end
        code = [f"def like_last({args}):", "  try:", *first, *lines, "    pass"]
        code += ["  except (AttributeError, IndexError, TypeError, ValueError):", "    return False, None"]
        code += [f"  if not {more}({passed}): return False, None", *(x[2:] for x in after), f"  return True, {result}"]
        env |= {more: again, truth: np.dtype(bool)}
        exec("\n".join(code), env)
        call: Call = env["like_last"]
        return call

    def _result(self, r: Returned, at: dict[str, int], made: Imported) -> str:
        """The text of what is returned."""
        word = self._words(self.procedure)
        match r.form:
            case "none":
                return "None"
            case "tuple" | "list":
                items = "".join(f"{self._result(i, at, made)}, " for i in r.items)
                return f"[{items}]" if r.form == "list" else f"({items})"
            case "argument":
                return f"{word('args')}[{at[made.given.get(r.name, r.name)]}]"
            case _:
                k = next(k for k, b in enumerate(self.outputs) if b.name == r.name)
                own = word(f"out{k}")
                out = f"{own}.view(bool)" if r.kind == "bool" else own
                if self.outputs[k].shape:
                    return out
                return f"{out}.item()" if r.weak else f"{out}[0]"


def _axes(made: Imported, size: str) -> list[tuple[str, int]]:
    """Where a size is the extent of an argument."""
    return [
        (made.given.get(b.name, b.name), d)
        for b in made.procedure.arguments
        for d, e in enumerate(b.shape)
        if e.symbol is not None and e.symbol.name == size
    ]


def _asked(p: Procedure) -> str:
    """What is said of sizes for which a result would have less than no elements."""
    return f"of its sizes not all of this holds: {', '.join(f'{a} ({why})' for a, why in p.assertions.items())}"


def _python(e: Poly) -> str:
    return e.text().replace("/", "//")
