"""Gemmini's configuration registers as config state, and the instructions that set them.

Five registers: three for loads (one each for mvin, mvin2 and mvin3), one for stores, one for execution. A config
instruction sets all of its register. What an instruction needs of its register is an assertion of that instruction,
or, where the value is data, part of its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyrsistent import pmap

from ..kernel import Config, Control, Proc, Scalar, f32, proc_from_source
from .memories import HEADER

LOADS = (0, 1, 2)
"""The ids of mvin, mvin2 and mvin3."""

_BOOL, _INDEX = Control("bool"), Control("index")


_LD_FIELDS: Mapping[str, Scalar | Control] = {
    "stride": _INDEX,
    "scaled": _BOOL,
    "scale": f32,
    "shrunk": _BOOL,
    "block": _INDEX,
}


def _load_register(i: int) -> Config:
    return Config(f"ConfigLd{i}", pmap(_LD_FIELDS))


CONFIG_LD = tuple(map(_load_register, LOADS))
"""Loads: bytes between rows in DRAM; whether `scale` is applied, else 1; whether accumulator rows are loaded from
int8; local rows between tiles of 16 columns."""

_ST_FIELDS: Mapping[str, Scalar | Control] = {"stride": _INDEX, "act": _BOOL, "scale": f32}
CONFIG_ST = Config("ConfigSt", pmap(_ST_FIELDS))
"""Stores: bytes between rows in DRAM; whether ReLU is applied to what comes from the accumulator, after this scale."""

_EX_FIELDS: Mapping[str, Scalar | Control] = {
    "weight_stationary": _BOOL,
    "act": _BOOL,
    "shift": _INDEX,
    "a_stride": _INDEX,
    "c_stride": _INDEX,
    "transpose_a": _BOOL,
    "transpose_b": _BOOL,
}
CONFIG_EX = Config("ConfigEx", pmap(_EX_FIELDS))
"""Execution: the dataflow; ReLU on results that go to the scratchpad; right shift of results (not weight-stationary);
rows between rows of A and of C; which operands are transposed."""

REGISTERS: Mapping[str, Config] = {c.name: c for c in (*CONFIG_LD, CONFIG_ST, CONFIG_EX)}

_INCLUDE = f'#include "{HEADER}"'

_LD = """
@instr("exo_gemmini_config_ld({i}, {{stride}}, 1.0f, {{shrunk}}, {{block}});", '{include}')
def config_ld{i}(stride: index, shrunk: bool, block: index):
    assert stride >= 0
    assert block >= 1
    assert block <= 16384
    ConfigLd{i}.stride = stride
    ConfigLd{i}.scaled = False
    ConfigLd{i}.shrunk = shrunk
    ConfigLd{i}.block = block
"""

_LD_SCALED = """
@instr("exo_gemmini_config_ld({i}, {{stride}}, {{scale}}, {{shrunk}}, {{block}});", '{include}')
def config_ld_scaled{i}(stride: index, scale: f32, shrunk: bool, block: index):
    assert stride >= 0
    assert block >= 1
    assert block <= 16384
    ConfigLd{i}.stride = stride
    ConfigLd{i}.scaled = True
    ConfigLd{i}.scale = scale
    ConfigLd{i}.shrunk = shrunk
    ConfigLd{i}.block = block
"""

_ST = """
@instr("exo_gemmini_config_st({{stride}}, {{act}}, {{scale}});", '{include}')
def config_st(stride: index, act: bool, scale: f32):
    assert stride >= 0
    assert stride < 4294967296
    ConfigSt.stride = stride
    ConfigSt.act = act
    ConfigSt.scale = scale
"""

_EX = """
@instr("exo_gemmini_config_ex({{ws}}, {{act}}, {{shift}}, {{a_stride}}, {{c_stride}}, {{ta}}, {{tb}});", '{include}')
def config_ex(ws: bool, act: bool, shift: index, a_stride: index, c_stride: index, ta: bool, tb: bool):
    assert shift >= 0
    assert shift < 32
    assert a_stride >= 1
    assert a_stride <= 65535
    assert c_stride >= 1
    assert c_stride <= 65535
    ConfigEx.weight_stationary = ws
    ConfigEx.act = act
    ConfigEx.shift = shift
    ConfigEx.a_stride = a_stride
    ConfigEx.c_stride = c_stride
    ConfigEx.transpose_a = ta
    ConfigEx.transpose_b = tb
"""


def _instruction(source: str, i: int = 0) -> Proc:
    return proc_from_source(source.format(i=i, include=_INCLUDE), REGISTERS)


config_ld = tuple(_instruction(_LD, i) for i in LOADS)
"""Sets a load register, with scale 1."""
config_ld_scaled = tuple(_instruction(_LD_SCALED, i) for i in LOADS)
"""Sets a load register, with a scale."""
config_st = _instruction(_ST)
config_ex = _instruction(_EX)

fence = proc_from_source(
    f"""
@instr("exo_gemmini_fence();", '{_INCLUDE}')
def gemmini_fence():
    pass
"""
)
"""Waits until all instructions before have done their work. Every compiled procedure ends with one."""
flush = proc_from_source(
    f"""
@instr("exo_gemmini_flush();", '{_INCLUDE}')
def gemmini_flush():
    pass
"""
)
"""Empties the accelerator's address translations; wanted once, before its first use by a program."""
