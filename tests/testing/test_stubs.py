"""What editors are told of the direct forms is what the primitives say."""

from __future__ import annotations

import ast
from pathlib import Path

from exo_strat import direct
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.stubs import stub

FILE = Path(direct.__file__).with_suffix(".pyi")


def test_the_file_is_what_is_made() -> None:
    assert FILE.read_text() == stub()


def test_every_direct_form_has_the_equation_of_its_primitive() -> None:
    functions = [f for f in ast.parse(FILE.read_text()).body if isinstance(f, ast.FunctionDef)]
    told = {f.name: ast.get_docstring(f) or "" for f in functions}
    assert told.keys() == PRIMITIVES.keys()
    for name, form in PRIMITIVES.items():
        first = (form.spec.fn.__doc__ or "").partition("\n")[0]
        assert first and told[name].startswith(first), name
        assert ">>>" not in told[name]
