"""Schedules that are kept on disk, so that another process need not find them again.

A file is only a memo: it says what it is made of, all of which is compared, and its texts are read by the front end, as
any program is: the procedure, and those that it calls. Instructions are taken from the machine. A file that is damaged,
of other code, of another plan or machine is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import platformdirs

import exo_strat
from exo_strat import FrontendError, Machine, Proc, proc_from_source, reparse_env

from ..externs import externs

PACKAGES = ("exo_strat", "strategies", "importers", "backends")
"""The packages whose code decides what a schedule is."""


def folder() -> Path:
    """Where schedules are kept: beside the compiled code."""
    chosen = os.environ.get("EXO_STRAT_CACHE_DIR")
    where = Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("exo_strat"))
    return where / "schedules"


@cache
def code() -> str:
    """A digest of the code that makes schedules."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        spec = find_spec(package)
        for root in spec.submodule_search_locations or () if spec is not None else ():
            for file in sorted(Path(root).rglob("*.py")):
                digest.update(f"{package} {file.relative_to(root)}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def parts(p: Proc, plan: str, machine: Machine) -> dict[str, str]:
    """What a schedule depends on: the procedure, the plan, the machine, and the code of all."""
    about = f"{machine} {machine.processor}"
    return {"procedure": str(p), "plan": plan, "machine": about, "version": version("exo-strat"), "code": code()}


def find(given: Mapping[str, str], machine: Machine) -> Proc | None:
    """The schedule that is kept for these parts, if there is one, and it is as it was."""
    try:
        found = json.loads(_file(given).read_text())
    except (OSError, ValueError, RuntimeError):
        return None
    if not isinstance(found, dict) or found.get("parts") != dict(given) or not isinstance(found.get("text"), str):
        return None
    text: str = found["text"]
    return read(text, machine) if found.get("sha256") == _digest(text) else None


def written(p: Proc, machine: Machine) -> str:
    """The texts of a procedure and of what it calls but the machine's instructions, each after those that it calls."""
    texts: list[dict[str, object]] = []
    at: dict[int, int] = {}
    known = set(map(id, names(machine).values()))

    def write(q: Proc) -> int:
        if id(q) not in at:
            called = {name: f for name, f in reparse_env(q.tree).items() if isinstance(f, Proc) and id(f) not in known}
            texts.append({"calls": {name: write(f) for name, f in called.items()}, "text": str(q)})
            at[id(q)] = len(texts) - 1
        return at[id(q)]

    write(p)
    return json.dumps(texts)


def read(text: str, machine: Machine) -> Proc | None:
    """The procedure that was `written`, if its texts are procedures and print as they are."""
    known = names(machine)
    made: list[Proc] = []
    for one in json.loads(text):
        try:
            p = proc_from_source(one["text"], known | {name: made[k] for name, k in one["calls"].items()})
        except FrontendError:
            return None
        if str(p) != one["text"]:
            return None
        made.append(p)
    return made[-1]


def names(machine: Machine) -> dict[str, object]:
    """What names in a text mean."""
    tables = (machine.instructions, machine.streams, machine.transposes)
    found: dict[str, object] = {i.name(): i for table in tables for some in table.values() for i in some}
    return found | dict(externs()) | dict(vars(exo_strat)) | {machine.mem_type.name: machine.mem_type}


def keep(given: Mapping[str, str], text: str) -> None:
    """Keep the text of a schedule. Nobody sees it half written; where nothing can be written, nothing is kept."""
    file = _file(given)
    about = json.dumps({"parts": dict(given), "text": text, "sha256": _digest(text)})
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as made:
            made.write(about)
        os.replace(made.name, file)
    except (OSError, RuntimeError):
        return


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _file(given: Mapping[str, str]) -> Path:
    return folder() / f"{_digest(json.dumps(dict(given), sort_keys=True))[:32]}.json"
