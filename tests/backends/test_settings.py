"""The setting of what is measured here: any part of it that differs makes another one."""

from __future__ import annotations

import pytest

from backends.native_machine import native_machine
from backends.settings import THREADS, setting_here
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


def test_a_setting_has_what_the_environment_tells_openmp(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    unsaid = setting_here(plain_c)
    assert not any("OMP" in flag for flag in unsaid.flags)
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    assert setting_here(plain_c) == unsaid
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    one = setting_here(plain_c)
    assert one.flags == (*unsaid.flags, "OMP_NUM_THREADS=1")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert len({unsaid, one, setting_here(plain_c)}) == 3
    monkeypatch.setenv("OMP_PROC_BIND", "true")
    assert setting_here(plain_c).flags == (*unsaid.flags, "OMP_NUM_THREADS=2", "OMP_PROC_BIND=true")


def test_a_setting_tells_the_numbers_of_its_machine() -> None:
    """So that where a number differs, its name can be said."""
    numbers, processor = dict(setting_here(plain_c).numbers), native_machine(plain_c).machine.processor
    assert numbers["cores"] == str(processor.cores)
    assert numbers["L1 cache's bytes"] == str(processor.cache(1).bytes)
