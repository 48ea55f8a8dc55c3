"""What is known at a place of a procedure.

Known are: sizes and extents are at least 1; the assertions; the ranges of the loops and the conditions
of the branches around the place; the strides of dense buffers and of windows. Nothing that reads config
fields or data is ever a fact: they may have changed since. What a node contributes is memoised on it,
so an edit recomputes its own spine only.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache

from pyrsistent import PMap, pmap

from ...ir.cells import has_cells, indexing
from ...ir.memo import memo_by_identity
from ...ir.names import Sym
from ...ir.nodes import (
    Alloc,
    Arg,
    Binary,
    Block,
    Expr,
    For,
    If,
    Interval,
    Node,
    ProcDef,
    Select,
    Stmt,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
)
from ...ir.precisions import element, integer_range
from ...ir.printing import names_at
from ...ir.types import Control, Tensor, bool_, size
from ...ir.walk import LOGICAL, Path, child, is_control
from ..forms.formula import (
    TRUE,
    And,
    BoolAtom,
    Element,
    Every,
    Formula,
    HashedOnce,
    Leaf,
    Lin,
    Model,
    Opaque,
    V,
    conj,
    eq,
    ge,
    lin_atoms,
    neg,
    product,
    value_of,
)
from ..forms.translate import Env, at_most, cond, flag, is_opaque, lin, operands, stride_of, unknown
from ..solver.answers import Answer
from ..solver.proofs import prove

Facts = tuple[Formula, ...]


@memo_by_identity
def env_of(tree: ProcDef) -> Env:
    """The environment in which the expressions of `tree` are read: it knows which arguments are bools."""
    return _env(_bools(tree))


@memo_by_identity
def _bools(tree: ProcDef) -> tuple[Sym, ...]:
    return tuple(a.sym for a in tree.args if a.type == bool_)


@lru_cache(maxsize=256)
def _env(bools: tuple[Sym, ...]) -> Env:
    return Env(bools=pmap({s: flag(s) for s in bools}))


@memo_by_identity
def facts_at(tree: ProcDef, path: Path) -> Facts:
    """What is known where `path` stands, whenever control reaches it; of an expression, whenever it is evaluated."""
    facts, env = with_more((), entry_facts(tree)), env_of(tree)
    node: Node = tree
    for n, (label, k) in enumerate(path):
        if k is None or label not in ("body", "orelse"):
            return _evaluated(facts, node, path[n:], env)
        if isinstance(node, For | If):
            facts = facts_inside(facts, node, label, env)
        block: Block = getattr(node, label)
        for s in block[:k] if k else ():
            facts = facts_after(facts, s)
        if k == len(block):  # just after the last statement
            break
        node = block[k]
    return facts


def _evaluated(facts: Facts, node: Node, path: Path, env: Env) -> Facts:
    """What is known where the part of a statement at `path` is evaluated, if `facts` are at the statement."""
    for step in path:
        condition = asked_first(node, step[0])
        if condition is not None:
            facts = facts_given(facts, *condition, env)
        node = child(node, step)
    return facts


def asked_first(n: Node, label: str) -> tuple[Expr, bool] | None:
    """The condition that decides whether an expression evaluates its part `label`, and whether it is true then; None
    if it always does."""
    if isinstance(n, Select) and label != "cond":
        return n.cond, label == "then"
    if isinstance(n, Binary) and n.op in LOGICAL and label == "rhs":
        return n.lhs, n.op == "and"
    return None


def facts_given(facts: Facts, condition: Expr, truth: bool, env: Env) -> Facts:
    """What is known where a condition is `truth`, if `facts` are where it is asked."""
    return with_more(facts, _stated(condition, env.bools, truth))


def facts_inside(facts: Facts, s: For | If, label: str, env: Env) -> Facts:
    """What is known where the block `label` of a loop or branch begins, if `facts` are where the statement does."""
    return with_more(facts, range_facts(s)) if isinstance(s, For) else facts_given(facts, s.cond, label == "body", env)


def facts_after(facts: Facts, s: Stmt) -> Facts:
    """What is known after a statement, if `facts` are before it."""
    return with_more(facts, declared_facts(s)) if isinstance(s, (Alloc, WindowDef)) else facts


@lru_cache(maxsize=1 << 14)
def with_more(facts: Facts, more: Facts) -> Facts:
    """Facts and some more: one object for equal ones, in all versions, so that they are looked up fast."""
    return HashedOnce((*facts, *more)) if more else facts


@memo_by_identity
def entry_facts(tree: ProcDef) -> Facts:
    """What is known where `tree` begins: about its arguments, and its assertions."""
    env = env_of(tree)
    facts: list[Formula] = []
    for a in tree.args:
        facts += declared_facts(a)
    facts += facts_of_cells(tree)
    for p in tree.preds:
        facts += _stated(p, env.bools)
    return tuple(facts)


@memo_by_identity
def facts_of_cells(tree: ProcDef) -> Facts:
    """The extents of the arguments that a procedure takes indices from, and the range of their precisions."""
    if not has_cells(tree):
        return ()
    taken, facts = indexing(tree), list[Formula]()
    for a in tree.args:
        if a.sym not in taken or isinstance(a.type, Control) or element(a.type).is_float:
            continue
        extents = a.type.shape if isinstance(a.type, Tensor) else ()
        if not any(map(is_opaque, extents)):
            least, most = integer_range(element(a.type))
            facts.append(Every("shape", a.sym, tuple([lin(e) for e in extents])))
            facts.append(Every("within", a.sym, (Lin(least), Lin(most + 1))))
    return tuple(facts)


@memo_by_identity
def _stated(condition: Expr, bools: PMap[Sym, Formula], truth: bool = True) -> Facts:
    return stable_facts(condition, Env(bools=bools), truth)


def flatten(f: Formula) -> Facts:
    """The conjuncts of `f`."""
    if isinstance(f, And):
        return f.fs
    return () if f == TRUE else (f,)


@memo_by_identity
def declared_facts(s: Arg | Alloc | WindowDef) -> Facts:
    """What is known of an argument, buffer or window from where it is introduced.

    Sizes and extents are positive; the strides of a dense tensor are products of its inner extents. A window
    has the strides of the dimensions that it keeps.
    """
    if isinstance(s, WindowDef):
        if isinstance(s.rhs, ViewExpr):
            return tuple([f for f in _extent_facts(s.sym, s.rhs.shape, dense=True) if f != TRUE])
        kept = [d for d, i in enumerate(s.rhs.idx) if isinstance(i, Interval)]
        return tuple([eq(stride_of(s.sym, k), stride_of(s.rhs.sym, d)) for k, d in enumerate(kept)])
    if isinstance(s.type, Tensor):
        return _tensor_facts(s.sym, s.type)
    return (ge(unknown(s.sym), 1),) if s.type == size else ()


def _tensor_facts(sym: Sym, t: Tensor) -> Facts:
    return tuple([f for f in _extent_facts(sym, t.shape, dense=not t.window) if f != TRUE])


def _extent_facts(sym: Sym, shape: Sequence[Expr], dense: bool) -> Iterator[Formula]:
    yield from (ge(lin(e), 1) for e in shape if not is_opaque(e))
    stride = Lin(1)
    for d in reversed(range(len(shape))) if dense else ():
        yield eq(stride_of(sym, d), stride)
        if is_opaque(shape[d]):
            return
        stride = product(stride, lin(shape[d]))


def range_facts(loop: For) -> Facts:
    """`lo <= iter < hi`, as far as the bounds never change: of a maximum or minimum of which a part does, the rest."""
    return _between(loop.iter, loop.lo, loop.hi)


@lru_cache(maxsize=1 << 12)
def _between(i: Sym, lo: Expr, hi: Expr) -> Facts:
    least, most = steady_end(lo, "max"), steady_end(hi, "min")
    lower = [] if least is None else [at_most(least, Var(i))]
    upper = [] if most is None else [at_most(Var(i), most, strict=True)]
    return flatten(conj(*lower, *upper))


def steady_end(e: Expr, op: str) -> Expr | None:
    """What a control integer is at least (`op` is "max") or at most ("min") for good, though a part of it may change;
    None if nothing is known: `min(max(b, 0), n)` is at least `min(0, n)`."""
    if not is_opaque(e):
        return e
    if not (isinstance(e, Binary) and e.op in ("min", "max")):
        return None
    ends = [end for end in (steady_end(e.lhs, op), steady_end(e.rhs, op)) if end is not None]
    if len(ends) == 2:
        return Binary(e.op, *ends)
    return ends[0] if ends and e.op == op else None


def branch_facts(branch: If, label: str, env: Env) -> Facts:
    """What the condition says in the branch `label`, "body" or "orelse"."""
    return stable_facts(branch.cond, env, label == "body")


def stable_facts(e: Expr, env: Env, truth: bool = True) -> Facts:
    """What follows for good from `e` being `truth` at some moment."""
    return flatten(_stable(e, env, truth))


def _stable(e: Expr, env: Env, truth: bool = True) -> Formula:
    """What follows from `e` being `truth` and stays so: the part that reads neither data nor config."""
    if not is_opaque(e):
        return cond(e, env) if truth else neg(cond(e, env))
    match e:
        case Unary(op="not", arg=a):
            return _stable(a, env, not truth)
        case Binary(op=op) if op == ("and" if truth else "or"):
            return conj(*[_stable(a, env, truth) for a in operands(e, op)])
        case Binary(op=op, lhs=a, rhs=b) if op in _ORDER and is_control(a):
            strict, rising = _ORDER[op]
            less, more = (a, b) if rising == truth else (b, a)
            least, most = steady_end(less, "max"), steady_end(more, "min")
            return TRUE if least is None or most is None else at_most(least, most, env, strict=strict == truth)
        case _:
            return TRUE


_ORDER = {"<": (True, True), "<=": (False, True), ">": (True, False), ">=": (False, False)}
"""Whether a comparison is strict, and whether its right side is the larger one."""


def prove_at(tree: ProcDef, path: Path, goal: Expr | Formula) -> Answer:
    """Whether `goal` is true wherever control reaches `path`."""
    f = goal if isinstance(goal, Formula) else cond(goal, env_of(tree))
    return prove(facts_at(tree, path), f, "a condition holds wherever control gets here")


def show_model(tree: ProcDef, model: Model, about: Container[Leaf] | None = None) -> dict[str, int]:
    """A counterexample, or what of it is `about` some unknowns, in the names that `tree` prints with, in order; primed
    iterations get a `'`.

    Only what a reader can name is shown: variables, strides, config fields, and elements that never change.
    """
    names = names_at(tree)
    out: dict[str, int] = {}
    for leaf, value in sorted(model.items(), key=lambda item: _rank(item[0])):
        if about is not None and leaf not in about:
            continue
        name = _element(leaf, names, model) if isinstance(leaf, Element) else _name(leaf, names)
        if name is not None:
            out[name] = int(value)
    return out


def _element(e: Element, names: Mapping[Sym, str], model: Model) -> str | None:
    """An element by its place in the model, if that is known."""
    inside = {a for x in e.index for a in lin_atoms(x)}
    if e.moment is not None or any(a not in model for a in inside if isinstance(a, V | Opaque | Element)):
        return None
    place = ", ".join(str(value_of(x, model)) for x in e.index)
    return f"{names.get(e.sym, e.sym.name)}[{place}]" if e.index else names.get(e.sym, e.sym.name)


def _rank(leaf: Leaf) -> tuple[int, int, int, str]:
    match leaf:
        case BoolAtom(key=("bool", Sym() as s)):
            return (0, s.id, 0, s.name)
        case BoolAtom():
            return (4, 0, 0, repr(leaf.key))
        case _:
            return leaf.order


def _name(leaf: Leaf, names: Mapping[Sym, str]) -> str | None:
    match leaf:
        case V(sym=s, instance=instance):
            return names.get(s, s.name) + instance
        case BoolAtom(key=("bool", Sym() as s)):
            return names.get(s, s.name)
        case Opaque(key=("stride", Sym() as s, int(d))):
            return f"stride({names.get(s, s.name)}, {d})"
        case Opaque(key=("config", str(c), str(f), _)):
            return f"{c}.{f}"
        case _:
            return None
