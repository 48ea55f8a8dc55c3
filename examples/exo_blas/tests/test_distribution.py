"""The source distribution, built as its users do: by make and by CMake, and as a wheel. Of plain C only, which is
compiled sooner."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from examples.exo_blas.builder import distribution
from examples.exo_blas.builder.routines import routines

pytestmark = pytest.mark.slow
PLAIN = ("VECTORS=", "CFLAGS=-O0", f"-j{os.cpu_count()}")


def ran(*command: str | Path, cwd: Path, **env: str) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    assert "EXO_BLAS_PROFILE" not in done.stdout + done.stderr, "the library finds fault with its own profiles"
    return done.stdout


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return distribution.archive(tmp_path_factory.mktemp("packed"))


@pytest.fixture(scope="module")
def sources(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, unpacked."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")
    return folder / distribution.name()


@pytest.fixture(scope="module")
def made(sources: Path) -> Path:
    """The sources, with both libraries for plain C."""
    ran("make", *PLAIN, cwd=sources)
    return sources


def program_of(text: str, folder: Path, *flags: str) -> str:
    """What the program in README.md prints."""
    (folder / "program.c").write_text(text)
    ran("cc", "program.c", "-o", "program", *flags, cwd=folder)
    return ran(folder / "program", cwd=folder)


def shown(sources: Path, language: str) -> str:
    return (sources / "README.md").read_text().partition(f"```{language}\n")[2].partition("```")[0]


def test_the_same_sources_give_the_same_archive(packed: Path, tmp_path: Path) -> None:
    assert distribution.archive(tmp_path).read_bytes() == packed.read_bytes()


def test_every_source_is_in_both_lists_and_every_flag_is_asked_for(sources: Path) -> None:
    make = dict(line.split(" := ") for line in (sources / "sources.mk").read_text().splitlines())
    cmake = (sources / "sources.cmake").read_text()
    names = {p.stem for p in (sources / "src").glob("*.c")}
    assert names == {n for key in ("SOURCES", "SOURCES_plain", "SOURCES_x86_64") for n in make[key].split()}
    flags = {f for key, words in make.items() if key.startswith("FLAGS") for f in words.split()}
    assert flags == {*make["ALL_FLAGS"].split()}
    for key, words in make.items():
        assert f"set(EXO_BLAS_{key} {words})\n" in cmake


def test_make_builds_libraries_that_pass_their_tests(made: Path) -> None:
    told = ran("make", *PLAIN, "check", cwd=made)
    assert "c, 32-bit integers: " in told and "c, 64-bit integers: " in told
    assert told.count(" 0 wrong results") == 4
    ran("make", *PLAIN, "ilp64", cwd=made)
    for name, suffix, in_fortran in (("exo_blas", "", ""), ("exo_blas64", "_64", "_64"), ("exo_blas_ilp64", "_64", "")):
        exported = ran("nm", "-D", "--defined-only", f"lib/lib{name}.so", cwd=made).split()[2::3]
        names = {"xerbla", "xerbla_array", "lsame", *(p.fortran for p in routines())}
        own = ("exo_blas_isa", "exo_blas_choices", "cblas_xerbla", *(p.name for p in routines()))
        wanted = {f"{n}{in_fortran}_" for n in names} | {f"{n}{suffix}" for n in own}
        assert {*exported} == wanted


@pytest.mark.parametrize("compiler", ["clang", "tcc"])
def test_another_compiler_builds_one_that_passes(compiler: str, sources: Path, tmp_path: Path) -> None:
    """One that takes some of the flags, and one that takes none, has no vectors and no OpenMP."""
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    own = (f"CC={compiler}", "LIBRARIES=exo_blas", f"BUILD={tmp_path / 'build'}", f"LIB={tmp_path / 'lib'}")
    told = ran("make", *PLAIN, *own, "check", cwd=sources)
    assert "c, 32-bit integers: " in told and " 0 wrong results" in told


NOTHING = "static const float none[20000]; if (diag == CblasUnit) a = none; CALL;"
FAULTS = {
    "forgets beta": ("cblas_dgemm", "beta = 1; CALL;"),
    "touches what it may not": ("cblas_dtrsm", "b[0] += 1; CALL;"),
    "leaves out all but a unit diagonal": ("cblas_strsm", NOTHING),
    "transposes without conjugating": ("cblas_ztrmm", "if (trans == CblasConjTrans) trans = CblasTrans; CALL;"),
    "reads what a real diagonal has not": ("cblas_zhemv", "CALL; if (n > 0) *(double *)y += 0 * ((double *)a)[1];"),
    "writes it": ("cblas_cher2k", "CALL; if (n > 0) ((float *)c)[1] += 1e-20f;"),
    "takes another norm": ("cblas_scasum", "return cblas_scnrm2(n, x, incx);"),
    "takes 1 + i for 1": ("cblas_cscal", "if (*(float *)alpha == 1) return; CALL;"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_check_finds_a_wrong_library(fault: str, made: Path, tmp_path: Path) -> None:
    ran("make", *PLAIN, "build/check_exo_blas_program", cwd=made)
    (tmp_path / "wrong.c").write_text(wrapped(*FAULTS[fault]))
    ran("cc", "-shared", "-fPIC", f"-I{made}/include", "wrong.c", "-o", "wrong.so", cwd=tmp_path)
    env = {**os.environ, "LD_PRELOAD": str(tmp_path / "wrong.so")}
    done = subprocess.run([made / "build/check_exo_blas_program", "1", "40"], env=env, capture_output=True, check=False)
    assert done.returncode == 1 and b"not " in done.stdout


def wrapped(name: str, body: str) -> str:
    """The function of this name with another body, in which CALL is the library's."""
    p = next(p for p in routines() if p.name == name)
    call = f'((__typeof__({name}) *)dlsym(RTLD_NEXT, "{name}"))({p.arguments})'
    head = '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include "exo_blas.h"\n'
    return f"{head}{p.result} {name}({p.params}) {{ {body.replace('CALL', call)} }}"


