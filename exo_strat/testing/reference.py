"""The table of all primitives in `docs/primitives.md`, made from docstrings and from what cursors do in runs.

    python -m exo_strat.testing.reference > docs/primitives.md

Imports the harness. Before and after, condition and result are sentences of the docstrings. Where cursors go is
seen by applying each primitive to random programs, always the same ones; a test compares the file with this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc, signature

from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, GapCursor, ProcCursor, StmtCursor
from ..cursors.kinds import PassCursor
from ..cursors.proc import Proc
from ..primitives import PRIMITIVES
from ..primitives.framework import Spec, kind_name
from .applications import applications
from .choices import Choices
from .harness import shapes_for
from .programs import random_proc

SECTIONS: Mapping[str, str] = {
    "A.1": "Loops (A.1)",
    "A.2": "Order of code (A.2)",
    "A.3": "Scopes (A.3)",
    "A.4": "Procedures (A.4)",
    "A.5": "Buffers (A.5)",
    "A.6": "Simplification (A.6)",
    "A.7": "Annotations (A.7)",
    "A.8": "Configuration state (A.8)",
    "": "Beyond the paper",
}
"""The sections of the paper's appendix, as docstrings name them."""

ENOUGH, PROGRAMS = 12, 150
"""How many applications show where cursors go, and in how many programs they are looked for."""

HEADER = """# Primitives

Made by `python -m exo_strat.testing.reference`; do not edit. The sentences are those of the docstrings, which also have
an example each. What the condition does not allow is refused, with the obligation in words.

Arguments follow the target: `op(arguments)` is the Op, `op.direct(p, target, arguments)` the paper's form. An
expression e is evaluated where it stands; n is a loop's number of iterations, `hi - lo`.

The last column says where cursors go. In general a cursor goes with its code, wherever that is moved, and is gone if
the code is. What is said in words there is from the docstring; the rest was seen in runs: for the target, the
statements in it and all other statements, whether cursors *stay* on their statement, are *gone*, or point to the
*`pass`* that is left. So a word that is missing was never seen.
"""


@dataclass(frozen=True)
class Entry:
    """A primitive in the table."""

    name: str
    section: str
    rewrite: str
    condition: str
    result: str
    cursors: str

    @classmethod
    def of(cls, spec: Spec) -> Entry:
        """What a docstring says, sorted into columns."""
        text = cleandoc(spec.fn.__doc__ or "").partition(">>>")[0].strip()
        head, _, rest = text.partition("\n\n")
        section = next((s for s in SECTIONS if s and f"Paper: {s}." in text), "")
        first, *more = sentences(head)
        body = [s for s in (*more, *sentences(rest)) if not re.match(r"Paper: A\.\d\.|Exo's documentation\.", s)]
        results = [s for s in body if re.match(r"(\w+ )?[Rr]eturns? ", s) and "paper's form" not in s]
        cursors = [s for s in body if "ursors" in s and s not in results]
        cursors += [after.strip(" .") + "." for s in results if "ursors" in (after := s.partition(";")[2])]
        condition = [s for s in body if s not in results and s not in cursors]
        made = [s.partition(";")[0].removeprefix("Returns ").rstrip(".") for s in results]
        call = f"`{spec.name}{signature_text(spec)}`<br>on {' or '.join(kind_name(t) for t in spec.targets)}"
        return cls(call, section, first, " ".join(condition), "; ".join(made), " ".join(cursors))

    def row(self, seen: str) -> str:
        """The entry as a row of a Markdown table."""
        cells = (self.name, self.rewrite, self.condition, self.result, f"{self.cursors} {seen}".strip())
        return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"


def sentences(text: str) -> list[str]:
    """The sentences of a text, without its line breaks.

    >>> sentences("`a  ~>  b`, if so. Paper: A.1. Returns\\nthe loop.")
    ['`a  ~>  b`, if so.', 'Paper: A.1.', 'Returns the loop.']
    """
    flat = re.sub(r"\s*\n\s*", " ", text.strip())
    return re.split(r"(?<=[.`])(?<!\bA\.) (?=[A-Z](?!\.\d)|`\w+` is)", flat) if flat else []


def signature_text(spec: Spec) -> str:
    """The parameters by name, with their defaults."""
    known, params = spec.signature.parameters, signature(spec.fn).parameters.values()
    return f"({', '.join(str(p.replace(annotation=p.empty)) for p in params if p.name in known)})"


# -- where cursors go ---------------------------------------------------------------------------------


def seen(name: str) -> str:
    """Where cursors to the target, into it and to the rest go, in some applications to random programs."""
    ways: dict[str, set[str]] = {"target": set(), "inside": set(), "elsewhere": set()}
    for p, q, target in _accepted(name):
        for c in p.root().descendants():
            if isinstance(c, StmtCursor):
                ways[_relation(c, target)].add(_way(c, q))
        if not isinstance(target, StmtCursor | BlockCursor | GapCursor | ProcCursor):
            ways["target"].add(_way(target, q))
    order = ("stay", "gone", "`pass`")
    return "; ".join(f"{part}: {', '.join(w for w in order if w in found)}" for part, found in ways.items() if found)


def _accepted(name: str) -> Iterator[tuple[Proc, Proc, Cursor]]:
    found = 0
    for seed in range(PROGRAMS):
        ch = Choices.seeded(seed)
        p = random_proc(ch, shapes_for(name))
        for q, op, c in applications(ch, p, name) if p is not None else ():
            outcome = op(q, c)
            if isinstance(outcome, Success):
                yield q, outcome.unwrap()[0], c
                found += 1
            if found == ENOUGH:
                return


def _relation(c: StmtCursor, target: Cursor) -> str:
    """Whether a statement is the target, in it, or elsewhere."""
    if isinstance(target, BlockCursor):
        inside = [s.path for s in target]
        return "target" if any(c.path[: len(s)] == s for s in inside) else "elsewhere"
    if isinstance(target, StmtCursor) and c.path[: len(target.path)] == target.path:
        return "target" if c.path == target.path else "inside"
    return "elsewhere"


def _way(c: Cursor, q: Proc) -> str:
    there = q.forward(c)
    if not there.is_valid:
        return "gone"
    return "`pass`" if isinstance(there, PassCursor) and not isinstance(c, PassCursor) else "stay"


def reference() -> str:
    """The whole document."""
    entries = {name: Entry.of(spec) for name, spec in sorted(PRIMITIVES.items())}
    parts = [HEADER]
    for section, title in SECTIONS.items():
        rows = [e.row(seen(name)) for name, e in entries.items() if e.section == section]
        if rows:
            heads = "| Primitive | Before ~> after | Condition | Result | Cursors |\n|---|---|---|---|---|"
            parts.append(f"## {title}\n\n{heads}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(reference(), end="")
