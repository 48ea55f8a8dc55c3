"""`exo-strat package`: a wheel of what a file exports, or one message and nothing."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backends.packaging import usual_machines
from exo_strat import plugins
from exo_strat.cli.commands import app

KERNELS = """
from __future__ import annotations
from exo_strat import *
from strategies.std import vectorize_for

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

def fast(machine: Machine) -> Proc:
    p = direct.rename(scale, "doubled")
    return schedule(at("for i in _: _", vectorize_for(machine, "f32")), p) if machine.vec_widths else p
"""
BROKEN = KERNELS + """
def broken(machine: Machine) -> Proc:
    return schedule(at("for k in _: _", unroll_loop()), scale)
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The maker of packages is there, whatever is installed, and compiles into a cache of its own."""
    usual = plugins._found
    named = {"package": "backends.packaging:package", "package_for": "backends.packaging:usual_machines"}
    ours = {name: EntryPoint(name, value, plugins.BACKENDS) for name, value in named.items()}
    monkeypatch.setattr(plugins, "_found", lambda g: usual(g) | (ours if g == plugins.BACKENDS else {}))
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def made(text: str = KERNELS, name: str = "mine.py") -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return made


def run(*args: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["package", *map(str, args)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def test_a_file_becomes_a_wheel(write: Callable[..., Path], tmp_path: Path) -> None:
    out = tmp_path / "dist"
    code, printed, said = run(write(), "-o", out)
    assert code == 0, said
    (wheel,) = out.iterdir()
    sets = ", ".join(m.name for m in usual_machines())
    assert printed == f"{wheel}\n" and wheel.name.startswith("mine-0.1.0-py3-none-")
    hint = "where mine.py lies, `import mine` means that file; --name gives another name"
    assert said == f"scale, doubled: code for {sets}\ninstall with: python -m pip install {wheel}\n{hint}\n"
    with zipfile.ZipFile(wheel) as z:
        assert {"mine/lib/libmine.so", "mine/include/mine.h", "mine/__init__.py"} <= set(z.namelist())


def test_names_a_release_a_target_and_a_folder(write: Callable[..., Path], tmp_path: Path) -> None:
    where = f"{write(name='my-kernels.py')}:fast"
    code, printed, said = run(where, "-o", tmp_path, "--name", "mine", "--release", "2.0rc1", "-t", "c")
    assert (code, said.partition("\n")[0]) == (0, "doubled: code for c")
    assert "mine-2.0rc1-py3" in printed
    code, printed, _ = run(where, "-o", tmp_path, "--name", "mine", "-t", "c", "--unpacked")
    assert (code, printed) == (0, f"{tmp_path / 'mine'}\n")
    header = (tmp_path / "mine/include/mine.h").read_text()
    assert "void doubled(int64_t n, float *x);" in header and "scale" not in header
    code, printed, said = run(where, "-o", tmp_path, "--name", "mine", "-t", "c", "--unpacked")
    assert (code, printed) == (2, "") and f"{tmp_path / 'mine'} is there" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--name", "a-b"], "--name 'a-b' can't be a module's: take letters, digits and _"),
        (["--name", "class"], "can't be a module's"),
        (["--name", "_x"], "can't be a module's"),
        (["--name", "numpy"], "'numpy' is that of a module, a library or a header"),
        (["--name", "json"], "'json' is that of a module, a library or a header"),
        (["--name", "stdio"], "'stdio' is that of a module, a library or a header"),
        (["--release", "new"], "--release 'new' is no version"),
        (["--target", "sse"], "there is no target 'sse'"),
    ],
)
def test_wrong_options_end_with_2(options: list[str], message: str, write: Callable[..., Path], tmp_path: Path) -> None:
    code, printed, said = run(write(), "-o", tmp_path / "dist", *options)
    assert (code, printed) == (2, "") and message in said
    assert not (tmp_path / "dist").exists()


@pytest.mark.parametrize(
    ("text", "where", "status", "message"),
    [
        (KERNELS, "nowhere.py", 2, "does not exist"),
        (KERNELS, "mine.py:lost", 2, "lost does not exist"),
        (KERNELS, "my file.py", 2, "does not exist"),
        ("x = 1", "mine.py", 2, "exports no Proc"),
        (BROKEN, "mine.py:broken", 2, "for the target c: "),
        ("def f(:", "mine.py", 2, "can't be run: SyntaxError"),
        (KERNELS.replace("def scale", "def malloc").replace("(scale", "(malloc"), "mine.py", 1, "malloc"),
        (KERNELS + "again = direct.rename(fast(exo_strat.Machine), 'scale')", "mine.py", 2, "can't be run"),
    ],
)
def test_a_wrong_file(
    text: str, where: str, status: int, message: str, write: Callable[..., Path], tmp_path: Path
) -> None:
    write(text)
    code, printed, said = run(tmp_path / where, "-o", tmp_path / "dist", "--name", "mine")
    assert (code, printed) == (status, "") and message in said
    assert not (tmp_path / "dist").exists() or not list((tmp_path / "dist").iterdir())


@pytest.mark.skipif(len(usual_machines()) == 1, reason="instructions of x86-64")
def test_a_proc_for_avx512_only(write: Callable[..., Path], tmp_path: Path) -> None:
    text = KERNELS + "from backends.targets import avx512\nfixed = direct.rename(fast(avx512), 'fixed')\n"
    code, _, said = run(f"{write(text)}:fixed", "-o", tmp_path / "dist")
    assert code == 1 and "there is no code of this for c: fixed needs avx512f" in said and "--target" in said
    code, _, said = run(f"{write(text)}:fixed", "-o", tmp_path / "dist", "-t", "avx512")
    assert code == 0, said
    code, _, said = run(f"{write(text)}:fixed", "-o", tmp_path / "dist", "-t", "gemmini")
    assert code == 1 and "gemmini needs gemmini, which a library for x86_64 can't ask a processor for" in said


def test_without_a_compiler(write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    code, printed, said = run(write(), "-o", tmp_path / "dist")
    assert (code, printed) == (1, "") and "no-such-compiler" in said
    assert not (tmp_path / "dist").exists()


def test_where_nothing_can_be_written(write: Callable[..., Path], tmp_path: Path) -> None:
    code, printed, said = run(write(), "-o", tmp_path / "mine.py")
    assert (code, printed) == (2, "") and "mine.py is a file, and a folder is needed there" in said


def test_a_file_named_as_a_module_of_python_needs_a_name(write: Callable[..., Path], tmp_path: Path) -> None:
    assert "json" in sys.stdlib_module_names
    code, _, said = run(write(name="json.py"), "-o", tmp_path)
    assert code == 2 and "give the module a --name: the file's name 'json'" in said
