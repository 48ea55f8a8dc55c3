"""The C preprocessor, over small headers of our own.

The system's headers are full of what only their compiler understands; a program needs a few names of them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from .report import ImportRefusedError

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
)


def compiler() -> list[str]:
    """The command of the C compiler: that of `CC`, else the system's."""
    chosen = shlex.split(os.environ.get("CC", ""))
    found = chosen or [c for c in COMPILERS if shutil.which(c)][:1]
    if not found:
        raise ImportRefusedError("a C compiler is needed for its preprocessor: install gcc or clang, or set CC")
    return found


def preprocessed(file: Path) -> str:
    """The text of a file after the preprocessor."""
    if not file.is_file():
        raise ImportRefusedError(f"{file} {'is a folder' if file.is_dir() else 'does not exist'}: expected a C file")
    flags = ["-E", "-std=gnu11", "-nostdinc", "-isystem", str(STUBS), *HIDDEN]
    try:
        done = subprocess.run([*compiler(), *flags, str(file)], capture_output=True, text=True, errors="replace")
    except OSError as e:
        raise ImportRefusedError(f"the preprocessor can't be run: {e}") from e
    if done.returncode:
        raise ImportRefusedError(f"the preprocessor refuses {file}:\n{done.stderr.strip()}")
    return done.stdout
