"""C programs of every kind: each is imported, and does what C does.

They are the functions of the files in `programs`. A comment before a function may give its sizes, `n=8 m=3`, or say
`interpret`, for programs on integers: the reference interpreter runs them as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
NOTE = r"^(?:/\* (?P<note>[^\n]*?) \*/\n)?"
FUNCTION = re.compile(NOTE + r"(?:\w+ )+\*?(?P<name>\w+)\((?P<args>[^;{]*)\)\n?\s*\{", re.MULTILINE)
END = re.compile(r"[^\n]*\}\n|.*?\n\}\n", re.DOTALL)
"""What is left of a function: of one line, or up to a brace that stands alone."""
SIZE = re.compile(r"\b(?:int|long|size_t|unsigned|int64_t|short) (\w+)(?=[,)])")
CONTROL = ("n", "m", "k", "l", "lda", "ldb", "ldc", "r", "s", "h", "w", "off", "inc")
"""Integers that are sizes or indices are called so."""


def functions(file: Path) -> Iterator[tuple[str, str, str]]:
    """The functions of a file: the note, the name, the arguments."""
    for m in FUNCTION.finditer(file.read_text()):
        if not m[0].startswith("static"):
            yield m["note"] or "", m["name"], f"{m['args']})"


def sizes(note: str, args: str) -> list[Mapping[str, int]]:
    """What a function is tried with: sizes that are least, odd and larger."""
    given = [{k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", part)} for part in note.split(";")]
    if any(given):
        return [g for g in given if g]
    names = [n for n in SIZE.findall(args) if n in CONTROL]
    if len(names) == 1:
        return [{names[0]: v} for v in (1, 2, 3, 7, 16)]
    spread = [dict(zip(names, vs, strict=True)) for vs in product((1, 4, 7), repeat=len(names))]
    return spread if len(spread) <= 9 else spread[:: len(spread) // 8]


def alone(file: Path, name: str) -> str:
    """The text of a file without the functions that one of them doesn't name: reading C takes time."""
    text = file.read_text()
    ends = {m: END.match(text, m.end()) for m in FUNCTION.finditer(text)}
    found = {m["name"]: text[m.start() : end.end()] for m, end in ends.items() if end is not None}
    kept, asked = set[str](), {name}
    while asked - kept:
        kept |= asked
        asked |= {f for f in found for k in kept if re.search(rf"\b{f}\b", found[k])}
    for f in found.keys() - kept:
        text = text.replace(found[f], "")
    return text


CASES = [
    pytest.param(file, name, sizes(note, args), "interpret" in note, id=f"{file.stem}-{name}")
    for file in sorted(PROGRAMS.glob("*.c"))
    for note, name, args in functions(file)
]


@pytest.mark.parametrize(("file", "name", "tried", "interpret"), CASES)
def test_a_program_does_what_it_does_in_c(file, name, tried, interpret, roundtrip) -> None:
    roundtrip(alone(file, name), name, tried, whole=file.read_text())
    if interpret:
        roundtrip(alone(file, name), name, tried[:3], interpreted=True, whole=file.read_text())
