"""mvout: stores from the accumulator and the scratchpad.

`n` is the number of rows, `m` that of columns, or of tiles of 16 columns in a block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..kernel import Proc
from .build import BLOCK_SIZES, SIZES, instruction, kind_of, plain, rows, tile, tiles


@dataclass(frozen=True)
class Store:
    """A kind of store: what it takes, asserts and does, without configuration.

    `stride` is what the register's stride must be, in bytes. `SCALE` and `ACT` in the body stand for the scale and
    whether ReLU is applied. `source` and `columns` are C text.
    """

    params: str
    asserts: str
    body: str
    stride: str = "stride(dst, 0)"
    source: str = "{src_data}"
    columns: str = "{m}"

    @property
    def scaled(self) -> bool:
        """Whether scale and ReLU matter."""
        return "SCALE" in self.body


def _quantize(source: str, target: str, depth: int) -> str:
    lines = f"""\
t: f32
r: i8
t = {source}
r = clamp_i8(round_even(mul_f32(t, SCALE)))
if ACT == True:
    r = relu(r)
{target} = r"""
    return "".join(f"{'    ' * depth}{line}\n" for line in lines.splitlines())


_ROWS = "for i in seq(0, n):\n    for j in seq(0, m):\n"
_BLOCKS = _ROWS + "        for k in seq(0, 16):\n"
_I8, _I32 = "dst: [i8][n, m] @ DRAM", "dst: [i32][n, m] @ DRAM"
_I8_BLOCK = "dst: [i8][n, 16 * m] @ DRAM"
_DST = rows("dst") + "assert 4 * stride(dst, 0) < 4294967296\n"
_PLAIN, _BLOCK = SIZES + tile("src") + _DST, BLOCK_SIZES + tiles("src") + _DST

KINDS: Mapping[str, Store] = {
    "st_acc_i8": Store(f"src: [i32][n, m] @ GEMM_ACCUM, {_I8}", _PLAIN, _ROWS + _quantize("src[i, j]", "dst[i, j]", 2)),
    "st_acc_i8_block": Store(
        f"src: [i32][m, n, 16] @ GEMM_ACCUM, {_I8_BLOCK}",
        _BLOCK,
        _BLOCKS + _quantize("src[j, i, k]", "dst[i, 16 * j + k]", 3),
        columns="16 * {m}",
    ),
    "st_acc_i32": Store(
        f"src: [i32][n, m] @ GEMM_ACCUM, {_I32}",
        _PLAIN,
        _ROWS + "        dst[i, j] = src[i, j]\n",
        "4 * stride(dst, 0)",
        "{src_data} | EXO_GEMMINI_FULL",
    ),
    "st_i8": Store(f"src: [i8][n, m] @ GEMM_SCRATCH, {_I8}", _PLAIN, _ROWS + "        dst[i, j] = src[i, j]\n"),
    "st_i8_block": Store(
        f"src: [i8][m, n, 16] @ GEMM_SCRATCH, {_I8_BLOCK}",
        _BLOCK,
        _BLOCKS + "            dst[i, 16 * j + k] = src[j, i, k]\n",
        columns="16 * {m}",
    ),
}
"""The kinds of stores, by name."""


def do_store(name: str) -> Proc:
    """The instruction `do_<name>`: a store under what the register holds."""
    kind = kind_of(KINDS, name, "store")
    text = f"exo_gemmini_mvout({{dst}}, {kind.source}, {kind.columns}, {{n}});"
    asserts = f"{kind.asserts}assert ConfigSt.stride == {kind.stride}\n"
    body = kind.body.replace("SCALE", "ConfigSt.scale").replace("ACT ==", "ConfigSt.act ==")
    return instruction([text], f"do_{name}", f"n: size, m: size, {kind.params}", asserts, body)


def store(name: str) -> Proc:
    """The same as a procedure that asks for no configuration; scale and ReLU are arguments."""
    kind = kind_of(KINDS, name, "store")
    extra = ", scale: f32, act: bool" if kind.scaled else ""
    body = kind.body.replace("SCALE", "scale").replace("ACT ==", "act ==")
    return plain(name, f"n: size, m: size{extra}, {kind.params}", kind.asserts, body)


DO_STORES: Mapping[str, Proc] = {p.name(): p for p in map(do_store, KINDS)}
"""All store instructions, by name."""
