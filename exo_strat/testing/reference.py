"""The table of all primitives in `docs/primitives.md`, made from docstrings and declarations.

    python -m exo_strat.testing.reference > docs/primitives.md

Before and after, condition and result are sentences of the docstrings; where cursors go is what
`@primitive` declares. A test compares the file with this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import cleandoc, signature

from ..cursors.kinds import kind_name
from ..primitives import PRIMITIVES
from ..primitives.framework import ROLES, WAYS, Spec

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
"""The sections of the paper's appendix."""

_WORDS = "\n\n".join(
    f"{what}\n\n" + "\n".join(f"* *{word}*: {text}." for word, text in words.items())
    for what, words in (("A cursor points to", ROLES), ("It goes", WAYS))
)

HEADER = f"""# Primitives

Made by `python -m exo_strat.testing.reference`; do not edit. The sentences are those of the docstrings, which also have
an example each. What the condition does not allow is refused, with the obligation in words.

Arguments follow the target: `op(arguments)` is the Op, `op.direct(p, target, arguments)` the paper's form. An
expression e is evaluated where it stands; n is a loop's number of iterations, `hi - lo`. `at(place, op)` takes an Op to
its target: a statement is found by a pattern, as in `at("for i in _: _", op)` and `at("a: _", op)`, an argument by
`at(moves.find_alloc_or_arg("x"), op)`.

Where the condition ends with *By form.*, there is nothing to prove of values: the form of the code and the arguments
decide. Such a primitive is never refused with `Unsafe`, but where the checks of a procedure rest on config fields, of
which every rewrite must leave enough known. All others are; the random tests hold each to it.

The last column says where cursors go: after what the docstring says, what the primitive declares, which the
random tests hold it to for every cursor (`testing.forwarding`). What is not named stays.

{_WORDS}
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
        first, *more = sentences(head)
        body = [s for s in (*more, *sentences(rest)) if not s.startswith("Exo's documentation.")]
        results = [s for s in body if re.match(r"(\w+ )?[Rr]eturns? ", s) and "paper's form" not in s]
        cursors = [s for s in body if "ursors" in s and s not in results]
        cursors += [after.strip(" .") + "." for s in results if "ursors" in (after := s.partition(";")[2])]
        condition = [s for s in body if s not in results and s not in cursors]
        made = [s.partition(";")[0].removeprefix("Returns ").rstrip(".") for s in results]
        call = f"`{spec.name}{signature_text(spec)}`<br>on {' or '.join(kind_name(t) for t in spec.targets)}"
        condition += ["*By form.*"] * spec.by_form
        return cls(call, spec.section, first, " ".join(condition), "; ".join(made), " ".join(cursors))

    def row(self, ways: str) -> str:
        """The entry as a row of a Markdown table."""
        cells = (self.name, self.rewrite, self.condition, self.result, f"{self.cursors} {ways}".strip())
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


def declared(spec: Spec) -> str:
    """Where cursors go, as the primitive declares it: by role, the ways that differ from staying."""
    differ = {role: ways for role, ways in spec.cursors.items() if ways != {"stay"}}
    parts = [f"{role}: {', '.join(w for w in WAYS if w in ways)}" for role, ways in differ.items()]
    return "; ".join(parts) or "all stay"


def reference() -> str:
    """The whole document."""
    entries = {name: Entry.of(op.spec) for name, op in PRIMITIVES.items()}
    parts = [HEADER]
    for section, title in SECTIONS.items():
        rows = [e.row(declared(PRIMITIVES[name].spec)) for name, e in entries.items() if e.section == section]
        if rows:
            heads = "| Primitive | Before ~> after | Condition | Result | Cursors |\n|---|---|---|---|---|"
            parts.append(f"## {title}\n\n{heads}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(reference(), end="")
