"""Generic walks over the tree: paths, mapping, substitution, free variables.

A path is a tuple of `(label, index | None)` steps from a node down to one of its descendants; the
index is None where the child is not a list. All maps keep untouched subtrees by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter, is_
from typing import Any, NoReturn, TypeAlias, TypeVar

from pyrsistent import PVector, pvector

from .memo import memo_by_identity, same_mark
from .names import Sym
from .nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Block,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Node,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Select,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WindowExpr,
)
from .types import Control, Tensor, Type

Step: TypeAlias = tuple[str, int | None]
Path: TypeAlias = tuple[Step, ...]
N = TypeVar("N")

COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
LOGICAL = frozenset(("and", "or"))
EXTREMA = frozenset(("min", "max"))
ARITHMETIC = frozenset("+-*/%") | EXTREMA
"""The operators on control integers; of these `min` and `max` are written as calls."""


def unknown_node(node: object, asked: str) -> NoReturn:
    """Ends a walk that met a class of nodes that it does not know: to guess would be to accept what is not proved."""
    raise TypeError(f"{asked}: not known of a node of the class {type(node).__name__}, {node}")


def with_child(node: N, label: str, value: object) -> N:
    """`node` with one field replaced; the same object if it already holds that very value."""
    if getattr(node, label) is value:
        return node
    cls: Any = type(node)
    at, fields = _fields(cls)
    values = [*fields(node)]
    values[at[label]] = value
    made: N = same_mark(node, cls(*values))
    return made


@cache
def _fields(cls: Any) -> tuple[Mapping[str, int], Callable[[object], tuple[object, ...]]]:
    """Where each field of a class of nodes stands, and what gets them all at once."""
    names: tuple[str, ...] = cls.__match_args__
    get_all = attrgetter(*names) if len(names) > 1 else lambda node: (getattr(node, names[0]),)
    return {name: n for n, name in enumerate(names)}, get_all


def put(node: N, step: Step, new: Node) -> N:
    """`node` with `new` for the child at one step."""
    label, i = step
    return with_child(node, label, new if i is None else getattr(node, label).set(i, new))


def child(node: Node, step: Step) -> Node:
    """The child of `node` at one step."""
    label, i = step
    value = getattr(node, label)
    result: Node = value if i is None else value[i]
    return result


def get(node: Node, path: Path) -> Node:
    """The descendant of `node` at `path`."""
    for label, i in path:
        value = getattr(node, label)
        node = value if i is None else value[i]
    return node


def get_as(tree: Node, path: Path, kind: type[N]) -> N:
    """The node at a path, which is known to be of a kind."""
    node = get(tree, path)
    if not isinstance(node, kind):
        raise TypeError(f"there is no {kind.__name__} at {path}")
    return node


def get_stmt(tree: Node, path: Path) -> Stmt:
    """The statement at a path."""
    node = get(tree, path)
    if not isinstance(node, Stmt):
        raise TypeError(f"there is no statement at {path}")
    return node


def get_expr(tree: Node, path: Path) -> Expr:
    """The expression at a path."""
    node = get(tree, path)
    if not isinstance(node, Expr):
        raise TypeError(f"there is no expression at {path}")
    return node




def parts(node: Node) -> list[Node]:
    """The children of a node, in textual order."""
    found: list[Node] = []
    for label, is_list in node.CHILDREN:
        value = getattr(node, label)
        if is_list:
            found += value
        else:
            found.append(value)
    return found


def misshapen(tree: Node) -> str | None:
    """What is wrong with a tree that was made by hand, if its children are no nodes, or a list could change."""
    todo: list[Node] = [tree]
    while todo:
        node = todo.pop()
        for label, is_list in node.CHILDREN:
            value = getattr(node, label)
            if is_list and not isinstance(value, PVector):
                return f"{label} of {type(node).__name__} is a {type(value).__name__}, not a pvector"
            for child in value if is_list else (value,):
                if not hasattr(type(child), "CHILDREN"):
                    return f"{label} of {type(node).__name__} is or has {child!r}, which is no node"
                todo.append(child)
    return None


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
            for label, is_list in reversed(n.CHILDREN):
                value = getattr(n, label)
                if not is_list:
                    stack.append(((*here, (label, None)), value))
                elif value:
                    below = [((*here, (label, i)), c) for i, c in enumerate(value)]
                    below.reverse()
                    stack += below


_WITH_BODY = (For, If, ProcDef)
_NAMED = (Alloc, WindowDef, Arg)


def statements(node: Node, path: Path = ()) -> Iterator[tuple[Path, Stmt]]:
    """The statements of `node`, itself first if it is one, in textual order, with paths that start with `path`."""
    stack: list[tuple[Path, Node]] = [(path, node)] if isinstance(node, ProcDef | Stmt) else []
    while stack:
        here, n = stack.pop()
        if not isinstance(n, ProcDef):
            yield here, n  # type: ignore[misc]
        if isinstance(n, If):
            stack += [((*here, ("orelse", i)), s) for i, s in enumerate(n.orelse)][::-1]
        if isinstance(n, _WITH_BODY):
            stack += [((*here, ("body", i)), s) for i, s in enumerate(n.body)][::-1]


def asked_at_entry(tree: ProcDef) -> list[Expr]:
    """What a call evaluates before the body: the extents of arguments, and the assertions."""
    return [*(e for a in tree.args if isinstance(a.type, Tensor) for e in a.type.shape), *tree.preds]


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
        if isinstance(s, _WITH_BODY):
            stack.extend(reversed(s.body))


def in_scope(tree: ProcDef, path: Path) -> Iterator[tuple[Path, Arg | For | Alloc | WindowDef]]:
    """What introduces the variables in scope just before what stands at `path`, outermost first. The path may lead to
    the gap at the end of a block."""
    for k, a in enumerate(tree.args):
        yield (("args", k),), a
    node: Node = tree
    for n, (label, i) in enumerate(path):
        if i is None or label not in ("body", "orelse"):
            return
        if isinstance(node, For):
            yield path[:n], node
        block: Block = getattr(node, label)
        for k, s in enumerate(block[:i] if i else ()):
            if isinstance(s, (Alloc, WindowDef)):
                yield (*path[:n], (label, k)), s
        if n + 1 < len(path):
            node = block[i]


def update(node: N, path: Path, f: Callable[[object], object]) -> N:
    """`node` with `f` applied to what stands at `path`: copies the spine, shares the rest.

    A last step with index None may also name a whole list, which `f` then maps to a list.
    """
    spine: list[object] = [node]
    for label, i in path:
        value = getattr(spine[-1], label)
        spine.append(value if i is None else value[i])
    old = spine.pop()
    new = f(old)
    for label, i in reversed(path):
        if new is old:
            break
        old = spine.pop()
        new = with_child(old, label, new if i is None else getattr(old, label).set(i, new))
    return node if new is old else new  # type: ignore[return-value]


def put_at(node: N, path: Path, new: object) -> N:
    """`node` with another node, or list of nodes, at a path."""
    return update(node, path, lambda _: new)



def map_children(node: N, f: Callable[[Node], Node]) -> N:
    """`node` with `f` applied to each child; the same object if no child changed."""
    cls: Any = type(node)
    values: list[object] | None = None
    for label, is_list in cls.CHILDREN:
        old = getattr(node, label)
        if is_list:
            members = list(map(f, old))
            if all(map(is_, members, old)):
                continue
            new: object = pvector(members)
        else:
            new = f(old)
            if new is old:
                continue
        at, fields = _fields(cls)
        values = values or [*fields(node)]
        values[at[label]] = new
    return same_mark(node, cls(*values)) if values else node


def rewrite(node: N, f: Callable[[Node], Node]) -> N:
    """`f` applied to every descendant and then to `node`, bottom-up."""
    return f(map_children(node, lambda c: rewrite(c, f)))  # type: ignore[arg-type, return-value]


def subst(node: N, env: Mapping[Sym, Expr]) -> N:
    """`node` with control variables replaced by expressions. Names are unique: no capture."""
    return _put_in(node, env)


def rename(node: N, env: Mapping[Sym, Sym]) -> N:
    """`node` with variables renamed wherever they stand, binders included."""
    return _put_in(node, env)


_NAMELESS = frozenset((Unary, Binary, Select, Interval, Point))


def _put_in(node: N, env: Mapping[Sym, Sym | Expr]) -> N:
    """`node` with variables replaced: by others wherever they stand, by expressions where they are read."""
    replaced = frozenset(env)

    def visit(n: Node) -> Node:
        if isinstance(n, Var):
            value = env.get(n.sym, n)
            return Var(value) if isinstance(value, Sym) else value
        if type(n) in _NAMELESS:
            return map_children(n, visit)
        if isinstance(n, Const) or mentions(n).isdisjoint(replaced):
            return n
        new = map_children(n, visit)
        label = "iter" if isinstance(new, For) else "sym"
        named: Any = getattr(new, label, None)
        sym = env.get(named)
        return with_child(new, label, sym) if isinstance(sym, Sym) else new

    return visit(node)  # type: ignore[arg-type, return-value]


def binders(node: Node) -> tuple[Sym, ...]:
    """The variables that `node` introduces, in textual order: iterators, allocations, windows, arguments."""
    out: list[Sym] = []
    for n in declarators(node):
        if isinstance(n, For):
            out.append(n.iter)
        elif isinstance(n, _NAMED):
            out.append(n.sym)
    return tuple(out)


@memo_by_identity
def mentions(node: Node) -> frozenset[Sym]:
    """Every variable that stands anywhere in `node`, bound or free."""
    sym = node.iter if isinstance(node, For) else getattr(node, "sym", None)
    found: set[Sym] = set() if sym is None else {sym}
    todo = parts(node)
    while todo:
        n = todo.pop()
        if isinstance(n, Var):
            found.add(n.sym)
        elif type(n) in _NAMELESS:
            todo += parts(n)
        elif not isinstance(n, Const):
            found |= mentions(n)
    return frozenset(found)


def free_syms(node: Node | Block) -> frozenset[Sym]:
    """The variables that a node, or a block of statements, uses and does not introduce itself."""
    if isinstance(node, PVector):
        used = frozenset[Sym]().union(*(mentions(s) for s in node))
        bound = {s for stmt in node for s in binders(stmt)}
    else:
        used, bound = mentions(node), set(binders(node))
    return used - bound


def freshen(stmts: Block, next_id: int, values: Mapping[Sym, Expr]) -> tuple[Block, int]:
    """A copy of a block whose binders all have new numbers, and the next free number. The control variables
    in `values` are replaced."""
    env: dict[Sym, Sym | Expr] = {**values}
    for stmt in stmts:
        for s in binders(stmt):
            env[s] = Sym(s.name, next_id)
            next_id += 1
    return pvector([_put_in(s, env) for s in stmts]), next_id


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
        case Var() | StrideExpr() | Cell() | Claim():
            return True
        case ReadConfig(config=c, field=f):
            return isinstance(c.fields[f], Control)
        case Unary(arg=a):
            return is_control(a)
        case Binary(op=op, lhs=a):
            return op in COMPARISONS or op in LOGICAL or is_control(a)
        case _ if isinstance(e, _NO_CONTROL):
            return False
        case _:
            unknown_node(e, "whether it is a control value")


_NO_CONTROL = (Read, WindowExpr, ViewExpr, ExternCall, Select, Stmt, Interval, Point, Arg, ProcDef, Type)


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
        case Claim():
            return True
        case Var() | StrideExpr() | Read() | WindowExpr() | ViewExpr() | ExternCall() | Select() | Cell():
            return False
        case _:
            unknown_node(e, "whether it is a truth value")


def written_sym(s: Stmt) -> Sym | None:
    """The buffer that an assignment or reduction writes."""
    return s.sym if isinstance(s, Assign | Reduce) else None


def reads(node: Node) -> Iterator[tuple[Path, Read | WindowExpr]]:
    """The data reads and windows that stand below `node`."""
    for path, n in walk(node):
        if isinstance(n, Read | WindowExpr):
            yield path, n
