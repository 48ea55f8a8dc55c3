"""Where two pieces of code differ, in words.

For messages only: what is the same for the reader may still be equal, and what differs in its text too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from .names import Sym
from .nodes import Expr, Node, ProcDef, Stmt
from .printing import callee_names, names_at, print_dim, print_stmt
from .walk import parts


def where_apart(tree: ProcDef, a: Node, b: Node, called: Mapping[Sym, Sym] | None = None) -> str:
    """The innermost parts in which two expressions or statements of `tree` differ, and what they are parts of. `called`
    says what variables of `a` are called in `b`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32, y: f32): x = y * 2.0; x = y * 3.0")
    >>> print(where_apart(p.tree, *p.tree.body))
    2.0 is not 3.0, in `x = y * 2.0` and `x = y * 3.0`
    """
    names = {**names_at(tree)}
    for ours, theirs in (called or {}).items():
        names[ours] = names.get(theirs, theirs.name)
    callees = callee_names(tree)

    def text(n: Node) -> str:
        if isinstance(n, Stmt):
            return print_stmt(n, names, callees).partition("\n")[0]
        return print_dim(cast(Expr, n), names)

    x, y = a, b
    while type(x) is type(y):
        pairs = list(zip(parts(x), parts(y), strict=False))
        differ = [(c, d) for c, d in pairs if isinstance(c, Expr) and isinstance(d, Expr) and text(c) != text(d)]
        if len(differ) != 1 or len(parts(x)) != len(parts(y)):
            break
        ((x, y),) = differ
    whole = f"`{text(a)}` and `{text(b)}`"
    return f"{text(x)} is not {text(y)}, in {whole}" if x is not a else f"these are {whole}"
