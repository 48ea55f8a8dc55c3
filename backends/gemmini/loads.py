"""mvin, mvin2 and mvin3: loads into the scratchpad and the accumulator.

All exist for each of the three load registers, numbered 0 to 2. `n` is the number of rows, `m` that of columns, or of
tiles of 16 columns in a block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..kernel import Proc
from .build import BLOCK_SIZES, SIZES, instruction, kind_of, plain, rows, tile, tiles
from .state import LOADS


@dataclass(frozen=True)
class Load:
    """A kind of load: what it takes, asserts and does, without configuration.

    `stride` is what the register's stride must be, in bytes; "" for any. `scale` tells whether it applies the
    register's scale, in place of `SCALE` in the body. `columns` is C text; `source` that of the address. `block` tells
    how many rows its tiles are apart.
    """

    params: str
    asserts: str
    body: str
    stride: str
    columns: str = "{m}"
    source: str = "{src}"
    shrunk: bool = False
    scaled: bool = False
    add: bool = False
    block: str = "16"


_MATRIX = "src: [{t}][n, m] @ DRAM"
_SCRATCH, _ACCUM = "dst: [i8][n, m] @ GEMM_SCRATCH", "dst: [i32][n, m] @ GEMM_ACCUM"
_BLOCKED = "dst: [i8][m, n, 16] @ GEMM_SCRATCH"


def _each(statement: str) -> str:
    lines = "".join(f"        {line}\n" for line in statement.splitlines())
    return f"for i in seq(0, n):\n    for j in seq(0, m):\n{lines}"


def _each_of_block(statement: str) -> str:
    return f"for i in seq(0, n):\n    for j in seq(0, m):\n        for k in seq(0, 16):\n            {statement}\n"


_ROWS = rows("src") + tile("dst")
_I8, _I32, _VECTOR = _MATRIX.format(t="i8"), _MATRIX.format(t="i32"), "src: [{t}][m] @ DRAM"
_APART = """\
assert stride(dst, 0) % 16 == 0
assert stride(dst, 0) >= 16 * n
assert stride(dst, 0) <= 262144
assert stride(dst, 1) == 16
assert stride(dst, 2) == 1
"""
_SCALED = """\
t: f32
t = src[i, j]
dst[i, j] = clamp_i8(round_even(mul_f32(t, SCALE)))"""
_WIDENED = """\
t: i32
t = src[i, j]
dst[i, j] += t"""

KINDS: Mapping[str, Load] = {
    "ld_i8": Load(f"{_I8}, {_SCRATCH}", SIZES + _ROWS, _each("dst[i, j] = src[i, j]"), "stride(src, 0)"),
    "ld_i8_scaled": Load(f"{_I8}, {_SCRATCH}", SIZES + _ROWS, _each(_SCALED), "stride(src, 0)", scaled=True),
    "ld_i8_block": Load(
        f"src: [i8][n, 16 * m] @ DRAM, {_BLOCKED}",
        BLOCK_SIZES + rows("src") + tiles("dst"),
        _each_of_block("dst[j, i, k] = src[i, 16 * j + k]"),
        "stride(src, 0)",
        columns="16 * {m}",
    ),
    "ld_i8_apart": Load(
        f"src: [i8][n, 16 * m] @ DRAM, {_BLOCKED}",
        BLOCK_SIZES + rows("src") + _APART,
        _each_of_block("dst[j, i, k] = src[i, 16 * j + k]"),
        "stride(src, 0)",
        columns="16 * {m}",
        block="stride(dst, 0) / 16",
    ),
    "ld_i8_vector": Load(
        f"{_VECTOR.format(t='i8')}, {_SCRATCH}",
        SIZES + "assert stride(src, 0) == 1\n" + tile("dst"),
        _each("dst[i, j] = src[j]"),
        "0",
    ),
    "zero_i8": Load(_SCRATCH, SIZES + tile("dst"), _each("dst[i, j] = 0.0"), "", source="NULL"),
    "zero_i8_block": Load(
        _BLOCKED,
        BLOCK_SIZES + tiles("dst"),
        _each_of_block("dst[j, i, k] = 0.0"),
        "",
        columns="16 * {m}",
        source="NULL",
    ),
    "ld_acc_i32": Load(f"{_I32}, {_ACCUM}", SIZES + _ROWS, _each("dst[i, j] = src[i, j]"), "4 * stride(src, 0)"),
    "ld_acc_i32_vector": Load(
        f"{_VECTOR.format(t='i32')}, {_ACCUM}",
        SIZES + "assert stride(src, 0) == 1\n" + tile("dst"),
        _each("dst[i, j] = src[j]"),
        "0",
    ),
    "add_acc_i32": Load(
        f"{_I32}, {_ACCUM}", SIZES + _ROWS, _each("dst[i, j] += src[i, j]"), "4 * stride(src, 0)", add=True
    ),
    "ld_acc_i8": Load(f"{_I8}, {_ACCUM}", SIZES + _ROWS, _each("dst[i, j] = src[i, j]"), "stride(src, 0)", shrunk=True),
    "add_acc_i8": Load(f"{_I8}, {_ACCUM}", SIZES + _ROWS, _each(_WIDENED), "stride(src, 0)", shrunk=True, add=True),
    "zero_acc_i32": Load(_ACCUM, SIZES + tile("dst"), _each("dst[i, j] = 0.0"), "", source="NULL"),
}
"""The kinds of loads, by name."""


def needs(kind: Load, i: int) -> str:
    """The assertions about the register."""
    register = f"ConfigLd{i}"
    asserts = f"assert {register}.scaled == {kind.scaled}\nassert {register}.block == {kind.block}\n"
    if kind.source != "NULL" and "GEMM_ACCUM" in kind.params:
        asserts += f"assert {register}.shrunk == {kind.shrunk}\n"
    return asserts + (f"assert {register}.stride == {kind.stride}\n" if kind.stride else "")


def do_load(name: str, i: int) -> Proc:
    """The instruction `do_<name>_id<i>`: a load under what the register holds."""
    kind = kind_of(KINDS, name, "load")
    target = "{dst_data} | EXO_GEMMINI_ADD" if kind.add else "{dst_data}"
    text = f"exo_gemmini_mvin({i}, {kind.source}, {target}, {kind.columns}, {{n}});"
    body = kind.body.replace("SCALE", f"ConfigLd{i}.scale")
    params = f"n: size, m: size, {kind.params}"
    return instruction([text], f"do_{name}_id{i}", params, kind.asserts + needs(kind, i), body)


def load(name: str, i: int) -> Proc:
    """The same as a procedure that asks for no configuration; a scale is an argument."""
    kind = kind_of(KINDS, name, "load")
    scale = ", scale: f32" if kind.scaled else ""
    body = kind.body.replace("SCALE", "scale")
    return plain(f"{name}_id{i}", f"n: size, m: size{scale}, {kind.params}", kind.asserts, body)


DO_LOADS: Mapping[str, Proc] = {p.name(): p for name in KINDS for i in LOADS for p in (do_load(name, i),)}
"""All load instructions, by name."""
