"""Chains of primitives and strategies at length, on random programs and on the repository's own, with a table.

    python -m benchmarks.chains -n 100000 [--jobs J] [--first SEED] [--no-c]

Draws chains of 2 to 10 rewrites until so many succeeded. At the end of each chain the interpreter runs the first and
the last version, and compiled C, in which things are named as C or its library names others (`c_words`), is compared
with it: by gcc with sanitizers, parallel code by clang with one for threads, code for Neon in an emulator, programs for
Gemmini on the model of it. Of one chain in five gcc and clang, with much optimisation and with little, are compared
with each other (`backends.crosscheck`).
Violations go to the standard output, then the table as Markdown. The exit status is 1 if there was a violation. Runs
with one first seed and one number of processes try the same chains every time.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from backends.toolchain import CACHE_VARIABLE
from exo_strat.testing.chains import Chains, always, check_chain
from exo_strat.testing.choices import Choices
from exo_strat.testing.forms import FORMS, formed
from exo_strat.testing.programs import random_proc
from exo_strat.testing.renaming import renamed
from exo_strat.testing.shapes import SHAPES

from . import chain_gemmini, chain_vectors
from .c_words import c_word
from .chain_parts import programs, strategies
from .compiled import HERE, Case, CompileFailed, Different, builds, case, compare, compiles
from .crossed import agree

BATCH = 20
"""How many chains are one C program."""
OWN = 35
"""How many chains of a hundred start from a program of the repository."""
FORMED = 40
"""How many chains of a hundred start from a program that is written in one of the newer forms of the language."""
VECTORS = 30
"""How many chains of a hundred go to the vectors of a processor: most steps of such a chain try to, and all
leave code that the backend takes."""
ACCELERATOR = 3
"""How many chains of a hundred are about Gemmini's programs."""
CROSSED = 5
"""Of each so many chains, one is compiled by all compilers."""
RESTART = 50
"""A process that did so many batches makes way for another: what it compiled stays loaded."""
DIFFERENT = "different rewrites among them"
"""A row of the table that does not add up over several runs."""
CRASHES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What nothing in a chain may end with: a rewrite that does not apply fails."""


@dataclass
class Outcome:
    """What came out of some chains."""

    chains: Chains = field(default_factory=Chains)
    in_c: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Counts those of another, too."""
        self.chains.add(other.chains)
        self.in_c += other.in_c
        self.violations += other.violations


def batch(first: int, with_c: bool = True, count: int = BATCH) -> Outcome:
    """The chains of some seeds, and their results in C."""
    done, cases = Outcome(), list[Case]()
    for seed in range(first, first + count):
        ch = Choices.seeded(seed)
        on_gemmini = ch.chance(ACCELERATOR)
        own = chain_gemmini.programs() if on_gemmini else programs()
        p = ch.pick(own) if on_gemmini or ch.chance(OWN) else random_proc(ch, tuple(SHAPES))
        if p is None:
            continue
        if not on_gemmini and ch.chance(FORMED):
            p = formed(ch, p, FORMS[ch.pick(sorted(FORMS))]) or p
        try:
            if on_gemmini:
                q = check_chain(ch, p, chain_gemmini.draws(p), done.chains, often=50, keep=compiles)
                done.in_c["on the model of Gemmini"] += with_c and chain_gemmini.agrees(q)
                continue
            if ch.chance(VECTORS):
                keep = compiles if compiles(p) else always
                q = check_chain(ch, p, chain_vectors.DRAWS, done.chains, often=70, keep=keep)
            else:
                q = check_chain(ch, p, strategies(), done.chains)
        except AssertionError as e:
            done.violations.append(f"seed {seed}: {e}")
            continue
        except CRASHES as e:
            done.violations.append(f"seed {seed}: {''.join(traceback.format_exception(e, limit=-4))}")
            continue
        if with_c and (made := case(renamed(ch, q, c_word))) is not None:
            cases.append(made)
    _in_c(cases, f"seeds {first} to {first + count - 1}", done)
    return done


def _in_c(cases: Sequence[Case], seeds: str, done: Outcome) -> None:
    """Compares what is compiled, and counts."""
    for b in builds():
        try:
            compare(cases, b)
            done.in_c[b.name] += sum(map(b.takes, cases))
        except (Different, CompileFailed) as e:
            done.violations.append(f"{seeds}: {e}")
    done.in_c["in vector registers of this processor"] += sum(c.module.architecture == HERE for c in cases)
    for c in cases[::CROSSED]:
        try:
            done.in_c["gcc and clang, -O3 and -O1"] += agree(c)
        except (Different, CompileFailed) as e:
            done.violations.append(f"{seeds}: {e}")


def run(steps: int, first: int, jobs: int, with_c: bool) -> Outcome:
    """Chains until so many steps succeeded, in parallel processes."""
    total, seed = Outcome(), first
    with TemporaryDirectory() as scratch, _processes(jobs, scratch) as pool:
        while sum(total.chains.accepted.values()) < steps:
            missing = steps - sum(total.chains.accepted.values())
            rounds = max(1, min(20, missing // (6 * BATCH * jobs)))
            seeds = [seed + BATCH * k for k in range(jobs * rounds)]
            for done in pool.map(batch, seeds, [with_c] * len(seeds)):
                total.add(done)
            seed += BATCH * len(seeds)
            if sys.stderr.isatty():
                print(f"{sum(total.chains.accepted.values())} of {steps} steps", end="\r", file=sys.stderr)
    return total


def _processes(jobs: int, scratch: str) -> ProcessPoolExecutor:
    """What they compile is not kept."""
    os.environ.setdefault(CACHE_VARIABLE, scratch)
    return ProcessPoolExecutor(jobs, get_context("forkserver"), max_tasks_per_child=RESTART)


def table(o: Outcome, seconds: float) -> str:
    """What came out, as Markdown."""
    rows = [
        ("chains", o.chains.drawn),
        ("of them compared by the interpreter", o.chains.compared),
        *((f"of them compared in C: {name}", n) for name, n in sorted(o.in_c.items())),
        ("steps accepted", sum(o.chains.accepted.values())),
        (DIFFERENT, len(o.chains.accepted)),
        ("steps refused", sum(o.chains.refused.values())),
        ("violations", len(o.violations)),
        ("seconds", round(seconds)),
    ]
    often = "\n".join(f"| `{name}` | {n} | {o.chains.refused[name]} |" for name, n in o.chains.accepted.most_common())
    sums = "\n".join(f"| {what} | {n} |" for what, n in rows)
    return f"| | |\n| --- | --: |\n{sums}\n\n| rewrite | accepted | refused |\n| --- | --: | --: |\n{often}"


def main(
    steps: Annotated[int, typer.Option("-n", "--steps", min=1, help="How many rewrites are to succeed.")] = 100000,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many processes; default: one a processor.")] = None,
    first: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
    c: Annotated[bool, typer.Option(help="Whether results are compared in C, too.")] = True,
) -> None:
    """Draws chains of rewrites and compares what they make of programs."""
    begin = time.perf_counter()
    done = run(steps, first, jobs or os.cpu_count() or 1, c)
    for v in done.violations:
        print(f"{v}\n")
    print(table(done, time.perf_counter() - begin))
    sys.exit(bool(done.violations))


if __name__ == "__main__":
    typer.run(main)
