"""Where measurements are made: this processor, its C compiler, and the flags with which `jit` compiles."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat.tuning.records import Setting, setting

from .kernel import Machine
from .native import FLAGS
from .native_machine import native_machine
from .toolchain import compiler_version


def setting_here(machine: Machine, flags: Sequence[str] = ()) -> Setting:
    """The setting of what `jit(p, machine, flags)` compiles, measured on the processor at hand: the machine has this
    processor's numbers, as `native_machine` finds them. Records that were made in it fit here: `tuned(op, records,
    setting_here(machine))`.

    Raises `NoCompilerError` if there is no C compiler, or it does not tell its version.
    """
    here = native_machine(machine).machine
    return setting(here, compiler_version(), tuple(dict.fromkeys((*FLAGS, *here.cc_flags, *flags))))
