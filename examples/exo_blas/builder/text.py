"""The C text of kernels. What is kept of it depends on this file, and not on the rest of the builder."""

from __future__ import annotations

from backends.c import compile
from exo_strat import Proc

LONG = "_long"
"""How kernels for vectors are called that are so long that a jump takes no time: they are never part of a function."""


def kernel_text(procs: tuple[Proc, ...], name: str, apart: tuple[Proc, ...] = ()) -> tuple[str, tuple[str, ...]]:
    """The C text of scheduled kernels, which a unit keeps to itself, and the C compiler's flags that they ask for.

    Those that are `apart` are called by others, and no part of them: C compilers would take one in that has one caller.
    """
    if not procs:
        return "#include <stdint.h>\n", ()
    module = compile((*procs, *apart), name, embedded=True)
    text = module.text
    for p in (*apart, *(p for p in procs if p.name().endswith(LONG))):
        text = text.replace(f"static void {p.name()}(", f"static __attribute__((noinline)) void {p.name()}(", 1)
    return text, module.cc_flags + (("-fopenmp",) if module.parallel else ())
