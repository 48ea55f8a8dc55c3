"""Backends, targets, demos, figures, importers, models, panels and plans, found through entry points.

The kernel never imports `backends`, `strategies` or `importers` by name: they come in here, as those of any other
distribution do that declares entry points of these groups.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from .shadow import shadows

TARGETS = "exo_strat.targets"
BACKENDS = "exo_strat.backends"
DEMOS = "exo_strat.demos"
FIGURES = "exo_strat.figures"
PANELS = "exo_strat.panels"
MODELS = "exo_strat.models"
PLANS = "exo_strat.plans"
IMPORTERS = "exo_strat.importers"


class PluginError(ValueError):
    """A plug-in that isn't installed, or that can't be loaded."""


def names(group: str) -> tuple[str, ...]:
    """The names of a group's installed plug-ins, sorted."""
    return tuple(sorted(_found(group)))


def load(group: str, name: str) -> object:
    """The plug-in of this name. Raises `PluginError` if there is none, or its module can't be imported."""
    found = _found(group)
    kind = group.rpartition(".")[2].removesuffix("s")
    if not found:
        raise PluginError(f"no {kind} is installed: install exo-strat with pip, a bare checkout has no entry points")
    if name not in found:
        here = ", ".join(sorted(found))
        raise PluginError(f"there is no {kind} {name!r}; installed: {here}. If exo-strat was updated, install it again")
    try:
        return found[name].load()
    except (ImportError, AttributeError) as e:
        reasons = [str(s) for s in shadows() if found[name].module.split(".")[0] == s.package]
        raise PluginError(f"the {kind} {name} can't be loaded: {'; '.join(reasons) or e}") from e


def entry(group: str, name: str) -> str:
    """Where the plug-in of this name is, as `module:attribute`. Raises `PluginError` if there is none."""
    load(group, name)
    return _found(group)[name].value


def _found(group: str) -> dict[str, EntryPoint]:
    return {e.name: e for e in entry_points(group=group)}
