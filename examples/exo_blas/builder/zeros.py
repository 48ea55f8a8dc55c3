"""The functions that leave out zeros as the reference does, if EXO_BLAS_ZEROS=skip; what they do is in `cblas/zeros.h`.

Each calls the usual function between two of `zeros.h`: one keeps what will be changed, the other looks at the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .routines import Routine

_KINDS = {
    "p": re.compile(r"cblas_[sdcz](tr|tb|tp)m[vm]"),
    "s": re.compile(r"cblas_[sdcz](tr|tb|tp)s[vm]"),
    "u": re.compile(r"cblas_[sdcz](ger|geru|s[yp]r|s[yp]r2|syrk|syr2k)"),
    "c": re.compile(r"cblas_[cz]gerc"),
    "h": re.compile(r"cblas_[cz](h[ep]r|h[ep]r2|herk|her2k)"),
}
"""What functions are about, of which the reference leaves something out: products and solutions of triangles; updates
of general and symmetric matrices, with a conjugated vector, and of Hermitian ones."""


def kind_of(r: Routine) -> str:
    """What a function is about, or "" if the reference leaves nothing out.

    >>> from .routines import routine
    >>> [kind_of(routine(f"cblas_{name}")) for name in ("dtrsm", "cgerc", "zher2k", "sgemm")]
    ['s', 'c', 'h', '']
    """
    return next((kind for kind, names in _KINDS.items() if names.fullmatch(r.name)), "")


def skipping(functions: Iterable[Routine]) -> str:
    """The C source of all that leave something out, and of what puts them into the table."""
    some = [r for r in functions if kind_of(r)]
    letters = dict.fromkeys(r.fortran[0] for r in some)
    lines = [f"void *exo_before_{c}(char, const exo_call *);" for c in letters]
    lines += [f"void exo_after_{c}(char, const exo_call *, void *);" for c in letters]
    if some:
        lines += ["static struct {", *(f"    void (*{r.name})({r.params});" for r in some), "} exo_usual;"]
    lines += [line for r in some for line in _function(r)]
    lines += ["static void exo_skip_zeros(void) {"]
    lines += [f"    exo_usual.{r.name} = exo_table.{r.name}, exo_table.{r.name} = {r.name}_zeros;" for r in some]
    return "\n".join((*lines, "}\n"))


def _function(r: Routine) -> Iterator[str]:
    """The function that leaves out zeros."""
    numbers = {p.name for p in r.parameters if re.match(r"(float|double) \w", p.declared)}
    letter, kind = r.fortran[0], kind_of(r)
    given = [f".{p.name} = {'&' * (p.name in numbers)}{p.name}" for p in r.parameters]
    given += [f".real_{name} = 1" for name in ("alpha", "beta") if name in numbers]
    given += [".band = 1"] * r.fortran[1:].startswith("tb")
    yield from r.macros(f"{r.name}_zeros")
    yield f"static void {r.name}_zeros({r.params}) {{"
    yield f"    CHECK({r.name}_zeros);"
    yield f"    const exo_call call = {{{', '.join(given)}}};"
    yield f"    void *const old = exo_before_{letter}('{kind}', &call);"
    yield f"    exo_usual.{r.name}({r.arguments});"
    yield f"    exo_after_{letter}('{kind}', &call, old);"
    yield "}"
