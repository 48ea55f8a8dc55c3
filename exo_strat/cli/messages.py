"""What the command line says: one message for each mistake, with the exit code; code, in colour on a terminal."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Never

import platformdirs
import typer
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Column

from ..audit import NoSecondSolverError, ReplayError
from ..plugins import PluginError
from ..tuning.keys import NoKeyError
from ..tuning.model_search import NoOptunaError
from ..tuning.records import RecordWarning
from ..tuning.tuned import SlowerWarning
from .files import FileError, RefusedImportError
from .targets import NotCompiledError, TargetError

INTERRUPTED: Final = 130
"""The exit code after a key was pressed to interrupt a command."""


class UsageError(ValueError):
    """What is asked for can't be."""


@contextmanager
def warned() -> Iterator[None]:
    """Turn warnings into messages."""

    def told(message: Warning | str, *_: object, **__: object) -> None:
        say(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", RecordWarning)
        warnings.simplefilter("always", SlowerWarning)
        warnings.showwarning = told
        yield


@contextmanager
def reporting() -> Iterator[None]:
    """Turn the user's mistakes into one message and an exit code."""
    try:
        yield
    except (FileError, TargetError, PluginError, NoSecondSolverError, NoKeyError, NoOptunaError, UsageError) as e:
        stop(str(e), 2)
    except (NotCompiledError, ReplayError, RefusedImportError) as e:
        stop(str(e), 1)
    except OSError as e:
        stop(_said(e), 2)
    except KeyboardInterrupt:
        stop("interrupted; nothing more is written", INTERRUPTED)


def _said(e: OSError) -> str:
    """What the system would not do, in words: where a file was to be made it names the obstacle."""
    match e:
        case FileExistsError():
            return f"{e.filename} is a file, and a folder is needed there: give another name"
        case NotADirectoryError():
            return f"{e.filename} can't be made: a part of this path is a file, not a folder"
        case IsADirectoryError():
            return f"{e.filename} is a folder, and a file is needed there: give another name"
        case FileNotFoundError() if e.filename and not (folder := Path(e.filename).parent).exists():
            return f"{e.filename} can't be made: there is no folder {folder}"
        case _:
            return f"{e.filename}: {e.strerror}" if e.filename else str(e)


def say(message: str) -> None:
    """A message beside what is printed."""
    Console(stderr=True).print(f"exo-strat: {message}", markup=False, highlight=False, soft_wrap=True)


def stop(message: str, code: int) -> Never:
    say(message)
    raise typer.Exit(code)


def columns(*heads: str) -> tuple[Column, ...]:
    """The columns of a table in which nothing is cut: what is too long goes on in the next line."""
    return tuple(Column(head, overflow="fold") for head in heads)


def how_to_compile(command: str, linked: str, printed: Path | None = None) -> None:
    """Say beside what is printed how to compile C, and what to link with. C that was `printed` is in no file yet: the
    command is that for one of this name."""
    typer.echo(f"{f'saved as {printed}, ' if printed else ''}compile with: {command}", err=True)
    if linked:
        typer.echo(f"link with: {linked}", err=True)


def cache() -> Path:
    """The folder for what the user did not give a place."""
    chosen = os.environ.get("EXO_STRAT_CACHE_DIR") or platformdirs.user_cache_dir("exo_strat")
    try:
        return Path(chosen).expanduser()
    except RuntimeError:
        stop(f"EXO_STRAT_CACHE_DIR is {chosen}, which is the home of nobody; set it to a writable folder", 2)


def print_python(code: str) -> None:
    """Print object code: highlighted on a terminal, else the bare text."""
    console = Console()
    if console.is_terminal:
        console.print(Syntax(code, "python", background_color="default", word_wrap=True))
    else:
        typer.echo(code)
