"""Random NumPy programs: each is refused, or leaves what it leaves in Python.

They are about what a statement may get wrong: views of one array under several names, places that overlap, variables
that loops and branches give new values.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from importers.report import ImportRefusedError

COUNT = 25
"""How many programs a run draws."""


class Writer:
    """Draws the text of a program on vectors of n elements, of which there are at least 4."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.full = ["x", "y"]
        self.inner = ["x[1:-1]", "x[:-2]", "y[2:]", "a[0, 1:-1]", "a[:-2, 1]"]
        self.numbers = ["s", "1.0", "x[0]", "y[-1]", "a[1, 2]"]
        self.count = 0

    def program(self) -> str:
        args = 'n: "int", x: "f64[n]", y: "f64[n]", a: "f64[n, n]", k: "i64[n]", s: "float"'
        head = f"import numpy as np\ndef f({args}):\n"
        body = ["assert n >= 4", *self.block(5, 2)]
        kept = [v for v in self.full if v.isidentifier()][-3:]
        return head + "".join(f"    {line}\n" for line in [*body, f"return {', '.join([*kept, 's'])}"])

    def block(self, size: int, depth: int) -> list[str]:
        return [line for _ in range(self.rng.randint(1, size)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        r = self.rng
        kind = r.choice(["store", "store", "inner", "name", "view", "rebind", "number", "mask", "swap", "element"])
        if depth and r.random() < 0.35:
            return self.nested(depth - 1)
        match kind:
            case "store":
                # `a[1] = a[:, 2]` is what NumPy itself gets wrong: an overlapping copy with another stride
                return [f"{r.choice(self.targets())} {r.choice(['=', '+=', '-='])} {self.vector(2)} * 1.0"]
            case "inner":
                return [f"{r.choice(self.inner)} {r.choice(['=', '+='])} {self.middle(2)}"]
            case "name" | "view":
                self.count += 1
                name = f"v{self.count}"
                part = r.choice(self.full) + r.choice(["", "[::-1]"])
                text = f"{name} = {self.vector(2) if kind == 'name' else part}"
                if depth == 2:
                    self.full.append(name)
                return [text]
            case "rebind":
                return [f"{r.choice([v for v in self.full if v.isidentifier()])} = {self.vector(1)}"]
            case "number":
                return [f"s = {self.number(2)}"]
            case "mask":
                v = r.choice(self.full)
                return [f"{v}[{v} > {self.number(0)}] {r.choice(['=', '+='])} {self.number(1)}"]
            case "swap":
                v, w = (r.choice([v for v in self.full if v.isidentifier()]) for _ in range(2))
                return [r.choice([f"{v}, {w} = {w}, {v}", f"{v}[0], {w}[1] = {w}[1], {v}[0]"])]
            case _:
                return [f"a[{r.randint(0, 3)}, {r.randint(-2, 1)}] = {self.number(2)}"]

    def nested(self, depth: int) -> list[str]:
        r = self.rng
        self.count += 1
        i = f"i{self.count}"
        test = f"if {self.number(0)} > {self.number(0)}:"
        head = r.choice([f"for {i} in range({r.randint(1, 3)}):", test, "else", i])
        if head == i:
            before = list(self.numbers)
            self.numbers += [f"x[{i}]", f"a[{i}, {i}]", f"y[n - 1 - {i}]"]
            body = [*self.block(2, depth), f"x[{i}] {r.choice(['=', '+='])} {self.number(1)}"]
            self.numbers = before
            return [f"for {i} in range({r.choice(['n', '1, n', 'n - 1, -1, -1', '0, n, 2'])}):", *_indented(body)]
        if head == "else":
            test = f"if {self.number(0)} > {self.number(1)}:"
            return [test, *_indented(self.block(2, depth)), "else:", *_indented(self.block(2, depth))]
        return [head, *_indented(self.block(3, depth))]

    def targets(self) -> list[str]:
        return [f"{v}[:]" if v.isidentifier() else v for v in [*self.full, "a[1]", "a[:, 0]", "x[::-1]"]]

    def vector(self, depth: int) -> str:
        r = self.rng
        if not depth or r.random() < 0.2:
            return r.choice([*self.full, "a[0]", "a[:, 1]", "a.T[2]", "x[::-1]", "k"])
        sides = self.vector(depth - 1), r.choice([self.vector(depth - 1), self.number(1)])
        return r.choice(
            [f"({sides[0]} {r.choice('+-')} {sides[1]})", f"np.maximum({sides[0]}, {sides[1]})",
             f"np.where({sides[0]} > {self.number(0)}, {sides[1]}, {self.vector(0)})", f"a.sum(axis={r.randint(0, 1)})",
             f"(a @ {self.vector(0)})", f"np.cumsum({sides[0]})"]
        )  # fmt: skip

    def middle(self, depth: int) -> str:
        r = self.rng
        if not depth:
            return r.choice([*self.inner, self.number(0)])
        return f"({self.middle(depth - 1)} {r.choice('+-')} {self.middle(depth - 1)})"

    def number(self, depth: int) -> str:
        r = self.rng
        if not depth:
            return r.choice(self.numbers)
        total = f"{r.choice(self.full)}.sum()"
        return r.choice([f"({self.number(0)} + {self.number(0)})", total, "x.max()", "2.0 - s"])


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def run_one(seed: int, roundtrip: Callable[..., Any], folder: Path, interpreted: bool = True) -> bool:
    """Draw a program and compare; whether it is taken."""
    file = folder / f"random_{seed}.py"
    text = Writer(seed).program()
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        roundtrip(module.f, 2, interpreted)
    except ImportRefusedError as e:
        assert str(file) in str(e) and "refuses this" not in str(e), f"{text}\n{e}"
        return False
    except AssertionError as e:
        raise AssertionError(f"seed {seed}:\n{text}\n{e}") from e
    return True


@pytest.mark.parametrize("first", range(0, COUNT, 5))
def test_a_random_program_is_refused_or_does_what_it_does_in_python(first: int, roundtrip, tmp_path: Path) -> None:
    taken = [run_one(seed, roundtrip, tmp_path, interpreted=False) for seed in range(first, first + 5)]
    assert len(taken) == 5


def test_most_random_programs_are_taken(roundtrip, tmp_path: Path) -> None:
    from importers.numpy.convert import argument_types, imported
    from importers.numpy.source import of_file

    taken = 0
    for seed in range(30):
        file = tmp_path / "random.py"
        file.write_text(Writer(seed).program())
        source = of_file(file, "f")
        try:
            imported(source, argument_types(source, (), {}))
            taken += 1
        except ImportRefusedError:
            continue
    assert taken >= 12
