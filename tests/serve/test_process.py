"""The process: nothing but the protocol on its output, and no signal, print or broken line that ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exo_strat.serve.schema import check
from exo_strat.serve.wire import LONGEST
from tests.serve.conftest import MATMUL

NOISY = """
from __future__ import annotations
import os, subprocess, sys
from exo_strat import *

print("print")
sys.stdout.write("written")
os.write(1, b"to the descriptor\\n")
subprocess.run(["echo", "by a process"])
READ = sys.stdin.read()

@proc
def f(x: f32[8]):
    for i in seq(0, 8):
        x[i] = 0.0

@strategy
def forever(p, c: ForCursor):
    print("on and on")
    while True:
        pass
    yield identity

@strategy
def leaves(p, c: ForCursor):
    sys.exit(3)
    yield identity
"""


class Process:
    """A server in a process of its own."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "exo_strat.cli", "serve-json"]
        path = os.pathsep.join(p for p in sys.path if p)
        self.errors = (folder / "errors").open("w+")
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        self.greeting = self.read()
        check(self.greeting, "greeting", "greeting")

    def read(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        found: dict[str, Any] = json.loads(self.server.stdout.readline())
        return found

    def write(self, line: bytes) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(line + b"\n")
        self.server.stdin.flush()

    def ask(self, method: str, limit: float | None = None, **params: Any) -> dict[str, Any]:
        more = {} if limit is None else {"limit": limit}
        self.write(json.dumps({"id": method, "method": method, "params": params, **more}).encode())
        answer = self.read()
        check(answer, "answer", "answer")
        assert answer["id"] == method
        return answer

    def end(self) -> int:
        """Its exit status at the end of the input; there is nothing left to read."""
        assert self.server.stdin is not None and self.server.stdout is not None
        self.server.stdin.close()
        assert self.server.stdout.read() == b""
        return self.server.wait(60)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    (tmp_path / "noisy.py").write_text(NOISY)
    p = Process(tmp_path)
    yield p
    p.server.kill()
    p.server.wait()
    assert p.server.stdin is not None and p.server.stdout is not None
    for stream in (p.server.stdout, p.errors):
        stream.close()


def test_what_a_file_prints_goes_elsewhere(server: Process) -> None:
    assert server.ask("open", file="noisy.py:f")["result"]["name"] == "f"
    assert server.ask("apply", action={"op": "unroll_loop", "at": "body[0]"})["result"]["version"] == "v1"
    assert server.end() == 0
    server.errors.seek(0)
    told = server.errors.read()
    for text in ("print\n", "written", "to the descriptor\n", "by a process\n"):
        assert text in told
    assert "Traceback" not in told


def test_broken_lines_are_answered_in_turn(server: Process) -> None:
    server.write(b"{")
    server.write(b"")
    server.write(b"x" * (LONGEST + 2))
    server.write(b"[" * 1_000_000)
    server.write(b'{"id": 1, "method": "versions"}')
    codes = [server.read()["error"]["code"] for _ in range(3)]
    assert codes == ["bad_json", "too_long", "too_deep"]
    assert server.read() == {"id": 1, "result": {"current": None, "versions": []}}
    assert server.end() == 0


def test_a_request_without_end_is_stopped_and_the_session_goes_on(server: Process) -> None:
    server.ask("open", file="noisy.py:f")
    endless = {"op": "forever", "at": "body[0]"}
    assert server.ask("apply", limit=0.5, action=endless)["error"]["code"] == "timeout"
    server.write(json.dumps({"id": 5, "method": "apply", "params": {"action": endless}}).encode())
    time.sleep(1.0)
    server.server.send_signal(signal.SIGINT)
    answer = server.read()
    assert (answer["id"], answer["error"]["code"]) == (5, "interrupted")
    server.server.send_signal(signal.SIGINT)  # nothing runs: nothing is stopped
    assert server.ask("apply", action={"op": "leaves", "at": "body[0]"})["error"]["code"] == "bad_file"
    assert server.ask("apply", action={"op": "unroll_loop", "at": "body[0]"})["result"]["version"] == "v1"
    assert server.end() == 0


def test_a_measurement_is_stopped_with_its_processes(server: Process) -> None:
    server.ask("open", text=MATMUL, target="c")
    begin = time.monotonic()
    answer = server.ask("measure", limit=2.0, sizes=dict.fromkeys("nmk", 3000))
    assert answer["error"]["code"] == "timeout" and time.monotonic() - begin < 30
    assert server.ask("measure", sizes=dict.fromkeys("nmk", 8))["result"]["times"][0]["status"] == "measured"
    assert server.end() == 0


def test_the_last_line_needs_no_end_and_quit_is_the_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "exo_strat.cli", "serve-json"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    lines = b'{"id": 1, "method": "quit"}\n{"id": 2, "method": "versions"}'
    ran = subprocess.run(command, input=lines, capture_output=True, env=env, cwd=tmp_path, check=True)
    assert [json.loads(x).get("id") for x in ran.stdout.splitlines()] == [None, 1]
    ran = subprocess.run(command, input=lines[-31:], capture_output=True, env=env, cwd=tmp_path, check=True)
    assert [json.loads(x).get("id") for x in ran.stdout.splitlines()] == [None, 2]


def test_a_reader_that_goes_away_ends_it_quietly(server: Process) -> None:
    assert server.server.stdout is not None and server.server.stdin is not None
    server.server.stdout.close()
    server.write(b'{"id": 1, "method": "schema"}')
    assert server.server.wait(60) == 0
    server.errors.seek(0)
    assert "Traceback" not in server.errors.read()
