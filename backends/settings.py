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

THREADS: Final = "OMP_NUM_THREADS"
"""The variable by which the environment tells OpenMP how many threads share a loop."""


def setting_here(machine: Machine, flags: Sequence[str] = ()) -> Setting:
    """The setting of what `jit(p, machine, flags)` compiles, measured on the processor at hand: the machine has this
    processor's numbers, as `native_machine` finds them. If `OMP_NUM_THREADS` is set, it is among the flags, as it was
    when this is called: times with two threads tell nothing of those with one. Records that were made in it fit here:
    `tuned(op, records, setting_here(machine))`.

    Raises `NoCompilerError` if there is no C compiler, or it does not tell its version.
    """
    here = native_machine(machine).machine
    asked = os.environ.get(THREADS, "").strip()
    threads = (f"{THREADS}={asked}",) if asked else ()
    return setting(here, compiler_version(), tuple(dict.fromkeys((*FLAGS, *here.cc_flags, *flags, *threads))))
