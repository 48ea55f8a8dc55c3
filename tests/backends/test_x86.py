"""Every vector instruction of AVX2 and AVX-512 computes what its body says; machines know their instructions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from backends import available
from backends.c import compile
from backends.c.needs import Needs
from backends.jit import jit
from backends.targets import avx2, avx512
from exo_strat import at, proc_from_source, schedule
from exo_strat.testing import check_instructions
from exo_strat.testing.instructions import all_instructions, driver
from strategies import std

MACHINES = {"avx2": avx2, "avx512": avx512}


@pytest.mark.parametrize("name", MACHINES)
def test_instructions_mean_what_their_bodies_say(name: str) -> None:
    machine = MACHINES[name]
    if not available(machine):
        pytest.skip(f"this processor has no {name}")
    compared = check_instructions(machine)
    for tables in (machine.instructions, machine.streams, machine.transposes):
        assert all(compared[p.name()] >= 1 for procs in tables.values() for p in procs)
    assert compared["mm256_mask_add_ps" if name == "avx2" else "mm512_mask_add_ps"] == 2 * machine.vec_width("f32")


@pytest.mark.parametrize("name", MACHINES)
def test_machines_know_their_instructions(name: str) -> None:
    machine = MACHINES[name]
    prefix = "mm256" if name == "avx2" else "mm512"
    assert machine.instruction(f"{prefix}_fmadd_ps").is_instr()
    assert machine.vec_width("f32") == 2 * machine.vec_width("f64")
    names = [p.name() for precision in ("f32", "f64") for p in machine.get_instructions(precision)]
    assert len(set(names)) == len(names)


def test_one_file_may_need_both(tmp_path: Path) -> None:
    needs = Needs()
    for machine in MACHINES.values():
        for tables in (machine.instructions, machine.streams, machine.transposes):
            for p in (p for procs in tables.values() for p in procs):
                assert p.tree.instr is not None
                needs.prelude(p.tree.instr.c_global)
    file = tmp_path / "both.c"
    file.write_text("\n".join(["#include <stdint.h>", *needs.includes, *needs.texts]))
    has = [f"-m{name}" for name in ("avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl")]
    command = ["gcc", "-std=gnu11", "-fsyntax-only", *has, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", MACHINES)
def test_c_takes_all_instructions_on_any_processor(name: str, tmp_path: Path) -> None:
    machine = MACHINES[name]
    file = tmp_path / f"{name}.c"
    module = compile(tuple(driver(machine, p) for p in all_instructions(machine)), name, embedded=True)
    file.write_text(module.text)
    command = ["gcc", "-std=gnu11", "-c", "-o", str(tmp_path / f"{name}.o"), *module.cc_flags, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", MACHINES)
def test_masks_leave_no_half_of_a_pair(name: str) -> None:
    machine = MACHINES[name]
    for precision in ("f32", "f64"):
        for p in machine.get_instructions(precision):
            if p.name().endswith(("maskz_loadu_exchanged_ps", "mask_loadu_exchanged_pd")):
                assert "assert n % 2 == 0" in str(p)


def test_an_unknown_instruction_is_named() -> None:
    from backends import x86_avx2

    with pytest.raises(AttributeError, match="mm256_frobnicate_ps"):
        _ = x86_avx2.mm256_frobnicate_ps


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(("sign", "instruction"), [("<", "smaller"), (">", "larger")])
def test_the_smaller_of_two_is_that_of_c(sign: str, instruction: str, name: str) -> None:
    machine = MACHINES[name]
    if not available(machine):
        pytest.skip(f"this processor has no {name}")
    text = "def f(x: f32[16], z: f32[16], y: f32[16]):\n    for i in seq(0, 16):\n"
    p = proc_from_source(f"{text}        y[i] = x[i] if x[i] {sign} z[i] else z[i]\n")
    q = schedule(at("for i in _: _", std.vectorize_for(machine, "f32", strict=True)), p)
    assert instruction in str(q)
    numbers = np.array([np.nan, 0.0, -0.0, 1.0], np.float32)
    x, z = np.repeat(numbers, 4), np.tile(numbers, 4)
    found, wanted = (np.zeros(16, np.float32) for _ in range(2))
    jit(q, machine)(x, z, found)
    wanted[:] = np.where(x < z if sign == "<" else x > z, x, z)
    assert np.array_equal(found.view(np.int32), wanted.view(np.int32))
