"""From which statement each line of C comes.

Statements are printed by functions that nest, indent and move lines. So lines of their own tell where the lines of a
statement begin and end, until the text is whole; then they are taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from ..kernel import Path, ProcDef

Origin: TypeAlias = tuple[ProcDef, Path]
"""A procedure, and the path of a statement of it."""

MARK: Final = "\0"
"""How such a line begins. It has no letters, so nobody takes it for a name."""


def of_statement(number: int, lines: Iterable[str]) -> Iterator[str]:
    """The lines of the statement of this number."""
    yield f"{MARK}{number}"
    yield from lines
    yield MARK


def told(text: str, origins: Iterable[Origin]) -> tuple[str, tuple[Origin | None, ...]]:
    """A text without the lines that tell of origins, and where each of the other lines comes from: the innermost
    statement, by its number.

    >>> from exo_strat import proc_from_source
    >>> at = proc_from_source("def f(x: f32):\\n    x = 1.0").tree, (("body", 0),)
    >>> text, origins = told("void f() {\\n\\0000\\n    x = 1;\\n\\000\\n}", [at])
    >>> text, [o is at for o in origins]
    ('void f() {\\n    x = 1;\\n}', [False, True, False])
    """
    known, around = tuple(origins), list[Origin]()
    lines, found = list[str](), list[Origin | None]()
    for line in text.split("\n"):
        mark = line.lstrip()
        if mark == MARK:
            around.pop()
        elif mark.startswith(MARK):
            around.append(known[int(mark[1:])])
        else:
            lines.append(line)
            found.append(around[-1] if around else None)
    return "\n".join(lines), tuple(found)
