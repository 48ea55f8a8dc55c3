"""Bodies of parallel loops as functions of their own.

OpenMP makes a function of such a body in any case, and hands it the buffers through memory. C compilers trust
`restrict` on parameters only, so there they would read again whatever a store may have changed: a loop over an
image takes twice the time. As parameters of a function that we make, the pointers stay `restrict`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..kernel import Arg, Control, Sym, Tensor
from .needs import Needs, control_type
from .program import Function
from .types import INT, c_type
from .views import Env, View

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


@dataclass(frozen=True)
class Parameter:
    """A variable of the surrounding function as a parameter; `owner` is the buffer that it points into, if any."""

    name: str
    declaration: str
    owner: Sym | None = None


def parameters(body: Sequence[str], f: Function, env: Env, needs: Needs) -> tuple[Parameter, ...] | None:
    """What a body uses of the scope around it, in the order of its text. None if that can't be passed on: registers
    have no address, and two `restrict` pointers must not lead to one buffer."""
    scope = dict(_in_scope(f, env, needs))
    found = [scope[name] for name in dict.fromkeys(_NAME.findall("\n".join(body))) if name in scope]
    passed = [p for p in found if p is not None]
    owners = [p.owner for p in passed if p.owner is not None]
    return None if len(passed) < len(found) or len(owners) > len(set(owners)) else tuple(passed)


def _in_scope(f: Function, env: Env, needs: Needs) -> Iterator[tuple[str, Parameter | None]]:
    """The C names of variables and how each is passed on."""
    arguments = {a.sym: a for a in f.tree.args}
    for name in env.constants:
        yield name, Parameter(name, f"{INT} {name}")
    for sym, text in env.controls.items():
        kind = arguments[sym].type if sym in arguments else None
        ctype = control_type(kind.name) if isinstance(kind, Control) else INT
        yield str(text), Parameter(str(text), f"{ctype} {text}")
    for sym, view in env.views.items():
        yield _data(sym, view, arguments.get(sym), f, needs)


def _data(sym: Sym, view: View, argument: Arg | None, f: Function, needs: Needs) -> tuple[str, Parameter | None]:
    owner = f.data[sym].owner
    if argument is not None and f.exported and isinstance(argument.type, Tensor) and argument.type.window:
        name = view.name.removesuffix(".data")
        return name, Parameter(name, f"{needs.window(view.scalar, len(view.dims), view.const)} {name}", owner)
    if not view.mem.pointers or (not view.dims and not view.pointer):
        return view.name, None
    const = "const " if view.const else ""
    restrict = "" if owner in f.overlapping else "restrict "
    return view.name, Parameter(view.name, f"{const}{c_type(view.scalar)} *{restrict}{view.name}", owner)


def definition(name: str, params: Sequence[Parameter], body: Sequence[str]) -> str:
    """The function whose body this is."""
    declared = ", ".join(p.declaration for p in params) or "void"
    lines = (f"static void {name}({declared}) {{", *(f"    {line}" for line in body), "}\n")
    return "\n".join(lines)
