"""Building the library: what is made again, and what is said when a kernel can't be made."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backends.targets import avx2, avx512, plain_c
from backends.toolchain import CACHE_VARIABLE, CacheError, CompileError, NoCompilerError, compiler
from examples.exo_blas.binding import Cblas
from examples.exo_blas.builder import cache, library, sources
from examples.exo_blas.builder.interface import Bits
from examples.exo_blas.builder.library import BuildError, build
from examples.exo_blas.builder.units import Unit, kernels_of, sharing, units
from examples.exo_blas.programs.kernel import Kernel
from exo_strat import Machine, Op, fail


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))


def never(machine: Machine) -> Op:
    return fail("this one can't be made")


def unmakeable(unit: Unit) -> tuple[tuple[str, Kernel], ...]:
    return tuple((module, replace(k, plan=never)) for module, k in kernels_of(unit))


def test_a_schedule_that_fails_in_another_process_is_told_with_its_kernel_and_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "kernels_of", unmakeable)
    with pytest.raises(BuildError, match=r"(?s)axpy\.c: saxpy\w* can't be scheduled for c\n.*this one can't be made"):
        build(tmp_path, [plain_c], only=["axpy"])


def test_a_library_with_64_bit_integers_has_other_names(tmp_path: Path) -> None:
    library = build(tmp_path, [plain_c], only=["daxpy"], integers=64)
    assert library.name == "libexo_blas64.so"
    blas, x, y = Cblas(library, integers=64), np.arange(4.0), np.ones(4)
    blas.cblas_daxpy(4, 2.0, x.ctypes.data, 1, y.ctypes.data, 1)
    assert y.tolist() == [1, 3, 5, 7]
    assert not hasattr(blas.library, "cblas_daxpy") and hasattr(blas.library, "daxpy_64_")


def test_it_is_there_by_the_usual_fortran_names_too(tmp_path: Path) -> None:
    """Also what it calls itself, which a program may define: `xerbla_`."""
    build(tmp_path, [plain_c], only=["daxpy"], integers=64)
    library = ctypes.CDLL(str(tmp_path / "libexo_blas_ilp64.so"))
    n, one, two = ctypes.c_int64(3), ctypes.c_int64(1), ctypes.c_double(2)
    x, y = np.arange(4.0), np.ones(4)
    at = [ctypes.c_void_p(v.ctypes.data) for v in (x, y)]
    library.daxpy_(*map(ctypes.byref, (n, two)), at[0], ctypes.byref(one), at[1], ctypes.byref(one))
    assert y.tolist() == [1, 3, 5, 1]
    told = subprocess.run(["nm", "-D", tmp_path / "libexo_blas_ilp64.so"], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in told.stdout.splitlines()}
    assert names >= {"cblas_daxpy_64", "daxpy_", "xerbla_", "lsame_"}
    assert not [name for name in names if name.endswith("_64_")]


@pytest.mark.parametrize("integers", [32, 64])
def test_a_program_looks_for_it_by_its_name(integers: Bits, tmp_path: Path) -> None:
    library = build(tmp_path, [plain_c], only=["daxpy"], integers=integers)
    for path in {library, *tmp_path.glob("*.so")}:
        told = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
        assert f"soname: [{path.name}]" in told.stdout


def test_of_what_a_unit_asks_only_flags_that_the_compiler_knows_are_given() -> None:
    assert library.known("-O1") and not library.known("-mno-such-flag")


@pytest.mark.parametrize("compiler", ["gcc", "clang", "clang-19"])
def test_flags_that_a_compiler_knows(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    monkeypatch.setenv("CC", compiler)
    library.known.cache_clear()
    assert library.known("-O2") and not library.known("-fno-such-flag")
    library.known.cache_clear()


def test_a_wrapper_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="there is no wrapper axpi"):
        build(tmp_path / "out", [plain_c], only=["axpi", "axpy"])
    assert not (tmp_path / "out").exists()


def test_a_compiler_or_a_cache_that_is_missing_is_told_before_anything_is_scheduled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kernel, "scheduled", lambda *_: pytest.fail("a kernel is scheduled"))
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompilerError, match="no-such-compiler"):
        build(tmp_path / "out", [plain_c], only=["axpy"])
    monkeypatch.delenv("CC")
    (tmp_path / "file").touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(CacheError, match=f"set {CACHE_VARIABLE} to a writable folder"):
        build(tmp_path / "out", [plain_c], only=["axpy"])
    assert not (tmp_path / "out").exists()


def test_a_compiler_that_refuses_leaves_no_library(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"(?s)refused \w+.*-mno-such-flag"):
        build(tmp_path, [plain_c], ["-mno-such-flag"], only=["axpy"])
    assert not list(tmp_path.glob("*.so")) and not list(tmp_path.glob("*.h"))


def test_what_is_kept_is_made_once_and_a_cache_that_cannot_keep_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.kept("sum", lambda: "1") == "1"
    assert cache.kept("sum", lambda: pytest.fail("it is made again")) == "1"
    (tmp_path / "file").touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(CacheError, match=f"can't keep sum in .*set {CACHE_VARIABLE}"):
        cache.kept("sum", lambda: "1")


def test_what_did_not_change_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(tmp_path, [plain_c], only=["axpy"])
    kept = {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*") if p.is_file()}
    monkeypatch.setattr(Kernel, "scheduled", lambda *_: pytest.fail("a kernel is scheduled again"))
    assert build(tmp_path, [plain_c], only=["axpy"]) == first
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*") if p.is_file()} == kept


def test_of_a_library_of_which_nothing_changed_nothing_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = build(tmp_path, [plain_c], only=["rotg"])
    with monkeypatch.context() as patch:
        patch.setattr(library, "for_all", lambda *_: pytest.fail("units are looked at"))
        assert build(tmp_path, [plain_c], only=["rotg"]) == made
        with pytest.raises(pytest.fail.Exception):
            build(tmp_path, [plain_c], flags=["-g"], only=["rotg"])
        made.write_bytes(b"")
        with pytest.raises(pytest.fail.Exception):
            build(tmp_path, [plain_c], only=["rotg"])
        made.with_suffix(".from").write_bytes(b"\xff")
        with pytest.raises(pytest.fail.Exception):
            build(tmp_path, [plain_c], only=["rotg"])
    assert build(tmp_path, [plain_c], only=["rotg"]).stat().st_size > 0


def test_what_the_library_is_made_from_besides_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that became another one, headers that lie elsewhere, and files that flags name."""
    own = tmp_path / "own-gcc"
    own.write_text(f'#!/bin/sh\nexec {compiler()[0]} "$@"\n')
    own.chmod(0o755)
    monkeypatch.setenv("CC", str(own))
    profile = tmp_path / "own.profile"
    profile.write_text('"c vector_shared 70000\\n"')
    flags = [f'-DEXO_PROFILE="{profile}"']
    for given in ([], flags):
        build(tmp_path, [plain_c], flags=given, only=["rotg"])
        with monkeypatch.context() as patch:
            patch.setattr(library, "for_all", lambda *_: pytest.fail("units are looked at"))
            if given:
                with pytest.raises(pytest.fail.Exception):
                    build(tmp_path, [plain_c], flags=given, only=["rotg"])
                continue
            build(tmp_path, [plain_c], only=["rotg"])
            patch.setenv("CPATH", str(tmp_path))
            with pytest.raises(pytest.fail.Exception):
                build(tmp_path, [plain_c], only=["rotg"])
            patch.delenv("CPATH")
            patch.setenv("CC", f"{own} -include {tmp_path / 'exo_blas.h'}")
            with pytest.raises(pytest.fail.Exception):
                build(tmp_path, [plain_c], only=["rotg"])
            patch.setenv("CC", str(own))
            own.write_text(own.read_text() + "# another one\n")
            with pytest.raises(pytest.fail.Exception):
                build(tmp_path, [plain_c], only=["rotg"])


