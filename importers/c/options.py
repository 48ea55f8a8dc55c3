"""What a user says of a program beside its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Pointers that are never null, functions whose calls are left out, and flags of the preprocessor."""

    nonnull: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()
