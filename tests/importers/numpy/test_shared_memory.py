"""An array that is a copy here, and shares memory in NumPy: nothing may write to it or to what it is of, in whatever
way a program says that it writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from importers.numpy import ImportRefusedError, compiled, from_file
from importers.numpy.flow import known_by, written_through
from importers.numpy.source import of_file
from importers.numpy.values import Static
from strategies.normal import tidy

HELPERS = """import numpy as np

def first(q, v):
    q[0, 0] = v

def passes_on(p):
    first(v=2.0, q=p)

def part(q):
    return q.T

def total(q):
    s = 0.0
    for i in range(q.shape[0]):
        s += q[i, i]
    return s

"""
WRITTEN = [
    "np.sqrt(y, x)",
    "np.abs(y, x)",
    "np.add(y, y, x)",
    "np.exp(*(y, x))",
    "np.negative(y, out=x)",
    "y.dot(y, x)",
    "np.copyto(dst=x, src=y)",
    "np.fill_diagonal(a=x, val=1.0)",
    "first(x, 1.0)",
    "first(v=1.0, q=x)",
    "first(*(x, 1.0))",
    "passes_on(x)",
    "first(part(x), 1.0)",
    "part(x)[0] = 1.0",
    "z = part(q=x)\n    z[0] = 1.0",
    "z: object = x\n    z[0] = 1.0",
    "z = np.float64(x)\n    z[0] = 1.0",
    "for x[0, 0] in (1.0, 2.0):\n        pass",
    "def g(q):\n        q[0] = 1.0\n    g(q=x)",
]
READ = [
    "z = total(x)",
    "z = total(q=x)",
    "first(y, total(x))",
    "z = np.maximum(y, x)",
    "z = np.where(y > 0, y, x)",
    "z = y.dot(x)",
    "np.sqrt(x, y)",
    "z = part(x) + 1.0\n    z[0] = 1.0",
]


def source(statements: str) -> str:
    return f"{HELPERS}def f(x, y):\n    f = x.ravel()\n    {statements}\n    return f * 2.0\n"


@pytest.mark.parametrize("statements", WRITTEN)
def test_what_shares_memory_and_may_be_written_is_refused(statements: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(source(statements))
    with pytest.raises(ImportRefusedError, match=r"program.py:\d+:5: f: in NumPy it shares memory") as found:
        from_file(file, "f", ["x=f64[n, n]", "y=f64[n, n]"])
    assert "may be written" in str(found.value)


@pytest.mark.filterwarnings("error")  # that it runs in NumPy is a warning
@pytest.mark.parametrize("statements", READ)
def test_what_is_only_read_is_taken(statements: str, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "reading.py").write_text(source(statements))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "reading", raising=False)
    f = __import__("reading").f
    x, y = np.arange(9.0).reshape(3, 3), np.arange(9.0, 0.0, -1.0).reshape(3, 3)
    there = x.copy(), y.copy()
    made = compiled(f, plan=tidy())
    found, wanted = made(x, y), f(*there)
    assert np.array_equal(found, wanted) and np.array_equal(x, there[0]) and np.array_equal(y, there[1])


@pytest.mark.filterwarnings("error")
def test_indices_come_from_an_array_that_a_function_reads() -> None:
    def count(q):
        return q.shape[0]

    @compiled(plan=tidy())
    def picked(x, idx):
        return x[idx] * count(q=idx)

    x, idx = np.arange(4.0), np.array([3, 1, 3])
    assert np.array_equal(picked(x, idx), x[idx] * 3)


def test_functions_that_call_each_other_are_looked_at_once(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    chain = "".join(f"def g{k}(p, q):\n    g{k + 1}(p, q)\n    g{k + 1}(p, q)\n\n" for k in range(40))
    file.write_text(f"{chain}def g40(p, q):\n    p[0] = q[0]\n\ndef f(x, y):\n    g0(x, q=y)\n")
    f = of_file(file, "f").definition
    assert written_through(f.node, known_by({"": Static(f)})) == {"x"}


def test_of_a_function_that_calls_itself_all_arguments_may_be_written(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("def g(p, q):\n    g(q, p)\n\ndef f(x, y):\n    g(x, y)\n")
    f = of_file(file, "f").definition
    assert written_through(f.node, known_by({"": Static(f)})) == {"x", "y"}
