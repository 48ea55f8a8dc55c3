"""Source as it stands."""

from __future__ import annotations


class Text(str):
    """A piece of Python source, as against a string that is a value."""

    __slots__ = ()
