"""The system's C compiler and the cache of what it built."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import platformdirs

CACHE_VARIABLE = "EXO_STRAT_CACHE_DIR"
KEEP_ASSEMBLY = "-save-temps=obj"
"""With this flag, `fuses_in_turns` can say what the compiler did."""

_FUSED_IN_TURNS = re.compile(r"\b(vfmaddsub|vfmsubadd|vfc?m(ul|add)c[ps]h|fcmla)")


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
    given = os.environ.get("CC", "")
    try:
        wanted = shlex.split(given)
    except ValueError as e:
        raise NoCompilerError(f"CC is no command: {given!r} ({e}); set it to one such as gcc") from e
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
    try:
        return Path(chosen).expanduser().absolute() if chosen else Path(platformdirs.user_cache_dir("exo_strat"))
    except RuntimeError as e:
        raise CacheError(f"{CACHE_VARIABLE} is {chosen}, and {e}; set it to a writable folder") from e


def _run(command: Sequence[str], name: str, made: Path | None = None) -> str:
    """What a command prints; `made` is the file that it makes."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as e:
        raise NoCompilerError(f"the C compiler {command[0]} can't be run ({e}); set CC to another") from e
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()
        raise CompileError(f"the C compiler refused {name}\n  {shlex.join(command)}\n{output}")
    if made is not None and not made.is_file():
        raise NoCompilerError(f"{command[0]} made no code of {name}, so it is no C compiler; set CC to one")
    return done.stdout


def compiler_version(command: tuple[str, ...] = ()) -> str:
    """The line by which a C compiler tells its version; `compiler()` without a command."""
    chosen = command or compiler()
    at = os.stat(chosen[0])
    return next(iter(_identity(chosen, at.st_mtime_ns, at.st_size).splitlines()), "").strip()


@cache
def _identity(command: tuple[str, ...], changed: int, size: int) -> str:
    """What tells a compiler from others. `changed` and `size` are those of the file: another one may take its place."""
    return _run([*command, "--version"], "a question for its version")


def _precautions(macros: Mapping[str, str]) -> tuple[str, ...]:
    """Flags that keep a compiler, which defines these macros, from compiling code to something else.

    clang 14 unrolls loops, takes several rows of a matrix at a time for AVX-512, and then reads numbers of some that a
    statement before has written anew. clang 19 doesn't.

    >>> [_precautions(m) for m in ({"__clang_major__": "14"}, {"__clang_major__": "19"}, {"__GNUC__": "12"})]
    [('-fno-unroll-loops',), (), ()]
    """
    return ("-fno-unroll-loops",) if int(macros.get("__clang_major__", "19")) < 19 else ()


