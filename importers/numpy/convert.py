"""From a NumPy function to a Python file with a procedure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import exo_strat
from exo_strat import FrontendError, Proc, proc_from_source, with_room

from ..externs import DEFINITIONS, externs
from ..output import module
from ..report import ImportRefusedError, Problem, Report, TooMuch
from .printing import lines
from .program import Procedure
from .source import Source, of_file, of_function, place
from .translate import Returned, translate
from .types import Type, TypeTextError, example_type, read_type

ALWAYS = (
    "arguments do not overlap in memory",
    "sizes (arguments of type `size`) are at least 1",
    "Python's own integers, and sums of 64-bit ones, fit 64 bits",
)
INSTEAD = {
    "c": "pass real and imaginary parts",
    "f": "convert it: x.astype(np.float32)",
    "m": "convert it to numbers: x.astype(np.int64)",
    "M": "convert it to numbers: x.astype(np.int64)",
}
"""What to pass in the place of an array, by the kind of its type."""
REMEDY = 'say it in an annotation, a: "f64[n, m]", or beside the function'


@dataclass(frozen=True)
class Imported:
    """An imported function: the text of the file, the procedure, what it returns, and by the names of the procedure's
    arguments those of the function's."""

    text: str
    proc: Proc
    procedure: Procedure
    returned: Returned
    given: Mapping[str, str]


def from_numpy(f: Callable[..., Any], *examples: object, **types: str) -> str:
    """The text of a Python file with a procedure for a NumPy function.

    What arguments are is said by examples, of which the type and the number of dimensions count; by texts,
    `a="f64[n, m]", k="int", alpha="float"`; or by annotations of the function that are such texts. Names in extents are
    sizes: those of one name are equal. Constants outside of the function have the values that they have now.

    Raises `ImportRefusedError` with all that isn't taken.

    >>> def scale(x, a):
    ...     x *= a
    >>> print(from_numpy(scale, x="f64[n]", a="float").partition("@proc")[2])  # doctest: +SKIP
    """
    source = of_function(f)
    return imported(source, argument_types(source, examples, types)).text


def from_file(file: Path, function: str | None = None, shapes: Collection[str] = ()) -> str:
    """The text of a Python file with a procedure for a NumPy function of a file (the only one that no other calls, if
    none is named). The file is read, and not run. `shapes` are texts such as `a=f64[n, m]`, beside annotations.

    Raises `ImportRefusedError` with all that isn't taken.
    """
    source = of_file(file, function)
    pairs = [s.partition("=") for s in shapes]
    for name, equals, _ in pairs:
        if not equals:
            raise ImportRefusedError(f"--shape {name}: expected NAME=TYPE, such as a=f64[n,m]")
    return imported(source, argument_types(source, (), {name.strip(): t for name, _, t in pairs})).text


def argument_types(source: Source, examples: Collection[object], texts: Mapping[str, str]) -> dict[str, Type]:
    """The types of a function's arguments."""
    args = source.node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    unknown = [n for n in texts if n not in names]
    if unknown or len(examples) > len(names):
        what = f"no argument is called {', '.join(unknown)}" if unknown else "more examples than arguments"
        raise ImportRefusedError(f"{source.node.name} takes {', '.join(names) or 'nothing'}: {what}")
    found: dict[str, Type] = {}
    report = Report()
    shapes = _unpacked(source.node)
    given = dict(zip(names, examples, strict=False))
    optional = _with_default(args)
    for a in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        text = texts.get(a.arg, source.annotations.get(a.arg))
        try:
            if a.arg in given:
                found[a.arg] = example_type(a.arg, given[a.arg], shapes.get(a.arg, ()))
            elif text is not None:
                found[a.arg] = read_type(text)
            elif a.arg not in optional:
                report.add(Problem(place(a), f"the argument {a.arg}", "its type isn't known", REMEDY))
        except TypeTextError as e:
            remedy = instead(given[a.arg]) if a.arg in given else REMEDY
            report.add(Problem(place(a), f"the type {e} of {a.arg}", "it is none that is taken", remedy))
    if args.vararg or args.kwarg:
        what = f"*{(args.vararg or args.kwarg or ast.arg('')).arg}"
        report.add(Problem(place(source.node), what, "how many arguments there are isn't known", "name each argument"))
    if report.problems:
        raise report.refuse(source.file, source.lines)
    return found


