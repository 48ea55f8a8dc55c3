"""The normal form of control expressions.

An affine expression is written as a sum with the largest factors first and the constant last; quotients
and remainders that are known in context are resolved. What two sides of a comparison share is cancelled,
and conditions that are known become literals. Normalising is idempotent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyrsistent import pvector

from ...ir import build as b
from ...ir.config import Config
from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import Binary, Cell, Const, Expr, Read, ReadConfig, StrideExpr, Unary, Var
from ...ir.types import bool_, int_
from ...ir.walk import ARITHMETIC, COMPARISONS, EXTREMA, LOGICAL, is_bool, is_control, walk
from ..forms.affine import (
    Atom,
    Element,
    Least,
    Lin,
    Mul,
    Opaque,
    Quot,
    Ratio,
    V,
    factors_of,
    lin_atoms,
    minimum,
    product,
    quotient,
    sides,
    subst_lin,
    without_factors,
)
from ..forms.formula import Formula, conj, eq, ge, lt, neg, value_of
from ..forms.translate import Env, cond, is_opaque, lin
from ..solver.answers import Refuted
from ..solver.problem import COMPUTED
from ..solver.proofs import prove

Facts = Sequence[Formula]


def normalize_expr(e: Expr, facts: Facts, env: Env) -> Expr:
    """An equal control expression in normal form; the same object if it is in normal form already.

    Equal wherever `facts` hold, as a value: parts that read config fields or data and do not matter are
    dropped, the others are left as they are.

    >>> from exo_strat.ir.build import num, var
    >>> from exo_strat.ir.printing import print_expr
    >>> from exo_strat.logic.forms.translate import unknown
    >>> i, j = Sym("i", 1), Sym("j", 2)
    >>> quotient = Binary("/", Binary("+", Binary("*", num(4), var(i)), var(j)), num(4))
    >>> facts = [ge(unknown(j), 0), lt(unknown(j), 4)]
    >>> print_expr(normalize_expr(quotient, facts, Env()), {i: "i", j: "j"})
    'i'
    """
    new = affine_normal(e) or _normal(e, facts, env)
    return e if new == e else new


@memo_by_identity
def affine_normal(e: Expr) -> Expr | None:
    """What `normalize_expr` makes of an integer sum without quotients and minima, which takes no facts; None of
    others."""
    if not isinstance(e, Unary | Binary) or is_opaque(e) or not _integer(e):
        return None
    x = lin(e)
    if any(isinstance(a, Quot | Least) for a, _ in x.terms) or _ratios(x):
        return None
    new = to_expr(x)
    return e if new == e else new


def _normal(e: Expr, facts: Facts, env: Env) -> Expr:
    if isinstance(e, Const | StrideExpr | ReadConfig):
        return e
    if _truth(e, env):
        return _condition(e, facts, env)
    if isinstance(e, Var) or is_opaque(e) or not _integer(e):
        return e
    new = to_expr(resolve(lin(e, env), facts))
    return e if any(isinstance(x, Binary) and x.op in EXTREMA for _, x in walk(e)) and _size(new) > _size(e) else new


def _truth(e: Expr, env: Env) -> bool:
    return is_bool(e) or (isinstance(e, Var) and e.sym in env.bools)


def _integer(e: Expr) -> bool:
    match e:
        case Const(type=t):
            return t == int_
        case Var() | StrideExpr():
            return True
        case ReadConfig(config=Config() as c, field=f):
            return is_control(e) and c.fields[f] != bool_
        case Cell(read=r, steady=steady):
            return steady and all(map(_integer, r.idx))
        case Unary(op="-", arg=a):
            return _integer(a)
        case Binary(op=op, lhs=x, rhs=y):
            return op in ARITHMETIC and _integer(x) and _integer(y)
        case _:
            return False


# -- conditions ---------------------------------------------------------------------------------------


def _condition(e: Expr, facts: Facts, env: Env) -> Expr:
    known = known_truth(e, facts, env)
    if known is not None:
        return b.TRUE if known else b.FALSE
    match e:
        case Unary(op="not", arg=a):
            return Unary("not", _normal(a, facts, env))
        case Binary(op=op) if op in LOGICAL:
            return _chain(e, op, facts, env)
        case Binary(op=op, lhs=x, rhs=y) if op in COMPARISONS and not (_truth(x, env) or _truth(y, env)):
            return _compared(op, x, y, facts, env)
        case _:
            return e


def _chain(e: Binary, op: str, facts: Facts, env: Env) -> Expr:
    """A chain of `and`s, or of `or`s, that is not decided. Of the shorter chains that it starts with, only the longest
    without config fields and data is asked about: the others say no more than it, or than their own operands."""
    start: Expr = e
    rest: list[Expr] = []
    while isinstance(start, Binary) and start.op == op and (is_opaque(start) or not is_opaque(e)):
        rest.append(start.rhs)
        start = start.lhs
    new = _normal(start, facts, env)
    for x in reversed(rest):
        new = _joined(op, new, _normal(x, facts, env))
    return new


def known_truth(e: Expr, facts: Facts, env: Env) -> bool | None:
    """What a condition is wherever the facts hold; None if they do not say, or if it reads config fields or data."""
    if is_opaque(e):
        return None
    f = cond(e, env)
    if prove(facts, f, "the condition is always true"):
        return True
    return False if prove(facts, neg(f), "the condition is never true") else None


def _joined(op: str, x: Expr, y: Expr) -> Expr:
    neutral, absorbing = (b.TRUE, b.FALSE) if op == "and" else (b.FALSE, b.TRUE)
    if absorbing in (x, y):
        return absorbing
    return y if x == neutral else x if y == neutral else Binary(op, x, y)


def _compared(op: str, x: Expr, y: Expr, facts: Facts, env: Env) -> Expr:
    """A comparison of integers without what both sides share."""
    sides = (x, y)
    if not all(map(_integer, sides)) or any(map(is_opaque, sides)):
        return Binary(op, *[_normal(s, facts, env) if _integer(s) else s for s in sides])
    left, right = (resolve(lin(s, env), facts) for s in sides)
    whole = Binary(op, to_expr(left), to_expr(right))
    shared = Lin(0, tuple((a, k) for a, k in right.terms if left.coefficient(a)))
    if not shared.terms:
        return whole
    shorter = Binary(op, to_expr(left - shared), to_expr(right - shared))
    return shorter if _size(shorter) < _size(whole) else whole


def _size(e: Expr) -> int:
    return sum(1 for _ in walk(e))


# -- quotients ----------------------------------------------------------------------------------------


def resolve(x: Lin, facts: Facts) -> Lin:
    """The same value with quotients, remainders and minima resolved that the facts decide."""
    for ratio in _ratios(x):
        value = _ratio(ratio, facts)
        if value != Lin.of(ratio):
            return resolve(subst_lin(x, {ratio: value}), facts)
    for atom, _ in x.terms:
        if isinstance(atom, Least):
            side = _smaller(resolve(atom.lin, facts), facts)
            if side != Lin.of(atom):
                return resolve(_replaced(x, atom, side), facts)
            continue
        if not isinstance(atom, Quot):
            continue
        value = _quotient(resolve(atom.lin, facts), atom.c, facts)
        if value != Lin.of(atom):
            return resolve(_replaced(x, atom, value), facts)
        exact = _exact(x, atom, facts)
        if exact is not None:
            return resolve(exact, facts)
    return x


def _ratios(x: Lin) -> list[Ratio]:
    """The quotients by forms in a form, also those in products, each once."""
    return list(dict.fromkeys(a for a in lin_atoms(x) if isinstance(a, Ratio)))


def _ratio(a: Ratio, facts: Facts) -> Lin:
    """A quotient by a form, of which the facts may say what the part is that is no multiple of the divisor."""
    x, by = resolve(a.lin, facts), resolve(a.by, facts)
    whole = quotient(x, by) if (x, by) != (a.lin, a.by) else Lin.of(a)
    rest = next((r for r, _ in whole.terms if isinstance(r, Ratio)), None)
    if rest is None:
        return whole
    for q in _known_quotients(rest):
        left = rest.lin - product(q, rest.by)
        if prove(facts, conj(ge(left, 0), lt(left, rest.by)), "a quotient is known from its bounds"):
            return whole - Lin.of(rest) + q
    return whole


def _known_quotients(a: Ratio) -> Iterator[Lin]:
    """What a quotient may be: nothing, or what divisor and dividend show."""
    yield Lin(0)
    divisors = [factors_of(d) for d, _ in a.by.terms]
    for x, k in a.lin.terms:
        for d in divisors:
            times = without_factors(x, d)
            if times is not None:
                yield times * k


def _smaller(x: Lin, facts: Facts) -> Lin:
    """min(0, x), using what is known of x."""
    if prove(facts, ge(x, 0), "the first operand of min is the smaller one"):
        return Lin(0)
    if prove(facts, ge(-x, 0), "the second operand of min is the smaller one"):
        return x
    return minimum(Lin(0), x)


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
    seen: set[int] = set()
    for q in (0, -1, 1):
        if seen - {q}:
            continue  # it has another value in an example
        within = conj(ge(rest, q * c), lt(rest, (q + 1) * c))
        answer = prove(facts, within, f"the quotient by {c} of what {c} does not divide is {q}")
        if answer:
            return whole + Lin(q)
        unknown = (a for a in lin_atoms(rest) if not isinstance(a, COMPUTED))
        if isinstance(answer, Refuted) and all(a in answer.model for a in unknown):
            seen.add(value_of(rest, answer.model) // c)
    return whole + rest.div(c)


def _exact(x: Lin, atom: Quot, facts: Facts) -> Lin | None:
    """x with `c * (y/c)` as `y`, if that makes it no longer and c is known to divide y."""
    times, left = divmod(x.coefficient(atom), atom.c)
    if left:
        return None
    shorter = x + (atom.lin - Lin.of(atom) * atom.c) * times
    if len(shorter.terms) > len(x.terms):
        return None
    divides = prove(facts, eq(atom.lin.mod(atom.c), 0), f"{atom.c} divides what it is to divide")
    return shorter if divides else None


def difference(a: Expr, b_: Expr) -> Expr:
    """`a - b_`, with what cancels left out."""
    if b_ == b.ZERO or is_opaque(a) or is_opaque(b_):
        return b.sub(a, b_)
    return to_expr(lin(a) - lin(b_))


# -- back to expressions ------------------------------------------------------------------------------


def to_expr(x: Lin) -> Expr:
    """An affine form as an expression in normal form. What is added to a minimum goes into both of its operands."""
    if (found := sides(x)) is not None:
        op, one, two = found
        return Binary(op, *map(to_expr, (one, two) if two.is_const else (two, one)))
    parts: list[tuple[int, Expr]] = []
    x = _fold_remainders(x, parts)
    parts += [(k, _atom(a)) for a, k in x.terms]
    parts.sort(key=lambda p: -abs(p[0]))
    parts.sort(key=lambda p: p[0] < 0)  # a positive term first, if there is one
    leads = x.const > 0 and all(k < 0 for k, _ in parts)  # `4 - i` reads better than `-i + 4`
    result: Expr | None = b.num(x.const) if leads else None
    for k, e in parts:
        if result is None:
            result = b.mul(k, e) if k != -1 else Unary("-", e)
        else:
            result = Binary("+" if k > 0 else "-", result, b.mul(abs(k), e))
    if result is None:
        return b.num(x.const)
    if leads or x.const == 0:
        return result
    return Binary("+" if x.const > 0 else "-", result, b.num(abs(x.const)))


def _fold_remainders(x: Lin, parts: list[tuple[int, Expr]]) -> Lin:
    """Takes `k*y - k*c*(y/c)` out of a sum as `k * (y % c)`."""
    for ratio in _ratios(x):
        whole = product(Lin.of(ratio), ratio.by)
        a, k = whole.terms[0]
        times = -(x.coefficient(a) // k)
        rest = x + (whole - ratio.lin) * times
        if times and len(rest.terms) <= len(x.terms) - len(whole.terms) - len(ratio.lin.terms):
            parts.append((times, b.mod(to_expr(ratio.lin), to_expr(ratio.by))))
            return _fold_remainders(rest, parts)
    for atom, m in x.terms:
        for y, c in _dividends(atom, x):
            k = -(m // c)
            rest = x - Lin.of(atom) * m - y * k
            if k != 0 and m % c == 0 and len(rest.terms) <= len(x.terms) - 1 - len(y.terms):
                parts.append((k, b.mod(to_expr(_upwards(y, c)), c)))
                return _fold_remainders(rest, parts)
    return x


def _dividends(atom: Atom, x: Lin) -> Iterator[tuple[Lin, int]]:
    """What an atom is the quotient of, and by what: `z / 8` that of z by 8, and that of `z / 4`, if the sum x has it,
    by 2."""
    if isinstance(atom, Quot):
        yield atom.lin, atom.c
        for a, _ in x.terms:
            if isinstance(a, Quot) and a.lin == atom.lin and a.c < atom.c and atom.c % a.c == 0:
                yield Lin.of(a), atom.c // a.c


def _upwards(x: Lin, c: int) -> Lin:
    """A form with the same remainder by c that no term makes smaller: so C's own remainder will do for what counts
    from zero."""
    return x + Lin.sum(0, [(a, c) for a, k in x.terms if k < 0])


def _atom(a: Atom) -> Expr:
    match a:
        case V(sym=s):
            return b.var(s)
        case Quot(lin=x, c=c):
            return b.div(to_expr(x), c)
        case Ratio(lin=x, by=by):
            return b.div(to_expr(x), to_expr(by))
        case Opaque(key=("stride", Sym() as s, int(d))):
            return StrideExpr(s, d)
        case Mul():
            return _product(a)
        case Least(lin=x):
            return Binary("min", b.ZERO, to_expr(x))
        case Element(sym=s, index=index, moment=None):
            return Cell(Read(s, pvector(map(to_expr, index))), True)
    raise TypeError(f"{a} has no expression")


def _product(a: Mul) -> Expr:
    factors = [_atom(f) for f in a.factors]
    result = factors[0]
    for f in factors[1:]:
        result = Binary("*", result, f)
    return result