def test_what_is_installed_is_found_by_pkg_config_and_cmake(made: Path, tmp_path: Path) -> None:
    ran("make", *PLAIN, "install", f"PREFIX={tmp_path / 'there'}", cwd=made)
    there = tmp_path / "there"
    text = shown(made, "c")
    rpath = f"-Wl,-rpath,{there}/lib"
    assert program_of(text, tmp_path, f"-I{there}/include", f"-L{there}/lib", "-lexo_blas", rpath) == "1 2 3 4\n"
    if shutil.which("pkg-config"):
        for name in ("exo_blas", "exo_blas64"):
            configs = f"{there}/lib/pkgconfig"
            flags = ran("pkg-config", "--cflags", "--libs", name, cwd=tmp_path, PKG_CONFIG_PATH=configs)
            assert program_of(text, tmp_path, *flags.split(), rpath) == "1 2 3 4\n"
    if not shutil.which("cmake"):
        pytest.skip("there is no cmake")
    lines = ["cmake_minimum_required(VERSION 3.18)", "project(user C)", "find_package(exo_blas 0.1 REQUIRED)"]
    for kind in ("exo_blas", "exo_blas64", "exo_blas_static", "exo_blas64_static"):
        lines += [f"add_executable(with_{kind} program.c)", f"target_link_libraries(with_{kind} exo_blas::{kind})"]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    ran("cmake", "-B", "by_cmake", f"-DCMAKE_PREFIX_PATH={there}", cwd=tmp_path)
    ran("cmake", "--build", "by_cmake", cwd=tmp_path)
    for kind in ("exo_blas", "exo_blas64", "exo_blas_static", "exo_blas64_static"):
        assert ran(tmp_path / "by_cmake" / f"with_{kind}", cwd=tmp_path) == "1 2 3 4\n"


