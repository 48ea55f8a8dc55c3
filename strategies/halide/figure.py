"""A schedule as a picture: which stage is computed and stored where, and the windows.

The loop nest as nested boxes, from top to bottom in the order of execution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Final

from toolz import unique

from exo_strat import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BlockCursor,
    CallCursor,
    ForCursor,
    IfCursor,
    Proc,
    ReduceCursor,
    StmtCursor,
    Sym,
    Tensor,
    WindowDefCursor,
    names_at,
)

from ..inspect import bounds, statements, symbols_read, symbols_written
from ..std.writing import element, text
from .drawing import Box, Look, draw

Scope = BlockCursor | StmtCursor

# Wong's colours, which those who see few colours can tell apart
LOOPS: Final = {
    "seq": ("", Look()),
    "par": ("parallel", Look(border="#b34700", width=2.5)),
    "vec": ("vector", Look(border="#005a92", width=2.5)),
}
TINTS: Final = ("#e3f1fb", "#fdf0d2", "#dff3ec", "#f8e6f0", "#fbe5d8", "#f1f1dc")
GUARD: Final = Look(fill="none", dashed=True)
BARE: Final = Look(fill="none", border="none")
ARGUMENT: Final = Look(fill="#f2f2f2", border="#565656")
FEW: Final = 4
"""More statements in a row than this, as unrolled loops leave them, are drawn as one box."""


def figure(p: Proc) -> str:
    """The loop nest of a procedure as an SVG document, the same text in any process.

    Every loop is a box around what it repeats; parallel and vector loops are marked, branches dashed. A buffer is
    where it is allocated. The nest that computes a stage is a box of the stage's colour. It says which window the
    nest computes, and which it needs of others: that is what one iteration of the loops around takes of them
    (`inspect.bounds`). A loop that several stages share says so for one of its iterations.

    >>> from exo_strat import proc_from_source
    >>> svg = figure(proc_from_source('''
    ... def twice(n: size, x: f32[n], y: f32[n]):
    ...     for i in par(0, n):
    ...         y[i] = x[i] + x[i]
    ... '''))
    >>> [words in svg for words in ("computes y[0:n]", "needs x[0:n]", "for i in par(0, n)", "parallel")]
    [True, True, True, True]
    """
    args = tuple(a for a in p.args() if a.mem() is not None)
    written = symbols_written(p.root())
    allocated = [s.sym for s in statements(p.root()) if isinstance(s, AllocCursor)]
    outline = _Outline(tuple(unique(s.name for s in (*written, *allocated))))
    inside = [
        *(Box(_buffer(a), ARGUMENT, "output" if a.sym in written else "input") for a in args),
        *outline.block(p.body(), tuple(a.sym for a in args)),
    ]
    what = f"The loop nest of {p.name()} as nested boxes: its buffers, and the windows of each stage."
    return draw(Box(_signature(p), inside=tuple(inside)), f"Schedule of {p.name()}", what)


def _signature(p: Proc) -> str:
    plain = [f"{a.name()}: {a.type()}" for a in p.args() if a.mem() is None]
    return f"{p.name()}({', '.join(plain)})"


@dataclass(frozen=True)
class _Outline:
    """The boxes for parts of a procedure. A stage's colour is its place in `stages`.

    `known` are the buffers declared before: what is declared inside has no window outside.
    """

    stages: tuple[str, ...]

    def block(self, block: BlockCursor, known: tuple[Sym, ...], stage: bool = False) -> Iterator[Box]:
        """The statements of a block, inside a stage's nest or not."""
        for simple, run in groupby(block, lambda s: isinstance(s, AssignCursor | ReduceCursor)):
            group = list(run)
            if simple and len(group) > FEW:
                scope = group[0].expand(0, len(group) - 1)
                yield Box(f"{len(group)} statements", BARE, "", () if stage else _windows(scope, known))
                continue
            for s in group:
                if isinstance(s, AllocCursor):
                    yield Box(_buffer(s), self.look(s.sym), "buffer")
                    known = (*known, s.sym)
                else:
                    yield from self.one(s, known, True) if stage else self.nest(s, known)

    def nest(self, s: StmtCursor, known: tuple[Sym, ...]) -> Iterator[Box]:
        """A statement outside of the stages: all that computes one stage, or more."""
        made = symbols_written(s)
        if len(made) != 1 or made[0] not in known:
            yield from self.one(s, known, False)
            return
        name = names_at(s.proc.tree)[made[0]]
        yield Box(name, self.look(made[0]), "stage", _windows(s, known), tuple(self.one(s, known, True)))

    def one(self, s: StmtCursor, known: tuple[Sym, ...], stage: bool) -> Iterator[Box]:
        """A statement, and what is in it."""
        if isinstance(s, ForCursor):
            badge, look = LOOPS[s.mode()]
            title = f"for {s.name()} in {s.mode()}({text(s.lo())}, {text(s.hi())})"
            lines = () if stage else _windows(s.body(), known, "an iteration ")
            yield Box(title, look, badge, lines, tuple(self.block(s.body(), known, stage)))
        elif isinstance(s, IfCursor):
            yield Box(f"if {text(s.cond())}", GUARD, "", (), tuple(self.block(s.body(), known, stage)))
            if s.has_else():
                yield Box("else", GUARD, "", (), tuple(self.block(s.orelse(), known, stage)))
        elif words := _words(s):
            yield Box(words, BARE)

    def look(self, sym: Sym) -> Look:
        """The colour of a stage."""
        return Look(fill=TINTS[self.stages.index(sym.name) % len(TINTS)])


def _buffer(c: AllocCursor | ArgCursor) -> str:
    """A buffer with its type and memory."""
    t = c.type()
    if not isinstance(t, Tensor):
        return f"{c.name()}: {t} @ {c.mem()}"
    base = f"[{t.base}]" if t.window else str(t.base)
    return f"{c.name()}: {base}[{', '.join(map(text, c.shape()))}] @ {c.mem()}"


def _windows(scope: Scope, known: tuple[Sym, ...], who: str = "") -> tuple[str, ...]:
    """The windows that a scope computes of the buffers known outside, and those that it needs of them. If it
    computes one stage only, it does not need that: it accumulates."""
    made = [s for s in symbols_written(scope) if s in known]
    needed = [s for s in symbols_read(scope) if s in known and (s not in made or len(made) > 1)]
    computes = (f"{who}computes {bounds(scope, s, reads=False).window()}" for s in made)
    needs = (f"{who}needs {bounds(scope, s, writes=False).window()}" for s in needed)
    return tuple(chain(computes, needs))


def _words(s: StmtCursor) -> str:
    """A statement in short: the windows tell what it reads."""
    if isinstance(s, AssignCursor):
        return f"{element(s)} = .."
    if isinstance(s, ReduceCursor):
        return f"{element(s)} {s.op()}= .." if not s.op().isidentifier() else f"{element(s)} = {s.op()}(..)"
    if isinstance(s, CallCursor):
        return f"{s.subproc().name()}(..)"
    return f"{s.name()} = .." if isinstance(s, WindowDefCursor) else ""
