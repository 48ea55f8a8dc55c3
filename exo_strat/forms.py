"""Integer control expressions as affine forms, for strategies that calculate with indices and ranges.

A form `Lin` is a constant and integer multiples of atoms: variables `V`, floor quotients `Quot`, products `Mul`,
minima of 0 and a form `Least`, and integers of which nothing is known but what tells them apart, `Opaque`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pyrsistent import pmap

from .ir.names import Sym
from .ir.nodes import Expr
from .ir.room import with_room
from .ir.walk import is_bool, is_control
from .logic.effects import stable_facts
from .logic.forms import (
    Atom,
    Env,
    Eq,
    Ge,
    Least,
    Lin,
    Model,
    Mul,
    Opaque,
    Quot,
    Term,
    V,
    lin,
    lin_atoms,
    product,
    subst_lin,
    value_of,
)
from .logic.questions import to_expr

__all__ = [
    "affine",
    "Atom",
    "Least",
    "Lin",
    "lin_atoms",
    "Model",
    "Mul",
    "Opaque",
    "product",
    "Quot",
    "subst_lin",
    "Term",
    "to_expr",
    "V",
    "value_of",
    "what_holds",
]

Values = Mapping[Sym, Lin]
THEMSELVES: Final[Values] = MappingProxyType({})


@with_room
def affine(e: Expr, values: Values = THEMSELVES) -> Lin | None:
    """An expression as a form, in which variables stand for what `values` says, or for themselves; None of what is no
    sum of multiples of variables, and quotients and remainders by literals.

    >>> from exo_strat.ir.build import add, num, var
    >>> i = Sym("i", 1)
    >>> affine(add(var(i), num(1)), {i: Lin.of(V(i)) * 4})
    4*i_1 + 1
    """
    x = lin(e, Env(pmap(values))) if is_control(e) and not is_bool(e) else None
    return x if x is not None and _is_affine(x, values) else None


@with_room
def what_holds(condition: Expr, truth: bool = True, values: Values = THEMSELVES) -> tuple[Lin, ...]:
    """Forms that are at least 0 wherever a condition is true, or false: a part of what follows, maybe nothing.

    >>> from exo_strat.ir.build import lt, num, var
    >>> what_holds(lt(var(Sym("i", 1)), num(8)))
    (-i_1 + 7,)
    """
    facts = stable_facts(condition, Env(pmap(values)), truth)
    found = [x for f in facts if isinstance(f, Ge | Eq) for x in ((f.lin,) if isinstance(f, Ge) else (f.lin, -f.lin))]
    return tuple(x for x in found if _is_affine(x, values))


def _is_affine(x: Lin, values: Values) -> bool:
    """Whether a form has no products, and no unknowns but those of the values: others may change, or hide variables."""
    given = {a for y in values.values() for a in lin_atoms(y)}
    return all(isinstance(a, V | Quot) or a in given for a in lin_atoms(x))
