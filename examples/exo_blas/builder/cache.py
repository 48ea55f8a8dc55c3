"""Text that takes long to make, kept in the user's cache."""

from __future__ import annotations

import os
from collections.abc import Callable

from backends.toolchain import CACHE_VARIABLE, CacheError, cache_dir


def kept(name: str, make: Callable[[], str]) -> str:
    """What a file of the cache says, or else what `make` gives, which then is kept: complete, whoever looks when.

    The name has all that the text depends on. Raises `CacheError` if it can't be kept, and what `make` raises.
    """
    path = cache_dir() / "blas" / name
    if path.exists():
        return path.read_text()
    text = make()
    scratch = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(text)
        os.replace(scratch, path)
    except OSError as e:
        raise CacheError(f"can't keep {name} in {path.parent} ({e}); set {CACHE_VARIABLE} to a writable folder") from e
    return text
