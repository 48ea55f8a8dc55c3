"""Runs compiled procedures on the functional model of Gemmini, on this host.

The model is in `exo_gemmini_model.h`: it says what it refuses, and how coarse its estimate of cycles is.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from ..c import PRIVATE, CModule, compile
from ..kernel import Proc
from ..native import JitFunction, check_assertions
from ..runtime import build
from ..toolchain import build_object
from .memories import HEADER, INCLUDE_DIR, MODEL

FLAGS = ("-std=gnu11", "-O1", "-fno-math-errno")
PEAK = 256
"""Products of two numbers in a cycle, at most."""


class GemminiFault(RuntimeError):
    """What the program asks of the accelerator has no meaning; the message says which instruction and why."""


@dataclass(frozen=True)
class Counts:
    """What a run took. `cycles` is a coarse estimate, not calibrated against hardware: use it to compare schedules."""

    config_ld: int
    config_st: int
    config_ex: int
    mvin0: int
    mvin1: int
    mvin2: int
    mvout: int
    preload: int
    compute: int
    flush: int
    fence: int
    bytes_in: int
    bytes_out: int
    products: int
    cycles: int

    @property
    def configs(self) -> int:
        """Configuration instructions."""
        return self.config_ld + self.config_st + self.config_ex

    @property
    def loads(self) -> int:
        """Load instructions, those that write zeros included."""
        return self.mvin0 + self.mvin1 + self.mvin2

    @property
    def instructions(self) -> int:
        """All that is sent to the accelerator; a fence is none, it is the processor that waits."""
        return self.configs + self.loads + self.mvout + self.preload + self.compute + self.flush

    @property
    def utilisation(self) -> float:
        """The products per estimated cycle, of those that are possible."""
        return self.products / (PEAK * self.cycles) if self.cycles else 0.0


class _Counts(ctypes.Structure):
    _fields_ = [(f.name, ctypes.c_int64) for f in fields(Counts)]


class Simulation:
    """A compiled procedure that runs on the model. Call it as a `JitFunction`; it returns the `Counts` of the call.

    The accelerator begins as after a reset: nothing is in its memories and no register is set. Raises `GemminiFault`
    where the program breaks a rule of the hardware; arrays then hold what was stored before.
    """

    def __init__(self, function: JitFunction) -> None:
        self.function = function
        self.module: CModule = function.module
        library = ctypes.CDLL(str(function.library))
        self._reset, self._fault, self._counts = (
            getattr(library, f"exo_gemmini_{name}") for name in ("reset", "fault", "counts")
        )
        self._reset.argtypes = [ctypes.c_bool]
        self._fault.restype = ctypes.c_char_p
        self._counts.restype = _Counts

    def __call__(self, *args: Any, **named: Any) -> Counts:
        self._reset(True)
        self.function(*args, **named)
        fault = self._fault().decode()
        if fault:
            raise GemminiFault(f"{self.function.proc.name()}: {fault}")
        counts = self._counts()
        return Counts(*(getattr(counts, f.name) for f in fields(Counts)))


@cache
def _texts() -> tuple[str, str]:
    """The header alone, and with the model in it: each one text, so that the cache sees its changes."""
    header = f"#define EXO_GEMMINI_MODEL\n{(INCLUDE_DIR / HEADER).read_text()}"
    here = f'#ifdef EXO_GEMMINI_MODEL_HERE\n#include "{MODEL}"\n#endif\n'
    alone, with_model = (header.replace(here, text) for text in ("", (INCLUDE_DIR / MODEL).read_text()))
    # functions of the model are looked for by name
    return alone, f"#pragma GCC visibility push(default)\n{with_model}\n#pragma GCC visibility pop\n"


def simulate(proc: Proc) -> Simulation:
    """Compile a procedure for the functional model.

    Raises a `BackendError` if it can't be compiled, and what `backends.jit` raises if there is no C compiler.
    """
    check_assertions(proc)
    module = compile([proc], "exo_jit", prefix=PRIVATE)
    header, model = _texts()
    text = module.text.replace(f'#include "{HEADER}"\n', "")
    code = f"{header}\n{text}"
    objects = [build_object("exo_gemmini_model", model, FLAGS)]
    return Simulation(JitFunction(proc, module, build(f"gemmini_{proc.name()}", module, code, FLAGS, objects=objects)))
