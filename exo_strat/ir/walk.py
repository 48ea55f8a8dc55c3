"""Generic walks over the tree: paths, mapping, substitution, free variables. Imports nodes only.

A path is a tuple of `(label, index | None)` steps from a node down to one of its descendants; the
index is None where the child is not a list. All maps keep untouched subtrees by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from pyrsistent import PVector, pvector

from .memo import memo_by_identity
from .names import Sym
from .nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Block,
    Const,
    Expr,
    For,
    If,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    WindowDef,
    WindowExpr,
)
from .types import Control

Step: TypeAlias = tuple[str, int | None]
Path: TypeAlias = tuple[Step, ...]
N = TypeVar("N")

COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
LOGICAL = frozenset(("and", "or"))


def with_child(node: N, label: str, value: object) -> N:
    """`node` with one field replaced; the same object if it already holds that very value."""
    if getattr(node, label) is value:
        return node
    cls = type(node)
    return cls(*[value if f == label else getattr(node, f) for f in cls.__match_args__])  # type: ignore[attr-defined]


def child(node: Node, step: Step) -> Node:
    """The child of `node` at one step."""
    label, i = step
    value = getattr(node, label)
    result: Node = value if i is None else value[i]
    return result


def get(node: Node, path: Path) -> Node:
    """The descendant of `node` at `path`."""
    for step in path:
        node = child(node, step)
    return node


def children(node: Node) -> Iterator[tuple[Step, Node]]:
    """The children of a node with their steps, in textual order."""
    for label, is_list in node.CHILDREN:
        value = getattr(node, label)
        if is_list:
            for i, c in enumerate(value):
                yield (label, i), c
        else:
            yield (label, None), value


def walk(
    node: Node, path: Path = (), into: Callable[[Node], bool] | None = None
) -> Iterator[tuple[Path, Node]]:
    """Every descendant of `node`, itself first, in textual order, with paths that start with `path`.

    With `into`, only those for which it holds, and nothing below the others.
    """
    stack: list[tuple[Path, Node]] = [(path, node)]
    while stack:
        here, n = stack.pop()
        if into is None or into(n):
            yield here, n
            stack.extend([((*here, step), c) for step, c in children(n)][::-1])


def declarators(node: Node) -> Iterator[Arg | Stmt]:
    """What may introduce a name, in textual order: the arguments and statements of a procedure, or the
    statements of a statement, itself first."""
    if isinstance(node, ProcDef):
        yield from node.args
        stack: list[Stmt] = [*reversed(node.body)]
    else:
        stack = [node] if isinstance(node, Stmt) else []
    while stack:
        s = stack.pop()
        yield s
        if isinstance(s, If):
            stack.extend(reversed(s.orelse))
        if isinstance(s, For | If):
            stack.extend(reversed(s.body))


def update(node: N, path: Path, f: Callable[[object], object]) -> N:
    """`node` with `f` applied to what stands at `path`: copies the spine, shares the rest.

    A last step with index None may also name a whole list, which `f` then maps to a list.
    """
    if not path:
        return f(node)  # type: ignore[return-value]
    (label, i), rest = path[0], path[1:]
    value = getattr(node, label)
    if i is None:
        return with_child(node, label, update(value, rest, f))
    old = value[i]
    new = update(old, rest, f)
    return node if new is old else with_child(node, label, value.set(i, new))


def map_children(node: N, f: Callable[[Node], Node]) -> N:
    """`node` with `f` applied to each child; the same object if no child changed."""
    cls = type(node)
    changed: dict[str, object] = {}
    for label, is_list in cls.CHILDREN:  # type: ignore[attr-defined]
        old = getattr(node, label)
        if is_list:
            new = [f(c) for c in old]
            if any(a is not b for a, b in zip(new, old, strict=True)):
                changed[label] = pvector(new)
        else:
            one = f(old)
            if one is not old:
                changed[label] = one
    if not changed:
        return node
    return cls(*[changed.get(m, getattr(node, m)) for m in cls.__match_args__])  # type: ignore[attr-defined]


def rewrite(node: N, f: Callable[[Node], Node]) -> N:
    """`f` applied to every descendant and then to `node`, bottom-up."""
    return f(map_children(node, lambda c: rewrite(c, f)))  # type: ignore[arg-type, return-value]


def subst(node: N, env: Mapping[Sym, Expr]) -> N:
    """`node` with control variables replaced by expressions. Names are unique: no capture."""
    if not env:
        return node

    def one(n: Node) -> Node:
        if isinstance(n, Var):
            return env.get(n.sym, n)
        return n

    return rewrite(node, one)


def rename(node: N, env: Mapping[Sym, Sym]) -> N:
    """`node` with variables renamed wherever they stand, binders included."""
    if not env:
        return node

    def one(n: Node) -> Node:
        for label in ("sym", "iter"):
            old = getattr(n, label, None)
            if old is not None and old in env:
                n = with_child(n, label, env[old])
        return n

    return rewrite(node, one)


def occurrences(node: Node, sym: Sym) -> Iterator[Path]:
    """Paths of the `Var(sym)` leaves below `node`."""
    for path, n in walk(node, into=lambda n: sym in mentions(n)):
        if isinstance(n, Var):
            yield path


def binders(node: Node) -> tuple[Sym, ...]:
    """The variables that `node` introduces, in textual order: iterators, allocations, windows, arguments."""
    out: list[Sym] = []
    for n in declarators(node):
        if isinstance(n, For):
            out.append(n.iter)
        elif isinstance(n, Alloc | WindowDef | Arg):
            out.append(n.sym)
    return tuple(out)


@memo_by_identity
def mentions(node: Node) -> frozenset[Sym]:
    """Every variable that stands anywhere in `node`, bound or free."""
    out: set[Sym] = set()
    if isinstance(node, For):
        out.add(node.iter)
    else:
        sym = getattr(node, "sym", None)
        if sym is not None:
            out.add(sym)
    for _, c in children(node):
        out |= mentions(c)
    return frozenset(out)


def free_syms(node: Node | Block) -> frozenset[Sym]:
    """The variables that a node, or a block of statements, uses and does not introduce itself."""
    if isinstance(node, PVector):
        used = frozenset[Sym]().union(*(mentions(s) for s in node))
        bound = {s for stmt in node for s in binders(stmt)}
    else:
        used, bound = mentions(node), set(binders(node))
    return used - bound


def freshen(stmts: Block, next_id: int) -> tuple[Block, int]:
    """A copy of a block whose binders all have new numbers, and the next free number."""
    env: dict[Sym, Sym] = {}
    for stmt in stmts:
        for s in binders(stmt):
            env[s] = Sym(s.name, next_id)
            next_id += 1
    return pvector(rename(s, env) for s in stmts), next_id


def alpha_normal(tree: ProcDef) -> ProcDef:
    """`tree` with its variables numbered in textual order: equal for alpha-equivalent procedures
    whose variables are spelled alike."""
    env = {s: Sym(s.name, i) for i, s in enumerate(binders(tree))}
    return with_child(rename(tree, env), "next_id", len(env))


def is_control(e: Node) -> bool:
    """Whether an expression is a control value (integer, bool, stride) rather than data."""
    match e:
        case Const(type=t):
            return isinstance(t, Control)
        case Var() | StrideExpr():
            return True
        case ReadConfig(config=c, field=f):
            return isinstance(c.fields[f], Control)
        case Unary(arg=a):
            return is_control(a)
        case Binary(op=op, lhs=a):
            return op in COMPARISONS or op in LOGICAL or is_control(a)
        case _:
            return False


def is_bool(e: Expr) -> bool:
    """Whether a control expression is certainly a truth value by its form (not a bool variable)."""
    match e:
        case Const(type=t):
            return t == Control("bool")
        case Unary(op=op):
            return op == "not"
        case Binary(op=op):
            return op in COMPARISONS or op in LOGICAL
        case ReadConfig(config=c, field=f):
            return c.fields[f] == Control("bool")
        case _:
            return False


def written_sym(s: Stmt) -> Sym | None:
    """The buffer that an assignment or reduction writes."""
    return s.sym if isinstance(s, Assign | Reduce) else None


def reads(node: Node) -> Iterator[tuple[Path, Read | WindowExpr]]:
    """The data reads and windows that stand below `node`."""
    for path, n in walk(node):
        if isinstance(n, Read | WindowExpr):
            yield path, n
