"""Examples that nobody runs, and commands that there aren't, are found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from website import ROOT
from website.examples import Runs, faults, runs

RUN = (Runs(frozenset({"docs/a.md"}), re.compile(r"^```python\n(?P<code>.*?)^```\n", re.MULTILINE | re.DOTALL)),)
PAGES = sorted(p.relative_to(ROOT).as_posix() for p in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")))


def found(text: str, page: str = "docs/a.md") -> list[str]:
    return [*faults(page, text, RUN, ROOT)]


def test_python_that_a_test_runs_is_well() -> None:
    assert found("# A\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n") == []


def test_python_that_no_test_runs_is_told_with_its_line() -> None:
    [fault] = found("# B\n\n```python\nprint(1)\n```\n", "docs/b.md")
    assert fault.startswith("docs/b.md:3: no test runs this block of Python")
    assert len(found("```py\nprint(1)\n```\n")) == len(found("```python call.py\nprint(1)\n```\n")) == 1


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("exo-strat nosuch x.py", "exo-strat has no command nosuch"),
        ("exo-strat build x.py --nosuch 3", "exo-strat build has no option --nosuch"),
        ("exo-strat show x.py | nosuch", "nosuch is no command"),
        ("make nosuch", "the Makefile has no target nosuch"),
        ("python -m benchmarks.nosuch", "there is no module benchmarks.nosuch"),
        ("python examples/nosuch.py", "there is no file examples/nosuch.py"),
        ("pip install 'exo-strat[nosuch]'", "exo-strat has no extra nosuch"),
    ],
)
def test_what_does_not_exist_is_told(line: str, fault: str) -> None:
    for text in (f"```sh\n{line}\n```\n", f"So:\n\n    {line}\n"):
        told = found(text)
        assert (len(told) == 1 and fault in told[0]) or (line.startswith("nosuch") and not told)


@pytest.mark.parametrize(
    "line",
    [
        "exo-strat build gemm.py -o out --target avx2 # C and a header",
        "exo-strat view FILE:STRATEGY FILE:PROC -o film.html",
        "exo-strat --version && make demo",
        "make soak N=10000",
        "python -m benchmarks.auto [--kernels NAME ..]",
        "pip install 'exo-strat[image,import]'",
    ],
)
def test_what_exists_is_well(line: str) -> None:
    assert found(f"```sh\n{line}\n```\n") == []


def test_a_language_of_which_nothing_is_known_is_an_error() -> None:
    assert "says nothing of this language" in found("```brainfuck\n+\n```\n")[0]
    assert found("```c\nint a;\n```\n") == []


@pytest.mark.parametrize("page", PAGES)
def test_all_examples_of_the_pages_are_run(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [*faults(page, text, runs(ROOT), ROOT)] == []


def test_what_the_tests_run_is_read_from_the_tests() -> None:
    pages = {page for r in runs(ROOT) for page in r.pages}
    assert {"docs/guide.md", "docs/threads.md", "docs/new-primitive.md"} <= pages
    assert all((Path(ROOT) / page).is_file() for page in pages)
