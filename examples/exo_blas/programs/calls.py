"""Products of matrices as instructions: kernels that call what `gemm` is made of.

An instruction's body says what it does, so rewrites prove with it; its C calls `PRODUCT` of `cblas/unit.h`, which knows
how matrices of any sizes are multiplied. A unit calls it by the name of its target (`product_names`).
"""

from __future__ import annotations

from functools import cache

from exo_strat import *
from exo_strat import Machine, direct, make_instr

from .kernel import LETTERS, typed

TYPES = {"f32": "float", "f64": "double"}
"""What C calls a precision."""

PROTOTYPE = """#include <stdint.h>
void exo_{letter}product(int64_t m, int64_t n, int64_t k, {type} alpha, const {type} *a, int64_t a0, int64_t a1,
    const {type} *b, int64_t b0, int64_t b1, {type} beta, {type} *c, int64_t ldc);"""
"""What the C function is handed. It asks that one of both strides of a is 1, and of b, and that the columns of c are
neighbours; the instructions assert it."""


@proc
def product_add(m: size, n: size, k: size, alpha: R, a: [R][m, k], b: [R][k, n], c: [R][m, n]):
    """C += alpha A B"""
    for i in seq(0, m):
        for j in seq(0, n):
            for p in seq(0, k):
                c[i, j] += alpha * (a[i, p] * b[p, j])


@proc
def product_new(m: size, n: size, k: size, alpha: R, a: [R][m, k], b: [R][k, n], c: [R][m, n]):
    """C := alpha A B"""
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = 0.0
            for p in seq(0, k):
                c[i, j] += alpha * (a[i, p] * b[p, j])


@proc
def product_less(m: size, n: size, k: size, beta: R, a: [R][m, k], b: [R][k, n], c: [R][m, n]):
    """C := beta C - A B"""
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += -a[i, p] * b[p, j]


@proc
def product_scaled(m: size, n: size, k: size, alpha: R, beta: R, a: [R][m, k], b: [R][k, n], c: [R][m, n]):
    """C := alpha A B + beta C, of a beta that is not 0: else C must not be read"""
    for i in seq(0, m):
        for j in seq(0, n):
            c[i, j] = beta * c[i, j]
            for p in seq(0, k):
                c[i, j] += alpha * (a[i, p] * b[p, j])


FACTORS = {"product_add": ("{alpha}", "1"), "product_new": ("{alpha}", "0"), "product_less": ("-1", "{beta}")}
FACTORS |= {"product_scaled": ("{alpha}", "{beta}")}
"""The factors of A B and of C that are handed over."""

SIDE = "&{{{0}_data}}, {{{0}_stride_{1}}}, {{{0}_stride_{2}}}"
"""How A or B is handed over."""


@cache
def as_call_of(program: Proc, precision: str, turned: str = "") -> Proc:
    """One of these programs as an instruction, for a precision. Of `turned`, which is b or bc, it takes the transposed.

    >>> from exo_strat import proc_from_source
    >>> source = '''
    ... def cube(a: f32[8, 8], c: [f32][8, 8]):
    ...     assert stride(c, 1) == 1
    ...     for i in seq(0, 8):
    ...         for j in seq(0, 8):
    ...             for p in seq(0, 8):
    ...                 c[i, j] += 2.0 * (a[i, p] * a[p, j])
    ... '''
    >>> print(schedule(at("for i in _: _", replace(as_call_of(product_add, "f32"))), proc_from_source(source)))
    def cube(a: f32[8, 8] @ DRAM, c: [f32][8, 8] @ DRAM):
        assert stride(c, 1) == 1
        product_add_f32(8, 8, 8, 2.0, a[0:8, 0:8], a[0:8, 0:8], c[0:8, 0:8])
    """
    alpha, beta = FACTORS[program.name()]
    letter = LETTERS[precision]
    if turned == "bc":
        sides = f"{{n}}, {{m}}, {{k}}, {alpha}, {SIDE.format('b', 0, 1)}, {SIDE.format('a', 1, 0)}"
    else:
        rows, columns = (1, 0) if turned else (0, 1)
        sides = f"{{m}}, {{n}}, {{k}}, {alpha}, {SIDE.format('a', 0, 1)}, {SIDE.format('b', rows, columns)}"
    text = f"exo_{letter}product({sides}, {beta}, &{{c_data}}, {{c_stride_0}});"
    mine = typed(program, precision, f"{program.name()}{'_turned_' * bool(turned)}{turned}_{precision}")
    for side in turned:
        mine = schedule(seq(nav(moves.find_alloc_or_arg(side)), transpose(), nav(moves.root)), mine)
    mine = direct.add_assertion(mine, "stride(c, 1) == 1")
    for side in "ab":
        mine = direct.add_assertion(mine, f"stride({side}, 0) == 1 or stride({side}, 1) == 1")
    return schedule(make_instr(text, PROTOTYPE.format(letter=letter, type=TYPES[precision])), mine)


def products(precision: str, *which: Proc) -> tuple[Proc, ...]:
    """Instructions that are products, for a precision: these, or all."""
    return tuple(as_call_of(p, precision) for p in which or (product_add, product_new, product_less, product_scaled))


def product_names(machine: Machine) -> tuple[str, ...]:
    """What a unit says before its kernels, so that they call the product of its target.

    >>> from backends.targets import avx2
    >>> product_names(avx2)
    ('#define exo_sproduct exo_sproduct_avx2', '#define exo_dproduct exo_dproduct_avx2')
    """
    return tuple(f"#define exo_{letter}product exo_{letter}product_{machine.name}" for letter in LETTERS.values())
