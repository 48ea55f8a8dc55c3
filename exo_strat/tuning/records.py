"""Records: which values of a strategy's holes were measured on which program, where, and how fast it was.

A file of records has one in each line, as JSON. Lines are only ever appended. A record is applied by running the
strategy with its values: so all rewrites are proved again, and a record can make a program slow, never wrong.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from math import isfinite
from pathlib import Path
from sys import float_info
from typing import Any, Final
from warnings import warn

import platformdirs

from ..cursors.proc import Proc
from ..machine import Machine, Pipes
from ..ops.holes import Told
from ..ops.strategy import Op, freeze
from ..source import Pieces, brief, call, show
from .keys import machine_key, program_key, strategy_key, version
from .search import Tried

FORMAT: Final = 1
"""How lines are written. One that is written in another way is skipped."""
FOLDER_VARIABLE: Final = "EXO_STRAT_DATA_DIR"
LONGEST: Final = float_info.max
"""The longest time that a line may tell: larger integers are no floating-point numbers."""

Values = tuple[tuple[str, Any], ...]
Sizes = tuple[tuple[str, int], ...]
Numbers = tuple[tuple[str, str], ...]


class RecordWarning(UserWarning):
    """A line of a file of records that was skipped."""


@dataclass(frozen=True, repr=False)
class Setting:
    """Where a time holds: a machine, by name and key; the C compiler with its version; its flags. See `setting`. The
    key tells machines apart; the machine's `numbers`, by name, are for `differences` to say where they do."""

    machine: str = ""
    machine_key: str = ""
    compiler: str = ""
    flags: tuple[str, ...] = ()
    numbers: Numbers = field(default=(), compare=False)

    def source(self) -> Pieces:
        return call("Setting", *(getattr(self, f.name) for f in fields(self) if f.compare))

    def __repr__(self) -> str:
        return show(self)

    def __str__(self) -> str:
        return (
            f"{self.machine or 'no machine'}, {' '.join(filter(None, (self.compiler, *self.flags))) or 'no compiler'}"
        )


NOWHERE: Final = Setting()
"""The setting of what is measured on no machine in particular, by a model for example."""


def setting(machine: Machine | None = None, compiler: str = "", flags: Sequence[str] = ()) -> Setting:
    """Where measurements are made: the machine that a program is made for, with all its numbers; a text that tells the
    C compiler and its version, such as the first line of `cc --version`; and its flags.

    >>> setting(compiler="gcc 12.2.0", flags=["-O3"])
    Setting('', '', 'gcc 12.2.0', ('-O3',))
    """
    if machine is None:
        return Setting("", "", compiler, tuple(flags))
    return Setting(machine.name, machine_key(machine), compiler, tuple(flags), _numbers(machine))


def _numbers(machine: Machine) -> Numbers:
    """The numbers of a machine in words, each with its name."""
    p = machine.processor
    found: dict[str, object] = {"registers": machine.registers, "processor": p.name}
    for n, level in enumerate(p.caches, 1):
        found |= {f"L{n} cache's {f.name}": getattr(level, f.name) for f in fields(level)}
    found |= {f.name: getattr(p, f.name) for f in fields(p) if f.name not in ("name", "caches")}
    return tuple((name, f"{n.count} of {n.bits} bits" if isinstance(n, Pipes) else str(n)) for name, n in found.items())


def differences(there: Setting, here: Setting) -> tuple[str, ...]:
    """In words, what of one setting, that of records, is another one here.

    >>> differences(setting(compiler="gcc 12", flags=["-O3"]), setting(compiler="gcc 13", flags=["-O3"]))
    ('compiler: gcc 12 there, gcc 13 here',)
    """
    one, two = dict(there.numbers), dict(here.numbers)
    parts = [("machine", there.machine, here.machine), ("compiler", there.compiler, here.compiler)]
    parts += [(name, one.get(name, ""), two.get(name, "")) for name in one | two if one and two]
    parts.append(("flags", _without(there.flags, here.flags), _without(here.flags, there.flags)))
    told = tuple(f"{name}: {a or 'none'} there, {b or 'none'} here" for name, a, b in parts if a != b)
    return told or (UNTOLD,) * (there != here)


UNTOLD: Final = "its instructions, the order of its flags, or a number that was not kept"
"""What differs where nothing is found that does: a setting tells instructions by its key only."""


def _without(flags: Sequence[str], others: Sequence[str]) -> str:
    return " ".join(f for f in flags if f not in others)