def test_programs_of_netlib_that_are_not_where_they_are_said_to_be_are_missed(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "product/check/netlib.sh"
    done = subprocess.run(["sh", script, "none.so", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and f"no test programs of netlib (xblat1s and so on) below {tmp_path}" in done.stdout


PROFILE = '# of a test: "quoted", and a \\ \nc gemm_slim 33\n'
TOLD = "import ctypes, sys; t = ctypes.create_string_buffer(1 << 14); "
TOLD += "ctypes.CDLL(sys.argv[1]).exo_blas_choices(t, 1 << 14); print(t.value.decode())"


def test_a_profile_is_compiled_in(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "sources", symlinks=True)
    (tmp_path / "own profile").write_text(PROFILE)
    ran("make", *PLAIN, "LIBRARIES=exo_blas", f"EXO_PROFILE={tmp_path / 'own profile'}", cwd=copy)
    assert "c gemm_slim 33  # 0 to 256\n" in ran(sys.executable, "-c", TOLD, copy / "lib/libexo_blas.so", cwd=copy)
    assert "c gemm_slim 64  # 0 to 256\n" in ran(sys.executable, "-c", TOLD, made / "lib/libexo_blas.so", cwd=copy)


BAD = "processor: of another make\nc gemm_slim 1000\n# c\nc gemm_thin 3\nc gemm_far no limit\n"
WRONG = ("line 2: less or more than exo_blas_choices says", "line 4: there is no such choice")


def refused(*command: str | Path, cwd: Path) -> str:
    """What a command tells that fails at once."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode
    return " ".join((done.stdout + done.stderr).split())


def test_a_wrong_profile_is_refused(sources: Path, tmp_path: Path) -> None:
    bad, other = tmp_path / "bad.profile", tmp_path / "none.profile"
    bad.write_text(BAD)
    told = refused("make", "VECTORS=", f"EXO_PROFILE={bad}", cwd=sources)
    assert told.endswith(f"EXO_PROFILE: {bad}, {WRONG[0]}; {bad}, {WRONG[1]}. Stop.")
    assert f"EXO_PROFILE: there is no file {other}." in refused("make", f"EXO_PROFILE={other}", cwd=sources)
    if shutil.which("cmake"):
        configure = ("cmake", "-B", tmp_path / "build", "-DEXO_BLAS_VECTORS=OFF")
        told = refused(*configure, f"-DEXO_PROFILE={bad}", cwd=sources)
        assert all(f"{bad}, {why}" in told for why in WRONG) and "line 5" not in told
        assert f"EXO_PROFILE: there is no file {other}" in refused(*configure, f"-DEXO_PROFILE={other}", cwd=sources)


def test_libraries_that_there_are_not_are_refused(sources: Path, tmp_path: Path) -> None:
    commands: list[tuple[str | Path, ...]] = [("make",)]
    if shutil.which("cmake"):
        commands.append(("cmake", "-B", tmp_path, "-DEXO_BLAS_VECTORS=OFF"))
    for command in commands:
        given = "-DLIBRARIES=" if command[0] == "cmake" else "LIBRARIES="
        assert "LIBRARIES is bogus: there are exo_blas exo_blas64" in refused(*command, f"{given}bogus", cwd=sources)
        assert "LIBRARIES is empty: there are exo_blas exo_blas64" in refused(*command, given, cwd=sources)


def test_cmake_makes_the_libraries_that_it_is_told(sources: Path, tmp_path: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("there is no cmake")
    ran("cmake", "-B", tmp_path, "-DEXO_BLAS_VECTORS=OFF", "-DLIBRARIES=exo_blas", cwd=sources)
    targets = ran("cmake", "--build", tmp_path, "--target", "help", cwd=sources).split()
    assert "exo_blas" in targets and "exo_blas64" not in targets and "ilp64" not in targets
    ran("cmake", "-B", tmp_path, "-DLIBRARIES=exo_blas64;exo_blas exo_blas", cwd=sources)  # in any order
    of_64 = {name: "EXO_BLAS_64" in (tmp_path / f"{name}.pc").read_text() for name in ("exo_blas", "exo_blas64")}
    assert of_64 == {"exo_blas": False, "exo_blas64": True}


def test_cmake_builds_the_same(sources: Path, tmp_path: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("there is no cmake")
    copy = shutil.copytree(sources, tmp_path / "sources", ignore=shutil.ignore_patterns("build", "lib"))
    listed = copy / "sources.cmake"
    listed.write_text(listed.read_text().replace("-O3", "-O0").replace("-O2", "-O0"))  # it is compiled sooner
    (tmp_path / "own.profile").write_text(PROFILE)
    own = ("-DCMAKE_INSTALL_INCLUDEDIR=include/exo", f"-DEXO_PROFILE={tmp_path / 'own.profile'}")
    ran("cmake", "-B", "build", "-DEXO_BLAS_VECTORS=OFF", *own, cwd=copy)
    ran("cmake", "--build", "build", f"-j{os.cpu_count()}", cwd=copy)
    ran("cmake", "--build", "build", "--target", "ilp64", cwd=copy)
    told = ran("ctest", "--test-dir", "build", "--output-on-failure", cwd=copy)
    assert "100% tests passed" in told and "out of 4" in told
    assert "c gemm_slim 33  # 0 to 256\n" in ran(sys.executable, "-c", TOLD, copy / "build/libexo_blas.so", cwd=copy)
    ran("cmake", "--install", "build", "--prefix", tmp_path / "there", cwd=copy)
    wanted = {"exo_blas.h", "exo_blas.pc", "exo_blas64.pc", "exo_blas-config.cmake", "libexo_blas_ilp64.so"}
    wanted |= {f"lib{name}.{kind}" for name in ("exo_blas", "exo_blas64") for kind in ("a", "so")}
    assert {p.name for p in (tmp_path / "there").rglob("*") if p.exists()} >= wanted
    finding = "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nfind_package(exo_blas REQUIRED)\n"
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "CMakeLists.txt").write_text(finding)
    ran("cmake", "-B", "own", f"-DCMAKE_PREFIX_PATH={tmp_path / 'there'}", cwd=tmp_path / "user")
    if shutil.which("pkg-config"):
        (configs,) = {p.parent for p in (tmp_path / "there").rglob("*.pc")}
        told = ran("pkg-config", "--cflags", "--libs", "exo_blas64", cwd=tmp_path, PKG_CONFIG_PATH=str(configs))
        found = [Path(f[2:]).resolve() for f in told.split() if f.startswith(("-I", "-L"))]
        assert len(found) == 2 and all(p.is_dir() and (tmp_path / "there").resolve() in p.parents for p in found)


def test_a_wheel_has_the_libraries_and_functions_on_arrays(made: Path, tmp_path: Path) -> None:
    env = {"MAKEFLAGS": "VECTORS= CFLAGS=-O0"}
    ran(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, made, cwd=tmp_path, **env)
    (wheel,) = tmp_path.glob("exo_blas-*.whl")
    assert "-py3-none-" in wheel.name and "any" not in wheel.name
    there = tmp_path / "there"
    ran(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", there, wheel, cwd=tmp_path)
    told = ran(sys.executable, "-c", shown(made, "python"), cwd=tmp_path, PYTHONPATH=str(there))
    assert " ".join(told.split()) == "[[ 3. 3.] [12. 12.]] [1. 2.]"
    version = "import exo_blas; print(exo_blas.__version__)"
    assert f"-{ran(sys.executable, '-c', version, cwd=tmp_path, PYTHONPATH=str(there)).strip()}-" in wheel.name
    places = "import exo_blas; print(exo_blas.library(), exo_blas.include(), exo_blas.pkgconfig(), exo_blas.cmake())"
    library, include, configs, cmake = ran(sys.executable, "-c", places, cwd=tmp_path, PYTHONPATH=str(there)).split()
    rpath = f"-Wl,-rpath,{Path(library).parent}"
    assert program_of(shown(made, "c"), tmp_path, f"-I{include}", library, rpath) == "1 2 3 4\n"
    if shutil.which("pkg-config"):
        flags = ran("pkg-config", "--cflags", "--libs", "exo_blas", cwd=tmp_path, PKG_CONFIG_PATH=configs)
        assert program_of(shown(made, "c"), tmp_path, *flags.split(), rpath) == "1 2 3 4\n"
    assert (Path(cmake) / "exo_blas-config.cmake").exists()
    command = (sys.executable, "-m", "exo_blas")
    given = ("tune", "--minutes", "0.1", "--only", "triangle_near", "gemm_many_columns", "-o", "own.profile")
    told = ran(*command, *given, cwd=tmp_path, PYTHONPATH=str(there)).splitlines()
    assert [line.split()[0] for line in told[:2]] == ["triangle_near", "gemm_many_columns"] and len(told) == 3
    profile = tmp_path / "own.profile"
    assert profile.exists() != told[2].startswith("nothing better")
    if profile.exists():
        with_it = ran(*command, "choices", cwd=tmp_path, PYTHONPATH=str(there), EXO_BLAS_PROFILE=str(profile))
        assert all(line.partition("  #")[0] + "  #" in with_it for line in profile.read_text().splitlines()[2:])
