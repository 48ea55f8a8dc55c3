"""The Python file that an import makes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .externs import DEFINITIONS


def module(title: str, assumed: Sequence[str], externs: Collection[str], procedures: Sequence[str]) -> str:
    """A file with procedures (their text, without the decorator), callees first: a comment with what it is and what
    is assumed, imports, the definitions of externs that the object language hasn't."""
    used = [DEFINITIONS[e] for e in sorted(externs) if e in DEFINITIONS]
    head = ["from __future__ import annotations", ""]
    if used:
        head += ["import math"] if any("math." in d for d in used) else []
        head += ["from fractions import Fraction", ""]
    head += ["from exo_strat import *", ""]
    head += [*used, ""] if used else []
    bodies = "\n\n\n".join(f"@proc\n{p}" for p in procedures)
    return "\n".join([_comment(title, assumed), "", *head, "", bodies, ""])


def _comment(title: str, assumed: Sequence[str]) -> str:
    lines = [f"* {a};" for a in assumed]
    lines[-1] = lines[-1].removesuffix(";") + "."
    title = title.replace("\\", "/").replace('"', "'")
    return "\n".join([f'"""{title}', "", "Assumed:", "", *lines, '"""'])
