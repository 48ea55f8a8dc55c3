"""The system's C compiler and the cache of what it built. Imports nothing of the project."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "EXO_STRAT_CACHE_DIR"


class ToolchainError(RuntimeError):
    """Compiling and loading failed, for a reason outside the procedure."""


class NoCompilerError(ToolchainError):
    """There is no C compiler."""


class CompileError(ToolchainError):
    """The C compiler refused the source; the message has its output."""


class CacheError(ToolchainError):
    """The cache of compiled code can't be written or read."""


class UnsupportedTargetError(ToolchainError):
    """The processor at hand lacks what the code needs."""


def compiler() -> tuple[str, ...]:
    """The command of the C compiler: `CC`, else the first of cc, gcc and clang on the path."""
    wanted = shlex.split(os.environ.get("CC", ""))
    for command in [wanted] if wanted else [["cc"], ["gcc"], ["clang"]]:
        found = shutil.which(command[0])
        if found is not None:
            return (found, *command[1:])
    if wanted:
        raise NoCompilerError(f"CC names the C compiler {wanted[0]!r}, which is not there")
    raise NoCompilerError("there is no C compiler on the path (cc, gcc, clang); install one or set CC")


def cache_dir() -> Path:
    """Where compiled code is kept: `EXO_STRAT_CACHE_DIR`, else the user's cache directory."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen).absolute() if chosen else Path(platformdirs.user_cache_dir("exo_strat"))


def _run(command: Sequence[str], name: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()
        raise CompileError(f"the C compiler refused {name}\n  {shlex.join(command)}\n{output}")
    return done.stdout


def _key(source: str, flags: Sequence[str], command: Sequence[str], host: Sequence[str]) -> str:
    """A name for the result: the same text, built the same way, by the same compiler, for the same host."""
    at = os.stat(command[0])
    parts = [source, list(flags), list(command), at.st_mtime_ns, at.st_size, platform.machine(), list(host)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def build(name: str, source: str, flags: Sequence[str], host: Sequence[str] = ()) -> Path:
    """The shared library of a C source, from the cache if it was built before. `host` is what the
    result depends on besides, such as the processor's features under -march=native."""
    return _built(name, source, (*flags, "-shared"), host, ".so", ("-lm",))


def build_object(name: str, source: str, flags: Sequence[str]) -> Path:
    """The object file of a C source, for a shared library, from the cache if it was built before."""
    return _built(name, source, (*flags, "-c"), (), ".o", ())


def link(library: Path, objects: Sequence[Path], flags: Sequence[str] = ()) -> None:
    """Make a shared library of object files. Nobody sees it half made."""
    made = library.with_suffix(f".{os.getpid()}")
    try:
        _run([*compiler(), *flags, "-shared", "-o", str(made), *map(str, objects), "-lm"], library.name)
        os.replace(made, library)
    finally:
        made.unlink(missing_ok=True)


def _built(
    name: str, source: str, flags: Sequence[str], host: Sequence[str], suffix: str, libraries: Sequence[str]
) -> Path:
    command = compiler()
    directory = cache_dir()
    result = directory / f"{name}-{_key(source, flags, command, host)}{suffix}"
    if result.exists():
        return result
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory, prefix=".build-") as scratch:
            text, made = Path(scratch, f"{name}.c"), Path(scratch, f"{name}{suffix}")
            text.write_text(source)
            _run([*command, *flags, "-fPIC", "-o", str(made), str(text), *libraries], name)
            # complete files only: another process may look at any moment
            os.replace(text, result.with_suffix(".c"))
            os.replace(made, result)
    except OSError as e:
        advice = f"set {CACHE_VARIABLE} to a writable folder"
        raise CacheError(f"can't keep compiled code in {directory} ({e}); {advice}") from e
    return result


def probe(source: str) -> str:
    """What a small C program prints."""
    command = compiler()
    with tempfile.TemporaryDirectory() as scratch:
        text, made = Path(scratch, "probe.c"), Path(scratch, "probe")
        text.write_text(source)
        _run([*command, "-o", str(made), str(text)], "a probe")
        return _run([str(made)], "a probe")
