"""Builds the libraries for the wheel `exo-blas`: from the C sources of the source distribution, or in a checkout of
exo_strat from what is scheduled there."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Libraries(BuildHookInterface):
    """Makes `exo_blas/` with what `make install` gives."""

    @property
    def checkout(self) -> Path | None:
        """The folder of exo_strat that this one is part of; None in the source distribution."""
        return None if self.here.joinpath("sources.mk").exists() else self.here.parents[1]

    @property
    def here(self) -> Path:
        return Path(self.root)

    def dependencies(self) -> list[str]:
        """What scheduling needs."""
        if self.checkout is None:
            return []
        return list(tomllib.loads((self.checkout / "pyproject.toml").read_text())["project"]["dependencies"])

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build them, and say which files belong to the wheel."""
        sources = self.here
        if self.checkout is not None:
            sources = self.checkout / "build" / "exo_blas-sources"
            code = "from pathlib import Path; import sys; from examples.exo_blas.builder.distribution import tree\n"
            code += "if __name__ == '__main__': tree(Path(sys.argv[1]))"
            paths = [str(self.checkout), *sys.path]
            env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
            subprocess.run([sys.executable, "-c", code, sources], cwd=self.checkout, env=env, check=True)
        made = sources / "build" / "wheel"
        jobs = f"-j{os.cpu_count() or 1}"
        wanted = (f"PREFIX={made}", "DESTDIR=", "VERSIONED=", "LIB=build/unversioned")  # a wheel has no links
        subprocess.run(["make", "-C", sources, jobs, "install", *wanted], check=True)
        for config in (made / "lib/pkgconfig").glob("*.pc"):  # a wheel is unpacked anywhere
            config.write_text(config.read_text().replace(str(made), "${pcfiledir}/../.."))
        files = [*(sources / "exo_blas").rglob("*"), *made.rglob("*")]
        for path in files:
            inside = path.relative_to(made if made in path.parents else sources / "exo_blas")
            if path.is_file() and "__pycache__" not in path.parts:
                build_data["force_include"][str(path)] = f"exo_blas/{inside}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
