"""What the kernels of the library took: rewrites, lines of schedule, seconds.

Scheduling all of them takes minutes, so the figures of a kernel are kept under what its schedule depends on.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from io import StringIO
from textwrap import dedent
from time import perf_counter
from tokenize import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL, generate_tokens
from typing import Any, NamedTuple

from exo_strat import Machine
from exo_strat.cli.demo import rewrites

from ..programs.kernel import Kernel
from .cache import kept
from .catalogue import find
from .sources import digest
from .units import Unit, units


class Effort(NamedTuple):
    """A kernel of a machine: its name, the routine and the wrapper's file that call it, the function that makes its
    schedule and how many lines that has, rewrites made, and seconds taken."""

    kernel: str
    routine: str
    plan: str
    lines: int
    rewrites: int
    seconds: float


def efforts(machine: Machine, chosen: Iterable[Unit] | None = None) -> Iterator[Effort]:
    """The kernels that the wrappers call, one after another; a kernel that several call comes once."""
    seen: set[str] = set()
    for unit in units() if chosen is None else chosen:
        for name in unit.kernels():
            if name not in seen:
                seen.add(name)
                module, kernel = find(name)
                yield effort(kernel, module, unit.wrapper, machine)


def effort(kernel: Kernel, module: str, routine: str, machine: Machine) -> Effort:
    """What a kernel of a module took for a machine. Raises `SchedulingError` if its schedule fails."""
    count, seconds = _counted(kernel, module, machine)
    plan = plan_of(kernel)
    return Effort(kernel.name, routine, plan.__name__, code_lines(inspect.getsource(plan)), count, seconds)


def plan_of(kernel: Kernel) -> Callable[..., Any]:
    """The function that makes a kernel's schedule, without the arguments that its table gives it."""
    plan: Any = kernel.plan
    while isinstance(plan, partial):
        plan = plan.func
    found: Callable[..., Any] = plan
    return found


def _counted(kernel: Kernel, module: str, machine: Machine) -> tuple[int, float]:
    key = sha256(repr((machine.name, kernel.name, digest(module))).encode()).hexdigest()[:24]
    count, seconds = json.loads(kept(f"{kernel.name}_{machine.name}-{key}.json", lambda: _measured(kernel, machine)))
    return int(count), float(seconds)


def _measured(kernel: Kernel, machine: Machine) -> str:
    start = perf_counter()
    count = rewrites(kernel.scheduled(machine))
    return json.dumps([count, round(perf_counter() - start, 3)])


# -- lines of code ------------------------------------------------------------------------------------

SILENT = (COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL)


def code_lines(source: str) -> int:
    """Lines of Python that say something: no blank lines, comments, docstrings and imports.

    >>> code_lines('''
    ... import os  # is not counted
    ... def f(x):
    ...     "Nor is this."
    ...     # nor this
    ...     return os.path.join(
    ...         x,
    ...     )
    ... ''')
    4
    """
    text = dedent(source)
    said = {t.start[0] for t in generate_tokens(StringIO(text).readline) if t.type not in SILENT}
    for node in ast.walk(ast.parse(text)):
        doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if doc or isinstance(node, ast.Import | ast.ImportFrom):
            assert isinstance(node, ast.stmt)
            said -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(said)
