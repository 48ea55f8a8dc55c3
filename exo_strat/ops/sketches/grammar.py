"""Sketches as trees, and the parser that makes them of text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from ...frontend.errors import PatternError
from ...frontend.patterns import parse_pattern

MODES: Final = ("seq", "par", "vec", "_")
ANY: Final = "_"
TOKEN: Final = re.compile(r"\.\.\.|[{};>\[\]()]")


class SketchError(ValueError):
    """A text that is no sketch."""


@dataclass(frozen=True)
class LoopSketch:
    """A loop: mode, name and number of iterations, each maybe `_` for any; and what is inside."""

    mode: str
    name: str
    extent: str
    inside: Block

    def __str__(self) -> str:
        return " ".join(x for x in (self.mode, self.name if self.name != ANY else "", self.extent) if x)


@dataclass(frozen=True)
class BranchSketch:
    """`if` or `else`, and what is inside."""

    word: str
    inside: Block

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class StmtSketch:
    """A statement by a pattern."""

    pattern: str

    def __str__(self) -> str:
        return self.pattern


@dataclass(frozen=True)
class AnySketch:
    """Any statements; or if it is not None, any of which one has `inside` in it, at whatever depth."""

    inside: Block | None

    def __str__(self) -> str:
        return "..."


Item: TypeAlias = LoopSketch | BranchSketch | StmtSketch | AnySketch
Block: TypeAlias = tuple[Item, ...]


@lru_cache(maxsize=1024)
def parse_sketch(text: str) -> Block:
    """A sketch from its text. Raises `SketchError` if it is none.

    >>> par, = parse_sketch("par 32 > { seq i 4; ... }")
    >>> str(par), [str(item) for item in par.inside]
    ('par 32', ['seq i 4', '...'])
    """
    parser = _Parser(text)
    block = parser.block()
    if parser.rest:
        raise SketchError(f"{parser.rest[0]!r} is not expected {parser.where()}")
    return block


class _Parser:
    """A recursive descent over the tokens that are left."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rest = list(_tokens(text))

    def where(self) -> str:
        return f"in the sketch {self.text!r}"

    def takes(self, token: str) -> bool:
        found = self.rest[:1] == [token]
        if found:
            del self.rest[0]
        return found

    def block(self) -> Block:
        items = [self.item()]
        while self.takes(";"):
            if not self.rest or self.rest[0] == "}":
                break
            items.append(self.item())
        return tuple(items)

    def inside(self) -> Block:
        """What comes after `>`."""
        if not self.takes("{"):
            return (self.item(),)
        block = self.block()
        if not self.takes("}"):
            raise SketchError(f"a brace is not closed {self.where()}")
        return block

    def item(self) -> Item:
        if not self.rest or self.rest[0] in ("}", ";", ">", "{"):
            before = repr(self.rest[0]) if self.rest else "the end"
            raise SketchError(f"a loop, a branch, a statement or ... is missing before {before} {self.where()}")
        text = self.rest.pop(0)
        inside = self.inside() if self.takes(">") else None
        if text == "...":
            return AnySketch(inside)
        if text in ("if", "else"):
            return BranchSketch(text, inside or ())
        loop = _loop(text, inside or ())
        if loop is not None:
            return loop
        if inside is not None or not _is_statement(text):
            loops = "a loop (seq, par, vec or _; maybe a name; the number of iterations)"
            raise SketchError(f"{text!r} {self.where()} is neither {loops}, nor if, else, ... or a statement")
        return StmtSketch(text)


def _tokens(text: str) -> Iterator[str]:
    """The marks of a sketch, and the texts between them. What is in brackets belongs to a text."""
    at, depth = 0, 0
    for m in TOKEN.finditer(text):
        if m[0] in "[(":
            depth += 1
        elif m[0] in "])":
            depth -= 1
        elif depth == 0:
            if text[at : m.start()].strip():
                yield text[at : m.start()].strip()
            yield m[0]
            at = m.end()
    if text[at:].strip():
        yield text[at:].strip()


def _loop(text: str, inside: Block) -> LoopSketch | None:
    mode, *words = text.split()
    if mode not in MODES:
        return None
    if not words:
        return LoopSketch(mode, ANY, ANY, inside)
    named = len(words) > 1 and words[0].isidentifier() and words[1][0] == "("  # `io (n + 7) / 8` is no call
    if not named and _is_expression(" ".join(words)):
        return LoopSketch(mode, ANY, " ".join(words), inside)
    name, extent = words[0], " ".join(words[1:])
    return LoopSketch(mode, name, extent, inside) if name.isidentifier() and _is_expression(extent) else None


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _is_statement(text: str) -> bool:
    try:
        e = parse_pattern(text).expr()
    except PatternError:
        return False
    return e is None or isinstance(e, ast.Call)
