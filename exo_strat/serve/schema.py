"""The JSON Schema of the protocol, and whether a value fits it.

The server checks requests against the very file that clients get. Of JSON Schema only what that file uses is known
here; the tests compare the check with that of the `jsonschema` package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from .faults import Fault

Schema = Mapping[str, Any]

TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "null": lambda x: x is None,
    "boolean": lambda x: isinstance(x, bool),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "number": lambda x: isinstance(x, int | float) and not isinstance(x, bool),
    "string": lambda x: isinstance(x, str),
    "array": lambda x: isinstance(x, list),
    "object": lambda x: isinstance(x, dict),
}
NOTES: Final = ("$schema", "$id", "$defs", "title", "description")
"""What says nothing of a value."""


@cache
def schema() -> Schema:
    """The schema of the protocol, as the package has it."""
    found: Schema = json.loads(files(__package__).joinpath("schema.json").read_text())
    return found


def methods() -> tuple[str, ...]:
    """The methods that there are."""
    names = schema()["$defs"]
    return tuple(name.removesuffix(".params") for name in names if name.endswith(".params"))


def check(value: object, name: str, where: str, code: str = "bad_params") -> None:
    """Raises `Fault` where a value doesn't fit the definition of this name, and says where.

    >>> check({"version": "v1"}, "go.params", "params")
    >>> check({"version": 1}, "go.params", "params")
    Traceback (most recent call last):
    exo_strat.serve.faults.Fault: bad_params: params.version: a string is needed, not 1
    """
    for place, message in misfits(value, schema()["$defs"][name], where):
        raise Fault(code, f"{place}: {message}", where=place)


def misfits(value: Any, s: Schema, where: str) -> Iterator[tuple[str, str]]:
    """Where a value doesn't fit, and why."""
    for keyword, told in s.items():
        if keyword not in NOTES:
            yield from CHECKS[keyword](value, told, s, where)


Misfits = Iterator[tuple[str, str]]


def _ref(value: Any, to: str, _: Schema, where: str) -> Misfits:
    yield from misfits(value, schema()["$defs"][to.removeprefix("#/$defs/")], where)


def _type(value: Any, names: str | Sequence[str], _: Schema, where: str) -> Misfits:
    names = [names] if isinstance(names, str) else names
    if not any(TYPES[name](value) for name in names):
        yield where, f"{' or '.join(map(_a, names))} is needed, not {_brief(value)}"


def _a(name: str) -> str:
    return name if name == "null" else f"a{'n' * (name[0] in 'aio')} {name}"


def _brief(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) < 60 else f"{text[:56]} .."


def _const(value: Any, wanted: Any, _: Schema, where: str) -> Misfits:
    if value != wanted or type(value) is not type(wanted):
        yield where, f"{_brief(wanted)} is needed, not {_brief(value)}"


def _enum(value: Any, known: Sequence[Any], _: Schema, where: str) -> Misfits:
    if value not in known:
        yield where, f"one of {', '.join(map(str, known))} is needed, not {_brief(value)}"


def _any_of(value: Any, options: Sequence[Schema], _: Schema, where: str) -> Misfits:
    told = [list(misfits(value, o, where)) for o in options]
    if all(told):
        near = [t for t, o in zip(told, options, strict=True) if _is_meant(value, o)]
        yield from near[0] if near else [(where, f"{_brief(value)} is none of what may be here")]


def _is_meant(value: Any, option: Schema) -> bool:
    """Whether an option is what somebody meant who wrote a value: a list, or an object of such keys."""
    if "$ref" in option:
        return False
    named = isinstance(value, dict) and bool(value) and value.keys() <= option.get("properties", {}).keys()
    return named or (isinstance(value, list) and option.get("type") == "array")


def _properties(value: Any, known: Mapping[str, Schema], _: Schema, where: str) -> Misfits:
    for name, s in known.items() if isinstance(value, dict) else ():
        if name in value:
            yield from misfits(value[name], s, f"{where}.{name}")


def _required(value: Any, names: Sequence[str], _: Schema, where: str) -> Misfits:
    for name in names if isinstance(value, dict) else ():
        if name not in value:
            yield where, f"{name} is missing"


def _additional(value: Any, rest: bool | Schema, s: Schema, where: str) -> Misfits:
    known = s.get("properties", {})
    for name in [n for n in value if n not in known] if isinstance(value, dict) else ():
        if isinstance(rest, bool):
            yield where, f"{_brief(name)} is unknown; it has {', '.join(known) or 'nothing'}"
        else:
            yield from misfits(value[name], rest, f"{where}.{name[:60]}")


def _items(value: Any, s: Schema, _: Schema, where: str) -> Misfits:
    for k, x in enumerate(value) if isinstance(value, list) else ():
        yield from misfits(x, s, f"{where}[{k}]")


def _pattern(value: Any, pattern: str, _: Schema, where: str) -> Misfits:
    if isinstance(value, str) and not re.search(f"{pattern.removesuffix('$')}\\Z", value):
        yield where, f"{_brief(value)} doesn't match {pattern}"


def _within(holds: Callable[[Any, Any], bool], said: str, what: str) -> Callable[[Any, Any, Schema, str], Misfits]:
    """A bound on numbers, or on how long texts or lists are."""

    def checked(value: Any, bound: Any, _: Schema, where: str) -> Misfits:
        if TYPES[what](value) and not holds(value if what == "number" else len(value), bound):
            yield where, f"{said} {bound} is needed, not {_brief(value)}"

    return checked


CHECKS: Final[Mapping[str, Callable[[Any, Any, Schema, str], Misfits]]] = {
    "$ref": _ref,
    "type": _type,
    "const": _const,
    "enum": _enum,
    "anyOf": _any_of,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "pattern": _pattern,
    "minimum": _within(lambda x, n: bool(x >= n), "at least", "number"),
    "maximum": _within(lambda x, n: bool(x <= n), "at most", "number"),
    "exclusiveMinimum": _within(lambda x, n: bool(x > n), "more than", "number"),
    "maxLength": _within(lambda x, n: bool(x <= n), "a length of at most", "string"),
    "minItems": _within(lambda x, n: bool(x >= n), "a list of at least", "array"),
    "maxItems": _within(lambda x, n: bool(x <= n), "a list of at most", "array"),
}
"""What each keyword asks of a value."""
