"""Printing: a tree as object code that parses back to it.

Names are readable and never capture: a variable whose spelling is taken where it is in scope prints
with a number, `i_1`. The spelling of every variable is decided once for a procedure (`names_at`), and so
is that of the procedures it calls (`callee_names`), as two of them may share a name.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from textwrap import indent
from typing import Any, Final

from pyrsistent import pvector

from .externs import ExternFn
from .memo import memo_by_identity
from .memory import Memory
from .names import Sym
from .nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Callee,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Interval,
    Node,
    Pass,
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
    WinDim,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from .outside import mentioned_here
from .room import with_room
from .types import Control, Tensor, Type
from .walk import COMPARISONS, EXTREMA, Path, declarators, in_scope, is_control, map_children, parts

Names = Mapping[Sym, str]

_LEVEL = {"or": 1, "and": 2, "not": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4}
_LEVEL |= {"+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
OPERATORS = frozenset(_LEVEL) | EXTREMA
_LEVEL |= {"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "//": 10}
_CHOICE, _NEG, _ATOM = 0, 11, 13

# -- names --------------------------------------------------------------------------------------------


def _numbered(name: str, taken: Container[str]) -> str:
    """A name, with a number if it is taken."""
    if name not in taken:
        return name
    n = 1
    while f"{name}_{n}" in taken:
        n += 1
    return f"{name}_{n}"


def _name_block(stmts: Sequence[Stmt], names: dict[Sym, str], taken: set[str]) -> None:
    """Choose spellings for what a block binds: unlike all that is in scope there."""
    inner = set(taken)

    def bind(sym: Sym, scope: set[str]) -> None:
        names[sym] = _numbered(sym.name, scope)
        scope.add(names[sym])

    for s in stmts:
        if isinstance(s, For):
            scope = set(inner)
            bind(s.iter, scope)
            _name_block(s.body, names, scope)
        elif isinstance(s, If):
            _name_block(s.body, names, inner)
            _name_block(s.orelse, names, inner)
        elif isinstance(s, (Alloc, WindowDef)):
            bind(s.sym, inner)


@memo_by_identity
@with_room
def names_at(tree: ProcDef) -> Names:
    """The spelling of each variable of a procedure."""
    names: dict[Sym, str] = {}
    taken: set[str] = set()
    for a in tree.args:
        names[a.sym] = _numbered(a.sym.name, taken)
        taken.add(names[a.sym])
    _name_block(tree.body, names, taken)
    return names


def names_in_scope(tree: ProcDef, path: Path) -> Names:
    """The spelling of each variable in scope just before what stands at `path`: that of `names_at`, in less time."""
    names: dict[Sym, str] = {}
    taken: set[str] = set()
    for _, n in in_scope(tree, path):
        sym = n.iter if isinstance(n, For) else n.sym
        names[sym] = _numbered(sym.name, taken)
        taken.add(names[sym])
    return names


@memo_by_identity
def callee_names(tree: ProcDef) -> Mapping[Callee, str]:
    """The spelling of each procedure that a procedure calls: its name, with a number if in this procedure that
    means something else already."""
    callees: dict[Callee, str] = {}
    taken = {thing.name for thing in mentioned_here(tree)}
    for s in declarators(tree):
        if isinstance(s, Call) and s.f not in callees:
            callees[s.f] = _numbered(s.f.tree.name, taken)
            taken.add(callees[s.f])
    return callees


# -- expressions --------------------------------------------------------------------------------------


def _const(e: Const) -> str:
    if isinstance(e.type, Control) or isinstance(e.value, bool):
        return str(e.value)
    return f"{e.value}.0" if isinstance(e.value, int) else repr(e.value)


def _expr(e: Expr, names: Names, level: int) -> str:
    text, own = _with_level(e, names)
    return f"({text})" if own < level else text


def _list(es: Sequence[Any], names: Names) -> str:
    return ", ".join(print_dim(e, names) for e in es)


def _with_level(e: Expr, names: Names) -> tuple[str, int]:
    match e:
        case Var(sym=s):
            return names.get(s, s.name), _ATOM
        case Read(sym=s, idx=idx):
            name = names.get(s, s.name)
            return (f"{name}[{_list(idx, names)}]" if idx else name), _ATOM
        case WindowExpr(sym=s, idx=dims):
            return f"{names.get(s, s.name)}[{_list(dims, names)}]", _ATOM
        case ViewExpr(sym=s, shape=shape):
            return f"{names.get(s, s.name)}.view({_list(shape, names)})", _ATOM
        case Const():
            text = _const(e)
            return text, _NEG if text.startswith("-") else _ATOM
        case Unary(op="not", arg=a):
            return f"not {_expr(a, names, _LEVEL['not'])}", _LEVEL["not"]
        case Unary(arg=a):  # a minus that touches a number would be part of that number
            return f"-{_expr(a, names, _ATOM + 1 if isinstance(a, Const) else _NEG)}", _NEG
        case Binary(op=op, lhs=a, rhs=b) if op in EXTREMA:
            return f"{op}({_list((a, b), names)})", _ATOM
        case Binary(op=op) if op in COMPARISONS and _reads_as_data(e):
            return _with_level(_spelled_out(e), names)
        case Binary(op=op, lhs=a, rhs=b):
            level = _LEVEL[op]
            left = level + 1 if level == _LEVEL["<"] else level
            return f"{_expr(a, names, left)} {op} {_expr(b, names, level + 1)}", level
        case ExternCall(f=f, args=args) if f.operator:
            return _operation(f.operator, args, names)
        case ExternCall(f=f, args=args):
            shown = args if f is INDEX else [_spelled_out(a) for a in args]
            return f"{f.name}({_list(shown, names)})", _ATOM
        case Select(cond=c, then=a, other=b):
            then, cond = _expr(a, names, _CHOICE + 1), _expr(c, names, _CHOICE + 1)
            return f"{then} if {cond} else {_expr(b, names, _CHOICE)}", _CHOICE
        case StrideExpr(sym=s, dim=d):
            return f"stride({names.get(s, s.name)}, {d})", _ATOM
        case ReadConfig(config=c, field=f):
            return f"{c.name}.{f}", _ATOM
        case Cell(read=r, now=now):
            return (f"now({print_expr(r, names)})", _ATOM) if now else _with_level(r, names)
        case Claim(kind=kind, sym=s, args=args):
            given = "".join(f", {print_expr(a, names)}" for a in args)
            return f"{kind}({names.get(s, s.name)}{given})", _ATOM


INDEX: Final = ExternFn("index", 1, lambda x: x, "{0}")
"""How a cell is spelled where a text would otherwise mean data: no function of the language."""


def _spelled_out(e: Expr) -> Expr:
    """An expression whose cells are spelled as `index(idx[i])`, but for those in places."""
    if isinstance(e, Cell):
        return e if e.now else ExternCall(INDEX, pvector([e.read]))
    return map_children(e, _spelled_out) if isinstance(e, Unary | Binary) else e  # type: ignore[arg-type]


@memo_by_identity
def _reads_as_data(e: Binary) -> bool:
    """Whether the text of a comparison of control integers would mean one of data: it has elements of buffers, and
    besides them no variable that shows what is meant."""
    return _has_cells(e) and not _shows_control(e)


def _has_cells(e: Node) -> bool:
    return any(map(_has_cells, parts(e))) if isinstance(e, Unary | Binary) else isinstance(e, Cell)


def _shows_control(e: Node) -> bool:
    if isinstance(e, Unary | Binary):
        return any(map(_shows_control, parts(e)))
    return (isinstance(e, Var | StrideExpr | ReadConfig) and is_control(e)) or (isinstance(e, Cell) and e.now)


def _operation(op: str, args: Sequence[Expr], names: Names) -> tuple[str, int]:
    """An operation on integers. A literal stands without a point, unless all operands are literals: between two
    integers an operator means something else."""
    texts = [_whole(e, args) for e in args]
    if len(args) == 1:
        return f"{op}{texts[0] or _expr(args[0], names, _NEG)}", _NEG
    level = _LEVEL[op]
    need = level if op in "//%" or _is_made_by(args[0], op) else _NEG  # few know how bits and shifts bind
    x = texts[0] or _expr(args[0], names, need)
    y = texts[1] or _expr(args[1], names, level + 1 if op in "//%" else _NEG)
    return f"{x} {op} {y}", level


def _is_made_by(e: Expr, op: str) -> bool:
    return isinstance(e, ExternCall) and e.f.operator == op


def _whole(e: Expr, args: Sequence[Expr]) -> str:
    whole = isinstance(e, Const) and e.value >= 0 and e.value == int(e.value)
    return str(int(e.value)) if isinstance(e, Const) and whole and not all(isinstance(a, Const) for a in args) else ""


@with_room
def print_expr(e: Expr, names: Names) -> str:
    """An expression as object code."""
    return _with_level(e, names)[0]


def print_dim(d: WinDim | Expr, names: Names) -> str:
    """An index or one dimension of a window."""
    match d:
        case Interval(lo=lo, hi=hi):
            return f"{print_expr(lo, names)}:{print_expr(hi, names)}"
        case Point(pt=pt):
            return print_expr(pt, names)
        case _:
            return print_expr(d, names)


# -- statements ---------------------------------------------------------------------------------------


def print_type(t: Type, mem: Memory | None, names: Names) -> str:
    """A type annotation."""
    at = f" @ {mem.name}" if mem is not None else ""
    if isinstance(t, Tensor):
        base = f"[{t.base}]" if t.window else str(t.base)
        return f"{base}[{_list(t.shape, names)}]{at}"
    return f"{t}{at}"


def _target(s: Assign | Reduce, names: Names) -> str:
    name = names.get(s.sym, s.sym.name)
    return f"{name}[{_list(s.idx, names)}]" if s.idx else name


def _simple(s: Stmt, names: Names, callees: Mapping[Callee, str]) -> str:
    match s:
        case Assign(rhs=rhs):
            return f"{_target(s, names)} = {print_expr(rhs, names)}"
        case Reduce(rhs=rhs, op=op) if op.isidentifier():
            return f"{_target(s, names)} = {op}({_target(s, names)}, {print_expr(rhs, names)})"
        case Reduce(rhs=rhs, op=op):
            return f"{_target(s, names)} {op}= {print_expr(rhs, names)}"
        case Alloc(sym=sym, type=t, mem=mem):
            return f"{names.get(sym, sym.name)}: {print_type(t, mem, names)}"
        case WindowDef(sym=sym, rhs=rhs):
            return f"{names.get(sym, sym.name)} = {print_expr(rhs, names)}"
        case Call(f=f, args=args):
            return f"{callees.get(f, f.tree.name)}({_list(args, names)})"
        case WriteConfig(config=c, field=f, rhs=rhs):
            return f"{c.name}.{f} = {print_expr(rhs, names)}"
        case _:
            assert isinstance(s, Pass)
            return "pass"


Line = tuple[Path | None, str]


def _block(
    stmts: Sequence[Stmt], path: Path, label: str, names: Names, callees: Mapping[Callee, str], depth: int
) -> Iterator[Line]:
    for i, s in enumerate(stmts):
        yield from _stmt(s, (*path, (label, i)), names, callees, depth)


def _stmt(s: Stmt, path: Path, names: Names, callees: Mapping[Callee, str], depth: int) -> Iterator[Line]:
    pad = "    " * depth
    match s:
        case For(iter=it, lo=lo, hi=hi, body=body, mode=mode):
            bounds = f"{print_expr(lo, names)}, {print_expr(hi, names)}"
            yield path, f"{pad}for {names.get(it, it.name)} in {mode}({bounds}):"
            yield from _block(body, path, "body", names, callees, depth + 1)
        case If():
            yield path, f"{pad}if {print_expr(s.cond, names)}:"
            yield from _block(s.body, path, "body", names, callees, depth + 1)
            while len(s.orelse) == 1 and isinstance(s.orelse[0], If):  # Python nests no more than 100 blocks
                s, path = s.orelse[0], (*path, ("orelse", 0))
                yield path, f"{pad}elif {print_expr(s.cond, names)}:"
                yield from _block(s.body, path, "body", names, callees, depth + 1)
            if s.orelse:
                yield None, f"{pad}else:"
                yield from _block(s.orelse, path, "orelse", names, callees, depth + 1)
        case _:
            yield path, pad + _simple(s, names, callees)


@with_room
def print_stmt(s: Stmt, names: Names, callees: Mapping[Callee, str] | None = None) -> str:
    """A statement as object code, with all that is inside it; procedures that it calls by their own names, or
    as given."""
    return "\n".join(line for _, line in _stmt(s, (), names, callees or {}, 0))


# -- procedures ---------------------------------------------------------------------------------------


def _arg(a: Arg, names: Names) -> str:
    return f"{names[a.sym]}: {print_type(a.type, a.mem, names)}"


@with_room
def print_lines(tree: ProcDef) -> list[Line]:
    """The lines of a procedure, each with the path of the statement or assertion that it shows."""
    names = names_at(tree)
    lines: list[Line] = []
    if tree.instr is not None:
        extra = f", {tree.instr.c_global!r}" if tree.instr.c_global else ""
        fence = f", c_fence={tree.instr.c_fence!r}" if tree.instr.c_fence else ""
        lines.append((None, f"@instr({tree.instr.c!r}{extra}{fence})"))
    lines.append(((), f"def {tree.name}({', '.join(_arg(a, names) for a in tree.args)}):"))
    for i, e in enumerate(tree.preds):
        lines.append(((("preds", i),), f"    assert {print_expr(e, names)}"))
    lines.extend(_block(tree.body, (), "body", names, callee_names(tree), 1))
    return lines


@memo_by_identity
def print_proc(tree: ProcDef) -> str:
    """A procedure as object code."""
    return "\n".join(line for _, line in print_lines(tree))


def render(tree: ProcDef, path: Path, note: str = "", around: int = 2) -> str:
    """The lines of object code around the statement that holds `path`, that line marked `-->`."""
    lines = print_lines(tree)
    shown = [i for i, (p, _) in enumerate(lines) if p is not None and path[: len(p)] == p]
    at = shown[-1] if shown else 0
    out = []
    for i in range(max(0, at - around), min(len(lines), at + around + 1)):
        out.append(f"{'--> ' if i == at else '    '}{lines[i][1]}")
        if i == at and note:
            out.append(indent(note, "      ^ "))
    return "\n".join(out)
