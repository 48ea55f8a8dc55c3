"""A greedy search over schedules, by a program that knows exo-strat only as `exo-strat serve-json` (docs/serve.md).

Opens a matrix product and takes steps: of all that may be applied it measures what a model finds best, keeps what is
faster, and goes on from there. At the end it prints the schedule as a strategy in Python.

    python -m examples.greedy_client --steps 4 --tries 6 --size 256
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

PRODUCT = """
def product(n: size, m: size, k: size, A: f32[n, k], B: f32[k, m], C: f32[n, m]):
    assert n % 16 == 0
    assert m % 16 == 0
    for i in seq(0, n):
        for j in seq(0, m):
            for l in seq(0, k):
                C[i, j] += A[i, l] * B[l, j]
"""
STRATEGIES = ["strategies.std"]
STD = ["vectorize_for", "unroll_and_jam", "interleave_loop"]
OPS = ["divide_loop", "reorder_loops", "stage_mem", "unroll_loop", "fission", "lift_alloc", "parallelize_loop"]
OPS += [f"strategies.std.{name}" for name in STD]


class Refused(Exception):
    """An error that the server answered with."""


class Client:
    """A server, which is a process of its own, and the requests to it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "exo_strat.cli", "serve-json"]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.asked = 0
        assert self._line()["protocol"] == 1

    def _line(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        found: dict[str, Any] = json.loads(self.server.stdout.readline())
        return found

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request. Raises `Refused` with the error if there is none."""
        assert self.server.stdin is not None
        self.asked += 1
        print(json.dumps({"id": self.asked, "method": method, "params": params}), file=self.server.stdin, flush=True)
        answer = self._line()
        if "error" in answer:
            raise Refused(f"{answer['error']['code']}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result


def search(client: Client, sizes: dict[str, int], steps: int, tries: int) -> None:
    """Take steps as long as one is faster; print each, and at the end the strategy."""
    best = client.ask("open", text=PRODUCT)["version"]
    times = client.ask("measure", versions=[best], sizes=sizes)["times"]
    fastest, seen = times[0]["seconds"], set[str]()
    print(f"{fastest * 1e3:9.3f} ms  the program as it is")
    for _ in range(steps):
        found = client.ask("offers", version=best, ops=OPS, modules=STRATEGIES, factors=[4, 16], predict=sizes)
        new = [o for o in found["offers"] if o["key"] not in seen and o["cost"] is not None]
        seen |= {o["key"] for o in new}
        chosen = sorted(new, key=lambda o: o["cost"])[:tries]
        made = [client.ask("apply", version=best, action=o["action"])["version"] for o in chosen]
        rows = client.ask("measure", versions=[best, *made], sizes=sizes)["times"][1:]
        right = [(t["seconds"], t["version"], o) for t, o in zip(rows, chosen, strict=True) if t["seconds"]]
        if not right or min(t for t, _, _ in right) > 0.98 * fastest:
            break
        fastest, best, offer = min(right, key=lambda row: row[0])
        print(f"{fastest * 1e3:9.3f} ms  {offer['text']}  # {offer['line']}")
    print(f"\n{client.ask('save', version=best, name='found')['text']}", end="")


def main() -> None:
    parser = argparse.ArgumentParser(description="A greedy search for a schedule of a matrix product.")
    for name, default in (("steps", 4), ("tries", 6), ("size", 256)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    client = Client()
    search(client, dict.fromkeys("nmk", given.size), given.steps, given.tries)
    client.ask("quit")


if __name__ == "__main__":
    main()
