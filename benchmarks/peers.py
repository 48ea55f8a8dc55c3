"""Other systems, each in an environment of its own in the user's cache, installed from the package registry."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

import platformdirs
from rich.console import Console

VERSIONS = {
    "exo-lang": "exo-lang==1.0.0",
    "halide": "halide==21.0.0",
    "OpenBLAS": "scipy-openblas32==0.3.34.481.3",
    "MKL 2018": "mkl==2018.0.3",
    "AOCL-BLIS": "aoclda==5.3.0.1",
}
ALONE = ("OpenBLAS", "MKL 2018", "AOCL-BLIS")
"""Libraries that run without what their packages depend on, such as a runtime for threads."""


def home_of(peer: str) -> Path:
    """The environment that has the peer; made when first asked for."""
    home = Path(platformdirs.user_cache_dir("exo_strat")) / "peers" / VERSIONS[peer]
    ready = home / ".ready"
    if not ready.exists():
        Console(stderr=True).print(f"installing {VERSIONS[peer]} into {home} (once)")
        venv.create(home, with_pip=True, clear=True)
        options = ["--no-deps"] * (peer in ALONE)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-qqq", *options, VERSIONS[peer]], check=True)
        ready.touch()
    return home


def python_with(peer: str) -> Path:
    """The interpreter of the environment that has the peer."""
    return home_of(peer) / "bin" / "python"
