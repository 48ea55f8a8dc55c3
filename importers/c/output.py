"""The Python file that an import makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .functions import DEFINITIONS
from .printing import Printer, assertion
from .program import Procedure

ALWAYS = (
    "arguments do not overlap in memory",
    "sizes (arguments of type `size`) are at least 1, where C allows 0",
    "integers fit: sizes and indices in 64 bits and in their C types, signed data in its type",
)


def text(procedures: Sequence[Procedure], file: Path) -> str:
    """A file with the procedures, callees first."""
    bodies = ["\n".join(["@proc", *(x.text for x in Printer(p).lines())]) for p in procedures]
    externs = sorted({e for p in procedures for e in p.externs if e in DEFINITIONS})
    head = ["from __future__ import annotations", ""]
    definitions = [DEFINITIONS[e] for e in externs]
    if externs:
        head += ["import math"] if any("math." in d for d in definitions) else []
        head += ["from fractions import Fraction", ""]
    head += ["from exo_strat import *", ""]
    if externs:
        head += [*definitions, ""]
    return "\n".join([_assumed(procedures, file), "", *head, "", "\n\n\n".join(bodies), ""])


def _assumed(procedures: Sequence[Procedure], file: Path) -> str:
    """The comment at the top: where it is from, and what is assumed."""
    out = [f'"""{procedures[-1].name}, imported from {_quoted(file.name)} by exo-strat.', "", "Assumed:", ""]
    out += [f"* {a};" for a in ALWAYS]
    for p in procedures:
        of = f"{p.name}: " if len(procedures) > 1 else ""
        out += [f"* {of}{n};" for n in dict.fromkeys(p.notes)]
        out += [f"* {of}`{assertion(a)}`, {why};" for a, why in p.assertions]
    out[-1] = out[-1].removesuffix(";") + "."
    return "\n".join([*out, '"""'])


def _quoted(name: str) -> str:
    return name.replace("\\", "/").replace('"', "'")
