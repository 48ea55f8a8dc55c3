"""Whether two expressions have one value.

The expressions stand at two instances of code: each has its own values of the iterators. Control values are
compared by the solver. Data is compared by structure, sums and products up to the order of their operands
(data values are mathematical numbers); two reads are equal if they are of one location and whoever asks says
that what is there is the same. The number of a control integer (`f32(i)`) is equal if the integers are, at their own
instances. Nothing is cancelled, so equal expressions also trap alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Binary,
    Cell,
    Const,
    Expr,
    ExternCall,
    ProcDef,
    Read,
    ReadConfig,
    Select,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WindowExpr,
)
from ...ir.walk import is_bool, is_control, walk
from ..forms.affine import Atom, Lin, subst_lin
from ..forms.formula import Formula, eq, iff, subst
from ..forms.translate import cond, is_opaque, lin
from ..solver.proofs import prove
from .accesses import Access, config_key, index_of, move, resolve
from .context import env_of
from .dependence import positions

Values: TypeAlias = Mapping[Atom, Lin]
"""What the iterators are at one instance."""

WHAT = "two expressions have one value"


@dataclass(frozen=True)
class Pair:
    """Two instances: what is known of both, and the values of the iterators at each. `steady` tells of a read
    whether what it finds depends on the location only, `held` of two reads whether each finds what its own instance
    stored, and that is equal; `inner` are the buffers and windows that each instance has for itself."""

    tree: ProcDef
    facts: tuple[Formula, ...]
    steady: Callable[[Read | ReadConfig], bool]
    one: Values = field(default_factory=dict)
    two: Values = field(default_factory=dict)
    inner: frozenset[Sym] = frozenset()
    held: Callable[[Expr, Expr], bool] = lambda x, y: False

    def given(self, facts: Sequence[Formula], one: Values, two: Values) -> Pair:
        """With more known, and more iterators."""
        return replace(self, facts=(*self.facts, *facts), one={**self.one, **one}, two={**self.two, **two})


@memo_by_identity
def all_windows(tree: ProcDef) -> Mapping[Sym, WindowExpr | ViewExpr]:
    """Every window of a procedure: each name is bound once."""
    return {n.sym: n.rhs for _, n in walk(tree) if isinstance(n, WindowDef)}


def same_value(p: Pair, x: Expr, y: Expr) -> bool:
    """Whether `x` at the first instance surely equals `y` at the second."""
    if is_control(x) != is_control(y):
        return False
    if is_control(x) and not (is_opaque(x) or is_opaque(y)):
        return _same_control(p, x, y)
    match x, y:
        case Const(), Const():
            return x.value == y.value
        case Read() | ReadConfig(), Read() | ReadConfig():
            return p.held(x, y) or (_same_place(p, x, y) and p.steady(x) and p.steady(y))
        case Cell(), Cell():
            return same_value(p, x.read, y.read)
        case ExternCall(), ExternCall():
            return x.f == y.f and all(same_value(p, a, b) for a, b in zip(x.args, y.args, strict=True))
        case Binary(op="*"), Binary(op="*"):
            return _same_operands(p, _factors(x), _factors(y))
        case (Binary(op="+" | "-") | Unary(op="-"), _) | (_, Binary(op="+" | "-") | Unary(op="-")):
            return _same_operands(p, _terms(x), _terms(y))
        case Select(), Select():
            return all(same_value(p, a, b) for a, b in ((x.cond, y.cond), (x.then, y.then), (x.other, y.other)))
        case Unary(), Unary():
            return x.op == y.op and same_value(p, x.arg, y.arg)
        case Binary(), Binary():
            return x.op == y.op and same_value(p, x.lhs, y.lhs) and same_value(p, x.rhs, y.rhs)
        case _:
            return False


def _same_control(p: Pair, x: Expr, y: Expr) -> bool:
    if any(isinstance(n, StrideExpr) and n.sym in p.inner for e in (x, y) for _, n in walk(e)):
        return False
    env = env_of(p.tree)
    truth = [is_bool(e) or (isinstance(e, Var) and e.sym in env.bools) for e in (x, y)]
    if truth[0] != truth[1]:
        return False
    if truth[0]:
        goal = iff(subst(cond(x, env), p.one), subst(cond(y, env), p.two))
    else:
        goal = eq(subst_lin(lin(x, env), p.one), subst_lin(lin(y, env), p.two))
    return bool(prove(p.facts, goal, WHAT))


def place_of(tree: ProcDef, e: Read | ReadConfig) -> Access:
    """The read that an expression makes, in terms of the base buffer."""
    if isinstance(e, ReadConfig):
        return Access(config_key(e.config.name, e.field), "R", (), e)
    return resolve(Access(e.sym, "R", index_of(e.idx), e), all_windows(tree))


def _same_place(p: Pair, x: Read | ReadConfig, y: Read | ReadConfig) -> bool:
    a, b = place_of(p.tree, x), place_of(p.tree, y)
    if a.buffer != b.buffer or a.buffer in p.inner:
        return False
    for i, j in positions(move(a, p.one), move(b, p.two)):
        if i is None or j is None or not prove(p.facts, eq(i, j), WHAT):
            return False
    return True


# -- sums and products ----------------------------------------------------------------------------------

Operand: TypeAlias = tuple[bool, Expr]
"""An operand, and whether it is subtracted."""


def _terms(e: Expr, minus: bool = False) -> list[Operand]:
    match e:
        case Binary(op="+" | "-" as op, lhs=a, rhs=b):
            return _terms(a, minus) + _terms(b, minus != (op == "-"))
        case Unary(op="-", arg=a):
            return _terms(a, not minus)
        case _:
            return [(minus, e)]


def _factors(e: Expr) -> list[Operand]:
    if isinstance(e, Binary) and e.op == "*":
        return _factors(e.lhs) + _factors(e.rhs)
    return [(False, e)]


def _same_operands(p: Pair, xs: Sequence[Operand], ys: Sequence[Operand]) -> bool:
    """Whether each operand of one has a partner of its own in the other."""
    if len(xs) != len(ys):
        return False
    left = list(ys)
    for minus, x in xs:
        partner = next((k for k, (m, y) in enumerate(left) if m == minus and same_value(p, x, y)), None)
        if partner is None:
            return False
        del left[partner]
    return not left
