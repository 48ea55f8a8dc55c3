"""The library's Fortran names: `sgemm_` for `cblas_sgemm`, with all arguments by address and flags as letters.

What is wrong is told by `xerbla_`, with the position that it has in Fortran, where there is no layout: a call from here
says so by a layout of its own, FROM_FORTRAN (`unit.h`). The lengths of strings, which Fortran hands over last, are not
looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

from .routines import Routine

_FLAGS = {"CBLAS_TRANSPOSE": "transpose", "CBLAS_UPLO": "uplo", "CBLAS_DIAG": "diag", "CBLAS_SIDE": "side"}

_HEAD = """\
// Complex numbers, which functions give back as if they were these (the convention of gfortran).
typedef struct { float re, im; } exo_c;
typedef struct { double re, im; } exo_z;

// Where functions find an argument wrong (unit.h).
void exo_wrong(CBLAS_LAYOUT layout, CBLAS_INT position, const char *routine, const char *what) {
    if (layout != FROM_FORTRAN) {
        cblas_xerbla(position, routine, "%s\\n", what);
        return;
    }
    const CBLAS_INT told = position - 1;
    char name[32] = "      ";  // SGEMM, without cblas_, of six letters at least
    size_t length = 0;
    for (; length < sizeof name && routine[6 + length]; length++) name[length] = (char)toupper(routine[6 + length]);
    xerbla_(name, &told, length < 6 ? 6 : length);
}

EXO_PUBLIC __attribute__((weak)) void xerbla_(const char *routine, const CBLAS_INT *position, size_t length) {
    fprintf(stderr, " ** On entry to %.*s parameter %d had an illegal value\\n", (int)length, routine, (int)*position);
    exit(EXIT_FAILURE);
}

// What else programs that are linked with netlib's library may find there.
EXO_PUBLIC void xerbla_array_(const char *routine, const CBLAS_INT *length, const CBLAS_INT *position) {
    xerbla_(routine, position, (size_t)*length);
}
EXO_PUBLIC CBLAS_INT lsame_(const char *a, const char *b) {
    return tolower((unsigned char)*a) == tolower((unsigned char)*b);
}

// A letter as a flag of CBLAS; as none, if it is wrong.
static inline CBLAS_TRANSPOSE exo_transpose(char c) {
    c |= 32;
    return c == 'n' ? CblasNoTrans : c == 't' ? CblasTrans : c == 'c' ? CblasConjTrans : (CBLAS_TRANSPOSE)0;
}
static inline CBLAS_UPLO exo_uplo(char c) {
    c |= 32;
    return c == 'u' ? CblasUpper : c == 'l' ? CblasLower : (CBLAS_UPLO)0;
}
static inline CBLAS_DIAG exo_diag(char c) {
    c |= 32;
    return c == 'u' ? CblasUnit : c == 'n' ? CblasNonUnit : (CBLAS_DIAG)0;
}
static inline CBLAS_SIDE exo_side(char c) {
    c |= 32;
    return c == 'l' ? CblasLeft : c == 'r' ? CblasRight : (CBLAS_SIDE)0;
}
"""


def fortran(functions: Mapping[Routine, str]) -> str:
    """C source of the Fortran names of functions, each of which is called by an expression."""
    return "\n".join((_HEAD, *(f"EXO_PUBLIC {entry(p, called)}" for p, called in functions.items()), ""))


def entry(p: Routine, called: str) -> str:
    """A function that is called as Fortran does: by address, flags as letters, column-major, the first element is 1.

    >>> from .routines import routine
    >>> print(entry(routine("cblas_sasum"), "cblas_sasum"))
    float sasum_(const CBLAS_INT *n, const float *x, const CBLAS_INT *incx) { return cblas_sasum(*n, x, *incx); }
    """
    params, arguments = [], []
    for param in p.params.split(", "):
        kind, name = param.rsplit(" ", 1)
        if kind == "CBLAS_LAYOUT":
            arguments.append("FROM_FORTRAN")
            continue
        flag, is_address = _FLAGS.get(kind), name.startswith("*")
        params.append(f"const char *{name}" if flag else param if is_address else f"const {kind} *{name}")
        arguments.append(f"exo_{flag}(*{name})" if flag else name.lstrip("*") if is_address else f"*{name}")
    call = f"{called}({', '.join(arguments)})"
    head = f"{p.fortran}_({', '.join(params)})"
    if p.name.endswith("_sub"):  # the complex number is what a Fortran function gives back
        kind, result = f"exo_{p.fortran[0]}", params.pop().rpartition("*")[2]
        call = f"{called}({', '.join([*arguments[:-1], f'&{result}'])})"
        return f"{kind} {p.fortran}_({', '.join(params)}) {{ {kind} {result}; {call}; return {result}; }}"
    if p.result == "CBLAS_INDEX":
        return f"CBLAS_INT {head} {{ return *n < 1 || *incx < 1 ? 0 : (CBLAS_INT){call} + 1; }}"
    return f"{p.result} {head} {{ {'' if p.result == 'void' else 'return '}{call}; }}"