@pytest.mark.parametrize("name", ["exo_strat/a.py", "examples/exo_blas/cblas/a.c", "examples/exo_blas/cblas/a.profile"])
def test_any_file_counts_for_whether_something_changed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    file.write_text("")
    before = sources.of_everything("gcc")
    assert sources.of_everything("gcc") == before != sources.of_everything("clang")
    file.write_text("// other")
    assert sources.of_everything("gcc") != before


def test_a_kernel_is_scheduled_once_for_all_units_and_for_targets_with_the_same_plan() -> None:
    real, pairs = (next(u for u in units() if u.name == name) for name in ("dcopy", "zcopy"))
    shared = {k.name: k for _, k in kernels_of(real)}
    both = [k for _, k in kernels_of(pairs) if k.name in shared and k.name != "dcopy_far_long"]
    assert both
    for k in both:
        assert k.scheduled(avx2) is shared[k.name].scheduled(avx2)
    for _, k in kernels_of(next(u for u in units() if u.name == "dtrsv")):
        assert k.scheduled(avx2) is k.scheduled(avx512)


def test_groups_share_no_kernel_and_have_every_unit_once() -> None:
    groups = sharing(units())
    assert sorted(u.name for g in groups for u in g) == sorted(u.name for u in units())
    names = [{name for u in g for name in u.kernels()} for g in groups]
    assert sum(map(len, names)) == len(set().union(*names))


# -- what a schedule depends on -------------------------------------------------------------------------

FILES = {
    "exo_strat/core.py": "",
    "backends/c.py": "",
    "strategies/common.py": "",
    "strategies/one.py": "from . import common",
    "strategies/two.py": "from .common import vectors",
    "examples/first.py": "from strategies import one",
    "examples/second.py": "from strategies.two import plan",
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small project in place of this one."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    yield tmp_path
    forget()


def forget() -> None:
    sources.digest.cache_clear()
    sources._compiler.cache_clear()


def digests() -> tuple[str, str]:
    forget()
    return sources.digest("examples.first"), sources.digest("examples.second")


@pytest.mark.parametrize(
    ("touched", "first", "second"),
    [
        ("strategies/one.py", True, False),
        ("strategies/two.py", False, True),
        ("strategies/common.py", True, True),
        ("examples/second.py", False, True),
        ("exo_strat/core.py", True, True),
        ("backends/c.py", True, True),
    ],
)
def test_a_change_concerns_the_kernels_that_depend_on_it(tree: Path, touched: str, first: bool, second: bool) -> None:
    before = digests()
    (tree / touched).write_text(FILES[touched] + "\n# changed\n")
    after = digests()
    assert (before[0] != after[0], before[1] != after[1]) == (first, second)
