"""Source as it stands. Imports nothing of the project."""

from __future__ import annotations


class Text(str):
    """A piece of Python source, as against a string that is a value."""

    __slots__ = ()
