"""Runs that note at which precisions values were rounded.

The reference interpreter is exact: it does not see precisions. Sums may be taken in another order, so rounded results
differ after true rewrites, too. What must not differ is the precisions at which a result is rounded on its way: a
product of two f32 at f64 is another one at f32, and 0.1 that passes through f32 is another number. So each value here
carries these precisions. A conversion to a precision that holds what is converted rounds nothing, nor does adding a
literal zero or multiplying by a literal one; and integers are exact, or overflow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..frontend.scope import declarations
from ..interp import Array, Number, Outcome, Trap
from ..interp.compiler import ACCUMULATE, ARITHMETIC, Eval, Frame, State, Trapped
from ..interp.values import exact
from ..ir.externs import ExternFn, fmax, fmin, select
from ..ir.memo import memo_by_identity
from ..ir.nodes import Alloc, Arg, Call, Const, Expr, ExternCall, ProcDef, ReadConfig, WriteConfig
from ..ir.precisions import BITS, concrete, element, includes, integer_range
from ..ir.printing import names_at
from ..ir.types import Control, Scalar, Type
from ..ir.walk import Path, walk
from .bounded import Bounded, Code, code_of
from .inputs import Inputs


class Rounded(NamedTuple):
    """A number, the floating-point precisions at which it was rounded, and a precision that holds it, if it is known to
    be held at one. A literal, and what is made of whole numbers, is held wherever it fits."""

    value: Number
    at: frozenset[str] = frozenset()
    held: Scalar | None = None
    literal: bool = False
    whole: bool = False

    def __str__(self) -> str:
        return ", ".join(sorted(self.at)) or "none"


_LEAST = {fmin: "min", fmax: "max"}
ZERO, ONE = Rounded(0, literal=True), Rounded(1, literal=True)


def roundings(tree: ProcDef, given: Inputs, fields: Iterable[ReadConfig] = ()) -> Outcome:
    """What a procedure leaves on inputs with which it ends: instead of each number the precisions at which it was
    rounded, as text. Of config fields only `fields` are looked at.

    Raises `Mixed`, where a backend would refuse the procedure.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32, y: f64, z: f64):
    ...     y = f64(x) * f64(x)
    ...     z = f64(x * x)
    ... ''')
    >>> roundings(p.tree, Inputs({name: Array([1], 0, (), ()) for name in "xyz"}, {})).outputs
    {'x': 'f32', 'y': 'f32, f64', 'z': 'f32'}
    """
    types = {f"{f.config.name}.{f.field}": f.config.fields[f.field] for f in fields}
    configs = {k: _held(v, types[k]) if k in types else v for k, v in given.configs.items()}
    names = names_at(tree)
    values = [_held(given.args[names[a.sym]], a.type) for a in tree.args]
    trap = None
    try:
        _compiled(tree).run(tree, State(configs, None), values)
    except Trapped as t:  # rounded numbers are others, and not all operations take them
        trap = Trap(t.kind, t.message, t.tree or tree, t.path)
    left = {names[a.sym]: _texts(v) for a, v in zip(tree.args, values, strict=True) if isinstance(v, Array)}
    return Outcome(left, {k: _texts(v) for k, v in configs.items()}, trap)


def _held(value: Any, t: Type) -> Any:
    """An input, of which each element is one of its precision."""
    if isinstance(t, Control) or value is None:
        return value
    if isinstance(value, Array):
        return value._replace(cells=[_held(c, element(t)) for c in value.cells])
    own = concrete(element(t))
    return _round(Rounded(value), own)


def _texts(value: Any) -> Any:
    if isinstance(value, Array):
        return value._replace(cells=[_texts(c) for c in value.cells]).value()
    return str(value) if isinstance(value, Rounded) else value


@memo_by_identity
def is_of_several_precisions(tree: ProcDef) -> bool:
    """Whether a procedure computes at more precisions than one, itself or in what it calls."""
    return len(_precisions(tree)) > 1


@memo_by_identity
def _precisions(tree: ProcDef) -> frozenset[Scalar]:
    found = set[Scalar]()
    for _, n in walk(tree):
        match n:
            case (Arg() | Alloc()) if not isinstance(n.type, Control):
                found.add(concrete(element(n.type)))
            case ReadConfig(config=c, field=f) | WriteConfig(config=c, field=f) if isinstance(t := c.fields[f], Scalar):
                found.add(concrete(t))
            case ExternCall(f=ExternFn(result=str(result))):
                found.add(Scalar(result))
            case Call(f=f):
                found |= _precisions(f.tree)
            case _:
                pass
    return frozenset(found)


def _fits(x: Number, t: Scalar) -> bool:
    """Whether a precision holds a number. (Exponents are not looked at.)"""
    if not t.is_float:
        lo, hi = integer_range(t)
        return lo <= x <= hi and Fraction(x).denominator == 1
    n, d = Fraction(x).as_integer_ratio()
    return d & (d - 1) == 0 and (n & -n == 0 or (abs(n) // (n & -n)).bit_length() <= BITS[t.name])


def _round(x: Rounded, t: Scalar) -> Rounded:
    """A value at a precision. (Whether integers fit is asked elsewhere: `run_bounded`.)"""
    if x.whole and t.is_float and _fits(x.value, t):
        return x
    if _fits(x.value, t) if x.literal else x.held is not None and includes(t, x.held):
        return x
    return Rounded(x.value, x.at | {t.name} if t.is_float else x.at, t)


def _is_whole(x: Rounded) -> bool:
    """Whether a number is known to be a whole one, whatever the input."""
    return x.whole or (x.literal and _number(x.value) == int(x.value)) or (x.held is not None and not x.held.is_float)


def _negated(x: Rounded, t: Scalar) -> Rounded:
    """A floating-point number changes its sign without being rounded."""
    return x._replace(value=-x.value, held=x.held if t.is_float else None, whole=_is_whole(x) and not x.literal)


def _combined(op: str, x: Rounded, y: Rounded) -> Rounded:
    """The result of an operator, which is not rounded yet."""
    if (op in "+-" and y == ZERO) or (op in "*/" and y == ONE):
        return x
    if (op == "+" and x == ZERO) or (op == "*" and x == ONE):
        return y
    if op == "*" and ZERO in (x, y):
        return ZERO
    value = Fraction(x.value) / y.value if op == "/" else ARITHMETIC[op](x.value, y.value)
    literal = x.literal and y.literal
    whole = op != "/" and not literal and _is_whole(x) and _is_whole(y)
    return Rounded(_number(value), x.at | y.at, None, literal, whole)


def _accumulated(op: str, x: Rounded, y: Rounded) -> Rounded:
    """The same of an accumulation. The least and the greatest are among the operands."""
    if op not in ("min", "max"):
        return _combined(op, x, y)
    literal = x.literal and y.literal
    value, held = ACCUMULATE[op](x.value, y.value), x.held if x.held == y.held else None
    return Rounded(value, x.at | y.at, held, literal, not literal and _is_whole(x) and _is_whole(y))


def _number(x: Number) -> Number:
    found = exact(x)
    assert found is not None
    return found


@memo_by_identity
def _compiled(tree: ProcDef) -> Code:
    return code_of(tree, _Rounding({}, declarations(tree), False))


@dataclass(frozen=True)
class _Rounding(Bounded):
    """Compiles statements so that their values carry the precisions at which they were rounded."""

    def plain(self, value: Any) -> Any:
        return value.value

    def fitted(self, value: Eval, t: Scalar, path: Path) -> Eval:
        return lambda f: _round(value(f), t)

    def literal(self, e: Const, path: Path) -> Eval:
        literal = Rounded(_number(Fraction(e.value)), literal=True)
        return lambda _: literal

    def negative(self, arg: Eval, at: Scalar) -> Eval:
        return lambda f: _negated(arg(f), at)

    def number(self, e: Expr, path: Path) -> Eval:
        integer = self.expr(e, path)
        return lambda f: Rounded(integer(f), whole=True)

    def _compared(self, op: str, lhs: Eval, rhs: Eval) -> Eval:
        compare = ARITHMETIC[op]
        return lambda f: compare(lhs(f).value, rhs(f).value)

    def _operation(self, op: str, x: Eval, y: Eval, path: Path) -> Eval:
        def operation(f: Frame) -> Rounded:
            a, b = x(f), y(f)
            if op == "/" and b.value == 0:
                raise Trapped("division", "division by zero", path)
            return _combined(op, a, b)

        return operation

    def _accumulated(self, op: str, old: Eval, operand: Eval) -> Eval:
        return lambda f: _accumulated(op, old(f), operand(f))

    def _extern(self, fn: ExternFn, args: list[Eval], path: Path) -> Eval:
        def extern(f: Frame) -> Rounded:
            values: list[Rounded] = [a(f) for a in args]
            if fn is select:  # one of its operands, as it is
                return values[2] if values[0].value < values[1].value else values[3]
            if fn in _LEAST:  # as of an accumulation
                return _accumulated(_LEAST[fn], *values)
            numbers = super(_Rounding, self)._extern(fn, [_always(x.value) for x in values], path)
            return Rounded(numbers(f), frozenset().union(*(x.at for x in values)))

        return extern

    def _callee(self, tree: ProcDef) -> Code:
        return _compiled(tree)


def _always(x: Number) -> Eval:
    return lambda _: x
