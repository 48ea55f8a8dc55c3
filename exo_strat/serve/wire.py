"""Lines of JSON, in and out: what a client sends may be anything."""

from __future__ import annotations

import json
import math
import os
import reprlib
from collections.abc import Iterator
from typing import Any, Final

from .faults import Fault

LONGEST: Final = 1 << 24
"""Bytes of the longest line that is read: 16 MiB."""
DEEPEST: Final = 64
"""How deep lists and objects of a request may be nested."""
CHUNK: Final = 1 << 16


class Lines:
    """The lines of a file descriptor, as they come. A line that is too long is passed over, and is None."""

    def __init__(self, fd: int, longest: int = LONGEST) -> None:
        self.fd, self.longest = fd, longest

    def __iter__(self) -> Iterator[bytes | None]:
        held, too_long = bytearray(), False
        while chunk := os.read(self.fd, CHUNK):
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                held += end
                yield None if too_long or len(held) > self.longest else bytes(held)
                held, too_long = bytearray(), False
            held += rest
            if len(held) > self.longest:
                held, too_long = bytearray(), True
        if held or too_long:
            yield None if too_long else bytes(held)


def parsed(line: bytes) -> dict[str, Any]:
    """The object in a line. Raises `Fault` if there is none.

    >>> parsed(b'{"method": "quit"}')
    {'method': 'quit'}
    >>> parsed(b'{"n": NaN}')
    Traceback (most recent call last):
    exo_strat.serve.faults.Fault: bad_json: NaN is no number in JSON
    """
    try:
        found = json.loads(
            line.decode(), parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_each_key_once
        )
    except UnicodeDecodeError as e:
        raise Fault("bad_json", f"the line is no UTF-8, at byte {e.start}") from None
    except ValueError as e:
        raise Fault("bad_json", f"the line is no JSON: {e}") from None
    except RecursionError:
        raise Fault("too_deep", f"the line is nested deeper than {DEEPEST}") from None
    if not isinstance(found, dict):
        raise Fault("bad_json", 'a request is an object, as in {"id": 1, "method": "show"}')
    if _depth(found) > DEEPEST:
        raise Fault("too_deep", f"the line is nested deeper than {DEEPEST}")
    return found


def _no_number(text: str) -> float:
    raise Fault("bad_json", f"{text} is no number in JSON")


def _finite(text: str) -> float:
    x = float(text)
    if not math.isfinite(x):
        raise Fault("bad_json", f"{text} is too large for a number")
    return x


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Fault("bad_json", f"the key {reprlib.repr(key)} is said twice")
        found[key] = value
    return found


def _depth(value: object) -> int:
    """How deep lists and objects are nested."""
    level, depth = [value], 0
    while level := [x for v in level if isinstance(v, dict | list) for x in (v.values() if isinstance(v, dict) else v)]:
        depth += 1
    return depth


def line_of(answer: dict[str, Any]) -> bytes:
    """An answer as a line of ASCII. Raises `Fault` if it is nested too deeply."""
    try:
        return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except RecursionError:
        raise Fault("too_deep", "the answer would be nested too deeply") from None


def send(fd: int, line: bytes) -> None:
    """Write a whole line. Raises `BrokenPipeError` if nobody reads."""
    left = memoryview(line)
    while left:
        left = left[os.write(fd, left) :]
