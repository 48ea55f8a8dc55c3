"""The types of arguments: `f64[n, m]`, `float`, `int`, `bool`; from texts or from examples."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from ..control import Poly, Symbol, number, of
from ..names import spelled
from .kinds import BOOL, DTYPES, FLOAT, INT, NAMES, PYTHON_BOOL, Kind, kind_of

CONTROL = ("i8", "i16", "i32", "i64", "u8", "u16", "u32")
"""NumPy's integers that may be sizes and indices."""


@dataclass(frozen=True)
class Type:
    """What an argument is: data of a kind and shape, `int` or `bool` (of Python or NumPy, says the kind), or a value
    that is known."""

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
            return Type("int", INT)
        case ast.Name(id="bool"):
            return Type("bool", PYTHON_BOOL)
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
    if v is None or type(v) is str:
        return Type("known", value=v)
    if isinstance(v, bool | np.bool_):
        return Type("bool", PYTHON_BOOL if isinstance(v, bool) else BOOL)
    if type(v) is int:
        return Type("int", INT)
    if type(v) is float:
        return Type("data", FLOAT)
    if type(v) is np.ndarray or isinstance(v, np.generic):
        kind = kind_of(v.dtype)
        if kind is None:
            raise TypeTextError(f"{v.dtype}")
        if isinstance(v, np.ndarray) and not v.ndim:
            raise TypeTextError("an array without dimensions")
        if isinstance(v, np.generic) and kind.name in CONTROL:
            return Type("int", kind)
        names = [*extents, *(f"{name}_{k}" for k in range(len(extents), v.ndim))]
        shape = tuple(number(1) if e == 1 else size(n) for e, n in zip(v.shape, names, strict=True))
        return Type("data", kind, shape)
    raise TypeTextError(type(v).__name__)