@dataclass(frozen=True, repr=False)
class Record:
    """A measurement: a program and a strategy, by text and key; where it was made; the sizes that the program was
    called with; the values of the strategy's holes, by full name; the median `seconds` of a call, and the distance of
    the quartiles; the date, as in ISO 8601; the version of exo_strat."""

    program: str
    program_key: str
    strategy: str
    strategy_key: str
    setting: Setting
    sizes: Sizes
    values: Values
    seconds: float
    spread: float
    date: str
    version: str

    def source(self) -> Pieces:
        return call("Record", *(getattr(self, f.name) for f in fields(self)))

    def __repr__(self) -> str:
        return show(self)

    def fits(self, strategy_key: str, setting: Setting) -> bool:
        """Whether it tells of this strategy in this setting, measured by this version of exo_strat."""
        return (self.strategy_key, self.setting, self.version) == (strategy_key, setting, version())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return Records((self,))._repr_html_()


class Records(tuple[Record, ...]):
    """Records, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .html import records_html

        return records_html(self)


def recorded(op: Op, p: Proc, tried: Iterable[Tried], setting: Setting, sizes: Mapping[str, int], date: str) -> Records:
    """Records of those of some candidates that were measured: of a strategy, on a program that was called with these
    sizes. `date` is as in ISO 8601.

    >>> from exo_strat import hole, proc_from_source, rename
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> tried = Tried({}, {"name": "fast"}, "measured", 1e-6, 1e-8)
    >>> (found,) = recorded(rename(hole("name", ("fast", "slow"))), p, [tried], setting(), {}, "2026-11-24")
    >>> found.program, found.values, found.seconds
    ('foo', (('name', 'fast'),), 1e-06)
    """
    return Records(recorder(op, p, setting, sizes, date)(tried))


def recorder(
    op: Op, p: Proc, setting: Setting, sizes: Mapping[str, int], date: str
) -> Callable[[Iterable[Tried]], tuple[Record, ...]]:
    """What makes records of candidates, as `recorded` does: while a search goes on, as keys are made once.

    Raises `NoKeyError` if the program or the strategy has no key."""
    head = (p.name(), program_key(p), show(op), strategy_key(op), setting, _sorted(sizes))

    def made(tried: Iterable[Tried]) -> tuple[Record, ...]:
        measured = [t for t in tried if t.status == "measured" and t.seconds is not None]
        return tuple(
            Record(*head, _sorted(t.decisions), float(t.seconds or 0), float(t.spread or 0), date, version())
            for t in measured
        )

    return made


def _sorted(items: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _kept(freeze(value))) for name, value in sorted(items.items()))


def _kept(value: Any) -> Any:
    """A value as a record has it: a number, a truth value, a text, nothing, a tuple of such; any other by its text."""
    if isinstance(value, tuple):
        return tuple(map(_kept, value))
    plain = value is None or type(value) in (bool, int, str) or (type(value) is float and isfinite(value))
    return value if plain or isinstance(value, Told) else Told(show(value))


# -- files --------------------------------------------------------------------------------------------


def records_file() -> Path:
    """The file of records of this user: `records.jsonl` in the folder that `EXO_STRAT_DATA_DIR` names, or else in that
    for the data of programs."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen or platformdirs.user_data_dir("exo_strat"), "records.jsonl")


