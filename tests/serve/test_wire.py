"""Lines: whatever comes is a line, an object or a fault."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.serve.faults import Fault
from exo_strat.serve.wire import CHUNK, DEEPEST, Lines, line_of, parsed, send


def lines_of(data: bytes, longest: int = 1 << 20) -> list[bytes | None]:
    def chunks() -> Iterator[bytes | None]:
        source, sink = os.pipe()
        try:
            if len(data) > 1 << 15:
                pid = os.fork()
                if not pid:
                    os.close(source)
                    send(sink, data)
                    os._exit(0)
                os.close(sink)
                yield from Lines(source, longest)
                os.waitpid(pid, 0)
            else:
                send(sink, data)
                os.close(sink)
                yield from Lines(source, longest)
        finally:
            os.close(source)

    return list(chunks())


def test_lines_come_one_by_one_and_the_last_needs_no_end() -> None:
    assert lines_of(b"one\n\ntwo\nlast") == [b"one", b"", b"two", b"last"]
    assert lines_of(b"") == []


def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_read() -> None:
    long = b"x" * (3 * CHUNK)
    assert lines_of(b"a\n" + long + b"\nb\n" + long, longest=CHUNK) == [b"a", None, b"b", None]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", "bad_json"),
        (b"[1]", "bad_json"),
        (b"null", "bad_json"),
        (b"\xff\xfe", "bad_json"),
        (b'{"n": NaN}', "bad_json"),
        (b'{"n": -Infinity}', "bad_json"),
        (b'{"n": 1e999}', "bad_json"),
        (b'{"n": 1, "n": 2}', "bad_json"),
        (b'{"n": ' + b"9" * 5000 + b"}", "bad_json"),
        (b'{"n": ' + b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b"}", "too_deep"),
        (b'{"n": ' + b"[" * 200_000, "too_deep"),
    ],
)
def test_what_is_no_object_is_a_fault(line: bytes, code: str) -> None:
    with pytest.raises(Fault) as e:
        parsed(line)
    assert e.value.code == code


def test_a_key_said_twice_among_many_is_found_at_once() -> None:
    keys = [f'"k{n}": 0' for n in range(300_000)]
    with pytest.raises(Fault, match="'k0' is said twice"):
        parsed(f"{{{', '.join([*keys, keys[0]])}}}".encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_a_fault(line: bytes) -> None:
    try:
        assert isinstance(parsed(line), dict)
    except Fault as e:
        assert e.code in ("bad_json", "too_deep")


def test_answers_are_ascii_also_with_halves_of_characters() -> None:
    assert line_of({"text": "é\ud800\n"}) == b'{"text":"\\u00e9\\ud800\\n"}\n'
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"inside": deep}
    with pytest.raises(Fault, match="too_deep"):
        line_of(deep)
