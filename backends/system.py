"""What the system tells of the processor: files, commands and a compiled probe, each of which may tell nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .toolchain import ToolchainError, probe

SECONDS = 10
"""A command that takes longer tells nothing."""


def _run(*command: str) -> str:
    """What a command prints; nothing if it can't be run, fails or hangs."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _probe(source: str) -> str:
    """What a small C program prints; nothing if it can't be compiled or run."""
    try:
        return probe(source)
    except (ToolchainError, OSError):
        return ""


def _cpus() -> tuple[int, ...]:
    """The hardware threads that this process may run on, by number."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


@dataclass(frozen=True)
class System:
    """Where to look: the folder that `/proc` and `/sys` are in, the architecture's name, the hardware threads that this
    process may run on, what a command prints, and what a C program prints. Whatever is missing tells nothing, "".

    >>> System(root=Path("/nowhere")).read("proc/cpuinfo")
    ''
    """

    root: Path
    architecture: str = ""
    cpus: tuple[int, ...] = (0,)
    run: Callable[..., str] = lambda *command: ""
    probe: Callable[[str], str] = lambda source: ""

    def read(self, file: str) -> str:
        """The text of a file below the root; nothing if it can't be read."""
        try:
            return (self.root / file).read_text(errors="replace").strip()
        except OSError:
            return ""

    def folders(self, pattern: str) -> tuple[str, ...]:
        """The folders below the root that match a pattern, sorted."""
        try:
            return tuple(sorted(str(f.relative_to(self.root)) for f in self.root.glob(pattern)))
        except OSError:
            return ()


def this_system() -> System:
    """The system at hand."""
    return System(Path("/"), platform.machine(), _cpus(), _run, _probe)
