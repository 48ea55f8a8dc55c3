"""Expressions in C.

Control expressions are 64-bit integers with floor division; data expressions are computed at the
precision that `precision.py` gave them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..kernel import (
    Binary,
    Cell,
    Const,
    Control,
    Expr,
    ExternCall,
    ExternFn,
    Point,
    Read,
    ReadConfig,
    Scalar,
    Select,
    StrideExpr,
    Unary,
    Var,
    WindowExpr,
    f32,
    holds_everywhere,
    is_control,
    modular,
    size_of,
)
from .bfloat import BF16, EXACT_IN_FLOAT, PRELUDE
from .memory import Index
from .needs import ARITHMETIC_SHIFT, EXTREMA, FLOOR_DIV, Needs
from .precision import SHIFTS, compared_at, precision
from .program import Function
from .symbols import bounds
from .terms import ATOM, UNARY, Term, add, binary, choice, mul, num, sub, unary
from .types import INT, c_type, literal
from .views import Env, View

LOGICAL = {"and": "&&", "or": "||"}
BITWISE = ("&", "|", "^", "~")


class Expressions:
    """Prints the expressions of one function."""

    def __init__(self, function: Function, needs: Needs) -> None:
        self.function = function
        self.needs = needs

    # -- control --------------------------------------------------------------------------------

    def control(self, e: Expr, env: Env) -> Term:
        """A control expression, or a condition on data."""
        match e:
            case Var(sym=s):
                return env.controls[s]
            case Const(value=bool() as v):
                return Term("true" if v else "false")
            case Const(value=v):
                return num(int(v))
            case StrideExpr(sym=s, dim=d):
                return env.views[s].kept_strides()[d]
            case ReadConfig(config=c, field=f):
                return Term(self.needs.register(c, f))
            case Cell(read=Read(sym=s) as r):
                return Term(f"({INT}){self.data(r, self.function.data[s].scalar, env).within(ATOM)}", UNARY)
            case Unary(op="-", arg=Const(value=v)):
                return num(-int(v))
            case Unary(op=op, arg=a):
                return unary("!" if op == "not" else op, self.control(a, env))
            case Binary(op="/" | "%"):
                return self._division(e, env)
            case Binary(lhs=a, rhs=b) if not is_control(a) or not is_control(b):
                return self._comparison(e, env)
            case Binary(op=op, lhs=a, rhs=b):
                left, right = self.control(a, env), self.control(b, env)
                match op:
                    case "+":
                        return add(left, right)
                    case "-":
                        return sub(left, right)
                    case "*":
                        return mul(left, right)
                    case "min" | "max":
                        self.needs.texts[EXTREMA] = None
                        return Term(f"exo_{op}({left}, {right})")
                    case _:
                        return binary(LOGICAL.get(op, op), left, right)
            case _:
                raise AssertionError(f"not a control expression: {e}")

    def _comparison(self, e: Binary, env: Env) -> Term:
        at = compared_at(e, self.function.data)
        return binary(e.op, self.data(e.lhs, at, env), self.data(e.rhs, at, env))

    def _division(self, e: Binary, env: Env) -> Term:
        """Floor division: C's own where the dividend can't be negative, else a helper's."""
        a, b = self.control(e.lhs, env), self.control(e.rhs, env)
        if a.value is not None and b.value is not None:
            return num(a.value // b.value if e.op == "/" else a.value % b.value)
        if b.value == 1:
            return a if e.op == "/" else num(0)
        if self._non_negative(e.lhs, env):
            return binary(e.op, a, b)
        self.needs.texts[FLOOR_DIV] = None
        return Term(f"exo_floor_{'div' if e.op == '/' else 'mod'}({a}, {b})")

    def _non_negative(self, e: Expr, env: Env) -> bool:
        lo, _ = bounds(e, self.function.ranges)
        if lo is not None and lo >= 0:
            return True
        goal = Binary("<=", Const(0, Control("int")), e)
        return holds_everywhere(self.function.tree, env.path, goal)

    # -- data -----------------------------------------------------------------------------------

    def converted(self, e: Expr, target: Scalar, env: Env) -> Term:
        """A data expression computed at its own precision, then converted to `target`."""
        at = precision(e, self.function.data) or target
        value = self.data(e, at, env)
        if at == target:
            return value
        if BF16 in (at, target):
            self.needs.prelude(PRELUDE)
        if target == BF16:
            return Term(f"{'exo_to_bf16' if at.name in EXACT_IN_FLOAT else 'exo_double_to_bf16'}({value})")
        if at == BF16:
            at, value = f32, Term(f"exo_from_bf16({value})")
        return value if at == target else Term(f"({c_type(target)}){value.within(ATOM)}", UNARY)

    def assigned(self, e: Expr, target: Scalar, env: Env) -> Term:
        """A data expression as the right side of an assignment, which converts it. A choice is not converted: gcc would
        convert each side, and not see that `x < 0 ? 0 : x > 255 ? 255 : x` is a minimum and a maximum."""
        at = precision(e, self.function.data) or target
        plain = isinstance(e, Select) and BF16 not in (at, target)
        return self.data(e, at, env) if plain else self.converted(e, target, env)

    def data(self, e: Expr, at: Scalar, env: Env) -> Term:
        """A data expression at precision `at`."""
        match e:
            case Read(sym=s, idx=idx):
                return env.views[s].element([self.control(i, env) for i in idx])
            case Const(value=v):
                if at == BF16:
                    self.needs.prelude(PRELUDE)
                return literal(v, at)
            case Unary(op=op, arg=a):
                return unary(op, self.data(a, at, env))
            case Binary(op=op, lhs=a, rhs=b):
                return binary(op, self.data(a, at, env), self.data(b, at, env))
            case ExternCall(f=ExternFn(result=str(result)), args=args) if is_control(args[0]):
                return Term(f"({c_type(Scalar(result))}){self.control(args[0], env).within(ATOM)}", UNARY)
            case ExternCall(f=f, args=args) if f.wraps:
                return self.wrapped(args[0], Scalar(str(f.result)), env)
            case ExternCall(f=ExternFn(result=str()), args=args):
                return self.converted(args[0], at, env)
            case ExternCall(f=f) if f.operator in SHIFTS:
                return self._shifted(e, at, env)
            case ExternCall(f=f, args=args) if f.operator in BITWISE:
                return self._bits(f.operator, [self.data(a, at, env) for a in args])
            case ExternCall(f=f, args=args):
                values = ", ".join(str(self.data(a, at, env)) for a in args)
                return Term(f"{self.needs.extern(f, at)}({values})")
            case Select(cond=c, then=a, other=b):
                return choice(self.control(c, env), self.data(a, at, env), self.data(b, at, env))
            case ReadConfig(config=c, field=f):
                return Term(self.needs.register(c, f))
            case _:
                raise AssertionError(f"not a data expression: {e}")

    # -- bits -----------------------------------------------------------------------------------

    def _bits(self, op: str, args: Sequence[Term]) -> Term:
        return binary(op, *args) if len(args) == 2 else unary(op, args[0])

    def _shifted(self, e: ExternCall, at: Scalar, env: Env) -> Term:
        """A shift. To the left as a product is: the bits of a number below zero move as if it were unsigned."""
        if e.f.operator == "<<":
            return self.wrapped(e, at, env)
        self.needs.prelude(ARITHMETIC_SHIFT)
        return binary(">>", self.data(e.args[0], at, env), self._amount(e.args[1], at, env))

    def _amount(self, e: Expr, at: Scalar, env: Env) -> Term:
        """By how much a value of some precision is shifted: less than it has bits, or the program ends."""
        return num(int(e.value)) if isinstance(e, Const) else self.needs.amount(self.data(e, at, env), at)

    def wrapped(self, e: Expr, to: Scalar, env: Env) -> Term:
        """What is left of a data expression at an integer precision. C reduces unsigned numbers when it computes with
        them, and all numbers when it converts them; it can't say so of signed ones, but all compilers do."""
        at = precision(e, self.function.data) or to
        word = Scalar("u64" if 8 in (size_of(at), size_of(to)) else "u32")
        value = self._modulo(e, at, word, env) if modular(e) or isinstance(e, Const) else self.data(e, at, env)
        made_of = word if modular(e) or isinstance(e, Const) else at
        return value if made_of == to else Term(f"({c_type(to)}){value.within(ATOM)}", UNARY)

    def _modulo(self, e: Expr, at: Scalar, word: Scalar, env: Env) -> Term:
        """A data expression at a precision, as an unsigned number of a word: what it is modulo 2^32 or 2^64."""
        match e:
            case Const(value=v):
                return literal(int(v) % 2 ** (8 * size_of(word)), word)
            case Unary(op=op, arg=a):
                return unary(op, self._modulo(a, at, word, env))
            case Binary(op=op, lhs=a, rhs=b) if modular(e):
                return binary(op, self._modulo(a, at, word, env), self._modulo(b, at, word, env))
            case ExternCall(f=f, args=args) if modular(e) and f.operator in SHIFTS:
                return binary(f.operator, self._modulo(args[0], at, word, env), self._amount(args[1], at, env))
            case ExternCall(f=f, args=args) if modular(e):
                return self._bits(f.operator, [self._modulo(a, at, word, env) for a in args])
            case _:
                value = self.data(e, at, env)
                return value if at == word else Term(f"({c_type(word)}){value.within(ATOM)}", UNARY)

    # -- windows --------------------------------------------------------------------------------

    def view(self, e: Read | WindowExpr, env: Env) -> View:
        """What a call's argument or a window's right-hand side refers to."""
        base = env.views[e.sym]
        if isinstance(e, Read):
            return base.narrowed([Index(self.control(i, env), False) for i in e.idx]) if e.idx else base
        return base.narrowed(
            [
                Index(self.control(d.pt, env), False) if isinstance(d, Point) else Index(self.control(d.lo, env), True)
                for d in e.idx
            ]
        )