def instead(v: object) -> str:
    """What to pass in the place of a value that isn't taken."""
    match v:
        case np.ndarray() if type(v) is not np.ndarray:
            return "pass a plain array: np.asarray(x)"
        case np.ndarray(ndim=0):
            return "index its element: x[()]"
        case np.ndarray() | np.generic():
            return INSTEAD.get(v.dtype.kind, "pass arrays of numbers")
        case list() | tuple():
            return "make an array of it before: np.array(x)"
        case complex():
            return INSTEAD["c"]
        case dict():
            return "pass the arrays and numbers in it"
        case _:
            return "pass arrays and numbers: of an object, what is used of it"


def _with_default(args: ast.arguments) -> set[str]:
    plain = [*args.posonlyargs, *args.args]
    some = {a.arg for a, _ in zip(reversed(plain), reversed(args.defaults), strict=False)}
    return some | {a.arg for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None}


def _unpacked(node: ast.FunctionDef) -> dict[str, tuple[str, ...]]:
    """The names that a function itself gives to extents: `n, m = a.shape`."""
    out: dict[str, tuple[str, ...]] = {}
    seen: set[str] = {a.arg for a in node.args.args}
    for s in node.body:
        match s:
            case ast.Assign(
                targets=[ast.Tuple(elts=items)], value=ast.Attribute(value=ast.Name(id=name), attr="shape")
            ) if all(isinstance(i, ast.Name) for i in items):
                names = tuple(i.id for i in items if isinstance(i, ast.Name))
                if not seen & set(names) and len(set(names)) == len(names):
                    out[name] = names
                    seen |= set(names)
            case _:
                pass
    return out


def imported(source: Source, types: Mapping[str, Type]) -> Imported:
    """Translate and check a function.

    Raises `ImportRefusedError` with all that isn't taken.
    """
    try:
        return _imported(source, types)
    except RecursionError as e:
        raise ImportRefusedError(f"{source.file} is nested too deeply to be read: split its expressions") from e


@with_room
def _imported(source: Source, types: Mapping[str, Type]) -> Imported:
    report = Report()
    try:
        procedure, returned = translate(source, types, report)
    except TooMuch as e:
        raise Report([e.problem]).refuse(source.file, source.lines) from None
    if not report.problems:
        proc = _checked(procedure, source, report)
    if report.problems:
        raise report.refuse(source.file, source.lines)
    text = "\n".join(x.text for x in lines(procedure))
    notes = dict.fromkeys([*procedure.notes, *(f"`{a}`, {why}" for a, why in procedure.assertions.items())])
    name = Path(source.file).name
    used = [e for e in procedure.externs if e in DEFINITIONS and not hasattr(exo_strat, e)]
    title = f"{procedure.name}, imported from {name} by exo-strat."
    return Imported(module(title, [*ALWAYS, *notes], used, [text]), proc, procedure, returned, procedure.given)


def _checked(p: Procedure, source: Source, report: Report) -> Proc:
    """The procedure, if the front end takes it."""
    made = lines(p)
    try:
        return proc_from_source("\n".join(x.text for x in made), dict(externs()) | dict(vars(exo_strat)))
    except FrontendError as e:
        at = e.place.line - 1 if e.place is not None and 0 < e.place.line <= len(made) else 0
        line = made[at]
        where = line.of.place if line.of is not None else place(source.node)
        remedy = f"it reads as `{line.text.strip()}`"
        report.add(Problem(where, "the object language refuses this", e.message.splitlines()[0], remedy))
        return None  # type: ignore[return-value]
