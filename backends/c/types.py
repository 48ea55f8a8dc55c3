"""C types of object types, literals and window structs."""

from __future__ import annotations

import math
import struct

from ..kernel import Scalar, concrete
from .bfloat import BF16, rounded
from .errors import Objection
from .terms import ATOM, UNARY, Term

INT = "int64_t"
"""The C type of sizes, indices and strides: 64 bits, so that the offset into a large array never overflows."""

MOST = 2**63 - 1
"""The largest integer of C. The least one has no literal, so we do without it."""

C_TYPES = {
    "bf16": "uint16_t", "f16": "_Float16", "f32": "float", "f64": "double",
    "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
}  # fmt: skip


def c_type(t: Scalar) -> str:
    """The C type of a data scalar."""
    return C_TYPES[concrete(t).name]


def window_struct(t: Scalar, rank: int, const: bool) -> str:
    """The name of the struct that passes a window."""
    return f"exo_win_{rank}{concrete(t).name}{'c' if const else ''}"


def window_definition(t: Scalar, rank: int, const: bool) -> str:
    """The struct's definition, guarded, as several headers may need it.

    Its pointer is `restrict` for the same reason as a tensor's (see `module._prototype`); compilers
    honour that in a struct that is a parameter.
    """
    name = window_struct(t, rank, const)
    qualifier = "const " if const else ""
    return (
        f"#ifndef {name.upper()}\n#define {name.upper()}\n"
        f"struct {name} {{\n    {qualifier}{c_type(t)} *EXO_RESTRICT data;\n    {INT} strides[{rank}];\n}};\n#endif\n"
    )


def integer_range(t: Scalar) -> tuple[int, int]:
    """The least and the greatest value of an integer precision."""
    bits = int(t.name[1:])
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if t.name[0] == "i" else (0, 2**bits - 1)


FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
"""How `struct` writes floating-point precisions."""


def _float_text(value: int | float, t: Scalar) -> str:
    """The text of a number that is rounded to `t`; raises `Objection` if that makes it infinite or zero."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
    try:
        (held,) = struct.unpack(FORMATS[t.name], struct.pack(FORMATS[t.name], value))
    except OverflowError as e:
        raise Objection(f"the literal {value} is larger than {t} has numbers") from e
    if held == 0 and value != 0:
        raise Objection(f"the literal {value} would be 0 at {t}")
    return repr(float(value))


def literal(value: int | float, t: Scalar) -> Term:
    """A data literal at precision `t`; raises `Objection` if the precision can't hold it.

    >>> literal(0.5, Scalar("f32")).text, literal(2, Scalar("f64")).text, literal(3.0, Scalar("i8")).text
    ('0.5f', '2.0', '3')
    """
    t = concrete(t)
    if t == BF16:
        held = rounded(float(value))
        if math.isinf(held) or (held == 0 and value != 0):
            raise Objection(f"{t} holds no number near the literal {value}")
        return Term(f"exo_to_bf16({held!r}f)")
    if t.is_float:
        text = _float_text(value, t)
        if t.name == "f16":
            return Term(f"(_Float16){text}", UNARY)  # from double, so that it is rounded once
        suffix = "f" if t.name == "f32" and text[-1].isdigit() else ""
        return Term(text + suffix, UNARY if text.startswith("-") else ATOM)
    if not float(value).is_integer():
        raise Objection(f"the literal {value} is not an integer, as {t} needs")
    n, bits, signed = int(value), int(t.name[1:]), t.name[0] == "i"
    lo, hi = integer_range(t)
    if not lo <= n <= hi:
        raise Objection(f"the literal {value} is outside the range of {t}, {lo} to {hi}")
    if bits == 64:
        if n == lo and signed:
            return Term("INT64_MIN")
        return Term(f"{'-' if n < 0 else ''}{'INT64_C' if signed else 'UINT64_C'}({abs(n)})", UNARY if n < 0 else ATOM)
    if n == -(2**31):
        return Term("INT32_MIN")
    return Term(f"{n}u" if t.name == "u32" else str(n), UNARY if n < 0 else ATOM)