@cache
def _check_target(command: tuple[str, ...]) -> None:
    """Raises `NoCompilerError` if a compiler makes code for another processor than the one at hand."""
    macros = _macros(command)
    machine, bits = platform.machine(), 64 if sys.maxsize > 2**32 else 32
    wanted = {"x86_64": "__x86_64__", "AMD64": "__x86_64__", "aarch64": "__aarch64__", "arm64": "__aarch64__"}
    for_another = wanted.get(machine, "__STDC__") not in macros
    if "__SIZEOF_POINTER__" in macros and (for_another or macros["__SIZEOF_POINTER__"] != str(bits // 8)):
        what = f"{shlex.join(command)} makes no {bits}-bit code for {machine}, which is what runs here"
        raise NoCompilerError(f"{what}; set CC to a compiler that does (a cross compiler is for `exo-strat build`)")


@cache
def _macros(command: tuple[str, ...]) -> dict[str, str]:
    """What a compiler defines by itself; nothing if it can't tell."""
    try:
        lines = _run([*command, "-dM", "-E", "-x", "c", os.devnull], "a question for its macros").splitlines()
    except ToolchainError:
        return {}
    return {name: value.strip() for _, name, value in (f"{line}  ".split(" ", 2) for line in lines)}


def _preprocessed(source: str, flags: Sequence[str], command: Sequence[str], name: str) -> str:
    """The text with all that it includes, as these files are now; as it is, if that is what the compiler and the C
    library bring."""
    # a command with more words than the compiler may say where to look, and may include files by itself
    searched = len(command) > 1 or any(f.startswith(("-I", "-i", "-B", "--")) for f in flags)
    others = [line for line in source.splitlines() if _INCLUDE.search(line) and not _BROUGHT.match(line)]
    if not (others or searched or any(map(os.environ.get, SEARCHED))):
        return source
    with tempfile.TemporaryDirectory() as scratch:
        text, made = Path(scratch, f"{_short(name)}.c"), Path(scratch, "all.i")
        text.write_text(source)
        _run([*command, *flags, "-E", "-o", str(made), str(text)], name, made)
        # less the folder, which is another one each time
        return made.read_text(errors="surrogateescape").replace(f"{scratch}{os.sep}", "")


_INCLUDE = re.compile(r"include|import|embed")
_BROUGHT = re.compile(
    r"#include <(setjmp|std(bool|def|int|io|lib|arg)|math|string|pthread|link|sys/resource|immintrin|arm_neon)\.h>$"
    r"|//(?!.*\*/)"
)
"""Headers that change with the compiler or the system only; and lines that are comments."""
SEARCHED = ("CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX")
"""Variables that say where a compiler looks for headers."""


def _key(source: str, flags: Sequence[str], command: tuple[str, ...], host: Sequence[str]) -> str:
    """A name for the result: the same text, built the same way, by the same compiler, for the same host."""
    parts = [source, list(flags), *which_compiler(command), platform.machine(), list(host)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def which_compiler(command: tuple[str, ...]) -> list[object]:
    """What tells whether a compiler is still the same: its command, its file and what it says of itself."""
    at = os.stat(command[0])
    return [list(command), at.st_mtime_ns, at.st_size, _identity(command, at.st_mtime_ns, at.st_size)]


def _short(name: str) -> str:
    """A part of a file's name: file systems allow 255 bytes."""
    return "".join(c for c in name if c.isascii() and (c.isalnum() or c == "_"))[:64] or "code"


def build(
    name: str,
    source: str,
    flags: Sequence[str],
    host: Sequence[str] = (),
    objects: Sequence[Path] = (),
    command: tuple[str, ...] = (),
) -> Path:
    """The shared library of a C source and of objects that `build_object` made, from the cache if it was built before.
    `host` is what the result depends on besides, such as the processor's features under -march=native; `command` is
    the C compiler, `compiler()` without one."""
    linked = [_about(o).sha256 for o in objects]
    libraries = (*map(str, objects), "-lm")
    all_flags = (*flags, "-fstack-usage", "-shared")
    return _built(name, source, all_flags, (*host, *linked), ".so", libraries, command or compiler())


def build_object(name: str, source: str, flags: Sequence[str], command: tuple[str, ...] = ()) -> Path:
    """The object file of a C source, for a shared library, from the cache if it was built before."""
    return _built(name, source, (*flags, "-fstack-usage", "-c"), (), ".o", (), command or compiler())


def stack_frames(made: Path) -> Mapping[str, int]:
    """The bytes of the stack that each function of a library or an object takes; one without a bound takes more than
    there is. Parts that the compiler makes of a function count as that function."""
    return _about(made).frames


def fuses_in_turns(made: Path) -> bool:
    """Whether a library has vectors in which sums and differences of products take turns, each rounded once, or may
    have them: what was built without `KEEP_ASSEMBLY`, or by a compiler that doesn't know it, can't be looked at. gcc 12
    makes such vectors of pairs even if it is forbidden to fuse."""
    return _about(made).fuses_in_turns


def link(library: Path, objects: Sequence[Path], flags: Sequence[str] = ()) -> None:
    """Make a shared library of object files. Nobody sees it half made."""
    made = library.with_suffix(f".{os.getpid()}")
    try:
        _run([*compiler(), *flags, "-shared", "-o", str(made), *map(str, objects), "-lm"], library.name, made)
        os.replace(made, library)
    finally:
        made.unlink(missing_ok=True)


# -- the cache ----------------------------------------------------------------------------------------


def _built(
    name: str,
    source: str,
    flags: Sequence[str],
    host: Sequence[str],
    suffix: str,
    libraries: Sequence[str],
    command: tuple[str, ...],
) -> Path:
    directory = cache_dir()
    _check_target(command)
    flags = (*flags, *_precautions(_macros(command)))
    try:
        text = _preprocessed(source, flags, command, name)
        result = directory / f"{_short(name)}-{_key(text, flags, command, host)}{suffix}"
        if not _intact(result):
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=directory, prefix=".build-") as scratch:
                # of what is preprocessed, no files are included once more that the command names
                done = ["-x", "cpp-output"] if text is not source else []
                _make(Path(scratch), result, text, [*command, *flags, "-fPIC", *done], libraries, name)
    except OSError as e:
        advice = f"set {CACHE_VARIABLE} to a writable folder"
        raise CacheError(f"can't keep compiled code in {directory} ({e}); {advice}") from e
    return result


def _make(
    scratch: Path, result: Path, source: str, command: Sequence[str], libraries: Sequence[str], name: str
) -> None:
    """Compile, and put the result in its place: complete files only, as another process may look at any moment."""
    text, made, about = scratch / f"{_short(name)}.c", scratch / result.name, scratch / "about"
    text.write_text(source, errors="surrogateescape")
    linked = ["-x", "none", *libraries] if libraries else []
    _run([*command, "-o", str(made), str(text), *linked], name, made)
    assembly = [file.read_text(errors="replace") for file in scratch.glob("*.s")]
    fused = not assembly or any(map(_FUSED_IN_TURNS.search, assembly))
    about.write_text(json.dumps(_About(_digest(made), _frames(scratch.glob("*.su")), fused)._asdict()))
    for file, suffix in ((text, ".c"), (made, result.suffix), (about, ".json")):
        os.replace(file, result.with_suffix(suffix))


def _intact(result: Path) -> bool:
    """Whether the cache has this file, as it was built."""
    try:
        return _about(result).sha256 == _digest(result)
    except FileNotFoundError:
        return False
    except (ValueError, KeyError, TypeError, AttributeError):  # the file about it is damaged
        return False


def _frames(files: Iterable[Path]) -> dict[str, int]:
    """What the compiler says of the stack, in lines such as `axpy.c:3:6:axpy.part.0  48  static`."""
    out: dict[str, int] = {}
    for line in (line for file in files for line in file.read_text().splitlines()):
        where, size, kind = line.split("\t")
        name = where.rpartition(":")[2].partition(".")[0]
        # "static" and "dynamic,bounded" have a bound
        out[name] = out.get(name, 0) + (sys.maxsize // 2 if kind == "dynamic" else int(size))
    return out


class _About(NamedTuple):
    """What the cache says of a file in it."""

    sha256: str
    frames: Mapping[str, int]
    fuses_in_turns: bool


def _about(result: Path) -> _About:
    found = json.loads(result.with_suffix(".json").read_text())
    frames = {str(name): int(size) for name, size in found["frames"].items()}
    return _About(str(found["sha256"]), frames, bool(found["fuses_in_turns"]))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def probe(source: str) -> str:
    """What a small C program prints."""
    command = compiler()
    with tempfile.TemporaryDirectory() as scratch:
        text, made = Path(scratch, "probe.c"), Path(scratch, "probe")
        text.write_text(source)
        _run([*command, "-o", str(made), str(text)], "a probe", made)
        return _run([str(made)], "a probe")
