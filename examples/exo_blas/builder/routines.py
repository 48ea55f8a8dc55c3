"""The routines, as a table: the header's functions, their Fortran names and the checks of arguments come from it.

A line is a family: what its functions are called, what they give back, and their parameters in order. `s|axpy` stands
for saxpy and daxpy, `c|axpy` for caxpy and zaxpy, `cs|rot` for csrot and zdrot; `|dsdot` for itself. A parameter's name
says its type, but for these marks:

    *x         an array that is read
    !y         an array that is written
    alpha:r    of complex numbers, a real one
    trans(NC)  takes these transpositions only
    lda(m,n)   is the distance of rows of an m x n matrix, or in column-major order of its columns
    lda(n,k)T  .. of op(A): transposed by `trans`, it is k x n; lda(m,k)A and ldb(k,n)B by `transa` and `transb`
    lda(side)  .. of a square matrix that multiplies from this side
    lda>k      is larger than that

Functions of level 1 check nothing: what can't be is nothing to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_TABLE = """
// Level 1
s|asum -> R: n *x incx
s|axpy: n alpha *x incx !y incy
s|copy: n *x incx !y incy
s|dot -> R: n *x incx *y incy
|dsdot -> double: n *x incx *y incy
|sdsdot -> R: n alpha *x incx *y incy
s|nrm2 -> R: n *x incx
s|rot: n !x incx !y incy c s
s|rotg: !a !b !c !s
s|rotm: n !x incx !y incy *param
s|rotmg: !d1 !d2 !b1 b2 !param
s|scal: n alpha !x incx
s|swap: n !x incx !y incy
is|amax -> CBLAS_INDEX: n *x incx

// Level 2
s|gbmv: layout trans m n kl ku alpha *a lda>kl+ku *x incx beta !y incy
s|gemv: layout trans m n alpha *a lda(m,n) *x incx beta !y incy
s|ger: layout m n alpha *x incx *y incy !a lda(m,n)
s|sbmv: layout uplo n k alpha *a lda>k *x incx beta !y incy
s|spmv: layout uplo n alpha *ap *x incx beta !y incy
s|spr: layout uplo n alpha *x incx !ap
s|spr2: layout uplo n alpha *x incx *y incy !ap
s|symv: layout uplo n alpha *a lda(n,n) *x incx beta !y incy
s|syr: layout uplo n alpha *x incx !a lda(n,n)
s|syr2: layout uplo n alpha *x incx *y incy !a lda(n,n)
s|tbmv: layout uplo trans diag n k *a lda>k !x incx
s|tbsv: layout uplo trans diag n k *a lda>k !x incx
s|tpmv: layout uplo trans diag n *ap !x incx
s|tpsv: layout uplo trans diag n *ap !x incx
s|trmv: layout uplo trans diag n *a lda(n,n) !x incx
s|trsv: layout uplo trans diag n *a lda(n,n) !x incx

// Level 3
s|gemm: layout transa transb m n k alpha *a lda(m,k)A *b ldb(k,n)B beta !c ldc(m,n)
// Of a batch: C[l] := alpha op(A[l]) op(B[l]) + beta C[l]. Matrices are so many elements apart; no two C overlap.
s|gemm_batch_strided: layout transa transb m n k alpha *a lda(m,k)A stridea *b ldb(k,n)B strideb
    beta !c ldc(m,n) stridec batch
s|symm: layout side uplo m n alpha *a lda(side) *b ldb(m,n) beta !c ldc(m,n)
s|syrk: layout uplo trans n k alpha *a lda(n,k)T beta !c ldc(n,n)
s|syr2k: layout uplo trans n k alpha *a lda(n,k)T *b ldb(n,k)T beta !c ldc(n,n)
s|trmm: layout side uplo trans diag m n alpha *a lda(side) !b ldb(m,n)
s|trsm: layout side uplo trans diag m n alpha *a lda(side) !b ldb(m,n)

// Complex numbers: pairs of a real and an imaginary part, by address. c is of single precision, z of double.

// Level 1, complex
s|cabs1 -> R: *z
sc|asum -> R: n *x incx
c|axpy: n alpha *x incx !y incy
c|copy: n *x incx !y incy
c|dotc_sub: n *x incx *y incy !r
c|dotu_sub: n *x incx *y incy !r
sc|nrm2 -> R: n *x incx
c|rotg: !a !b !c:r !s
cs|rot: n !x incx !y incy c:r s:r
c|scal: n alpha !x incx
cs|scal: n alpha:r !x incx
c|swap: n !x incx !y incy
ic|amax -> CBLAS_INDEX: n *x incx

