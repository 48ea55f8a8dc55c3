"""Searches: functions that say which candidate to try next.

    Search = (Space, history) -> assignment, or None when there is nothing left to try
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Status: TypeAlias = Literal["measured", "refused", "crashed", "hung", "wrong", "same"]


@dataclass(frozen=True)
class Tried:
    """A candidate and what came of it.

    `values` is the assignment that was asked for, `decisions` the holes that the run of the strategy came to, with
    their values; both by full name. `seconds` is the median time of a call, `spread` the distance of its quartiles, in
    seconds, both None for what was not measured. `reason` says in words why it was not. A candidate that is the `same`
    program as another has that one's times.
    """

    values: Mapping[str, Any]
    decisions: Mapping[str, Any]
    status: Status
    seconds: float | None = None
    spread: float | None = None
    reason: str = ""
