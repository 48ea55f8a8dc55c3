"""What the text of statements says before they are translated: which variables they set, through which names arrays are
written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from ..report import ImportRefusedError
from .arithmetic import EMIT, OTHER_NAMES
from .expressions import PYTHON
from .jumps import own
from .library import TAKES, UNARY
from .making import TYPES
from .source import Definition, Module, NotFound, Outside, imported
from .values import Member, Static

Known: TypeAlias = Callable[[str], Outside]
"""What a name means outside of a function; None if that isn't known."""
Found: TypeAlias = "dict[object, frozenset[str] | None]"
"""The names through which functions of the program write; None for those that are being looked at."""

VIEWS = frozenset(("reshape", "ravel", "transpose", "swapaxes", "squeeze", "expand_dims", "asarray", "view")) | {
    "real", "ascontiguousarray", "diagonal", "diag", "flip", "flipud", "fliplr", "rot90", "moveaxis", "conj",
    "conjugate", "einsum", "broadcast_to", *TYPES,
}  # fmt: skip
"""Functions and methods that may give a part of what they get."""
WRITING = ("fill", "copyto", "sort", "partition", "at", "fill_diagonal")
"""Functions and methods that write to what they get first."""
_PLACES: Final = {name: places.partition("*")[0].split() for name, places in TAKES.items()}
READS: Final = {n: 2 for n in {*EMIT, *OTHER_NAMES} if OTHER_NAMES.get(n, n) not in UNARY} | {
    n: places.index("out") for n, places in _PLACES.items() if "out" in places
}
"""How many arrays functions read by place, if not one: what comes after them may be written."""
ONLY_READING: Final = {n for n, places in _PLACES.items() if "out" not in places} | {
    "inner", "vdot", "outer", "einsum", "astype",
}  # fmt: skip
"""Functions and methods that write to none of what they get by place."""
FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.BoolOp)


def names_set(stmts: Sequence[ast.AST]) -> frozenset[str]:
    """The variables that statements set."""
    return frozenset(
        n.id for s in stmts for n in own(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)
    )


