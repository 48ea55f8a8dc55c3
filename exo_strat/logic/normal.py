"""The normal form of control expressions. Imports translate, solver and ir.

An affine expression is written as a sum with the largest factors first and the constant last;
quotients that are known in context are resolved. Normalising is idempotent.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import build as b
from ..ir.config import Config
from ..ir.names import Sym
from ..ir.nodes import Binary, Const, Expr, ReadConfig, StrideExpr, Unary, Var
from ..ir.types import bool_
from ..ir.walk import COMPARISONS, LOGICAL, children, is_bool
from .affine import Atom, Lin, Mul, Opaque, Quot, V
from .answers import Proved
from .formula import Formula, conj, ge, lt
from .solver import prove
from .translate import Env, is_opaque, lin

Facts = Sequence[Formula]


def normalize_expr(e: Expr, facts: Facts, env: Env) -> Expr:
    """An equal control expression in normal form; the same object if it is in normal form already."""
    new = _normal(e, facts, env)
    return e if new == e else new


def _normal(e: Expr, facts: Facts, env: Env) -> Expr:
    match e:
        case Const() | Var() | StrideExpr() | ReadConfig():
            return e
        case Unary(op="not", arg=a):
            return Unary("not", normalize_expr(a, facts, env))
        case Binary(op=op, lhs=x, rhs=y) if op in LOGICAL:
            return Binary(op, normalize_expr(x, facts, env), normalize_expr(y, facts, env))
        case Binary(op=op, lhs=x, rhs=y) if op in COMPARISONS:
            if _truth(x, env) or _truth(y, env) or not (_integer(x) and _integer(y)):
                return e
            return Binary(op, _normal(x, facts, env), _normal(y, facts, env))
    if not _integer(e) or is_opaque(e) or not _could_change(e):
        return e
    return to_expr(resolve(lin(e, env), facts))


def _truth(e: Expr, env: Env) -> bool:
    return is_bool(e) or (isinstance(e, Var) and e.sym in env.bools)


def _integer(e: Expr) -> bool:
    match e:
        case Const(type=t):
            return t != bool_ and isinstance(e.value, int) and str(t) == "int"
        case Var() | StrideExpr():
            return True
        case ReadConfig(config=Config() as c, field=f):
            return str(c.fields[f]) in ("size", "index", "int", "stride")
        case Unary(op="-", arg=a):
            return _integer(a)
        case Binary(op=op, lhs=x, rhs=y):
            return op in "+-*/%" and _integer(x) and _integer(y)
        case _:
            return False


def _could_change(e: Expr) -> bool:
    return any(True for _ in children(e))


# -- quotients ----------------------------------------------------------------------------------------


def resolve(x: Lin, facts: Facts) -> Lin:
    """The same value with quotients resolved that the facts decide."""
    for atom, _ in x.terms:
        if not isinstance(atom, Quot):
            continue
        inner = resolve(atom.lin, facts)
        value = _quotient(inner, atom.c, facts)
        if value != Lin.of(atom):
            return resolve(_replaced(x, atom, value), facts)
    return x


def _replaced(x: Lin, atom: Atom, value: Lin) -> Lin:
    return x + (value - Lin.of(atom)) * x.coefficient(atom)


def _quotient(x: Lin, c: int, facts: Facts) -> Lin:
    """x / c (floor), using what is known of the part of x that is no multiple of c."""
    whole, rest = Lin(0), Lin(x.const)
    for atom, k in x.terms:
        if k % c == 0:
            whole = whole + Lin.of(atom) * (k // c)
        else:
            rest = rest + Lin.of(atom) * k
    for q in (0, -1, 1):
        if isinstance(prove(facts, conj(ge(rest, q * c), lt(rest, (q + 1) * c))), Proved):
            return whole + Lin(q)
    return whole + rest.div(c)


def difference(a: Expr, b_: Expr) -> Expr:
    """`a - b_`, with what cancels left out."""
    if b_ == b.ZERO or is_opaque(a) or is_opaque(b_):
        return b.sub(a, b_)
    return to_expr(lin(a) - lin(b_))


# -- back to expressions ------------------------------------------------------------------------------


def to_expr(x: Lin) -> Expr:
    """An affine form as an expression in normal form."""
    parts: list[tuple[int, Expr]] = []
    x = _fold_remainders(x, parts)
    parts += [(k, _atom(a)) for a, k in x.terms]
    parts.sort(key=lambda p: -abs(p[0]))
    parts.sort(key=lambda p: p[0] < 0)  # a positive term first, if there is one
    result: Expr | None = None
    for k, e in parts:
        if result is None:
            result = b.mul(k, e) if k != -1 else Unary("-", e)
        else:
            result = Binary("+" if k > 0 else "-", result, b.mul(abs(k), e))
    if result is None:
        return b.num(x.const)
    return b.add(result, b.num(x.const)) if x.const >= 0 else Binary("-", result, b.num(-x.const))


def _fold_remainders(x: Lin, parts: list[tuple[int, Expr]]) -> Lin:
    """Takes `k*y - k*c*(y/c)` out of a sum as `k * (y % c)`."""
    for atom, m in x.terms:
        if isinstance(atom, Quot) and m % atom.c == 0:
            k = -(m // atom.c)
            rest = x - Lin.of(atom) * m - atom.lin * k
            if k != 0 and len(rest.terms) <= len(x.terms) - 1 - len(atom.lin.terms):
                parts.append((k, b.mod(to_expr(atom.lin), atom.c)))
                return _fold_remainders(rest, parts)
    return x


def _atom(a: Atom) -> Expr:
    match a:
        case V(sym=s):
            return b.var(s)
        case Quot(lin=x, c=c):
            return b.div(to_expr(x), c)
        case Opaque(key=("stride", Sym() as s, int(d))):
            return StrideExpr(s, d)
        case Mul():
            return _product(a)
    raise TypeError(f"{a} has no expression")


def _product(a: Mul) -> Expr:
    factors = [_atom(f) for f in a.factors]
    result = factors[0]
    for f in factors[1:]:
        result = Binary("*", result, f)
    return result
