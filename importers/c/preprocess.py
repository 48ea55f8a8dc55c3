"""The C preprocessor, over small headers of our own.

The system's headers are full of what only their compiler understands; a program needs a few names of them. Headers
that we have none of are the system's, with what only compilers understand taken out. Whether the file is C is asked of
the compiler, with its own headers.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..report import ImportRefusedError, Place, Problem, Report

STUBS = Path(__file__).parent / "stubs"
COMPILERS = ("cc", "gcc", "clang")
HIDDEN = (
    "-D__attribute__(x)=",
    "-D__extension__=",
    "-D__restrict=restrict",
    "-D__restrict__=restrict",
    "-D__inline=inline",
    "-D__inline__=inline",
    "-D__builtin_expect(x,y)=(x)",
    "-D_Pragma(x)=",
    "-D_Alignas(x)=",
    "-D_Noreturn=",
    "-D__asm__(x)=",
    "-D__asm(x)=",
    "-D__builtin_va_list=int",
    "-D__signed__=signed",
    "-D__const=const",
    "-D__volatile__=volatile",
)
ERROR = re.compile(r"^(.+?):(\d+):(\d+): (?:fatal )?error: (.*)$", re.MULTILINE)
"""How compilers report."""


def compiler() -> list[str]:
    """The command of the C compiler: that of `CC`, else the system's."""
    chosen = shlex.split(os.environ.get("CC", ""))
    found = chosen or [c for c in COMPILERS if shutil.which(c)][:1]
    if not found:
        raise ImportRefusedError("a C compiler is needed for its preprocessor: install gcc or clang, or set CC")
    return found


def preprocessed(file: Path, flags: Sequence[str] = ()) -> str:
    """The text of a file after the preprocessor."""
    if not file.is_file():
        raise ImportRefusedError(f"{file} {'is a folder' if file.is_dir() else 'does not exist'}: expected a C file")
    done = _run("-E", file, ["-isystem", str(STUBS), *HIDDEN, *flags])
    if done.returncode:
        raise ImportRefusedError(f"the preprocessor refuses {file}:\n{done.stderr.strip()}")
    return done.stdout


def check(file: Path, flags: Sequence[str] = ()) -> None:
    """Raise what the compiler has to say of a file that is no C."""
    done = _run("-fsyntax-only", file, flags)
    if not done.returncode:
        return
    report = Report()
    for name, line, col, message in ERROR.findall(done.stderr):
        place = Place(int(line), int(col), "" if name == str(file) else name)
        remedy = "declare it, or define it as a macro: -D NAME=TEXT" if "undeclared" in message else ""
        report.add(Problem(place, "the C compiler refuses this", message, remedy))
    if not report.problems:
        raise ImportRefusedError(f"the C compiler refuses {file}:\n{done.stderr.strip()}")
    raise report.refuse(str(file), file.read_text(errors="replace").splitlines())


def _run(mode: str, file: Path, flags: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [*compiler(), mode, "-w", "-std=gnu11", "-ftabstop=1", *flags, str(file)]
    env = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", env=env)
    except OSError as e:
        raise ImportRefusedError(f"the preprocessor can't be run: {e}") from e