def variables(f: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that are a function's own, wherever it sets them."""
    a = f.args
    given = {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    if isinstance(f, ast.Lambda):
        return frozenset(given)
    defined = {n.name for s in f.body for n in own(s) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    modules = {(n.asname or n.name).split(".")[0] for s in f.body for n in own(s) if isinstance(n, ast.alias)}
    return names_set(f.body) | given | defined | modules


def known_by(env: Mapping[str, object]) -> Known:
    """What names mean that are no variables of these."""
    lookup = env.get("")
    assert isinstance(lookup, Static) and isinstance(lookup.value, Definition)
    outside = _outside(lookup.value)

    def known(name: str) -> Outside:
        found = env.get(name)
        if isinstance(found, Member) and found.of is None:
            return Module(found.path)
        return None if name in env else outside(name)

    return known


def _outside(d: Definition) -> Known:
    def known(name: str) -> Outside:
        try:
            return d.lookup(name)
        except (NotFound, ImportRefusedError, SyntaxError):  # the last two: it is a function whose text isn't there
            return None

    return known


def written_through(f: ast.FunctionDef | ast.Lambda, known: Known, found: Found | None = None) -> frozenset[str]:
    """The names of a function through which arrays may be written, with those that they may be parts of. `known` says
    what names mean that the function doesn't bind; `found` is what was found of other functions."""
    out: set[str] = set()
    parts: list[tuple[set[str], ast.expr]] = []
    calls = _Calls(_inside(f, known), {} if found is None else found)
    for s in ast.walk(f):
        match s:
            case ast.Assign(targets=targets, value=v):
                for t in targets:
                    out |= _subscripted(t)
                    parts.append((set(names_set([t])), v))
            case ast.AnnAssign(target=t, value=ast.expr() as v):
                out |= _subscripted(t)
                parts.append((set(names_set([t])), v))
            case ast.AugAssign(target=t):
                out |= _subscripted(t) | ({t.id} if isinstance(t, ast.Name) else set())
            case ast.For(target=t, iter=v) | ast.comprehension(target=t, iter=v):
                out |= _subscripted(t)
                parts.append((set(names_set([t])), v))
            case ast.Call():
                out |= {n.id for e in calls.written(s) for n in ast.walk(e) if isinstance(n, ast.Name)}
            case _:
                pass
    before = -1
    while before != len(out):
        before = len(out)
        for names, v in parts:
            if names & out and not _fresh(v):
                out |= _shared(v)
    return frozenset(out)


def _inside(f: ast.FunctionDef | ast.Lambda, known: Known) -> Known:
    """What names mean in a function, which may give them meanings of its own, as may functions that it defines."""
    own: set[str] = set()
    modules: dict[str, Outside] = {}
    for n in ast.walk(f):
        match n:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                own.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if n is not f:
                own.add(name)
            case ast.Import() | ast.ImportFrom():
                modules |= imported(n)
            case _:
                pass
    return lambda name: None if name in own else modules[name] if name in modules else known(name)


@dataclass(frozen=True)
class _Calls:
    """What calls in a function may write to."""

    known: Known
    found: Found

    def written(self, e: ast.Call) -> list[ast.expr]:
        """The arguments of a call through which arrays may be written."""
        given = [*e.args, *(k.value for k in e.keywords)]
        match e.func:
            case ast.Attribute(value=of, attr=attr) if attr in WRITING:
                return [of, *e.args[:1], *(k.value for k in e.keywords)]
            case ast.Attribute(value=of, attr=attr):
                if any(isinstance(a, ast.Starred) for a in e.args):
                    return given
                reads = len(e.args) if attr in ONLY_READING else READS.get(attr, 1)
                first = reads if self._is_module(of) else max(reads - 1, 0)
                return [*e.args[first:], *(k.value for k in e.keywords if k.arg in ("out", None))]
            case ast.Name(id=name) if name in PYTHON:
                return []
            case ast.Name(id=name):
                found = self.known(name)
                return self._through(e, found) if isinstance(found, Definition) else given
            case _:
                return given

    def _is_module(self, e: ast.expr) -> bool:
        """Whether what stands before a dot is a module, or a function in one, as in `np.add.outer`."""
        while isinstance(e, ast.Attribute):
            e = e.value
        return isinstance(e, ast.Name) and isinstance(self.known(e.id), Module)

    def _through(self, e: ast.Call, d: Definition) -> list[ast.expr]:
        """The arguments that a function of the program may write to."""
        given = [*e.args, *(k.value for k in e.keywords)]
        args = d.node.args
        unclear = any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords)
        if unclear or args.vararg or args.kwarg or self.found.get(d.identity, ()) is None:
            return given
        written = self.found.get(d.identity)
        if written is None:
            self.found[d.identity] = None
            written = self.found[d.identity] = written_through(d.node, _outside(d), self.found)
        places = [a.arg for a in (*args.posonlyargs, *args.args)]
        by_place = [a for k, a in enumerate(e.args) if k >= len(places) or places[k] in written]
        return [*by_place, *(k.value for k in e.keywords if k.arg in written)]


def _shared(e: ast.expr) -> set[str]:
    """The names that a value may share memory with: of `a[i]` that is a."""
    match e:
        case ast.Subscript(value=of) | ast.Attribute(value=of):
            return _shared(of)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return {n for x in items for n in _shared(x)}
        case _:
            return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}


def _fresh(e: ast.expr) -> bool:
    """Whether a value surely shares no memory with what it is made of."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
        plain = len(e.args) <= 2 and not any(k.arg == "out" for k in e.keywords)
        return plain and e.func.attr not in VIEWS
    return isinstance(e, FRESH)


def _subscripted(t: ast.expr) -> set[str]:
    if isinstance(t, ast.Tuple | ast.List):
        return {n for x in t.elts for n in _subscripted(x)}
    if not isinstance(t, ast.Subscript):
        return set()
    of: ast.expr = t
    while isinstance(of, ast.Subscript | ast.Attribute):
        of = of.value
    return {n.id for n in ast.walk(of) if isinstance(n, ast.Name)}
