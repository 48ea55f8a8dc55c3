"""How messages name the place of a fault."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from exo_strat import ParseError, ScopeError, proc_from_source
from exo_strat.frontend.source import shown_file


def test_a_file_is_named_as_it_is() -> None:
    assert shown_file("kernels.py") == "kernels.py"


def test_a_cell_of_a_notebook_is_named_as_its_tracebacks_do(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = {"/tmp/ipykernel_1/2.py": ("Cell", "In[3]")}
    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=cells.get))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert shown_file("/tmp/ipykernel_1/2.py") == "Cell In[3]"
    assert shown_file("kernels.py") == "kernels.py"


def test_ipython_outside_of_a_notebook_names_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert shown_file("kernels.py") == "kernels.py"


def test_a_notebook_shows_the_place_of_a_fault_and_no_traceback() -> None:
    with pytest.raises(ScopeError) as found:
        proc_from_source("def foo(x: f32):\n    x = y")
    found.value.add_note("a note")
    assert found.value._render_traceback_() == [f"ScopeError: {found.value}", "a note"]


def test_a_fault_without_a_place_keeps_its_traceback() -> None:
    with pytest.raises(ParseError) as refused:
        proc_from_source(3)  # type: ignore[arg-type]
    shown = "\n".join(refused.value._render_traceback_())
    assert "test_source.py" in shown and shown.endswith("a procedure's text is needed, not 3")
