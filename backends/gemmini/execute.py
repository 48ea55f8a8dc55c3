"""preload and compute: products of tiles on the weight-stationary array.

A is n x k, B is k x m, C is n x m. The two instructions are one here, as nothing may come between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..kernel import Proc
from .build import SIZES, instruction, kind_of, plain, tile

_PARAMS = "n: size, m: size, k: size, A: [i8][n, k] @ GEMM_SCRATCH, B: [i8][k, m] @ GEMM_SCRATCH, {c}"
_NEEDS = """\
assert ConfigEx.weight_stationary == True
assert ConfigEx.transpose_a == False
assert ConfigEx.transpose_b == False
assert ConfigEx.a_stride == 1
assert ConfigEx.c_stride == 1
"""


@dataclass(frozen=True)
class Product:
    """A kind of product: where C lives, the body, the C text of the addresses of C and D, and what else is asserted.

    `ACT` in the body stands for whether ReLU is applied.
    """

    c: str
    body: str
    target: str
    d: str = "EXO_GEMMINI_NONE"
    asserts: str = ""


_SUM = """\
        for l in seq(0, k):
            a: i32
            b: i32
            a = A[i, l]
            b = B[l, j]
            {c} += a * b
"""
_ACCUM = "C: [i32][n, m] @ GEMM_ACCUM"


def _each(first: str, target: str = "C[i, j]", last: str = "") -> str:
    lines = "".join(f"        {line}\n" for line in first.splitlines())
    ends = "".join(f"        {line}\n" for line in last.splitlines())
    return f"for i in seq(0, n):\n    for j in seq(0, m):\n{lines}{_SUM.format(c=target)}{ends}"


KINDS: Mapping[str, Product] = {
    "matmul_i8": Product(_ACCUM, _each("C[i, j] = 0.0"), "{C_data}"),
    "matmul_acc_i8": Product(_ACCUM, _each(""), "{C_data} | EXO_GEMMINI_ADD"),
    "matmul_bias_i8": Product(
        f"D: [i8][n, m] @ GEMM_SCRATCH, {_ACCUM}",
        _each("C[i, j] = D[i, j]"),
        "{C_data}",
        "{D_data}",
        tile("D"),
    ),
    "matmul_to_i8": Product(
        "C: [i8][n, m] @ GEMM_SCRATCH",
        _each("s: i32\ns = 0.0", "s", "r: f32\nr = s\nr = clamp_i8(r)\nif ACT == True:\n    r = relu(r)\nC[i, j] = r"),
        "{C_data}",
    ),
}
"""The kinds of products, by name: C = A B, C += A B, C = D + A B, and C = A B as int8 in the scratchpad."""


def _asserts(kind: Product) -> str:
    return SIZES + "assert k <= 16\n" + tile("A", "B") + kind.asserts + tile("C")


def do_product(name: str) -> Proc:
    """The instruction `do_<name>`."""
    kind = kind_of(KINDS, name, "product")
    text = [
        f"exo_gemmini_preload({{B_data}}, {kind.target}, {{m}}, {{k}}, {{m}}, {{n}});",
        f"exo_gemmini_compute({{A_data}}, {kind.d}, {{k}}, {{n}}, {{m}}, {{n}});",
    ]
    params = _PARAMS.format(c=kind.c)
    body = kind.body.replace("ACT ==", "ConfigEx.act ==")
    return instruction(text, f"do_{name}", params, _asserts(kind) + _NEEDS, body)


def product(name: str) -> Proc:
    """The same as a procedure that asks for no configuration; whether ReLU is applied is an argument."""
    kind = kind_of(KINDS, name, "product")
    act = "act: bool, " if "ACT ==" in kind.body else ""
    body = kind.body.replace("ACT ==", "act ==")
    return plain(name, _PARAMS.format(c=act + kind.c), _asserts(kind), body)


DO_PRODUCTS: Mapping[str, Proc] = {p.name(): p for p in map(do_product, KINDS)}
"""All instructions of this kind, by name."""
