"""Where in a procedure a form may be written, and what is in scope there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source, reparse_env
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import (
    Arg,
    Assign,
    Binary,
    Call,
    Expr,
    ExternCall,
    For,
    If,
    Node,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Select,
    Unary,
    Var,
    WindowExpr,
    WriteConfig,
)
from ..ir.printing import print_proc
from ..ir.types import Control, Scalar, Tensor, bool_, stride_
from ..ir.walk import LOGICAL, Path, get, in_scope, is_control, mentions, statements, walk
from .choices import Choices


def where(holds: Callable[[Node], bool]) -> Callable[[ProcDef], Iterator[Path]]:
    """The places of nodes of which something holds, outside of the head."""
    return lambda tree: (p for p, n in inside(tree) if holds(n))


@memo_by_identity
def inside(tree: ProcDef) -> Sequence[tuple[Path, Node]]:
    """All nodes outside of the head, with their places: each form is looked for among them."""
    return [(p, n) for k, s in enumerate(tree.body) for p, n in walk(s, (("body", k),))]


def checked(tree: ProcDef) -> Proc:
    """The procedure with its checks, and variables numbered anew."""
    return proc_from_source(print_proc(tree), reparse_env(tree))


def names_in_scope(tree: ProcDef, path: Path) -> frozenset[Sym]:
    return frozenset(d.iter if isinstance(d, For) else d.sym for _, d in in_scope(tree, path))


def integers_at(tree: ProcDef, path: Path) -> list[Expr]:
    """Control integers in scope: iterators first, the innermost ones before others, config fields last."""
    found = [d for _, d in in_scope(tree, path)][::-1]
    iters = [Var(d.iter) for d in found if isinstance(d, For)]
    args = [Var(d.sym) for d in found if isinstance(d, Arg) and _is_integer(d.type)]
    fields = {n for _, n in walk(tree) if isinstance(n, ReadConfig) and _is_integer(n.config.fields[n.field])}
    return [*iters, *args, *sorted(fields, key=lambda n: n.field)]


def _is_integer(t: object) -> bool:
    return isinstance(t, Control) and t not in (bool_, stride_)


def values_of(tree: ProcDef) -> list[Path]:
    """The places of data values, and of their parts: of what is stored, compared by a branch or passed to a call."""
    found: list[Path] = []
    for path, s in statements(tree):
        match s:
            case Assign() | Reduce() | WriteConfig():
                heads: list[Path] = [(("rhs", None),)]
            case If():
                heads = [(("cond", None), *at) for at in _compared(s.cond)]
            case Call(args=args):
                heads = [(("args", k),) for k, e in enumerate(args) if not isinstance(e, WindowExpr)]
            case _:
                heads = []
        found += [(*path, *head, *at) for head in heads for at, _ in _data(get(s, head))]
    return found


def _compared(c: Expr, at: Path = ()) -> Iterator[Path]:
    """The operands of a condition's comparisons of data."""
    if isinstance(c, Unary):
        yield from _compared(c.arg, (*at, ("arg", None)))
    elif isinstance(c, Binary) and (c.op in LOGICAL or not is_control(c.lhs)):
        for label in ("lhs", "rhs"):
            here: Path = (*at, (label, None))
            if c.op in LOGICAL:
                yield from _compared(getattr(c, label), here)
            else:
                yield here


def _data(e: Node, at: Path = ()) -> Iterator[tuple[Path, Node]]:
    if is_control(e):
        return
    yield at, e
    match e:
        case Binary():
            yield from _data(e.lhs, (*at, ("lhs", None)))
            yield from _data(e.rhs, (*at, ("rhs", None)))
        case Unary():
            yield from _data(e.arg, (*at, ("arg", None)))
        case Select():
            yield from _data(e.then, (*at, ("then", None)))
            yield from _data(e.other, (*at, ("other", None)))
        case ExternCall():
            for k, a in enumerate(e.args):
                yield from _data(a, (*at, ("args", k)))
        case _:
            return


def elements_at(tree: ProcDef, path: Path) -> list[Expr]:
    """Elements that the procedure reads or writes somewhere, all of whose variables are in scope at a place."""
    known, types = names_in_scope(tree, path), declarations(tree)
    found: dict[Expr, None] = {}
    for _, n in walk(tree):
        if isinstance(n, Read | Assign | Reduce) and isinstance(types.get(n.sym), Scalar | Tensor):
            t = types[n.sym]
            rank = len(t.shape) if isinstance(t, Tensor) else 0
            e = Read(n.sym, n.idx)
            if len(n.idx) == rank and mentions(e) <= known:
                found[e] = None
    return list(found)


def condition_at(ch: Choices, tree: ProcDef, path: Path) -> Expr:
    """A condition on integers or data in scope."""
    ints, data = integers_at(tree, path), elements_at(tree, path)
    data = [e for e in data if not is_integer(e, tree)]
    if data and (not ints or ch.chance(40)):
        return Binary(ch.pick(["<", "!=", ">="]), ch.pick(data), b.data(float(ch.upto(3))))
    if not ints:
        return Binary("<", b.data(1.0), b.data(2.0))
    i = ch.pick(ints)
    if ch.chance(25):
        return Binary("==", b.mod(i, 2), b.num(ch.upto(1)))
    return Binary(ch.pick(["<", ">", "==", ">=", "!="]), i, ch.pick([b.num(ch.upto(3)), *ints]))


def is_integer(e: Expr, tree: ProcDef) -> bool:
    """Whether an element is of a buffer of integers, or of bf16, beside which a literal need not stand."""
    types = declarations(tree)
    return isinstance(e, Read) and str(getattr(types[e.sym], "base", types[e.sym])) not in ("f32", "f64")


def indices_of(tree: ProcDef) -> list[tuple[Path, Expr]]:
    """The places of indices and of the points of windows."""
    found: list[tuple[Path, Expr]] = []
    for path, n in inside(tree):
        if isinstance(n, Read | Assign | Reduce):
            found += [((*path, ("idx", k)), e) for k, e in enumerate(n.idx)]
        elif isinstance(n, Point):
            found.append(((*path, ("pt", None)), n.pt))
    return found


def loops_of(tree: ProcDef) -> list[tuple[Path, For]]:
    return [(path, s) for path, s in statements(tree) if isinstance(s, For)]


def fresh(tree: ProcDef, name: str) -> tuple[ProcDef, Sym]:
    s = Sym(name, tree.next_id)
    return ProcDef(tree.name, tree.args, tree.preds, tree.body, tree.instr, tree.next_id + 1), s
