"""Configuration state: named records of global registers. Imports types only."""

from __future__ import annotations

from dataclasses import dataclass

from pyrsistent import PMap

from .types import Control, Scalar


@dataclass(frozen=True)
class Config:
    """A record of registers that outlive procedures, such as an accelerator's strides.

    Equal by name and fields; a field is data (a scalar) or control.
    """

    name: str
    fields: PMap[str, Scalar | Control]

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name
