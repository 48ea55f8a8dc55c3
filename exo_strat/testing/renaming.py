"""A program under other names: its procedures, arguments, buffers, iterators, configs and their fields.

Names mean nothing to a program, but the backend must keep them from what C, its headers and its library have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyrsistent import pmap

from ..cursors.proc import Proc
from ..ir.config import Config
from ..ir.names import Sym
from ..ir.nodes import Call, Node, ProcDef, ReadConfig, WriteConfig
from ..ir.outside import mentioned
from ..ir.walk import binders, rename, rewrite, walk, with_child
from .choices import Choices

Word = Callable[[Choices], str]
"""Draws a name."""

FEW: Final = 12
"""So many names are drawn for a program: then things of several kinds have one name."""
PERCENT: Final = 70
"""How many things of a hundred get another name."""


def renamed(ch: Choices, p: Proc, word: Word) -> Proc:
    """The same program with names that `word` draws, in what it calls, too.

    An instruction stays as it is, as its C text mentions its names, and so do the configs that it uses. Variables keep
    their numbers, so nothing is captured.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(renamed(Choices.seeded(1), p, lambda ch: ch.pick(["step", "errno", "int_"])))
    def errno(step: size, errno: f32[step] @ DRAM):
        for step_1 in seq(0, step):
            errno[step_1] = 0.0
    """
    return _Renaming(ch, [word(ch) for _ in range(FEW)], p.tree).proc(p)


class _Renaming:
    """The names that are given to one program, and what was renamed already."""

    def __init__(self, ch: Choices, few: list[str], tree: ProcDef) -> None:
        self.ch = ch
        self.few = few
        self.done: dict[int, Proc] = {}
        self.configs = self._configs(tree)

    def proc(self, p: Proc) -> Proc:
        """A procedure under other names; an instruction itself."""
        if p.is_instr():
            return p
        if id(p.tree) not in self.done:
            self.done[id(p.tree)] = Proc(self._tree(p.tree))
        return self.done[id(p.tree)]

    def _tree(self, tree: ProcDef) -> ProcDef:
        arguments: set[str] = set()
        env: dict[Sym, Sym] = {}
        for k, sym in enumerate(binders(tree)):
            name = self._name(sym.name, arguments if k < len(tree.args) else set())
            env[sym] = Sym(name, sym.id)
        named = with_child(rename(tree, env), "name", self._name(tree.name, set()))
        return rewrite(named, self._node)

    def _node(self, n: Node) -> Node:
        if isinstance(n, Call) and isinstance(n.f, Proc):
            return with_child(n, "f", self.proc(n.f))
        if isinstance(n, ReadConfig | WriteConfig):
            config, fields = self.configs[n.config]
            return with_child(with_child(n, "config", config), "field", fields[n.field])
        return n

    def _name(self, old: str, taken: set[str]) -> str:
        """A name that is not taken, and now is: one of the few, the old one, or that with a number."""
        free = [w for w in self.few if w not in taken]
        name = self.ch.pick(free) if free and self.ch.chance(PERCENT) else old
        while name in taken:
            name += "_1"
        taken.add(name)
        return name

    def _configs(self, tree: ProcDef) -> dict[Config, tuple[Config, dict[str, str]]]:
        """Each config of the program under another name, and its fields' other names by their own."""
        found, kept = _mentioned(tree)
        taken = {thing.name for thing in mentioned(tree) if thing not in found - kept}
        out = {c: (c, {f: f for f in c.fields}) for c in kept}
        for c in sorted(found - kept, key=lambda c: c.name):
            name, inner = self._name(c.name, taken), set[str]()
            fields = {f: self._name(f, inner) for f in sorted(c.fields)}
            out[c] = (Config(name, pmap({fields[f]: t for f, t in c.fields.items()})), fields)
        return out


def _mentioned(tree: ProcDef) -> tuple[set[Config], set[Config]]:
    """The configs that a program mentions, and those among them that instructions do."""
    found, kept = set[Config](), set[Config]()
    for _, n in walk(tree):
        if isinstance(n, ReadConfig | WriteConfig):
            found.add(n.config)
        elif isinstance(n, Call):
            inner, fixed = _mentioned(n.f.tree)
            found |= inner
            kept |= fixed
    return found, found if tree.instr is not None else kept


__all__ = ["Word", "renamed"]
