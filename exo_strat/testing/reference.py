"""The reference of all primitives in `docs/primitives.md`, made from docstrings and declarations.

    python -m exo_strat.testing.reference > docs/primitives.md

Form, condition, failures and result are sentences of the docstrings, and so are the examples; where cursors go is what
`@primitive` declares. A test compares the file with this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from doctest import DocTestParser
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

INTRO = """# Primitives

Made by `python -m exo_strat.testing.reference`; do not edit. Each section says what a primitive rewrites, when that is
right, how it fails, and which cursor it returns, with an example that is accepted and one that is refused. The
sentences and examples are those of the docstrings, which `help()` shows.
"""

READING = f"""## How to read the sections

Arguments follow the target: `op(arguments)` is the Op, `op.direct(p, target, arguments)` the paper's form. An
expression e is evaluated where it stands; n is a loop's number of iterations, `hi - lo`. `at(place, op)` takes an Op to
its target: a statement is found by a pattern, as in `at("for i in _: _", op)` and `at("a: _", op)`, an argument by
`at(moves.find_alloc_or_arg("x"), op)`. The examples begin with `from exo_strat import proc_from_source` and
`from exo_strat.primitives import *`.

A failure says what does not hold, and where. `Unsafe`: the condition could not be shown; it is *not true* if there is a
counterexample, else *not provable*. `NotApplicable`: the code does not have the form. `BadArgument`: an argument makes
no sense, such as a name that is not in scope.

*By form* at the end of a condition means: the form of the code and the arguments decide, and no proof about values is
needed. Such a primitive never fails with `Unsafe`, with one exception: if the checks of a procedure rely on the values
of config fields, a rewrite after which these are not known any more is `Unsafe`. The random tests check that, and that
each of the other primitives does fail with `Unsafe` somewhere.

Where cursors go is what the primitive declares, after what the docstring says of it. The random tests hold it to that
for every cursor (`testing.forwarding`). What is not named stays.

{_WORDS}
"""

SETUP = "from exo_strat import proc_from_source"
"""What the examples have in common, said once at the top."""


@dataclass(frozen=True)
class Example:
    """Steps of code, each with what it prints. Of a refused example it also says in words what would go wrong."""

    steps: Sequence[tuple[str, str]]
    why: str = ""

    @classmethod
    def of(cls, text: str) -> Example:
        """The example in a part of a docstring.

        >>> Example.of("It ends at the hole.\\n\\n>>> a = 1\\n>>> print(a)\\n1")
        Example(steps=(('a = 1\\nprint(a)', '1'),), why='It ends at the hole.')
        """
        steps, code = [], ""
        for line in DocTestParser().get_examples(text):
            code += "" if line.source.strip() == SETUP else line.source
            if line.want:
                steps.append((code.strip(), line.want.rstrip()))
                code = ""
        return cls(tuple(steps), " ".join(text.partition(">>>")[0].split()))

    def blocks(self) -> str:
        """The example in Markdown."""
        return "\n\n".join(f"```py\n{code}\n```\n\n```\n{printed}\n```" for code, printed in self.steps)


@dataclass(frozen=True)
class Entry:
    """What is said of a primitive."""

    name: str
    section: str
    heading: str
    form: str
    condition: str
    failures: str
    result: str
    cursors: str
    accepted: Example
    refused: Example | None

    @classmethod
    def of(cls, spec: Spec) -> Entry:
        """What a docstring says, sorted into parts."""
        doc = cleandoc(spec.fn.__doc__ or "")
        prose, prompt, examples = doc.partition(">>>")
        accepted, refused, why = (prompt + examples).partition("\nRefused: ")
        form, *body = [s for part in prose.split("\n\n") for s in sentences(part)]
        body = [s for s in body if s not in ("Beyond the paper.", "Exo's documentation.")]
        results = [s for s in body if s.startswith("Returns ")]
        failures = [s for s in body if s.startswith(("Fails with", "Never fails"))]
        cursors = [s for s in body if s.startswith("Cursors ")]
        cursors += [after.strip(" .").capitalize() + "." for s in results if "ursors" in (after := s.partition(";")[2])]
        condition = [s for s in body if s not in (*results, *failures, *cursors)] + ["*By form.*"] * spec.by_form
        made = "; ".join(s.partition(";")[0].removeprefix("Returns ").rstrip(".") for s in results)
        return cls(
            name=spec.name,
            section=spec.section,
            heading=f"`{spec.name}{signature_text(spec)}` on {' or '.join(kind_name(t) for t in spec.targets)}",
            form=form,
            condition=" ".join(condition),
            failures=" ".join(failures),
            result=made,
            cursors=" ".join([*cursors, declared(spec)]),
            accepted=Example.of(accepted),
            refused=Example.of(why) if refused else None,
        )

    def link(self) -> str:
        """A link to the section, whose anchor GitHub makes from the heading."""
        anchor = re.sub(r"[^\w\- ]", "", self.heading.lower()).replace(" ", "-")
        return f"[{self.name}](#{anchor})"

    def markdown(self) -> str:
        """The section."""
        said = {
            "Form": self.form,
            "Condition": self.condition,
            "Fails": self.failures.removeprefix("Fails ").replace("Never fails", "never"),
            "Returns": self.result + ".",
            "Cursors": self.cursors + ".",
        }
        parts = [f"### {self.heading}", "\n".join(f"* **{what}**: {text}" for what, text in said.items())]
        parts += ["Accepted:", self.accepted.blocks()]
        if self.refused is not None:
            parts += [f"Refused: {self.refused.why}", self.refused.blocks()]
        return "\n\n".join(parts)


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


def declared(spec: Spec) -> str:
    """Where cursors go, as the primitive declares it: by role, the ways that differ from staying."""
    differ = {role: ways for role, ways in spec.cursors.items() if ways != {"stay"}}
    parts = [f"*{role}*: {', '.join(w for w in WAYS if w in ways)}" for role, ways in differ.items()]
    return "; ".join(parts) or "All stay"


def reference() -> str:
    """The whole document."""
    entries = [Entry.of(op.spec) for op in PRIMITIVES.values()]
    groups = {title: [e for e in entries if e.section == section] for section, title in SECTIONS.items()}
    contents = [f"* {title}: {', '.join(e.link() for e in group)}" for title, group in groups.items()]
    parts = [INTRO, "\n".join(contents) + "\n", READING]
    for title, group in groups.items():
        parts += [f"## {title}\n", *(e.markdown() + "\n" for e in group)]
    return "\n".join(parts)


if __name__ == "__main__":
    print(reference(), end="")
