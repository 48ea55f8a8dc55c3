"""The functions that leave out zeros as the reference does, if EXO_BLAS_ZEROS=skip.

Each calls the usual function between two of `cblas/both/zeros.c`: one keeps what will be changed, the other looks at
the result. What they do is in `programs/zeros.py`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from .routines import Routine

_KINDS = {
    "p": re.compile(r"cblas_[sdcz](tr|tb|tp)m[vm]"),
    "s": re.compile(r"cblas_[sdcz](tr|tb|tp)s[vm]"),
    "u": re.compile(r"cblas_[sdcz](ger|geru|s[yp]r|s[yp]r2|syrk|syr2k)"),
    "c": re.compile(r"cblas_[cz](gerc|h[ep]r|h[ep]r2|herk|her2k)"),
}
"""What functions are about, of which the reference leaves something out: products and solutions of triangles; updates,
and those with a factor that is conjugated."""
_ALONE = ("layout", "uplo", "trans", "diag", "side", "m", "n", "k")
"""Parameters that are fields of a call."""
_STEPS = {"a": "lda", "b": "ldb", "c": "ldc", "x": "incx", "y": "incy", "ap": ""}
"""Arrays, and the parameters that are their steps."""


def kind_of(r: Routine) -> str:
    """What a function is about, or "" if the reference leaves nothing out.

    >>> from .routines import routine
    >>> [kind_of(routine(f"cblas_{name}")) for name in ("dtrsm", "zher2k", "sgemm")]
    ['s', 'c', '']
    """
    return next((kind for kind, names in _KINDS.items() if names.fullmatch(r.name)), "")


def skipping(functions: Iterable[Routine]) -> str:
    """The C source of all that leave something out, and of what puts them into the table."""
    some = [r for r in functions if kind_of(r)]
    letters = dict.fromkeys(r.fortran[0] for r in some)
    lines = [f"void *exo_before_{c}(const exo_call *);" for c in letters]
    lines += [f"void exo_after_{c}(const exo_call *, void *);" for c in letters]
    if some:
        lines += ["static struct {", *(f"    void (*{r.name})({r.params});" for r in some), "} exo_usual;"]
    lines += [line for r in some for line in _function(r)]
    lines += ["static void exo_skip_zeros(void) {"]
    lines += [f"    exo_usual.{r.name} = exo_table.{r.name}, exo_table.{r.name} = {r.name}_zeros;" for r in some]
    return "\n".join((*lines, "}\n"))


def _function(r: Routine) -> Iterator[str]:
    """The function that leaves out zeros."""
    letter = r.fortran[0]
    yield from r.macros(f"{r.name}_zeros")
    yield f"static void {r.name}_zeros({r.params}) {{"
    yield f"    CHECK({r.name}_zeros);"
    yield f"    const exo_call call = {{{', '.join(_given(r))}}};"
    yield f"    void *const old = exo_before_{letter}(&call);"
    yield f"    exo_usual.{r.name}({r.arguments});"
    yield f"    exo_after_{letter}(&call, old);"
    yield "}"


def _given(r: Routine) -> Iterator[str]:
    """The fields of its call. Where the function has no factors, these are 1.

    >>> from .routines import routine
    >>> print(", ".join(list(_given(routine("cblas_zher")))[3:]))
    .alpha = (double[2]){alpha}, .beta = (double[2]){1}, .conj = 1, .read = {{x, incx}, {x, incx}}, .written = {a, lda}
    """
    real = "float" if r.fortran[0] in "sc" else "double"
    names = {p.name: p.declared for p in r.parameters}
    yield from (f".{name} = {name}" for name in names if name in _ALONE)
    for name in ("alpha", "beta"):
        by_address = "*" in names.get(name, "")
        yield f".{name} = {name if by_address else f'({real}[2]){{{name if name in names else 1}}}'}"
    ways = {"band": r.fortran[1:].startswith("tb"), "solved": kind_of(r) == "s", "conj": kind_of(r) == "c"}
    arrays = [name for name in names if name in _STEPS]
    read = [_array(name, names) for name in arrays if "const" in names[name]]
    ways["two"] = len(read) == 2 and "uplo" in names
    yield from (f".{name} = 1" for name, holds in ways.items() if holds)
    yield f".read = {{{read[0]}, {read[-1]}}}"
    yield from (f".written = {_array(name, names)}" for name in arrays if "const" not in names[name])


def _array(name: str, names: Container[str]) -> str:
    """An array with its step, if that is among the parameters."""
    return f"{{{name}, {_STEPS[name] if _STEPS[name] in names else 0}}}"