def append(records: Iterable[Record], path: Path | str | None = None) -> None:
    """Append records to a file, which is made if it is missing, with its folder; by default to the user's.

    All lines are written at once, and by one process at a time; a line that another one left unfinished stays alone.
    """
    lines = "".join(map(_line, records)).encode()
    where = records_file() if path is None else Path(path)
    where.parent.mkdir(parents=True, exist_ok=True)
    to = os.open(where, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        fcntl.flock(to, fcntl.LOCK_EX)
        size = os.fstat(to).st_size
        if lines and size and os.pread(to, 1, size - 1) != b"\n":
            lines = b"\n" + lines
        while lines:  # a disk that is full takes a part; what is left raises the error
            lines = lines[os.write(to, lines) :]
    finally:
        os.close(to)


def read(path: Path | str | None = None) -> Records:
    """The records of a file, in its order; by default of the user's. There are none where there is no file.

    A line that is no record, was truncated or edited, or is of another format, is skipped with a `RecordWarning` that
    names the file and the line; of several there is one warning, with their number and the first of them.
    """
    where = records_file() if path is None else Path(path)
    try:
        with where.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # nobody is about to append
            text = file.read()
    except FileNotFoundError:
        return Records()
    found, skipped = list[Record](), list[str]()
    for n, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            try:
                found.append(_record(line))
            except ValueError as e:
                skipped.append(f"line {n}, is skipped: {e}")
    if skipped:
        left = len(skipped) - 1
        more = (f" So are {left} further lines." if left > 1 else " So is 1 further line.") if left else ""
        warn(f"{where}, {skipped[0]}{'.' * bool(more)}{more}", RecordWarning, stacklevel=2)
    return Records(found)


# -- lines --------------------------------------------------------------------------------------------


def _line(record: Record) -> str:
    content = {"format": FORMAT, **_written(record)}
    return _dumped({**content, "check": _check(content)}) + "\n"


def _written(record: Record) -> dict[str, Any]:
    made = {f.name: getattr(record, f.name) for f in fields(record)}
    where = {f.name: getattr(record.setting, f.name) for f in fields(record.setting)}
    where["numbers"] = dict(record.setting.numbers)
    values = {name: _json(value) for name, value in record.values}
    return {**made, "setting": where, "sizes": dict(record.sizes), "values": values}


def _dumped(value: object) -> str:
    return json.dumps(value, separators=(", ", ": "), allow_nan=False)


def _check(content: Mapping[str, Any]) -> str:
    """A hash of a line, by which one that was edited or truncated is known."""
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _json(value: Any) -> Any:
    if isinstance(value, Told):
        return {"told": value.text}
    return list(map(_json, value)) if isinstance(value, tuple) else value


def _record(line: bytes) -> Record:
    """The record that a line says. Raises `ValueError` if it says none."""
    try:
        content = json.loads(line.decode())
    except RecursionError:
        raise ValueError("it is nested too deeply for a record") from None
    except ValueError as e:
        raise ValueError(f"it is truncated, or no JSON ({brief(str(e))})") from None
    if not isinstance(content, dict) or "format" not in content:
        raise ValueError("it is no record")
    if content["format"] != FORMAT:
        raise ValueError(f"it is of format {brief(str(content['format']))}; this version of exo_strat reads {FORMAT}")
    given = content.pop("check", None)
    if given != _check(content):
        raise ValueError("it was edited, or is damaged: its check says otherwise")
    del content["format"]
    if set(content) != {f.name for f in fields(Record)}:
        raise ValueError("it has not the fields of a record")
    texts = {name: _of(content, name, str, "a text") for name in _TEXTS}
    sizes = tuple((n, _size(n, v)) for n, v in sorted(_of(content, "sizes", dict, "an object").items()))
    values = tuple((n, _value(v)) for n, v in sorted(_of(content, "values", dict, "an object").items()))
    where = _setting(_of(content, "setting", dict, "an object"))
    seconds, spread = (_time(content, name) for name in ("seconds", "spread"))
    return Record(**texts, sizes=sizes, values=values, setting=where, seconds=seconds, spread=spread)


_TEXTS: Final = ("program", "program_key", "strategy", "strategy_key", "date", "version")


def _of(content: Mapping[str, Any], name: str, kind: Callable[..., Any], what: str) -> Any:
    value = content.get(name)
    if type(value) is not kind:
        raise ValueError(f"its {name} is {brief(repr(value))}, expected {what}")
    return value


def _time(content: Mapping[str, Any], name: str) -> float:
    value = content[name]
    if type(value) not in (int, float) or not 0 <= value <= LONGEST:
        raise ValueError(f"its {name} is {brief(repr(value))}, expected a time")
    return float(value)


def _size(name: str, value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"the size {brief(name)} is {brief(repr(value))}, expected an integer")
    return value


def _value(value: Any) -> Any:
    """A value of a hole, less what JSON makes of it."""
    if isinstance(value, list):
        return tuple(map(_value, value))
    if isinstance(value, dict):
        if len(value) != 1 or type(value.get("told")) is not str:
            raise ValueError(f"{brief(repr(value))} is no value of a hole")
        return Told(value["told"])
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is no value of a hole")
    return value


def _setting(content: Mapping[str, Any]) -> Setting:
    """A setting. Records of earlier versions tell no numbers."""
    told = {"numbers": {}, **content}
    if set(told) != {f.name for f in fields(Setting)} or type(told["flags"]) is not list:
        raise ValueError("its setting has not the fields of one")
    numbers = _of(told, "numbers", dict, "an object")
    if any(type(x) is not str for x in (*told["flags"], *numbers.values())):
        raise ValueError("a flag or a number of its setting is no text")
    machine, key, compiler = (_of(told, name, str, "a text") for name in ("machine", "machine_key", "compiler"))
    return Setting(machine, key, compiler, tuple(told["flags"]), tuple(numbers.items()))
