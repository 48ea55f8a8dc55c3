"""Names that Python and object code have themselves."""

from __future__ import annotations

import builtins

import exo_strat
from backends.c.names import function_name
from importers.names import kept, spelled


def test_what_keeps_its_name_may_be_compiled_under_it() -> None:
    """Of all that a definition would hide."""
    hidden = {n for n in (*dir(builtins), *exo_strat.__all__) if n.isidentifier() and not n.startswith("_")}
    kept_ones = {n for n in hidden if kept(n, spelled(n, function=True))}
    assert {"choose", "fuse", "sum", "filter"} <= kept_ones
    assert [n for n in kept_ones if function_name(n) != n] == []
