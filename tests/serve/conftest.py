"""A server in this process: each request and answer is checked against the schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exo_strat.cli.serving import CommandFiles
from exo_strat.serve.requests import Surroundings
from exo_strat.serve.schema import check
from exo_strat.serve.server import Server
from exo_strat.serve.stopping import Stopper

MATMUL = """
def mm(n: size, m: size, k: size, A: f32[n, k], B: f32[k, m], C: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            for l in seq(0, k):
                C[i, j] += A[i, l] * B[l, j]
"""

KERNELS = """
from __future__ import annotations
from exo_strat import *

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

@proc
def fill(x: f32[8]):
    for i in seq(0, 8):
        x[i] = 0.0

@proc
def both(x: f32[8], y: f32[8]):
    for i in seq(0, 8):
        x[i] = 0.0
    fill(y)

FAST = Memory("FAST")

@strategy
def strips(p, c: ForCursor, width: int):
    '''`for i  ~>  for io: for ii`, by a width. Focus: the loop.'''
    p, c = yield divide_loop(width, ("io", "ii"), tail="cut")

@strategy
def open_strips(p, c: ForCursor):
    '''By a width that is left open.'''
    width = yield hole("width", (4, 8))
    p, c = yield divide_loop(width, ("io", "ii"), tail="cut")
    p, c = yield attempt(unroll_loop())

@strategy
def broken(p, c: ForCursor):
    '''Divides by zero.'''
    1 / 0
    yield identity

print("a file that prints")
"""


class Talk:
    """Asks a server, and checks what goes over the lines."""

    def __init__(self) -> None:
        self.server = Server(Surroundings(CommandFiles()), Stopper())

    def line(self, line: bytes | None) -> dict[str, Any]:
        """The answer to a line, whatever it is."""
        told = self.server.answer(line)
        assert told.endswith(b"\n") and told.count(b"\n") == 1 and told.isascii()
        answer: dict[str, Any] = json.loads(told)
        check(answer, "answer", "answer")
        return answer

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request that is right."""
        check(params, f"{method}.params", "params")
        answer = self.line(json.dumps({"id": 1, "method": method, "params": params}).encode())
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        check(result, f"{method}.result", "result")
        return result

    def apply(self, op: str, at: Any = "root", /, **args: Any) -> dict[str, Any]:
        """A version made of the current one."""
        return self("apply", action={"op": op, "args": args, "at": at})

    def wrong(self, method: str, **params: Any) -> dict[str, Any]:
        """The error of a request; the session is as before."""
        before = self.server.session
        answer = self.line(json.dumps({"id": "x", "method": method, "params": params}).encode())
        assert answer["id"] == "x" and self.server.session is before, answer
        error: dict[str, Any] = answer["error"]
        if error["code"] == "refused":
            check(error["data"], "refusal", "error.data")
        return error


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
def mm(talk: Talk) -> Talk:
    talk("open", text=MATMUL, target="c")
    return talk


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path
