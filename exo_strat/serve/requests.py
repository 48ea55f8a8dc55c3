"""The methods of the protocol: each makes an answer, and the next session, of a session and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..cursors.cursor import Cursor
from ..cursors.kinds import CallCursor
from ..cursors.proc import InvalidCursorError
from ..ops.explain import line_of
from ..ops.spaces import space
from ..source import brief, show
from .actions import as_json
from .comparing import compared
from .faults import Fault, succeeded
from .measuring import LIMIT, MODEL, Measures, costs
from .naming import Names
from .offers import Wanted, catalogue, offers, places
from .opening import Files, Source, from_text
from .places import ROOT, kind, spelled
from .saving import saved
from .schema import schema
from .session import Session, Version
from .showing import shown

PROTOCOL: Final = 1
"""The version of the protocol. Another one, where a client that knew the old one could go wrong."""
PARTS_OPENED: Final = ("lines", "args")
"""The parts of a version that are shown when it is opened."""

Json: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Surroundings:
    """What a session is in: files and targets, and measures, which remember what they measured."""

    files: Files
    measures: Measures = field(default_factory=Measures)


Method: TypeAlias = Callable[[Session, Json, Surroundings], tuple[Session, Answer]]


def package_version() -> str:
    """The version of the package."""
    try:
        return installed("exo-strat")
    except PackageNotFoundError:
        return "not installed"


def hello(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """Whether client and server speak one version of the protocol."""
    if params["protocol"] != PROTOCOL:
        raise Fault("wrong_protocol", f"this is protocol {PROTOCOL}, not {params['protocol']}", protocol=PROTOCOL)
    return s, {"protocol": PROTOCOL, "version": package_version(), "target": around.files.target(None).name}


def the_schema(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """The JSON Schema of all this."""
    return s, {"schema": dict(schema())}


def ops(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """All Ops that can be named, with what they take."""
    v = s.version(params.get("version")) if s.current or "version" in params else None
    names = Names(around.files, around.files.target(None)) if v is None else v.names
    return s, {"ops": catalogue(names, params.get("modules", []))}


def open_(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """A procedure of a file, of a text, or one that is called."""
    if sum(way in params for way in ("file", "text", "call")) != 1:
        raise Fault("bad_params", "params: one of file, text and call is needed", where="params")
    if "call" in params:
        return _shown(_called(s, params))
    if "version" in params:
        raise Fault("bad_params", "params.version: it is that in which call is a place", where="params.version")
    target = around.files.target(params.get("target"))
    if "text" in params:
        return _shown(s.with_version(from_text(params["text"]), Names(around.files, target)))
    path, name = around.files.split(params["file"])
    text = path.read_bytes() if path.is_file() else b""
    source = _known(s, path, text) or around.files.read(path)
    p = around.files.proc(source, name, target.machine)
    return _shown(s.with_version(p, Names(around.files, target, source, text)))


def _shown(s: Session) -> tuple[Session, Answer]:
    return s, shown(s.version(), list(PARTS_OPENED))


def _called(s: Session, params: Json) -> Session:
    """What a call of a version calls: a version of it may be exchanged for it by `call_eqv`."""
    if "target" in params:
        raise Fault("bad_params", "params.target: it is that of the version with the call", where="params.target")
    v = s.version(params.get("version"))
    c = s.reading(v).cursor(params["call"])
    if not isinstance(c, CallCursor):
        raise Fault("unknown_cursor", f"{spelled(c)} is {kind(c)}, no call")
    return s.with_version(c.subproc(), v.names)


def _known(s: Session, path: Path, text: bytes) -> Source | None:
    """A file that is open, unless it was changed since: its procedures stay of one origin."""
    names = (v.names for v in s.versions.values())
    same = (n.source for n in names if n.source is not None and n.source.path == path and n.text == text)
    return next(same, None)


def show_(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """A version, with the parts that are asked for."""
    return s, shown(s.version(params.get("version")), params.get("parts", ["lines"]))


def offers_(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """What may be applied."""
    v = s.version(params.get("version"))
    reading = s.reading(v)
    wanted = Wanted(
        ops=frozenset(params.get("ops", ())),
        modules=tuple(params.get("modules", ())),
        factors=tuple(params.get("factors", ())),
        cost=costs(v, params["predict"]) if "predict" in params else None,
        **{k: params[k] for k in PLAIN if k in params},
    )
    whole = "cursor" not in params
    at = reading.cursor(params.get("cursor", ROOT))
    return s, {"version": v.id, **offers(reading, places(at, params.get("below", whole)), wanted)}


PLAIN: Final = ("all_values", "unchanged", "refused", "sample", "first", "most", "seconds")


def apply(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """A version made by an action."""
    v = s.version(params.get("version"))
    after, focus = applied(s, v, params["action"])
    new = after.version()
    made = new.proc.history()[len(v.proc.history()) :]
    return after, {
        "version": new.id,
        "key": new.key,
        "text": new.text,
        "focus": spelled(focus),
        "changed": new.key != v.key,
        "same_values": new.proc.origin is v.proc.origin,
        "rewrites": [brief(show(op)) for op in made],
    }


def applied(s: Session, v: Version, action: Json) -> tuple[Session, Cursor]:
    """The session with the version that an action makes, and where the action leads."""
    reading = s.reading(v)
    op, place = reading.action(action)
    with v.names.applying(action["op"]):
        outcome = op(v.proc, place)
    p, focus = succeeded(outcome)
    args = {name: _plain(x, reading.cursor) for name, x in action.get("args", {}).items()}
    filled = {"fill": action["fill"]} if "fill" in action else {}
    plain = {"op": action["op"], "args": args, **filled, "at": spelled(place)}
    return s.with_version(p, v.names, parent=v.id, action=plain, text=brief(show(op))), focus


def _plain(value: Any, cursor: Callable[[Any], Cursor]) -> Any:
    """An argument in which all places are paths, so that it means the same in another session."""
    if isinstance(value, list):
        return [_plain(x, cursor) for x in value]
    if not isinstance(value, dict):
        return value
    if "cursor" in value:
        return {"cursor": spelled(cursor(value["cursor"]))}
    return {k: _plain(x, cursor) for k, x in value.items()}


def the_space(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """The holes of a strategy at a place: what `fill` of an action may give values."""
    v, name = s.version(params.get("version")), params["action"]["op"]
    op, place = s.reading(v).action(params["action"])
    with v.names.applying(name):
        try:
            found = space(op, v.proc, place)
        except ValueError as e:
            raise Fault("bad_arguments", f"{name}: {e}") from None
    rows = [(c.name, [as_json(x) for x in c.candidates], as_json(c.default)) for c in found.choices]
    return s, {"holes": [{"name": n, "candidates": xs, "default": d} for n, xs, d in rows]}


def replay(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """Versions made by several actions, one after the other: all of them, or none."""
    v, made = s.version(params.get("version")), list[str]()
    for step, action in enumerate(params["actions"]):
        try:
            s, _ = applied(s, v, action)
        except Fault as e:
            raise Fault(e.code, f"actions[{step}]: {e.message}", **e.data, step=step) from None
        v = s.version()
        made.append(v.id)
    return s.going(v), {"version": v.id, "versions": made, "key": v.key}


def undo(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """The version from which the current one was made, or one before."""
    v, steps = s.version(), params.get("steps", 1)
    line = s.line(v)
    if steps >= len(line):
        raise Fault("no_version", f"there are {len(line) - 1} steps before {v.id}, not {steps}")
    return go(s, {"version": line[-1 - steps].id}, around)


def go(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """Any version becomes the current one."""
    v = s.version(params["version"])
    return s.going(v), v.told()


def versions(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """All versions."""
    return s, {"current": s.current, "versions": s.told()}


def path(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """The actions that made a version."""
    line = s.line(s.version(params.get("version")))
    before = len(line[0].proc.history())
    rewrites = [brief(show(op)) for op in line[-1].proc.history()[before:]]
    actions = [dict(v.action) for v in line if v.action is not None]
    return s, {"versions": [v.id for v in line], "actions": actions, "rewrites": rewrites}


def forget(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """Versions, and all that were made from them, are given up: a long search has room for others."""
    names = {s.version(name).id for name in params["versions"]}
    s, gone = s.without(names)
    return s, {"current": s.current, "forgotten": gone}


def forward(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """Where a place of a version is in a later one."""
    v, to = s.version(params["version"]), s.version(params.get("to"))
    try:
        now = to.proc.forward(s.reading(v).cursor(params["cursor"]))
    except InvalidCursorError as e:
        raise Fault("unknown_cursor", str(e)) from None
    if not now.is_valid:
        return s, {"at": None, "line": ""}
    return s, {"at": spelled(now), "line": line_of(to.proc, now.place())}


def compare(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """Two versions side by side: what became of `with` in `version`."""
    return s, compared(s.version(params["with"]).proc, s.version(params.get("version")).proc)


def predict(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """What a model says of versions."""
    chosen = [s.version(name) for name in params.get("versions", [None])]
    found = [{"version": v.id, "cost": costs(v, params["sizes"])(v.proc)} for v in chosen]
    return s, {"model": MODEL, "costs": found}


def measure(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """What versions take on this machine, with random arguments."""
    chosen = [s.version(name) for name in params.get("versions", [None])]
    seed, limit = params.get("seed", 0), float(params.get("seconds", LIMIT))
    times = around.measures.times(chosen, params["sizes"], seed, limit)
    return s, {"target": chosen[0].names.target.name, "times": times}


def save(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """The path to a version as a strategy in Python."""
    v = s.version(params.get("version"))
    try:
        folder = Path(params.get("folder", ".")).resolve()
    except (OSError, ValueError, RuntimeError) as e:
        raise Fault("bad_params", f"params.folder: {e}", where="params.folder") from None
    return s, saved(s, v, params.get("name", "plan"), folder)


def quit_(s: Session, params: Json, around: Surroundings) -> tuple[Session, Answer]:
    """The end."""
    return s, {}


METHODS: Final[Mapping[str, Method]] = {
    "hello": hello,
    "schema": the_schema,
    "ops": ops,
    "open": open_,
    "show": show_,
    "offers": offers_,
    "apply": apply,
    "space": the_space,
    "replay": replay,
    "undo": undo,
    "go": go,
    "versions": versions,
    "path": path,
    "forget": forget,
    "forward": forward,
    "compare": compare,
    "predict": predict,
    "measure": measure,
    "save": save,
    "quit": quit_,
}
"""What may be asked."""
QUIT: Final = "quit"