// Level 2, complex
c|gbmv: layout trans m n kl ku alpha *a lda>kl+ku *x incx beta !y incy
c|gemv: layout trans m n alpha *a lda(m,n) *x incx beta !y incy
c|gerc: layout m n alpha *x incx *y incy !a lda(m,n)
c|geru: layout m n alpha *x incx *y incy !a lda(m,n)
c|hbmv: layout uplo n k alpha *a lda>k *x incx beta !y incy
c|hemv: layout uplo n alpha *a lda(n,n) *x incx beta !y incy
c|her: layout uplo n alpha:r *x incx !a lda(n,n)
c|her2: layout uplo n alpha *x incx *y incy !a lda(n,n)
c|hpmv: layout uplo n alpha *ap *x incx beta !y incy
c|hpr: layout uplo n alpha:r *x incx !ap
c|hpr2: layout uplo n alpha *x incx *y incy !ap
c|tbmv: layout uplo trans diag n k *a lda>k !x incx
c|tbsv: layout uplo trans diag n k *a lda>k !x incx
c|tpmv: layout uplo trans diag n *ap !x incx
c|tpsv: layout uplo trans diag n *ap !x incx
c|trmv: layout uplo trans diag n *a lda(n,n) !x incx
c|trsv: layout uplo trans diag n *a lda(n,n) !x incx

// Level 3, complex
c|gemm: layout transa transb m n k alpha *a lda(m,k)A *b ldb(k,n)B beta !c ldc(m,n)
c|gemm_batch_strided: layout transa transb m n k alpha *a lda(m,k)A stridea *b ldb(k,n)B strideb
    beta !c ldc(m,n) stridec batch
