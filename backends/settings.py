"""Where measurements are made: this processor, its C compiler, and the flags with which `jit` compiles; and how many
threads the environment asks for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from exo_strat.tuning.records import Setting, setting

from .kernel import Machine
from .native import FLAGS
from .native_machine import native_machine
from .toolchain import compiler_version

THREADS: Final = ("OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_WAIT_POLICY")
"""The variables by which the environment tells OpenMP how many threads share a loop, and how they wait and where."""


def setting_here(machine: Machine, flags: Sequence[str] = ()) -> Setting:
    """The setting of what `jit(p, machine, flags)` compiles, measured on the processor at hand: the machine has this
    processor's numbers, as `native_machine` finds them. Those of the variables `THREADS` that are set are among the
    flags, as they were when this is called: times with two threads tell nothing of those with one. Records that were
    made in it fit here: `tuned(op, records, setting_here(machine))`.

    Raises `NoCompilerError` if there is no C compiler, or it does not tell its version.
    """
    here = native_machine(machine).machine
    threads = tuple(f"{name}={asked}" for name in THREADS if (asked := os.environ.get(name, "").strip()))
    return setting(here, compiler_version(), tuple(dict.fromkeys((*FLAGS, *here.cc_flags, *flags, *threads))))
