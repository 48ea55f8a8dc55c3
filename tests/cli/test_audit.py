"""`exo-strat audit`: what it writes and prints, and its exit codes."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from exo_strat import Proc, at, divide_loop, proc_from_source, schedule
from exo_strat.cli import audit
from exo_strat.cli.audit import run_audit
from exo_strat.cli.commands import app

KERNELS = """
from __future__ import annotations
from exo_strat import *

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

def blocked(machine: Machine) -> Proc:
    width = machine.vec_width("f32")
    return direct.rename(direct.divide_loop(scale, "i", width, ["io", "ii"], tail="cut"), "blocked")
"""


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


@pytest.fixture
def blocked() -> Proc:
    scale = proc_from_source("def scale(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i]")
    return schedule(at("for i in _: _", divide_loop(8, ("io", "ii"), tail="cut")), scale)


class Solver:
    """A second solver that always says the same."""

    name = "oracle 1.0"

    def __init__(self, says: str) -> None:
        self.says = says

    def answer(self, text: str) -> str:
        return self.says


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args])


def stops(result: Result, code: int, *words: str) -> None:
    """The command stops with this code and a message on stderr that holds these words."""
    assert result.exit_code == code, result.stdout + result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    for word in words:
        assert word in result.stderr


def counts(text: str) -> tuple[int, ...]:
    """How many were confirmed, unknown, disagreeing."""
    found = re.search(r"(\d+) confirmed, (\d+) unknown, (\d+) disagreeing", text)
    assert found is not None, text
    return tuple(map(int, found.groups()))


def test_obligations_are_written_and_confirmed(kernels: Path, tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    shown = run("audit", f"{kernels}:blocked", "--target", "avx2", "-o", tmp_path / "proofs")
    assert shown.exit_code == 0, shown.stderr
    files = sorted((tmp_path / "proofs").iterdir())
    assert counts(shown.stdout) == (len(files), 0, 0)
    assert "2 rewrites, 1 definition\n" in shown.stdout
    assert files[0].name.endswith("scale-definition.smt2")
    assert "(check-sat)" in files[0].read_text()
    assert "\x1b" not in shown.stdout, "neither colours nor a progress bar into a pipe"


def test_a_program_that_was_never_rewritten_has_its_own_obligations(kernels: Path, tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    shown = run("audit", f"{kernels}:scale", "-o", tmp_path / "proofs")
    assert (shown.exit_code, counts(shown.stdout)[2]) == (0, 0)
    assert "0 rewrites, 1 definition\n" in shown.stdout


def test_without_a_folder_they_go_to_the_cache(kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(audit, "cvc5", lambda: Solver("unsat"))
    assert str(tmp_path / "cache" / "audit" / "scale") in run("audit", f"{kernels}:scale").stdout
    assert list((tmp_path / "cache" / "audit" / "scale").glob("*.smt2"))


def test_a_disagreement_ends_with_1_and_names_the_file(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "cvc5", lambda: Solver("sat"))
    shown = run("audit", f"{kernels}:scale", "-o", tmp_path / "proofs")
    file = sorted((tmp_path / "proofs").iterdir())[0]
    stops(shown, 1, str(file), "expected unsat, it says sat", "the definition of scale", "report this as a bug")
    assert counts(shown.stdout)[2] > 0


def test_what_stays_unknown_is_listed_and_no_error(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "cvc5", lambda: Solver("unknown"))
    shown = run("audit", f"{kernels}:scale", "-o", tmp_path / "proofs")
    files = sorted((tmp_path / "proofs").iterdir())
    assert (shown.exit_code, counts(shown.stdout)) == (0, (0, len(files), 0))
    assert all(str(file) in shown.stdout for file in files)


def test_without_cvc5_the_files_are_written_all_the_same(
    kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cvc5", None)
    shown = run("audit", f"{kernels}:scale", "-o", tmp_path / "proofs")
    stops(shown, 2, "cvc5 is not installed", "pip install 'exo-strat[audit]'")
    assert "confirmed" not in shown.stdout
    assert list((tmp_path / "proofs").glob("*.smt2"))


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("{}", ["names no Proc", "kernels.py:NAME"]),
        ("{}:nothing", ["nothing does not exist"]),
        ("{}:blocked", ["choose one with --target"]),
    ],
)
def test_a_bad_reference_is_explained(reference: str, words: list[str], kernels: Path, tmp_path: Path) -> None:
    stops(run("audit", reference.format(kernels), "-o", tmp_path / "proofs"), 2, *words)
    assert not (tmp_path / "proofs").exists()


def test_a_history_that_does_not_replay_ends_with_1(kernels: Path, tmp_path: Path) -> None:
    lines = (
        "two = direct.rename(scale, 'two')",
        "from exo_strat.cursors.proc import _next_version",
        "forged = _next_version(scale, two.tree, direct.rename(scale, 'x').rewritten, True)",
    )
    kernels.write_text(KERNELS + "\n".join(lines))
    stops(run("audit", f"{kernels}:forged", "-o", tmp_path / "proofs"), 1, "gives another procedure now")


def test_a_progress_bar_shows_on_a_terminal_only(
    blocked: Proc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "cvc5", lambda: Solver("unsat"))
    for terminal in (True, False):
        out = io.StringIO()
        run_audit(blocked, tmp_path, Console(file=out, force_terminal=terminal, width=200, _environ={}))
        assert ("replaying" in out.getvalue()) == terminal
        assert ("\x1b" in out.getvalue()) == terminal


def test_help_has_an_example() -> None:
    shown = run("audit", "--help")
    assert shown.exit_code == 0
    assert "exo-strat audit" in shown.stdout.partition("Example")[2]


@pytest.mark.parametrize(
    "schedule",
    [
        "axpy.py:schedule_axpy",
        *(pytest.param(f, marks=pytest.mark.long) for f in ("gemv.py:schedule_gemv", "gemm.py:schedule_sgemm")),
    ],
)
def test_every_proof_of_a_schedule_is_confirmed(schedule: str, tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    file = Path(__file__).parents[2] / "strategies" / schedule
    shown = run("audit", file, "--target", "avx2", "-o", tmp_path)
    assert shown.exit_code == 0, shown.stderr
    confirmed, unknown, disagreeing = counts(shown.stdout)
    assert (unknown, disagreeing) == (0, 0)
    assert confirmed == len(list(tmp_path.iterdir())) > 20


def test_a_cache_of_an_unknown_user_is_refused_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", "~no such user/cache")
    file = tmp_path / "kernel.py"
    file.write_text("from exo_strat import *\n")
    shown = CliRunner().invoke(app, ["audit", f"{file}:f"])
    assert shown.exit_code == 2 and "EXO_STRAT_CACHE_DIR is ~no such user/cache" in shown.output
