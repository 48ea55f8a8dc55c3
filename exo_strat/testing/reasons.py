"""Why rewrites were refused: in words, how often, and where in the smallest program."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from textwrap import indent
from typing import Final

from ..cursors.proc import Proc
from ..ir.printing import render
from ..ops.failure import Failure, InvalidCursor
from ..source import brief, show

MOST: Final = 3
"""How many reasons are told."""
WHOLE: Final = 10**6
"""So many lines around a place are the whole program."""


@dataclass
class Reasons:
    """The reasons for which rewrites were refused, by the name of the rewrite.

    The first causes of a failure count, as what an alternative or a traversal says itself is the same each time.
    """

    times: Counter[tuple[str, str]] = field(default_factory=Counter)
    smallest: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, name: str, failure: Failure, p: Proc) -> None:
        """Counts a refusal of a rewrite on a program."""
        for cause in [cause for cause, _ in failure.grounds()] or [failure]:
            key, shown = (name, in_words(cause)), _shown(cause, p)
            self.times[key] += 1
            known = self.smallest.get(key)
            if known is None or len(shown) < len(known):
                self.smallest[key] = shown

    def told(self, name: str) -> str:
        """The most frequent reasons, and for the first of them the smallest program with the place."""
        found = [(words, n) for (op, words), n in self.times.most_common() if op == name]
        lines = [f"{n:6} times: {words}" for words, n in found[:MOST]]
        others = sum(n for _, n in found[MOST:])
        if others:
            lines.append(f"{others:6} times: something else")
        if found:
            lines += ["the first of these, for instance, here:", indent(self.smallest[name, found[0][0]], "    ")]
        return "\n".join(lines)


def in_words(failure: Failure) -> str:
    """Which Op was refused and why, without what is of one program only.

    >>> from exo_strat import at, proc_from_source, simplify
    >>> p = proc_from_source("def foo(x: f32): x = 1.0")
    >>> in_words(at("for i in _: _", simplify())(p).failure())
    "nav(moves.find('for i in _: _')): nothing matches 'for i in _: _' in foo"
    """
    message = failure.reason().partition("\n")[0]
    if isinstance(failure, InvalidCursor):
        message = re.sub(r"(' in \w+): .*", r"\1", message)
    return message if failure.op is None else f"{brief(show(failure.op))}: {message}"


def _shown(failure: Failure, p: Proc) -> str:
    """The program that was refused, its place marked."""
    if failure.place is None or not failure.place.is_valid:
        return str(p)
    return render(failure.place.proc.tree, failure.place.place(), around=WHOLE)
