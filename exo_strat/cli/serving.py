"""`exo-strat serve-json`: what the command line knows of files and targets, for `exo_strat.serve`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..cursors.proc import Proc
from ..machine import Machine
from ..ops.strategy import Op
from ..plugins import PluginError
from ..serve import Source, serve
from ..serve.faults import Fault
from .files import FileError, importable, package_root, read, split_proc
from .files import Source as FileSource
from .messages import reporting
from .targets import Target, TargetError, runnable


class CommandFiles:
    """Files and targets as the command line finds them; what is wrong with them is a `Fault`."""

    def split(self, where: str) -> tuple[Path, str]:
        with _told():
            return split_proc(where)

    def read(self, path: Path) -> Source:
        with _told():
            return read(path)

    def proc(self, source: Source, name: str, machine: Machine) -> Proc:
        with _told():
            return source.proc(name, machine)

    def op(self, source: Source, expression: str, machine: Machine) -> Op:
        with _told():
            return source.op(expression, machine)

    @contextmanager
    def running(self, source: Source) -> Iterator[None]:
        assert isinstance(source, FileSource)
        with _told(), source.running():
            yield

    def imports(self, path: Path, name: str, folder: Path) -> tuple[str, str]:
        with _told():
            there = os.path.relpath(package_root(path), folder.resolve())
            return ("" if there == "." else there), f"from {importable(path)} import {name}"

    def target(self, name: str | None) -> Target:
        try:
            return runnable(name)
        except (TargetError, PluginError) as e:
            raise Fault("unknown_target", str(e)) from None


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except FileError as e:
        raise Fault("bad_file", str(e)) from None
    except OSError as e:
        raise Fault("bad_file", f"{e.filename}: {e.strerror}") from None


def serve_command() -> None:
    """Answer requests of a program that steers schedules: lines of JSON over standard input and output.

    The first line tells the version of the protocol. docs/serve.md and the method `schema` say what may be asked.

    Example: [b]echo '{"method": "open", "params": {"file": "gemm.py:sgemm"}}' | exo-strat serve-json[/b]
    """
    with reporting():
        serve(CommandFiles())
