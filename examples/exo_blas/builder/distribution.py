"""The source distribution: `exo_blas-VERSION.tar.gz`, plain C that `make` or CMake builds without Python.

It has what `product/` has, the C text of all units for all targets in `src/`, and lists of these files with their
flags for make and CMake. A wheel can be built of it, too (`pip wheel exo_blas-VERSION.tar.gz`). The same sources give
the same bytes.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from backends.native import FLAGS
from backends.targets import plain_c

from .interface import FOLDER, header, parts
from .library import HIDDEN, TARGETS, Source, entries, for_all, source_of
from .units import units

EXAMPLE = FOLDER.parent
PRODUCT = EXAMPLE / "product"
LICENSE = EXAMPLE.parents[1] / "LICENSE"
LINKED = "-fopenmp"
"""What the build decides for all files together."""


def version() -> str:
    """What `pyproject.toml` says."""
    found: str = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["version"]
    return found


def name() -> str:
    """What the folder in the archive is called."""
    return f"exo_blas-{version()}"


def archive(directory: Path) -> Path:
    """Write the archive into a folder. Returns its path. Raises `BuildError`, a `ToolchainError`, or `OSError`."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name()}.tar.gz"
    packed = io.BytesIO()
    files = contents()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for file, text in sorted(files.items()):
            about = tarfile.TarInfo(f"{name()}/{file}")
            about.size = len(text)
            tar.addfile(about, io.BytesIO(text))
    scratch = path.with_suffix(".part")
    scratch.write_bytes(packed.getvalue())
    scratch.replace(path)
    return path


def tree(directory: Path) -> Path:
    """Write the files of the archive into a folder: those that changed, so that make does no more than is needed.
    Returns it."""
    for file, text in contents().items():
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text:
            path.write_bytes(text)
    return directory


def contents() -> Mapping[str, bytes]:
    """The files of the archive, by their paths in it."""
    sources = for_all(source_of, units(), TARGETS)
    kept = (p for p in sorted(PRODUCT.rglob("*")) if p.is_file() and "__pycache__" not in p.parts)
    found = {str(p.relative_to(PRODUCT)): p.read_bytes() for p in kept}
    texts = {f"src/{s.name}.c": compact(s.text) for s in sources}
    texts |= {f"src/{kind}.c": compact(text) for kind, text in tables().items()}
    texts |= {"include/exo_blas.h": header()} | {f"src/{file}": text for file, text in shared().items()}
    texts |= {"sources.mk": for_make(sources), "sources.cmake": for_cmake(sources)}
    # the hook that builds wheels is beside it there
    project = (EXAMPLE / "pyproject.toml").read_text().replace("product/", "")
    texts |= {"pyproject.toml": project, "LICENSE": LICENSE.read_text()}
    return found | {file: text.encode() for file, text in texts.items()}


def tables() -> Mapping[str, str]:
    """The entry points: those for x86-64, which look at the processor, and those for all others."""
    return {"entries_x86_64": entries(units(), TARGETS), "entries_plain": entries(units(), [plain_c])}


def shared() -> Mapping[str, str]:
    """What several sources have in common besides the header: units, and the reader of profiles."""
    return {**parts(), "profile.h": (FOLDER / "profile.h").read_text()}


def compact(text: str) -> str:
    """A unit whose header and macros are files."""
    for file, part in (("exo_blas.h", header()), *shared().items()):
        text = text.replace(part.rstrip("\n"), f'#include "{file}"')
    return text.rstrip("\n") + "\n"


# -- lists of sources ---------------------------------------------------------------------------------

COMMON = (*FLAGS, HIDDEN, "-D_GNU_SOURCE")
"""The flags of all files: the last one is for compilers that don't know C11 by the first."""


def grouped(sources: Iterable[Source]) -> Mapping[str, list[str]]:
    """The names of files for every processor, for all but x86-64, and for that."""
    plain = [s.name for s in sources if s.name.endswith(f"_{plain_c.name}")]
    better = [s.name for s in sources if s.name not in plain]
    return {"": plain, "_plain": ["entries_plain"], "_x86_64": [*better, "entries_x86_64"]}


def own_flags(s: Source) -> tuple[str, ...]:
    """The flags of a file besides those of all."""
    return tuple(f for f in s.flags if f not in (*COMMON, LINKED))


def every_flag(sources: Iterable[Source]) -> list[str]:
    """All flags that a compiler may not know."""
    return sorted({*COMMON, *(f for s in sources for f in own_flags(s))})


def vector_flags() -> tuple[str, ...]:
    """What a compiler must know to make code for vectors."""
    return tuple(dict.fromkeys(f for m in TARGETS for f in m.cc_flags))


def lists(sources: Sequence[Source]) -> Mapping[str, Sequence[str]]:
    """What make and CMake are told, by name."""
    found: dict[str, Sequence[str]] = {"VERSION": [version()], "FLAGS": COMMON, "ALL_FLAGS": every_flag(sources)}
    found |= {"VECTOR_FLAGS": vector_flags()}
    found |= {f"SOURCES{kind}": names for kind, names in grouped(sources).items()}
    return found | {f"FLAGS_{s.name}": own_flags(s) for s in sources}


def for_make(sources: Sequence[Source]) -> str:
    """The lists as variables of make.

    >>> print(for_make([Source("saxpy_c", "", ("-O3", "-fopenmp", "-falign-loops=64"))]).splitlines()[-1])
    FLAGS_saxpy_c := -falign-loops=64
    """
    return "".join(f"{name} := {' '.join(words)}\n" for name, words in lists(sources).items())


def for_cmake(sources: Sequence[Source]) -> str:
    """The lists as variables of CMake."""
    return "".join(f"set(EXO_BLAS_{name} {' '.join(words)})\n" for name, words in lists(sources).items())
