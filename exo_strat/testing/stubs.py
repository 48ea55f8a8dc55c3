"""`exo_strat/direct.pyi`: the direct forms for type checkers and editors, made from the primitives' declarations and
docstrings.

    python -m exo_strat.testing.stubs > exo_strat/direct.pyi

A test compares the file with this.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from textwrap import indent
from typing import Any, get_args

from ..primitives import PRIMITIVES, PrimitiveForm

HEADER = '''"""Made by `python -m exo_strat.testing.stubs`; do not edit. See `direct.py`."""
'''


def stub() -> str:
    """The whole file."""
    needed = {"Cursor": "exo_strat.cursors.cursor", "Proc": "exo_strat.cursors.proc"}
    functions = [_function(name, form, needed) for name, form in PRIMITIVES.items()]
    imports = [f"from {module} import {name} as {name}" for name, module in sorted(needed.items())]
    errors = ["from exo_strat.cursors.proc import InvalidCursorError as InvalidCursorError"]
    errors += ["from exo_strat.ops.failure import SchedulingError as SchedulingError"]
    return "\n".join((HEADER, *sorted((*imports, *errors)), "", *functions))


def _function(name: str, form: PrimitiveForm[...], needed: dict[str, str]) -> str:
    """A direct form's signature. What its annotations need is added to `needed`, by name the module."""
    scope = form.spec.fn.__globals__
    shown: list[str] = []
    for prm in inspect.signature(form.direct).parameters.values():
        text = ast.unparse(_plain(ast.parse(str(prm.annotation), mode="eval").body, scope))
        needed |= dict(_imports(text, scope))
        star = "*" if prm.kind is prm.VAR_POSITIONAL else "**" if prm.kind is prm.VAR_KEYWORD else ""
        default = "" if prm.default is prm.empty else f" = {prm.default!r}"
        shown.append(f"{star}{prm.name}: {text}{default}")
        shown += ["/"] * (prm.name == ("ref" if form.takes_reference else "p"))
    return f"def {name}({', '.join(shown)}) -> {form.returns}:\n{indent(_told(form), ' ' * 4)}\n"


def _told(form: PrimitiveForm[...]) -> str:
    """What a primitive says of itself, for editors: its docstring without the examples."""
    text = inspect.cleandoc(form.spec.fn.__doc__ or "").partition(">>>")[0].strip()
    return f'{"r" * (chr(92) in text)}"""{text}"""'


def _plain(annotation: ast.expr, scope: dict[str, Any]) -> ast.expr:
    """An annotation without what it says besides the type (`Annotated`)."""
    match annotation:
        case ast.Subscript(ast.Name("Annotated"), ast.Tuple([first, *_])):
            return first
        case ast.Name(name) if hasattr(scope.get(name), "__metadata__"):
            return ast.parse(_name_of(get_args(scope[name])[0]), mode="eval").body
    return annotation


def _name_of(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def _imports(text: str, scope: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The names in an annotation that are no built-in ones, and where they are from."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Name) and node.id in scope:
            home = getattr(scope[node.id], "__module__", "")
            yield node.id, home if home.startswith(("exo_strat", "collections")) else HOMES[node.id]


HOMES = {"ExprLike": "exo_strat.primitives.helpers.references"}
"""Where the names of types are from that don't know it themselves."""


if __name__ == "__main__":
    print(stub(), end="")
