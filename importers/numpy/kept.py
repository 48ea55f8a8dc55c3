"""Schedules that are kept on disk, so that another process need not find them again.

A file is only a memo: it says what it is made of, all of which is compared, and its text is read by the front end, as
any program is. One that is damaged, of other code or of another plan is made anew.
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
from exo_strat import FrontendError, Proc, proc_from_source

from ..externs import externs

PACKAGES = ("exo_strat", "strategies", "importers")
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


def parts(p: Proc, plan: str) -> dict[str, str]:
    """What a schedule depends on: the procedure, the plan, and the code of both."""
    return {"procedure": str(p), "plan": plan, "version": version("exo-strat"), "code": code()}


def find(given: Mapping[str, str]) -> Proc | None:
    """The schedule that is kept for these parts, if there is one, and it is as it was."""
    try:
        found = json.loads(_file(given).read_text())
    except (OSError, ValueError, RuntimeError):
        return None
    if not isinstance(found, dict) or found.get("parts") != dict(given) or not isinstance(found.get("text"), str):
        return None
    text: str = found["text"]
    return read(text) if found.get("sha256") == _digest(text) else None


def read(text: str) -> Proc | None:
    """The procedure of a text, if it is one and prints as it."""
    try:
        p = proc_from_source(text, dict(externs()) | dict(vars(exo_strat)))
    except FrontendError:
        return None
    return p if str(p) == text else None


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
