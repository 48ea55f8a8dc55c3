"""The loop of the protocol: a line in, a line out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from traceback import extract_tb
from typing import Any, Final

from ..cursors.proc import InvalidCursorError
from ..frontend.errors import FrontendError
from ..plugins import PluginError
from .faults import Fault
from .opening import Files
from .requests import METHODS, PROTOCOL, QUIT, Surroundings, package_version
from .schema import check
from .session import Session
from .stopping import Stopped, Stopper
from .wire import Lines, line_of, parsed, send

GREETING: Final = "exo-strat serve-json"
Json = dict[str, Any]


def greeting() -> Json:
    """The first line that a server writes."""
    return {"greeting": GREETING, "protocol": PROTOCOL, "version": package_version(), "methods": list(METHODS)}


def serve(files: Files) -> None:
    """Answer the requests on standard input until it ends, or `quit`. What code of the user's prints goes to standard
    error, and what it reads is empty."""
    stopper = Stopper()
    stopper.install()
    with private_streams() as (source, out):
        server = Server(Surroundings(files), stopper)
        try:
            send(out, line_of(greeting()))
            for line in Lines(source):
                if line is not None and not line.strip():
                    continue
                send(out, server.answer(line))
                if server.ended:
                    break
        except BrokenPipeError:
            return  # nobody reads any more


@contextmanager
def private_streams() -> Iterator[tuple[int, int]]:
    """The descriptors of standard input and output, for the protocol alone: the usual ones are the null device, and
    standard error."""
    sys.stdout.flush()
    source, out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield source, out
    finally:
        sys.stdout.flush()
        os.dup2(source, 0)
        os.dup2(out, 1)
        for fd in (source, out, nothing):
            os.close(fd)


@dataclass
class Server:
    """A session, and what answers for it. Each request is done wholly, or changes nothing."""

    around: Surroundings
    stopper: Stopper
    session: Session = field(default_factory=Session)
    ended: bool = False

    def answer(self, line: bytes | None) -> bytes:
        """The answer to a line; None stands for one that is too long."""
        known: Json = {"id": None}
        try:
            session, answer = self._done(line, known)
            told = line_of({**known, "result": answer})
        except Fault as e:
            return line_of({**known, "error": e.answer()})
        self.session = session
        return told

    def _done(self, line: bytes | None, known: Json) -> tuple[Session, Json]:
        """The session after a request, and the result. `known` gets the id, as soon as there is one."""
        if line is None:
            raise Fault("too_long", "the line is too long, and was passed over")
        request = parsed(line)
        if isinstance(request.get("id"), str | int | None) and not isinstance(request.get("id"), bool):
            known["id"] = request.get("id")
        check(request, "request", "request", "bad_request")
        name, params = request["method"], request.get("params", {})
        method = METHODS.get(name)
        if method is None:
            raise Fault("unknown_method", f"there is no method {name!r}; there are {', '.join(METHODS)}")
        check(params, f"{name}.params", "params")
        try:
            with self.stopper.stoppable(request.get("limit")), _told():
                made = method(self.session, params, self.around)
        except Stopped as e:
            raise _stopped(e, request.get("limit")) from None
        self.ended = name == QUIT
        return made


def _stopped(e: Stopped, limit: float | None) -> Fault:
    if str(e) == "timeout":
        return Fault("timeout", f"the request took longer than {limit:g} s, and changed nothing")
    return Fault("interrupted", "the request was interrupted, and changed nothing")


@contextmanager
def _told() -> Iterator[None]:
    """Whatever a request raises is told as a `Fault`: the session must outlive mistakes of this program, too."""
    try:
        yield
    except Fault:
        raise
    except SystemExit as e:
        raise Fault("bad_file", f"code on the way ends the program, by exit({e.code!r})") from None
    except PluginError as e:
        raise Fault("no_plugin", str(e)) from None
    except InvalidCursorError as e:
        raise Fault("unknown_cursor", str(e)) from None
    except FrontendError as e:
        raise Fault("bad_object_code", str(e)) from None
    except RecursionError as e:
        raise Fault("too_deep", f"the program is nested too deeply: {e}") from None
    except MemoryError:
        raise Fault("out_of_memory", "the request took more memory than there is, and changed nothing") from None
    except Exception as e:  # a session of hours isn't lost for it: a client gets the error, and what to report
        frames = extract_tb(e.__traceback__)
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        raise Fault("internal", f"{type(e).__name__}: {e}; please report this as a bug", where=where) from e
