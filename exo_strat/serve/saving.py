"""A path of actions as a strategy in a Python file."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from keyword import iskeyword
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from returns.result import Success

from ..cursors.proc import Proc
from ..ops.explain import line_of
from ..ops.strategy import Op
from ..source import layout
from ..source.places import place_source
from .actions import Reading
from .faults import Fault
from .naming import Names, Written, signature_of
from .opening import PUBLIC
from .session import Session, Version, key_of


def saved(session: Session, v: Version, name: str, folder: Path) -> dict[str, Any]:
    """The path to a version as the text of a file, which was run to see that it makes the very same tree.

    Raises `Fault` if something on the path has no name that a file could use."""
    if name in PUBLIC or iskeyword(name):
        raise Fault("bad_params", f"params.name: {name} means something else", where="params.name")
    path = session.line(v)
    text = written(session, path, name, folder)
    made = _run(text, name, path[0], folder)
    if made.tree != v.proc.tree:
        raise Fault("not_savable", "the saved strategy makes another program: please report this as a bug")
    return {"text": text, "steps": len(path) - 1, "key": key_of(made)}


def written(session: Session, path: Sequence[Version], name: str, folder: Path) -> str:
    """The file: one step for each action, at the place where it was applied."""
    steps, used = list[str](), list[Written]()
    for before, after in pairwise(path):
        assert after.action is not None
        writing = _Writing(session.reading(before), folder, used)
        steps += writing.step(after.action)
    body = "".join(f"    {line}\n" for step in steps or ["yield identity"] for line in step.splitlines())
    p = path[0].proc
    lines = sorted({line for w in used for line in w.lines})
    _check_apart(lines)
    if any(line.rpartition(" import ")[2] == name for line in lines):
        raise Fault("bad_params", f"params.name: {name} is on the path: take another name", where="params.name")
    imports = "".join(f"{line}\n" for line in lines)
    folders = sorted({f for w in used for f in w.folders})
    return (
        f'"""A strategy for {p.name()}, in {_many(len(path) - 1)}, as `exo-strat serve-json` saved it."""\n\n'
        f"from __future__ import annotations\n\n{_path_to(folders)}from exo_strat import *\n"
        f"{imports}\n\n"
        f"@strategy\ndef {name}(p: Proc, c: ProcCursor) -> Script:\n{body}"
    )


def _many(n: int) -> str:
    return f"{n} step{'' if n == 1 else 's'}"


def _path_to(folders: Sequence[str]) -> str:
    """Lines that put folders on the module path."""
    if not folders:
        return ""
    inserted = "".join(f"sys.path.insert(0, str(Path(__file__).parent / {f!r}))\n" for f in folders)
    return f"import sys\nfrom pathlib import Path\n\n{inserted}\n"


def _check_apart(lines: Sequence[str]) -> None:
    """Raises `Fault` where one name is imported from two modules."""
    names = [line.rpartition(" import ")[2] for line in lines]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise Fault("not_savable", f"{twice} of several modules is on the path, and a file can import one of them")


class _Writing:
    """Writes the actions at one version; what they name is added to a list."""

    def __init__(self, reading: Reading, folder: Path, used: list[Written]) -> None:
        self.reading, self.folder, self.used = reading, folder, used

    @property
    def names(self) -> Names:
        return self.reading.names

    @property
    def p(self) -> Proc:
        return self.reading.p

    def step(self, action: Mapping[str, Any]) -> Iterator[str]:
        """The lines that apply an action."""
        place = self.reading.cursor(action["at"])
        line = line_of(self.p, place.place())
        if line:
            yield f"# {line}"
        where, op = self.place(action["at"]), self.op(action["op"], action["args"])
        filled = ", ".join(f"{name!r}: {self.value(x)}" for name, x in action.get("fill", {}).items())
        op += f".fill({{{filled}}})" if "fill" in action else ""
        text = f"on({where}, {op})"
        yield f"p, c = yield {layout(text)}"

    def place(self, cursor: Any) -> str:
        """The navigation to a place, from `p`."""
        text = place_source(self.reading.cursor(cursor))
        return re.sub(rf"(?<![\w.]){self.p.name()}(?=\.(?:root|body|args)\(\))", "p", text)

    def op(self, name: str, args: Mapping[str, Any]) -> str:
        """A call that makes an Op."""
        maker = self.names.maker(name)
        called = self._use(self.names.written_maker(name, self.folder))
        if isinstance(maker, Op):
            return called
        return f"{called}({', '.join(self._arguments(signature_of(maker), args))})"

    def _arguments(self, signature: inspect.Signature, args: Mapping[str, Any]) -> Iterator[str]:
        positional = True
        for prm in signature.parameters.values():
            given = args.get(prm.name)
            if prm.name not in args:
                positional = False
            elif prm.kind is prm.VAR_POSITIONAL:
                yield from map(self.value, given or [])
            elif prm.kind is prm.VAR_KEYWORD:
                yield from (_named(k, self.value(x)) for k, x in (given or {}).items())
            elif positional and prm.kind is not prm.KEYWORD_ONLY:
                yield self.value(given)
            else:
                yield f"{prm.name}={self.value(given)}"

    def value(self, given: Any) -> str:
        """An argument."""
        if isinstance(given, list):
            return f"({', '.join(map(self.value, given))}{',' if len(given) == 1 else ''})"
        match given:
            case {"memory": name}:
                return self._use(self.names.written_memory(name, self.p, self.folder))
            case {"proc": name}:
                return self._use(self.names.written_proc(name, self.folder))
            case {"config": name}:
                return self._use(self.names.written_config(name, self.p, self.folder))
            case {"machine": None}:
                return self._use(self.names.written_machine())
            case {"cursor": cursor}:
                return self.place(cursor)
            case {"op": name}:
                return self.op(name, given.get("args", {}))
            case {"version": version}:
                raise Fault("not_savable", f"{version} is an argument on the path: a version has no name in a file")
        return repr(given)

    def _use(self, w: Written) -> str:
        self.used.append(w)
        return w.text


def _named(key: str, value: str) -> str:
    """An argument by its name, which may be any text where an Op takes any."""
    return f"{key}={value}" if key.isidentifier() and not iskeyword(key) else f"**{{{key!r}: {value}}}"


def _run(text: str, name: str, first: Version, folder: Path) -> Proc:
    """What the strategy of a file makes of a version. The modules beside the opened file are forgotten: they
    may change."""
    names = first.names
    modules, path = dict(sys.modules), list(sys.path)
    try:
        sys.path.insert(0, str(folder.resolve()))
        with TemporaryDirectory() as made:
            file = Path(made, "saved.py")
            # where the file will be, paths to others may be other ones
            file.write_text(text.replace("Path(__file__).parent", f"Path({str(folder.resolve())!r})"))
            source = names.files.read(file)
            op = names.files.op(source, name, names.machine)
            with names.files.running(source):
                outcome = op(first.proc)
    finally:
        for module in sys.modules.keys() - modules.keys():
            if names.source is not None and _is_beside(sys.modules[module], names.source.path):
                del sys.modules[module]
        sys.path[:] = path
    if not isinstance(outcome, Success):
        raise Fault("not_savable", f"the saved strategy is refused: {outcome.failure()}")
    p: Proc = outcome.unwrap()[0]
    return p


def _is_beside(module: ModuleType, path: Path) -> bool:
    """Whether a module is in the folder of a file."""
    there = getattr(module, "__file__", None)
    return isinstance(there, str) and Path(there).resolve().is_relative_to(path.resolve().parent)
