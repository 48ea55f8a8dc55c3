"""The types of arguments: `f64[n, m]`, `float`, `int`, `bool`; from texts or from examples."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from ..control import Poly, Symbol, number, of
from ..names import spelled
from .kinds import DTYPES, FLOAT, NAMES, Kind, kind_of


@dataclass(frozen=True)
class Type:
    """What an argument is: data of a kind and shape, `int`, `bool`, or a value that is known."""

    form: str
    kind: Kind = FLOAT
    shape: tuple[Poly, ...] = ()
    value: object = None


class TypeTextError(ValueError):
    """A text that is no type."""


def read_type(text: str) -> Type:
    """The type that a text means. Names in it are sizes.

    >>> t = read_type("f32[n, 2*m + 1]")
    >>> t.kind.name, [str(e) for e in t.shape]
    ('f32', ['n', '2 * m + 1'])
    """
    try:
        e = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise TypeTextError(text) from None
    match e:
        case ast.Name(id="int" | "size" | "index"):
            return Type("int")
        case ast.Name(id="bool"):
            return Type("bool")
        case ast.Name(id="float"):
            return Type("data", FLOAT)
        case ast.Constant(value=None):
            return Type("known")
        case ast.Subscript(value=base, slice=ast.Tuple(elts=items)):
            return Type("data", _kind(base, text), tuple(_extent(x, text) for x in items))
        case ast.Subscript(value=base, slice=item):
            return Type("data", _kind(base, text), (_extent(item, text),))
        case _:
            return Type("data", _kind(e, text))


def _kind(e: ast.expr, text: str) -> Kind:
    name = ast.unparse(e).rpartition(".")[2]
    name = NAMES.get(name, name)
    if name not in DTYPES:
        raise TypeTextError(text)
    return Kind(name)


def size(name: str) -> Poly:
    """The size of a name."""
    return of(Symbol(spelled(name), 0))


def _extent(e: ast.expr, text: str) -> Poly:
    match e:
        case ast.Constant(value=int() as n) if n > 0:
            return number(n)
        case ast.Name(id=name):
            return size(name)
        case ast.BinOp(left=a, right=b, op=op) if isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv):
            x, y = _extent(a, text), _extent(b, text)
            if isinstance(op, ast.FloorDiv):
                if y.constant is None:
                    raise TypeTextError(text)
                return x.over(y.constant)
            return x + y if isinstance(op, ast.Add) else x - y if isinstance(op, ast.Sub) else x * y
        case _:
            raise TypeTextError(text)


def example_type(name: str, v: object, extents: tuple[str, ...] = ()) -> Type:
    """The type of a value, of which only the number of dimensions counts, and that an extent is 1."""
    if v is None or isinstance(v, str):
        return Type("known", value=v)
    if isinstance(v, bool | np.bool_):
        return Type("bool")
    if isinstance(v, int):
        return Type("int")
    if isinstance(v, float) and not isinstance(v, np.generic):
        return Type("data", FLOAT)
    if isinstance(v, np.ndarray | np.generic):
        kind = kind_of(v.dtype)
        if kind is None:
            raise TypeTextError(f"{v.dtype}")
        names = [*extents, *(f"{name}_{k}" for k in range(len(extents), v.ndim))]
        shape = tuple(number(1) if e == 1 else size(n) for e, n in zip(v.shape, names, strict=True))
        return Type("data", kind, shape)
    raise TypeTextError(type(v).__name__)
