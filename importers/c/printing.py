"""Object code as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..control import Poly, Symbol, assertion, elements, of, opaque
from .literals import written
from .program import (
    Access,
    Allocate,
    Arithmetic,
    Branch,
    Chosen,
    Compare,
    Cond,
    Converted,
    Data,
    Extern,
    For,
    Invoke,
    Lit,
    Logic,
    Need,
    Negative,
    Not,
    Procedure,
    Read,
    Scalar,
    Stmt,
    Store,
    Truth,
    Whole,
    Window,
)
from .syntax import Variable
from .types import Float, Int, precision
from .typing import element_type

LEVELS = {
    "or": 1, "and": 2, "not": 3, "<": 4, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10,
    "//": 10, "%": 10, "neg": 11, "atom": 12,
}  # fmt: skip
"""How tightly operators bind."""


@dataclass(frozen=True)
class Line:
    """A line of text, and the statement that it is of."""

    text: str
    of: Stmt | None = None


class Printer:
    """Prints a procedure; with `probing`, what must hold is printed, too, as calls of `need`."""

    def __init__(self, p: Procedure, probing: bool = False) -> None:
        self.p = p
        self.probing = probing

    def lines(self) -> list[Line]:
        """The whole procedure."""
        args = ", ".join(self.argument(k) for k in range(len(self.p.args)))
        out = [Line(f"def {self.p.name}({args}):")]
        out += [Line(f"    assert {assertion(a)}") for a in dict.fromkeys(a for a, _ in self.p.assertions)]
        out += [Line(f"    assert within({v.name}, {lo}, {hi})") for v, lo, hi in self.p.claims]
        body = list(self.block(self.p.body))
        return out + [Line(f"    {x.text}", x.of) for x in body]

    def argument(self, k: int) -> str:
        a = self.p.args[k]
        if a.symbol is not None:
            return f"{a.var.name}: {'size' if a.size else 'int'}"
        assert a.type is not None
        t = precision(a.type)
        if not a.shape:
            return f"{a.var.name}: {t}"
        shape = ", ".join(e.text() for e in a.shape)
        return f"{a.var.name}: [{t}][{shape}]" if self.p.windows else f"{a.var.name}: {t}[{shape}]"

    # -- statements -------------------------------------------------------------------------------

    def block(self, stmts: list[Stmt]) -> Iterator[Line]:
        found: list[Line] = []
        k = 0
        while k < len(stmts):
            first = self._first_value(stmts[k], stmts[k + 1] if k + 1 < len(stmts) else None)
            found += [first] if first is not None else self.stmt(stmts[k])
            k += 1 if first is None else 2
        yield from found or [Line("pass")]

    def _first_value(self, s: Stmt, then: Stmt | None) -> Line | None:
        """The declaration of a number and what it is first, as one statement."""
        match s, then:
            case Allocate(var=v, shape=()), Store(target=Variable() as target, op="=", value=value) if target is v:
                t = element_type(v)
                assert isinstance(t, Int | Float)
                return Line(f"{v.name}: {precision(t)} = {self.data(value)}", then)
            case _:
                return None

    def _inner(self, stmts: list[Stmt]) -> Iterator[Line]:
        return (Line(f"    {x.text}", x.of) for x in self.block(stmts))

    def stmt(self, s: Stmt) -> Iterator[Line]:
        match s:
            case For(frame=f, body=body):
                yield Line(f"for {f.symbol.name} in seq({f.lo}, {f.hi}):", s)
                yield from self._inner(body)
            case Branch(yes=yes, no=no) if not self.probing and all(isinstance(x, Need) for x in (*yes, *no)):
                return
            case Branch(cond=c, yes=yes, no=no):
                yield Line(f"if {self.cond(c)}:", s)
                yield from self._inner(yes)
                if any(not isinstance(x, Need) for x in no) or (self.probing and no):
                    yield Line("else:", s)
                    yield from self._inner(no)
            case Store(target=target, op=op, value=value):
                where = self.access(target) if isinstance(target, Access) else target.name
                new = self.data(value)
                yield Line(f"{where} = {op}({where}, {new})" if op in ("min", "max") else f"{where} {op} {new}", s)
            case Allocate(var=v, shape=shape):
                t = element_type(v)
                assert isinstance(t, Int | Float)
                extents = f"[{', '.join(e.text() for e in shape)}]" if shape else ""
                yield Line(f"{v.name}: {precision(t)}{extents}", s)
            case Invoke(name=name, args=args):
                yield Line(f"{name}({', '.join(self.actual(a) for a in args)})", s)
            case Need():
                yield from self.need(s)

    def need(self, s: Need) -> Iterator[Line]:
        if not self.probing:
            return
        pad = ""
        for f in s.frames:
            yield Line(f"{pad}for {f.symbol.name} in seq({f.lo}, {f.hi}):", s)
            pad += "    "
        for g in s.guards:
            yield Line(f"{pad}if {self.cond(g)}:", s)
            pad += "    "
        yield Line(f"{pad}need({s.value})", s)

    def actual(self, a: Poly | Variable | Window) -> str:
        if isinstance(a, Poly):
            return a.text()
        if isinstance(a, Variable):
            return a.name
        indices = self.p.indices.get(a.access, a.access.indices)
        first = len(indices) - len(a.extents)
        parts = [i.text() for i in indices[:first]]
        parts += [f"{i}:{i + e}" for i, e in zip(indices[first:], a.extents, strict=True)]
        return f"{a.access.var.name}[{', '.join(parts)}]" if parts else a.access.var.name

    # -- expressions ------------------------------------------------------------------------------

    def access(self, a: Access) -> str:
        indices = self.p.indices.get(a, a.indices)
        return f"{a.var.name}[{', '.join(i.text() for i in indices)}]" if indices else a.var.name

    def data(self, e: Data, level: int = 0) -> str:
        text, own = self._data(e)
        return f"({text})" if own < level else text

    def _data(self, e: Data) -> tuple[str, int]:
        match e:
            case Lit(value=value, type=t):
                text = written(value, t)
                return text, LEVELS["neg" if text.startswith("-") else "atom"]
            case Scalar(var=v):
                return v.name, LEVELS["atom"]
            case Read(access=a):
                return self.access(a), LEVELS["atom"]
            case Negative(arg=arg):
                return f"-{self.data(arg, LEVELS['atom'])}", LEVELS["neg"]
            case Arithmetic(op=op, lhs=a, rhs=b):
                own = LEVELS[op]
                return f"{self.data(a, own)} {op} {self.data(b, own + 1)}", own
            case Extern(name=name, args=args):
                self.p.externs.add(name)
                return f"{name}({', '.join(self.data(a) for a in args)})", LEVELS["atom"]
            case Chosen(cond=c, yes=yes, no=no):
                return f"{self.data(yes, LEVELS['or'])} if {self.cond(c)} else {self.data(no)}", 0
            case Converted(arg=arg, type=t):
                return f"{precision(t)}({self.data(arg)})", LEVELS["atom"]
            case Whole(value=value, type=t):
                return f"{precision(t)}({value})", LEVELS["atom"]

    def cond(self, c: Cond, level: int = 0) -> str:
        text, own = self._cond(c)
        return f"({text})" if own < level else text

    def _cond(self, c: Cond) -> tuple[str, int]:
        match c:
            case Truth(value=value):
                return str(value), LEVELS["atom"]
            case Not(arg=arg):
                return f"not {self.cond(arg, LEVELS['not'])}", LEVELS["not"]
            case Logic(op=op, lhs=a, rhs=b):
                return f"{self.cond(a, LEVELS[op])} {op} {self.cond(b, LEVELS[op] + 1)}", LEVELS[op]
            case Compare(op=op, lhs=a, rhs=b):
                if isinstance(a, Poly) and isinstance(b, Poly):
                    return f"{_control(a, b)} {op} {_control(b, a)}", LEVELS["<"]
                both = [x.text() if isinstance(x, Poly) else self.data(x, LEVELS["|"]) for x in (a, b)]
                return f"{both[0]} {op} {both[1]}", LEVELS["<"]


def _control(p: Poly, other: Poly) -> str:
    """One side of a comparison of control integers: an element beside a size or an index is one by itself."""
    known = any(isinstance(a, Symbol) for m, _ in other.terms for a in m)
    if known and any(p == of(e) for e in elements(p)):
        return p.text()
    return opaque(p, lambda e: Symbol(f"index({e.text()})", 0)).text()
