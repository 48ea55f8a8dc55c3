"""Whether a folder of the user hides one of this distribution's packages.

`backends`, `strategies` and `importers` are common words. A user who has a folder or file of that name before ours
on the module path gets theirs whenever ours is meant; the check says so by name, before a missing
attribute does so in riddles.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("backends", "strategies", "importers")
HOME = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Shadow:
    """A package of ours that Python would take from elsewhere."""

    package: str
    ours: Path
    theirs: Path

    def __str__(self) -> str:
        return (
            f"{self.theirs} hides exo_strat's own package {self.package} ({self.ours}): "
            f"rename it, or take {self.theirs.parent} off the module path (PYTHONPATH, or the folder of the script "
            "that was started)"
        )


def shadows(packages: Iterable[str] = PACKAGES, home: Path = HOME) -> tuple[Shadow, ...]:
    """The packages that Python would not take from `home`, the folder that exo_strat itself is in.

    Looks for them without importing them. A package that is nowhere is not a shadow.

    >>> shadows()
    ()
    """
    found = ((name, place) for name in packages if (place := _place(name)) is not None)
    return tuple(Shadow(name, home / name, place) for name, place in found if place != home / name)


def _place(package: str) -> Path | None:
    """The folder or file that an import of `package` would read."""
    loaded = sys.modules.get(package)
    spec: ModuleSpec | None = getattr(loaded, "__spec__", None) if loaded is not None else find_spec(package)
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    place = folders[0] if folders else spec.origin
    return None if place is None else Path(place).resolve()
