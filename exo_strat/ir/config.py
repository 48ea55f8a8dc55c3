"""Configuration state: named records of global registers."""

from __future__ import annotations

from dataclasses import dataclass

from pyrsistent import PMap, pmap

from .frozen import fast_init
from .names import checked_name
from .types import Control, Scalar


@fast_init
@dataclass(frozen=True, slots=True)
class Config:
    """A record of registers that outlive procedures, such as an accelerator's strides.

    Equal by name and fields; a field is data (a scalar) or control.
    """

    name: str
    fields: PMap[str, Scalar | Control]

    def __init_subclass__(cls) -> None:
        raise TypeError("Config has no subclasses: one could be two configs in turn")

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name(self.name, "a config"))
        fields = {checked_name(name, f"a field of {self.name}"): t for name, t in self.fields.items()}
        object.__setattr__(self, "fields", pmap(fields))  # a mapping that was given may change
        wrong = [f"{name}: {t!r}" for name, t in self.fields.items() if not isinstance(t, Scalar | Control)]
        if wrong:
            raise TypeError(f"config {self.name}: a field's type is one of the object language, not {', '.join(wrong)}")

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name
