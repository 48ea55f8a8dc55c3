"""Which examples of the pages are run, and whether the commands that they show exist.

What is run is what the tests run: their lists of pages and their patterns are read from the test modules themselves. A
block of Python that no test runs is an error, and so is a command that there isn't.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from types import ModuleType

import typer.main

from exo_strat.cli.commands import app

PYTHON = frozenset({"python", "py", "pycon"})
COMMANDS = frozenset({"sh"})
SHOWN = frozenset({"", "text", "c", "toml", "json"})
"""Languages of blocks that are read only: what is printed, and code that users write elsewhere."""

BLOCK = re.compile(r"^```(?P<language>[^\s`]*)(?P<rest>[^\n`]*)\n(?P<code>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?: {4}|\t)(?P<line>(?:exo-strat|make|python|pip) .*)$", re.MULTILINE)
JOINTS = frozenset({"|", "&&", "||", ";", ">", ">>", "<"})
IN_A_SHELL = frozenset({"cat", "cc", "cd", "grep", "head", "update-alternatives"})
"""Commands of any system."""


@dataclass(frozen=True)
class Runs:
    """The blocks that a test runs, or compares with a file that is run: those of its pages that a pattern finds, or the
    first of them."""

    pages: frozenset[str]
    pattern: re.Pattern[str]
    first_only: bool = False

    def begins(self, page: str, text: str) -> Iterator[int]:
        """Where the blocks of a page begin."""
        if page in self.pages:
            yield from islice((m.start() for m in self.pattern.finditer(text)), 1 if self.first_only else None)


MAKEFILES = ("Makefile", "exo_strat/cli/project/Makefile.txt", "examples/exo_blas/product/Makefile")
BLAS = ("examples/exo_blas/README.md", "examples/exo_blas/product/README.md")


def runs(root: Path) -> tuple[Runs, ...]:
    """What the tests run."""
    readme, sessions, target = (_test(root, name) for name in ("test_readme", "test_sessions", "test_new_target"))
    return (
        Runs(frozenset(readme.PAGES), readme.BLOCK),
        Runs(frozenset(sessions.PAGES), sessions.BLOCK),
        # test_new_target and test_new_primitive compare these with a file of examples/, test_reference with doctests
        Runs(frozenset({"docs/new-target.md", "docs/new-primitive.md", "docs/primitives.md"}), target.PIECE),
        # serve/test_page makes the session with a server
        Runs(frozenset({"docs/serve.md"}), re.compile(r"^```jsonl session$", re.MULTILINE)),
        # test_callers and test_numpy of exo_blas
        Runs(frozenset(BLAS[:1]), re.compile(r"^```python$", re.MULTILINE), first_only=True),
        Runs(frozenset(BLAS[1:]), re.compile(r"^```python$", re.MULTILINE)),
    )


def _test(root: Path, name: str) -> ModuleType:
    """A module of tests, which is no part of a package."""
    spec = spec_from_file_location(f"website_{name}", root / "tests" / f"{name}.py")
    assert spec is not None and spec.loader is not None, "a path to a Python file has a loader"
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def faults(page: str, text: str, run: Iterable[Runs], root: Path) -> Iterator[str]:
    """What is wrong with the examples of a page: each with its line."""
    begins = {start for r in run for start in r.begins(page, text)}
    for m in BLOCK.finditer(text):
        where = f"{page}:{text[: m.start()].count(chr(10)) + 1}"
        language = m["language"]
        if m.start() in begins:
            continue
        if language in PYTHON:
            yield f"{where}: no test runs this block of Python: add the page to the tests of tests/test_readme.py"
        elif language in COMMANDS:
            yield from (f"{where}: {fault}" for fault in command_faults(m["code"], root))
        elif language not in SHOWN:
            yield f"{where}: a block of {language!r}: website/examples.py says nothing of this language"
    without = BLOCK.sub(lambda m: "\n" * m[0].count("\n"), text)
    for m in INDENTED.finditer(without):
        where = f"{page}:{without[: m.start()].count(chr(10)) + 1}"
        yield from (f"{where}: {fault}" for fault in command_faults(m["line"], root))


def command_faults(code: str, root: Path) -> Iterator[str]:
    """What is wrong with commands, each on a line: a command, subcommand, option, module or target that doesn't exist.

    What follows after two spaces is a remark.

    >>> from website import ROOT
    >>> list(command_faults("exo-strat show x.py | head -n 3  # a comment", ROOT))
    []
    >>> list(command_faults("exo-strat shw x.py\\nmake deom", ROOT))
    ['exo-strat has no command shw', 'the Makefile has no target deom']
    """
    for line in code.replace("\\\n", " ").splitlines():
        said = re.sub(r"\s\[([^\]]*)\]", lambda m: " " + m[1].replace("|", " "), line)  # what may be left out
        words = shlex.shlex(re.split(r"\s{2,}", said.strip())[0], posix=True, punctuation_chars="|&;<>")
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ";"]:
            if word not in JOINTS:
                command.append(word)
                continue
            if command:
                yield from _faults_of(command, root)
            command = []


def _faults_of(words: list[str], root: Path) -> Iterator[str]:
    name, *rest = words
    if name == "exo-strat":
        yield from _own(rest)
    elif name == "make":
        targets = (t for t in rest if "=" not in t and not t.startswith("-"))
        yield from (f"the Makefile has no target {t}" for t in targets if t not in _targets(root))
    elif name == "python":
        yield from _python(rest, root)
    elif name == "pip":
        yield from _extras(rest, root)
    elif name not in IN_A_SHELL and not name.startswith("./"):
        yield f"{name} is no command that website/examples.py knows"


def _own(rest: list[str]) -> Iterator[str]:
    group = typer.main.get_command(app)
    commands: Mapping[str, object] = getattr(group, "commands", {})
    if not rest or (rest[0] not in commands and rest[0] not in ("--version", "--help", "-h")):
        yield f"exo-strat has no command {rest[0] if rest else ''}"
        return
    known = {"--help", "-h"}
    for param in getattr(commands.get(rest[0]), "params", ()):
        known |= {*param.opts, *param.secondary_opts}
    given = (word.partition("=")[0] for word in rest[1:])
    yield from (f"exo-strat {rest[0]} has no option {o}" for o in given if re.match(r"--?[a-z]", o) and o not in known)


def _targets(root: Path) -> frozenset[str]:
    """What `make` knows here, in a project that `exo-strat new` makes, and in the distribution of the BLAS."""
    texts = ((root / name).read_text(encoding="utf-8") for name in MAKEFILES)
    return frozenset(target for text in texts for target in re.findall(r"^([a-z-]+):", text, re.MULTILINE))


def _python(rest: list[str], root: Path) -> Iterator[str]:
    if rest[:1] == ["-m"]:
        module = rest[1]
        if find_spec(module.partition(".")[0]) is None or find_spec(module) is None:
            yield f"there is no module {module}"
    elif rest and "/" in rest[0] and not (root / rest[0]).is_file():
        yield f"there is no file {rest[0]}"


def _extras(rest: list[str], root: Path) -> Iterator[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in re.findall(r"exo-strat\[([\w,-]+)\]", " ".join(rest)):
        missing = {*extra.split(",")} - {*project["optional-dependencies"]}
        yield from (f"exo-strat has no extra {name}" for name in sorted(missing))