c|hemm: layout side uplo m n alpha *a lda(side) *b ldb(m,n) beta !c ldc(m,n)
c|her2k: layout uplo trans(NC) n k alpha *a lda(n,k)T *b ldb(n,k)T beta:r !c ldc(n,n)
c|herk: layout uplo trans(NC) n k alpha:r *a lda(n,k)T beta:r !c ldc(n,n)
c|symm: layout side uplo m n alpha *a lda(side) *b ldb(m,n) beta !c ldc(m,n)
c|syr2k: layout uplo trans(NT) n k alpha *a lda(n,k)T *b ldb(n,k)T beta !c ldc(n,n)
c|syrk: layout uplo trans(NT) n k alpha *a lda(n,k)T beta !c ldc(n,n)
c|trmm: layout side uplo trans diag m n alpha *a lda(side) !b ldb(m,n)
c|trsm: layout side uplo trans diag m n alpha *a lda(side) !b ldb(m,n)
"""

_KINDS = {"layout": "CBLAS_LAYOUT", "uplo": "CBLAS_UPLO", "diag": "CBLAS_DIAG", "side": "CBLAS_SIDE"}
_KINDS |= dict.fromkeys(("trans", "transa", "transb"), "CBLAS_TRANSPOSE")
_INTEGERS = frozenset(re.findall(r"\w+", "m n k kl ku lda ldb ldc incx incy stridea strideb stridec batch"))
_FLAGS = {"uplo": ("CblasUpper", "CblasLower"), "side": ("CblasLeft", "CblasRight")}
_FLAGS |= {"diag": ("CblasUnit", "CblasNonUnit")}
_TRANSPOSITIONS = {"N": "CblasNoTrans", "T": "CblasTrans", "C": "CblasConjTrans"}
_MARKED = re.compile(r"(?P<array>[*!]?)(?P<name>\w+)(?P<real>:r)?(?P<ask>[(>].*)?")
_WIDTH = 118


class Parameter(NamedTuple):
    """Of a C function: its declaration, its name, and what is asked of it: a condition in C, and what is said where it
    does not hold; None for nothing."""

    declared: str
    name: str
    asked: tuple[str, str] | None


class Routine(NamedTuple):
    """A CBLAS function: its result, name and parameters."""

    result: str
    name: str
    parameters: tuple[Parameter, ...]

    @property
    def params(self) -> str:
        """Its parameters in C."""
        return ", ".join(p.declared for p in self.parameters)

    @property
    def arguments(self) -> str:
        """The names of its parameters."""
        return ", ".join(p.name for p in self.parameters)

    @property
    def fortran(self) -> str:
        """What it is called in Fortran, without the underscore: `sgemm`, `cdotu` of `cblas_cdotu_sub`."""
        return self.name.removeprefix("cblas_").removesuffix("_sub")

    @property
    def prototype(self) -> str:
        """Its declaration, as in a header.

        >>> print(routine("cblas_icamax").prototype)
        CBLAS_INDEX cblas_icamax(CBLAS_INT n, const void *x, CBLAS_INT incx);
        """
        return f"{self.result} {self.name}({self.params});"

    def macros(self, called: str) -> Iterator[str]:
        """What its wrapper, which calls it `gemv`, is written with: PARAMETERS(gemv), ARGUMENTS(gemv) and CHECK(gemv).

        >>> parameters, arguments, check = routine("cblas_dspr").macros("spr")
        >>> parameters[:70]
        '#define EXO_PARAMETERS_spr CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS'
        >>> print("\\n".join(check.splitlines()[-2:]))
            EXO_REQUIRE(n >= 0, 3, "cblas_dspr", "n is negative") \\
            EXO_REQUIRE(incx != 0, 6, "cblas_dspr", "incx is 0")
        """
        yield f"#define EXO_PARAMETERS_{called} {self.params}"
        yield f"#define EXO_ARGUMENTS_{called} {self.arguments}"
        if self.parameters[0].name == "layout":
            asked = [(position, *p.asked) for position, p in enumerate(self.parameters, 1) if p.asked]
            checks = [f'EXO_REQUIRE({holds}, {at}, "{self.name}", "{what}")' for at, holds, what in asked]
            yield " \\\n    ".join((f"#define EXO_CHECK_{called}", *checks))


@cache
def routines() -> tuple[Routine, ...]:
    """All functions of the interface, in the order of the header."""
    return tuple(r for line in _lines() if not line.startswith("//") for r in _family(line))


@cache
def _by_name() -> dict[str, Routine]:
    return {r.name: r for r in routines()}


def routine(name: str) -> Routine:
    """The function of a name. Raises `KeyError` if there is none."""
    return _by_name()[name]


def declarations() -> str:
    """The header's declarations, with the table's remarks.

    >>> print("\\n".join(declarations().splitlines()[:3]))
    // Level 1
    float cblas_sasum(CBLAS_INT n, const float *x, CBLAS_INT incx);
    double cblas_dasum(CBLAS_INT n, const double *x, CBLAS_INT incx);
    """
    text = []
    for line in _lines():
        if line.startswith("//"):
            text.append(line if line.startswith("// Of") else f"\n{line}")
        else:
            text += [_wrapped(r.prototype) for r in _family(line)]
    return "\n".join(text).lstrip("\n")


def _lines() -> list[str]:
    """The table, a family a line."""
    return [line for line in _TABLE.replace("\n    ", " ").splitlines() if line]


def _family(line: str) -> Iterator[Routine]:
    """The functions of a family."""
    head, _, told = line.partition(": ")
    called, _, result = head.partition(" -> ")
    letters, _, name = called.partition("|")
    double = "zd" if letters == "cs" else letters.replace("c", "z").replace("s", "d")
    if letters == "sc":
        double = "dz"
    for precision, before in (("float", letters), ("double", double))[: 2 if letters else 1]:
        parameters = tuple(_parameter(word, precision, "c" in letters or name == "cabs1") for word in told.split())
        returned = precision if result == "R" else result or "void"
        yield Routine(returned, f"cblas_{before}{name}", parameters)


def _parameter(word: str, precision: str, complex_: bool) -> Parameter:
    """What a word of the table says, in a precision."""
    found = _MARKED.fullmatch(word)
    assert found, word
    name, ask = found["name"], found["ask"] or ""
    if found["array"] or not (name in _KINDS or name in _INTEGERS):
        kind = "void" if complex_ and not found["real"] else precision
        address = found["array"] or kind == "void"
        constant = "const " * (found["array"] != "!" and bool(address))
        return Parameter(f"{constant}{kind} {'*' * bool(address)}{name}", name, None)
    return Parameter(f"{_KINDS.get(name, 'CBLAS_INT')} {name}", name, _asked(name, ask))


def _asked(name: str, ask: str) -> tuple[str, str]:
    """What a flag or a number must be, as a condition in C, and what is said if it isn't."""
    match name[:-1] if name[-1] in "abcxy" else name:
        case "layout":
            asked = "layout == FROM_FORTRAN || layout == CblasRowMajor || layout == CblasColMajor"
            return asked, "layout is neither CblasRowMajor nor CblasColMajor"
        case "uplo" | "diag" | "side" as flag:
            one, other = _FLAGS[flag]
            return f"{flag} == {one} || {flag} == {other}", f"{flag} is neither {one} nor {other}"
        case "trans":
            taken = [_TRANSPOSITIONS[t] for t in ask.strip("()") or "NTC"]
            return " || ".join(f"{name} == {t}" for t in taken), f"{name} is not {', '.join(taken[:-1])} or {taken[-1]}"
        case "inc":
            return f"{name} != 0", f"{name} is 0"
        case "ld":
            return _distance(name, ask)
        case "stride" if name == "stridec":
            return "stridec >= (batch > 1 && m && n)", "stridec is less than 1, so that results would overlap"
        case _:
            return f"{name} >= 0", f"{name} is negative"


def _distance(name: str, ask: str) -> tuple[str, str]:
    """What the distance of rows must be."""
    if ask.startswith(">"):
        least = ask[1:].replace("+", " + ")
        return f"{name} > (int64_t){least}", f"{name} is not larger than {least}"
    shape, transposed = ask[1:].split(")")
    if shape == "side":
        return f"{name} >= AT_LEAST_1(side == CblasLeft ? m : n)", f"{name} is less than the order of the square matrix"
    rows, columns = shape.split(",")
    least = rows
    if rows != columns:
        trans = f"trans{transposed.lower().replace('t', '')}"
        row_major = f"BY_ROWS(layout, {trans})" if transposed else "ROW_MAJOR(layout)"
        least = f"{row_major} ? {columns} : {rows}"
    return f"{name} >= AT_LEAST_1({least})", f"{name} is less than the elements that lie side by side, or than 1"


def _wrapped(prototype: str) -> str:
    """A declaration on lines of the header's width."""
    lines = [""]
    for word in re.split(r"(?<=,) ", prototype):
        if len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("   ")
        lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return "\n".join(lines)
