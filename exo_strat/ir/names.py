"""Hygienic names.

A variable is a `Sym`: a readable name and a number that tells it from every other variable of its
procedure. Numbers are drawn from a counter that the procedure itself carries (`ProcDef.next_id`), so
a rewrite stays a pure function of its arguments.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from keyword import iskeyword

from .frozen import fast_init


@fast_init
@dataclass(frozen=True, slots=True, order=True)
class Sym:
    """A variable: equal only to itself, however it is spelled.

    >>> Sym("i", 1) == Sym("i", 2)
    False
    >>> str(Sym("i", 1))
    'i'
    """

    name: str
    id: int

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sym) and self.id == other.id and self.name == other.name)

    def __hash__(self) -> int:
        return self.id

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self.name}_{self.id}"


def checked_name(name: object, what: str = "a name") -> str:
    """`name` itself, if it may name something: object code has it as one word, and reads it back as it is written.
    Whatever brings in a name asks here. Raises `ValueError`; `what` says there what would be named.

    >>> checked_name("i_1"), checked_name("\N{GREEK SMALL LETTER ALPHA}")
    ('i_1', '\u03b1')
    >>> checked_name("i o")
    Traceback (most recent call last):
    ValueError: 'i o' is no name: a letter or _, then letters, digits and _
    """
    why = _why_no_name(str.__str__(name)) if isinstance(name, str) else "a name is a text"
    if why:
        raise ValueError(f"{name!r} is no name{'' if what == 'a name' else f' for {what}'}: {why}")
    return str.__str__(name)


@lru_cache(maxsize=1 << 12)
def _why_no_name(name: str) -> str:
    """Why a text is no name; nothing if it is one."""
    read = unicodedata.normalize("NFKC", name)
    if not name.isidentifier():
        return "a letter or _, then letters, digits and _"
    if iskeyword(name) or iskeyword(read):
        return f"{read} is a word of Python"
    return "" if read == name else f"Python reads it as {read!r}: write that"
