"""Other systems, each in an environment of its own in the user's cache, installed from the package registry."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

import platformdirs
from rich.console import Console

VERSIONS = {"exo-lang": "exo-lang==1.0.0", "halide": "halide==21.0.0"}


def python_with(peer: str) -> Path:
    """The interpreter of an environment that has the peer; made when first asked for."""
    home = Path(platformdirs.user_cache_dir("exo_strat")) / "peers" / VERSIONS[peer]
    python, ready = home / "bin" / "python", home / ".ready"
    if not ready.exists():
        Console(stderr=True).print(f"installing {VERSIONS[peer]} into {home} (once)")
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-qqq", VERSIONS[peer]], check=True)
        ready.touch()
    return python
