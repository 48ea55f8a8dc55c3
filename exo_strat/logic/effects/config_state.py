"""Which values config fields are known to have at a place, and which conditions on them hold.

A field's value is known after it was written with an expression that never changes, or where an
assertion gives it, until it is written again. Known values are joined where branches meet and where a
loop comes round; a loop that surely runs leaves what its last iteration does. A call sets what its callee
leaves, in terms of the call's arguments. A condition on fields that led here holds until one of them may be
written; with known values put in, it may hold for good. A field of type `size` is at least 1.

`field_facts` is all of that. The static checks know it, and so does whoever asks `safety` about conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

from pyrsistent import PMap, pmap

from ...ir.heads import inner
from ...ir.memo import memo_by_identity
from ...ir.nodes import (
    Binary,
    Call,
    Expr,
    For,
    If,
    Interval,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    WindowExpr,
    WriteConfig,
)
from ...ir.outside import fields_and_externs, has_configs
from ...ir.precisions import index_value
from ...ir.types import bool_, size
from ...ir.walk import Path, asked_at_entry, binders, is_control, mentions, rewrite, walk
from ..forms.formula import TRUE, Formula, eq, ge, iff, lt, neg
from ..forms.translate import Env, cond, is_opaque, lin
from ..solver.proofs import prove
from .context import Facts, entry_facts, facts_at, range_facts

Values: TypeAlias = PMap[ReadConfig, Expr]
"""The fields (control values only) whose value is known, with that value: an expression that never changes."""


@memo_by_identity
def values_at(tree: ProcDef, path: Path) -> Values:
    """The config fields known whenever control reaches the statement that holds `path`."""
    known = entry_values(tree)
    node: Node = tree
    for n, (label, k) in enumerate(path):
        if label not in ("body", "orelse") or k is None:
            break
        facts = facts_at(tree, path[:n]) if _asks_facts(node) else ()
        if isinstance(node, For):
            facts = _inside(node, facts)
            known = _round(node, known, facts)
        block = getattr(node, label)
        known = _after_all(known, block[:k], facts)
        if k == len(block):  # just after the last statement
            break
        node = block[k]
    return known


@lru_cache(maxsize=1 << 12)
def value_facts(known: Values, env: Env) -> tuple[Formula, ...]:
    """The known values as facts about the moment of `env`."""
    facts = []
    for field in sorted(known, key=lambda r: (r.config.name, r.field)):
        if field.config.fields[field.field] == bool_:
            facts.append(iff(cond(field, env), cond(known[field], env)))
        else:
            facts.append(eq(lin(field, env), lin(known[field], env)))
    return tuple(facts)


Conditions: TypeAlias = tuple[tuple[Expr, bool], ...]
"""Conditions, and whether they are true."""


@memo_by_identity
def conditions_at(tree: ProcDef, path: Path) -> Conditions:
    """The conditions that read config fields, but no buffers, and are known to be true or false whenever control
    reaches the statement that holds `path`: assertions, branches and the bounds of loops. Where the fields' values
    were known when one was asked, it is there with these put in, too."""
    known = [c for p in tree.preds for c in _on_fields(p, True)]
    node: Node = tree
    for n, (label, k) in enumerate(path):
        if label not in ("body", "orelse") or k is None:
            break
        if isinstance(node, For | If) and (asked := _fields_asked(node, label)):
            known = [*known, *_for_good(asked, values_at(tree, path[:n])), *asked]
        if isinstance(node, For):
            known = _kept(known, node)
        block = getattr(node, label)
        for s in block[:k] if known else ():
            known = _kept(known, s)
        if k == len(block):
            break
        node = block[k]
    return tuple(known)


@memo_by_identity
def _fields_asked(s: For | If, label: str) -> Conditions:
    """What is known of config fields in a block of a loop or branch because it runs."""
    return tuple([c for e, truth in _asked(s, label) for c in _on_fields(e, truth)])


def _asked(s: For | If, label: str) -> Conditions:
    """What is known in a block of a loop or branch because it runs."""
    if isinstance(s, If):
        return ((s.cond, label == "body"),)
    i = Var(s.iter)
    return (Binary("<=", s.lo, i), True), (Binary("<", i, s.hi), True)


def _on_fields(e: Expr, truth: bool) -> Iterator[tuple[Expr, bool]]:
    """The parts of a condition that read config fields, and no data else, and are true or false if all of it is."""
    match e:
        case Unary(op="not", arg=a):
            yield from _on_fields(a, not truth)
        case Binary(op=op, lhs=a, rhs=b) if op == ("and" if truth else "or"):
            yield from _on_fields(a, truth)
            yield from _on_fields(b, truth)
        case _ if is_opaque(e) and not any(_is_data(n) for _, n in walk(e)):
            yield e, truth


def _is_data(n: Node) -> bool:
    return isinstance(n, Read | WindowExpr) or index_value(n) is not None


def _for_good(asked: Iterable[tuple[Expr, bool]], values: Values) -> list[tuple[Expr, bool]]:
    """Conditions with known values put in, if they then read no field."""
    put_in = ((_resolve(e, values), truth) for e, truth in asked)
    return [(e, truth) for e, truth in put_in if e is not None]


def _kept(known: list[tuple[Expr, bool]], s: Stmt) -> list[tuple[Expr, bool]]:
    """The conditions on none of the fields that `s` may write."""
    gone = written_fields(s)
    if not gone:
        return known
    return [(e, t) for e, t in known if not any(n in gone for _, n in walk(e) if isinstance(n, ReadConfig))]


def condition_facts(known: Iterable[tuple[Expr, bool]], env: Env) -> tuple[Formula, ...]:
    """Conditions as facts about the moment of `env`."""
    return tuple(cond(e, env) if truth else neg(cond(e, env)) for e, truth in known)


def field_facts(tree: ProcDef, path: Path, env: Env) -> Facts:
    """All that is known of config fields whenever control reaches the statement that holds `path`, as facts about the
    moment of `env`."""
    if not _fields(tree):
        return ()
    known, values = conditions_at(tree, path), value_facts(values_at(tree, path), env)
    return (*_typed(tree, env), *values, *condition_facts(known, env))


def _typed(tree: ProcDef, env: Env) -> Facts:
    """Sizes are at least 1: whatever is stored in such a field was checked."""
    return tuple([ge(lin(f, env), 1) for f in _fields(tree) if f.config.fields[f.field] == size])


@memo_by_identity
def _fields(tree: ProcDef) -> tuple[ReadConfig, ...]:
    """The config fields that a procedure names, itself or in what it calls."""
    return tuple(sorted(_named(tree), key=lambda r: (r.config.name, r.field))) if has_configs(tree) else ()


@memo_by_identity
def _named(n: Stmt | ProcDef) -> frozenset[ReadConfig]:
    """The same of a statement or procedure, in any order. Statements that an edit leaves alone are not walked again."""
    found = {m for m in fields_and_externs(n) if isinstance(m, ReadConfig)}
    if isinstance(n, WriteConfig):
        found.add(ReadConfig(n.config, n.field))
    elif isinstance(n, Call):
        found |= _named(n.f.tree)
    return frozenset(found).union(*map(_named, inner(n)))


@memo_by_identity
def depends_on_fields(tree: ProcDef) -> bool:
    """Whether what the checks ask of a procedure depends on config fields."""
    return has_configs(tree) and (any(map(is_opaque, asked_at_entry(tree))) or any(map(asks_config, tree.body)))


@memo_by_identity
def entry_values(tree: ProcDef) -> Values:
    """What the assertions of `tree` say about config fields."""
    known: Values = pmap()
    for p in tree.preds:
        if isinstance(p, Binary) and p.op == "==":
            for field, value in ((p.lhs, p.rhs), (p.rhs, p.lhs)):
                if isinstance(field, ReadConfig) and is_control(field) and not is_opaque(value):
                    known = known.set(field, value)
    return known


def after(known: Values, s: Stmt, facts: Facts = ()) -> Values:
    """What is known after `s`, given what is known before it, of fields and of all else."""
    return _after(s, known, facts if _asks_facts(s) else ()) if written_fields(s) else known


@memo_by_identity
def _after(s: Stmt, known: Values, facts: Facts) -> Values:
    match s:
        case WriteConfig(config=c, field=f, rhs=rhs):
            return _set(known, ReadConfig(c, f), _resolve(rhs, known))
        case For():
            return _after_loop(known, s, facts)
        case If(body=body, orelse=orelse):
            return _join(_after_all(known, body, facts), _after_all(known, orelse, facts))
        case Call():
            return _after_call(known, s)
        case _:
            return known


@memo_by_identity
def written_fields(s: Stmt | ProcDef) -> frozenset[ReadConfig]:
    """The config fields that a statement or procedure may write, itself or through calls."""
    match s:
        case WriteConfig(config=c, field=f):
            return frozenset((ReadConfig(c, f),))
        case Call(f=callee):
            return written_fields(callee.tree)
        case _:
            return frozenset[ReadConfig]().union(*map(written_fields, inner(s)))


@memo_by_identity
def _asks_facts(s: Node) -> bool:
    """Whether what is known of fields after a statement, or in a procedure, depends on more: on whether a loop in it
    that writes fields runs."""
    if isinstance(s, For) and written_fields(s):
        runs = not (is_opaque(s.lo) or is_opaque(s.hi)) and lt(lin(s.lo), lin(s.hi)) == TRUE
        return not runs or any(map(_asks_facts, s.body))
    return isinstance(s, If | ProcDef) and any(map(_asks_facts, inner(s)))


@memo_by_identity
def asks_config(s: Stmt) -> bool:
    """Whether what the checks ask of `s` depends on config fields: an index, bound, extent, condition or argument in
    it reads one, or what a callee asserts, or the extents of its arguments, do."""
    return asks_itself(s) or any(map(asks_config, inner(s)))


@memo_by_identity
def asks_itself(s: Stmt) -> bool:
    """The same of `s` without the blocks that it holds."""
    if isinstance(s, Call) and any(map(is_opaque, asked_at_entry(s.f.tree))):
        return True
    return any(isinstance(n, ReadConfig) and is_control(n) for n in fields_and_externs(s))


@memo_by_identity
def _exit_values(tree: ProcDef) -> Values:
    """What a procedure leaves in the fields that it writes."""
    written = written_fields(tree)
    left = _after_all(entry_values(tree), tree.body, entry_facts(tree))
    return pmap({f: v for f, v in left.items() if f in written})


def _after_all(known: Values, stmts: Iterable[Stmt], facts: Facts) -> Values:
    for s in stmts:
        known = after(known, s, facts)
    return known


@memo_by_identity
def _round(loop: For, known: Values, facts: Facts) -> Values:
    """What is known at the start of every iteration, and after a loop that may run zero times."""
    while True:
        met = _join(known, _after_all(known, loop.body, facts))
        if len(met) == len(known):
            return met
        known = met


def _after_loop(known: Values, loop: For, facts: Facts) -> Values:
    inside = _inside(loop, facts)
    start = _round(loop, known, inside)
    last = _after_all(start, loop.body, inside)
    if last == start or is_opaque(loop.lo) or is_opaque(loop.hi):
        return start
    runs = prove(facts, lt(lin(loop.lo), lin(loop.hi)), f"the loop over {loop.iter} runs")
    if not runs:
        return start
    inner = frozenset(binders(loop))
    return pmap({f: v for f, v in last.items() if mentions(v).isdisjoint(inner)})


def _inside(loop: For, facts: Facts) -> Facts:
    """The facts in a loop, as far as anybody asks."""
    return (*facts, *range_facts(loop)) if _asks_facts(loop) else ()


def _join(a: Values, b: Values) -> Values:
    """What both say."""
    both = a if a is b else pmap({f: v for f, v in a.items() if b.get(f) == v})
    return a if len(both) == len(a) else both


def _set(known: Values, field: ReadConfig, value: Expr | None) -> Values:
    return known.discard(field) if value is None or not is_control(field) else known.set(field, value)


def _resolve(e: Expr, known: Values) -> Expr | None:
    """`e` with known fields put in; None if its value isn't known."""
    if not is_opaque(e):
        return e
    put_in = rewrite(e, lambda n: known.get(n, n) if isinstance(n, ReadConfig) else n)
    return None if is_opaque(put_in) else put_in


def _after_call(known: Values, call: Call) -> Values:
    callee = call.f.tree
    left = _exit_values(callee)
    actual = dict(zip([a.sym for a in callee.args], call.args, strict=False))

    def put_in(n: Node) -> Node:
        if isinstance(n, Var):
            return actual[n.sym]
        if isinstance(n, StrideExpr):
            return _stride(actual[n.sym], n.dim)
        return n

    out = known
    for field in written_fields(callee):
        value = left.get(field)
        # A value in terms of the callee's own windows means nothing here.
        if value is not None and mentions(value) <= actual.keys():
            out = _set(out, field, _resolve(rewrite(value, put_in), known))
        else:
            out = out.discard(field)
    return out


def _stride(buffer: Expr, dim: int) -> StrideExpr:
    """The stride of a buffer argument, in terms of the buffer that it is a window of."""
    if isinstance(buffer, WindowExpr):
        kept = [d for d, i in enumerate(buffer.idx) if isinstance(i, Interval)]
        return StrideExpr(buffer.sym, kept[dim])
    if not isinstance(buffer, Read):
        raise TypeError(f"{buffer} is no buffer")
    return StrideExpr(buffer.sym, dim)
