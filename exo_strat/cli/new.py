"""`exo-strat new`: a small project with a kernel, a strategy, a test, a benchmark and a wheel.

Its files are in the folder `project`, with the name of the package as `@NAME@`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Final

import typer

from .messages import UsageError, reporting
from .package import module_name

TEMPLATES: Final = Path(__file__).with_name("project")
PLACES: Final = {"gitignore": ".gitignore", "test_kernels.py": "tests/test_kernels.py"}
"""Where files go that are not in the project's folder under their own names."""
TOOLS: Final = ("hatchling", "hypothesis", "pip", "pytest", "tests")
"""What the project needs beside its own modules: a package of such a name would hide it, or be hidden."""


def new_command(
    folder: Annotated[
        Path, typer.Argument(metavar="NAME", help="The folder, which is made; its name is that of the package.")
    ],
) -> None:
    """Make a small project in a new folder: a kernel, a strategy, a test with hypothesis, a benchmark, a wheel.

    Its README tells the rest. Example: [b]exo-strat new mykernels[/b]
    """
    with reporting():
        name = module_name(folder.resolve().name, "the name")
        if name in (*TOOLS, *(Path(t.stem).stem for t in TEMPLATES.glob("*.py.txt"))):
            raise UsageError(f"the name {name!r} is that of a module in the project, or of a tool: take another")
        if folder.exists():
            raise UsageError(f"{folder} is there already: give another name, or remove it")
        if not folder.absolute().parent.is_dir():
            raise UsageError(f"{folder} can't be made: there is no folder {folder.parent}")
        _write(folder, name)
    python = _python()
    typer.echo(f"made {folder}: a kernel, a strategy, a test, a benchmark, and a README that tells more. Try:")
    typer.echo(f"  cd {shlex.quote(str(folder))}")
    typer.echo(f"  make test{python}")
    typer.echo(f"  make bench{python}")


def _write(folder: Path, name: str) -> None:
    """Write the project; nobody sees it half made."""
    scratch = Path(tempfile.mkdtemp(dir=folder.absolute().parent, prefix=".exo-strat-"))
    try:
        made = scratch / name
        for template in sorted(TEMPLATES.glob("*.txt")):
            file = made / PLACES.get(template.stem, template.stem)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(template.read_text().replace("@NAME@", name))
        os.replace(made, folder)
    finally:
        shutil.rmtree(scratch)


def _python() -> str:
    """What to say to make, if `python3` is another Python than this one."""
    found = shutil.which("python3")
    if found is not None and Path(found).parent.resolve() == Path(sys.executable).parent.resolve():
        return ""
    return f" PYTHON={shlex.quote(sys.executable)}"
