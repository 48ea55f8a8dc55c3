"""A module with compiled functions as a folder, or as a wheel (PEP 427) that pip installs without a compiler.

Equal files give an equal wheel: times and the order of files are always the same.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import os
import re
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

Files = Mapping[str, bytes]
"""What is in each file, by its path with slashes."""


class About(NamedTuple):
    """What a wheel says of itself."""

    name: str
    version: str
    summary: str
    text: str


def tag() -> str:
    """For which Pythons and systems such a wheel is: any Python 3, systems as the one at hand.

    It is no `manylinux`, which promises to need nothing that an older system lacks.
    """
    return f"py3-none-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"


def file_name(about: About) -> str:
    """The wheel's name.

    >>> file_name(About("My_Kernels", "1.0", "", "")).startswith("my_kernels-1.0-py3-none-")
    True
    """
    return f"{re.sub(r'_+', '_', about.name).lower()}-{about.version}-{tag()}.whl"


def write_wheel(files: Files, about: About, folder: Path) -> Path:
    """Write a wheel into a folder, which is made if missing; an older one of this name is replaced. Nobody sees it half
    made."""
    target = folder / file_name(about)
    info = f"{re.sub(r'_+', '_', about.name).lower()}-{about.version}.dist-info"
    everything = {**files, f"{info}/METADATA": _metadata(about), f"{info}/WHEEL": _wheel()}
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in everything.items())
    everything[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with _made_in(folder) as scratch:
        made = scratch / "wheel"
        with ZipFile(made, "w", ZIP_DEFLATED) as z:
            for path, data in everything.items():
                entry = ZipInfo(path, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = ZIP_DEFLATED
                entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
                z.writestr(entry, data)
        os.replace(made, target)
    return target


def write_folder(files: Files, about: About, folder: Path) -> Path:
    """Write the module into a folder, which is made if missing, as a folder of its name. Raises `FileExistsError` if
    there is one."""
    target = folder / about.name
    if target.exists():
        raise FileExistsError(errno.EEXIST, "is there already", str(target))
    with _made_in(folder) as scratch:
        for path, data in files.items():
            file = scratch / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        os.replace(scratch / about.name, target)
    return target


@contextmanager
def _made_in(folder: Path) -> Iterator[Path]:
    """A folder beside what is to be made, gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder, prefix=".exo-strat-"))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _metadata(about: About) -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about.name}",
        f"Version: {about.version}",
        f"Summary: {about.summary}",
        "Requires-Python: >=3.11",
        "Requires-Dist: numpy>=1.26",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*lines, "", about.text]).encode()


def _wheel() -> bytes:
    try:
        made_by = version_of("exo-strat")
    except PackageNotFoundError:  # a checkout
        made_by = "unknown"
    lines = ("Wheel-Version: 1.0", f"Generator: exo-strat ({made_by})", "Root-Is-Purelib: false", f"Tag: {tag()}")
    return "".join(f"{line}\n" for line in lines).encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
