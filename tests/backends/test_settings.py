"""The setting of what is measured here: any part of it that differs makes another one."""

from __future__ import annotations

from backends.native_machine import native_machine
from backends.settings import setting_here
from backends.targets import avx2, plain_c
from backends.toolchain import compiler_version
from exo_strat.tuning.keys import machine_key


def test_a_setting_has_this_processor_the_compiler_and_the_flags() -> None:
    here = setting_here(plain_c)
    assert (here.machine, here.machine_key) == ("c", machine_key(native_machine(plain_c).machine))
    assert here.compiler == compiler_version() != ""
    assert "-O3" in here.flags
    assert here == setting_here(plain_c)
    assert here != setting_here(plain_c, ("-O2",))
    assert here.machine_key != setting_here(avx2).machine_key
