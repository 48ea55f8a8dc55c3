"""Wheels of compiled functions: what is in them, what they compute, and what they say of wrong arguments.

A packaged function has checks of its own, as it may not import this library: they are compared with those of `jit`.
"""

from __future__ import annotations

import ast
import csv
import importlib
import os
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.bf16 import to_bf16
from backends.c import BackendError, NameClashError
from backends.jit import jit
from backends.packaging import package, usual_machines
from backends.packaging import runtime as runtime_module
from backends.targets import available, avx2, avx512, gemmini, neon, plain_c
from backends.toolchain import CompileError, NoCompilerError, UnsupportedTargetError
from exo_strat import *
from strategies.std import vectorize_for

# -- kernels ------------------------------------------------------------------------------------------


@proc
def axpy(n: size, a: f32, x: [f32][n], y: f32[n]):
    assert stride(x, 0) == 1
    for i in seq(0, n):
        y[i] += a * x[i]


@proc
def turned(n: size, m: size, x: [f64][n, m], y: [f64][m, n]):  # noqa: RUF016
    for i in seq(0, n):
        for j in seq(0, m):
            y[j, i] = x[i, j]


@proc
def halves(n: size, x: f32[n], total: f32):
    assert n % 2 == 0 and n < 1000
    for i in seq(0, n / 2):
        total += x[2 * i]


@proc
def put(n: size, k: index, on: bool, value: i8, x: i8[n]):
    assert k >= 0 and k < n
    if on:
        x[k] = value


@proc
def gather(n: size, m: size, idx: i32[n], x: f32[m], y: f32[n]):
    assert within(idx, 0, m) and distinct(idx)
    for i in seq(0, n):
        y[i] = x[idx[i]]


@proc
def first_of(n: size, ptr: i32[n + 1], at: i64, x: f32[n], y: f32):
    assert rising(ptr) and at >= 0 and at < n
    y = x[at]  # noqa: F841


@proc
def narrow(n: size, a: bf16, b: f16, x: f16[n], z: bf16[n]):
    for i in seq(0, n):
        x[i] = b
        z[i] = a


@proc
def ratio(n: size, d: i32, x: i32[n]):
    for i in seq(0, n):
        x[i] = tdiv(x[i], d)


@proc
def roomy(n: size, k: size, x: f32[n]):
    t: f32[k]
    t[0] = x[0]
    x[0] = t[0] + 1.0


@proc
def deep(x: f32[1]):
    t: f32[10000000] @ DRAM_STACK
    for i in seq(0, 10000000):
        t[i] = x[0]
    x[0] = t[7] + 1.0


@proc
def shared(n: size, x: f32[n]):
    for i in par(0, n):
        x[i] = 2.0 * x[i]


PROCS = (axpy, turned, halves, put, gather, first_of, narrow, ratio, roomy, deep, shared)


def axpy_for(machine: Machine) -> Proc:
    return schedule(at("for i in _: _", vectorize_for(machine, "f32")), axpy) if machine.vec_widths else axpy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the module `packed` is, with all kernels for all usual machines."""
    out = tmp_path_factory.mktemp("packed")
    package([(m, [axpy_for(m), *PROCS[1:]]) for m in usual_machines()], "packed", "0.1.0", out, unpacked=True)
    return out


@pytest.fixture(scope="module")
def packed(folder: Path) -> Iterator[ModuleType]:
    sys.path.insert(0, str(folder))
    yield importlib.import_module("packed")
    sys.path.remove(str(folder))


def elsewhere(code: str, *folders: Path, **variables: str) -> str:
    """What a program prints in a process that finds modules in these folders and has no other variables than these."""
    env = {k: v for k, v in os.environ.items() if not k.endswith("_ISA")} | variables
    env["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# -- what they compute --------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(n=st.integers(1, 100), seed=st.integers(0, 2**32 - 1))
def test_a_function_computes_what_the_procedure_does(packed: ModuleType, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-9, 9, n).astype(np.float32), rng.integers(-9, 9, n).astype(np.float32)
    wanted = y + 2 * x
    packed.axpy(n, 2, x, y)
    assert (y == wanted).all()


@pytest.mark.parametrize("machine", [m for m in usual_machines() if available(m)], ids=str)
def test_each_instruction_set_computes_it(machine: Machine, folder: Path) -> None:
    code = (
        "import numpy as np, packed; x, y = np.arange(37, dtype='f4'), np.ones(37, 'f4'); packed.axpy(37, 2, x, y);"
        "print(packed.INSTRUCTION_SET, (y == 1 + 2 * x).all())"
    )
    assert elsewhere(code, folder, PACKED_ISA=machine.name) == f"{machine} True\n"


def test_windows_values_and_narrow_numbers(packed: ModuleType) -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.zeros((4, 6))
    packed.turned(2, 3, x, y[:3, ::4])
    assert (y[:3, ::4] == x.T).all() and y.sum() == x.sum()
    total = np.zeros((), np.float32)
    packed.halves(4, np.array([1, 2, 3, 4], np.float32), total)
    assert total == 4
    small = np.zeros(3, np.int8)
    packed.put(3, 1, True, -7, small)
    packed.put(3, 2, False, 5, small)
    assert small.tolist() == [0, -7, 0]
    halves, bf = np.zeros(2, np.float16), np.zeros(2, np.uint16)
    packed.narrow(2, 1 + 2.0**-8 + 2.0**-30, 0.1, halves, bf)
    assert (halves == np.float16(0.1)).all() and (bf == to_bf16(1 + 2.0**-8 + 2.0**-30)).all()
    packed.narrow(2, to_bf16([0.5])[0], np.float16(2), halves, bf)
    assert (halves == 2).all() and (bf == to_bf16(0.5)).all()


def test_a_number_is_rounded_once(packed: ModuleType) -> None:
    """Not to float32 first: that would be halfway between two numbers of float16, and go to the even one."""
    number, x, z = 1 + 2.0**-11 + 2.0**-40, np.zeros(2, np.float16), np.zeros(2, np.uint16)
    for f in (packed.narrow, jit(narrow)):
        for _ in range(2):  # the second call is like the first
            x[:] = 0
            f(2, 1.0, number, x, z)
            assert (x == np.float16(number)).all() and x[0] == 1 + 2.0**-10


def test_indices_from_arrays(packed: ModuleType) -> None:
    x, y = np.arange(5, dtype=np.float32), np.zeros(3, np.float32)
    packed.gather(3, 5, np.array([4, 0, 2], np.int32), x, y)
    assert y.tolist() == [4, 0, 2]


def test_parallel_loops_also_after_a_fork(folder: Path) -> None:
    code = (
        "import os, numpy as np, packed\n"
        "x = np.ones(1000, 'f4'); packed.shared(1000, x)\n"
        "if os.fork() == 0:\n    packed.shared(1000, x); os._exit(int(x.sum() != 4000))\n"
        "print(os.wait()[1], x.sum())"
    )
    assert elsewhere(code, folder) == "0 2000.0\n"


# -- wrong arguments ----------------------------------------------------------------------------------

F4, F8, I4 = np.float32, np.float64, np.int32
ONES = np.ones(8, F4)
FROZEN = np.ones(4, F4)
FROZEN.flags.writeable = False


class Hushed(np.ndarray):
    """Arrays that don't tell their extremes."""

    def min(self, *_: Any, **__: Any) -> Any:
        return 0

    max = min


WRONG: list[tuple[Proc, tuple[Any, ...]]] = [
    (axpy, (0, 1, ONES[:0], ONES[:0])),
    (axpy, (2.5, 1, ONES, ONES)),
    (axpy, (True, 1, ONES, ONES)),
    (axpy, (2**70, 1, ONES, ONES)),
    (axpy, (4, "1", ONES[:4].copy(), ONES[:4])),
    (axpy, (4, True, ONES[:4].copy(), ONES[:4])),
    (axpy, (4, np.ones(2), ONES[:4].copy(), ONES[:4])),
    (axpy, (4, 1, [1, 2, 3, 4], ONES[:4])),
    (axpy, (4, 1, np.ones(4), ONES[:4])),
    (axpy, (4, 1, ONES.copy(), ONES[:4])),
    (axpy, (4, 1, np.ones((2, 2), F4), ONES[:4])),
    (axpy, (4, 1, np.ones(8, F4)[::2], ONES[:4])),
    (axpy, (4, 1, ONES[:4].copy(), ONES[::2])),
    (axpy, (4, 1, ONES[:4].copy(), FROZEN)),
    (axpy, (4, 1, np.frombuffer(bytes(17), np.uint8)[1:].view(F4), ONES[:4])),
    (axpy, (4, 1, ONES[2:6], ONES[:4])),
    (axpy, (4, 1, np.ones(4, ">f4"), ONES[:4])),
    (turned, (2, 3, np.zeros((2, 3)), np.broadcast_to(np.zeros(1), (3, 2)))),
    (turned, (2, 3, np.zeros((2, 3)), np.lib.stride_tricks.as_strided(np.zeros(9), (3, 2), (8, 8)))),
    (turned, (2, 2, np.zeros((2, 2), "f8,f4")["f0"], np.zeros((2, 2)))),
    (halves, (3, np.zeros(3, F4), np.zeros(1, F4))),
    (halves, (2000, np.zeros(2000, F4), np.zeros(1, F4))),
    (halves, (2, np.zeros(2, F4), 0.0)),
    (halves, (2, np.zeros(2, F4), np.zeros(2, F4))),
    (put, (3, 3, True, 1, np.zeros(3, np.int8))),
    (put, (3, 0, 1, 1, np.zeros(3, np.int8))),
    (put, (3, 0, True, 128, np.zeros(3, np.int8))),
    (put, (3, 0, True, 0.5, np.zeros(3, np.int8))),
    (put, (3, -1, True, 0, np.zeros(3, np.int8))),
    (gather, (2, 3, np.array([0, 3], I4), np.zeros(3, F4), np.zeros(2, F4))),
    (gather, (2, 3, np.array([-1, 0], I4), np.zeros(3, F4), np.zeros(2, F4))),
    (gather, (3, 3, np.array([2, 1, 2], I4), np.zeros(3, F4), np.zeros(3, F4))),
    (first_of, (2, np.array([0, 2, 1], I4), 0, np.zeros(2, F4), np.zeros(1, F4))),
    (first_of, (2, np.array([0, 1, 2], I4), 2, np.zeros(2, F4), np.zeros(1, F4))),
    (gather, (2, 3, np.ma.array([0, 2**30], mask=[0, 1], dtype=I4), np.zeros(3, F4), np.zeros(2, F4))),
    (gather, (2, 3, np.array([0, 2**30], I4).view(Hushed), np.zeros(3, F4), np.zeros(2, F4))),
    (axpy, (1, np.ma.masked, ONES[:1].copy(), ONES[:1])),
    (axpy, (1, 10**400, ONES[:1].copy(), ONES[:1])),
    (narrow, (2, 1.0, 1.0, np.zeros(2, F4), np.zeros(2, np.uint16))),
]


@pytest.mark.parametrize(("p", "args"), WRONG, ids=lambda v: v.name() if isinstance(v, Proc) else "")
def test_wrong_arguments_are_refused_as_by_jit(p: Proc, args: tuple[Any, ...], packed: ModuleType) -> None:
    with pytest.raises(ValueError) as there:
        jit(p)(*args)
    with pytest.raises(ValueError) as here:
        getattr(packed, p.name())(*args)
    assert str(here.value) == str(there.value)
    assert str(here.value).startswith(f"{p.name()}: argument ")


def test_bfloat16_is_explained(packed: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"argument z must be uint16 \(bf16: the upper halves of float32\), but is"):
        packed.narrow(2, 1.0, 1.0, np.zeros(2, np.float16), np.zeros(2, F4))


def test_what_goes_wrong_inside_is_an_exception(packed: ModuleType) -> None:
    x = np.ones(1, F4)
    with pytest.raises(MemoryError, match="roomy: there is no memory for a buffer of 4,503,599,627,370,496 bytes"):
        packed.roomy(1, 2**50, x)
    with pytest.raises(MemoryError, match=r"deep: its buffers may take 40,\d{3},\d{3} bytes of the stack"):
        packed.deep(x)
    with pytest.raises(ArithmeticError, match="ratio: an integer is divided by zero"):
        packed.ratio(1, 0, np.ones(1, I4))
    packed.roomy(1, 4, x)
    assert x[0] == 2


def test_names_that_python_allows_and_no_arguments(tmp_path: Path) -> None:
    text = "def strange(lang\u00e4nge: size, _calls: f32[lang\u00e4nge], double: f32):\n    _calls[0] = double"
    procs = [proc_from_source(text), proc_from_source("def nothing():\n    pass")]
    package([(plain_c, procs)], "odd", "1", tmp_path, unpacked=True)
    code = (
        "import numpy as np, odd; x = np.zeros(2, np.float32); odd.strange(2, x, 3.0); odd.nothing(); print(x)\n"
        "try:\n    odd.strange(1, x, 3.0)\nexcept ValueError as e:\n    print(e)"
    )
    wanted = "[3. 0.]\nstrange: argument _calls must have shape (1,), but has (2,)\n"
    assert elsewhere(code, tmp_path) == wanted


def test_a_call_by_name(packed: ModuleType) -> None:
    y = np.zeros(2, F4)
    packed.axpy(a=3, n=2, y=y, x=np.ones(2, F4))
    assert y.tolist() == [3, 3]
    with pytest.raises(TypeError, match="y"):
        packed.axpy(2, 3, y)


# -- what is in a wheel -------------------------------------------------------------------------------


def test_the_docstring_tells_types_shapes_and_conditions(packed: ModuleType) -> None:
    doc = packed.gather.__doc__
    assert "Writes y." in doc
    assert "n: size, an integer that is at least 1\n" in doc
    assert "idx: array of int32, shape (n,), C-contiguous\n" in doc
    assert "Needs within(idx, 0, m).\n" in doc and "Needs distinct(idx).\n" in doc
    assert "x: array of float64, shape (n, m), any strides\n" in packed.turned.__doc__
    hints = packed.axpy.__annotations__
    assert hints == {"n": "int", "a": "float", "x": "NDArray[np.float32]", "y": "NDArray[np.float32]", "return": "None"}


def test_the_wheel_has_true_tags_and_a_record(tmp_path: Path) -> None:
    made = package([(plain_c, [axpy])], "Small_One", "1.2", tmp_path)
    again = package([(plain_c, [axpy])], "Small_One", "1.2", tmp_path / "again")
    assert made.read_bytes() == again.read_bytes()
    assert made.name.startswith("small_one-1.2-py3-none-") and "manylinux" not in made.name
    assert [p.name for p in tmp_path.iterdir() if p != again.parent] == [made.name]
    with zipfile.ZipFile(made) as z:
        inside = {n: z.read(n) for n in z.namelist()}
    rows = csv.reader(inside["small_one-1.2.dist-info/RECORD"].decode().splitlines())
    record = {path: (digest, size) for path, digest, size in rows}
    assert record.keys() == inside.keys()
    for path, (digest, size) in record.items():
        if not path.endswith("/RECORD"):
            wanted = urlsafe_b64encode(sha256(inside[path]).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={wanted}", len(inside[path]))
    wheel = inside["small_one-1.2.dist-info/WHEEL"].decode()
    assert "Root-Is-Purelib: false" in wheel and f"Tag: {made.stem.partition('-1.2-')[2]}" in wheel
    assert "Requires-Dist: numpy>=1.26" in inside["small_one-1.2.dist-info/METADATA"].decode()


def test_what_runs_imports_numpy_and_pythons_own_library_only(folder: Path) -> None:
    found = set()
    for file in (folder / "packed").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Import):
                found |= {a.name.partition(".")[0] for a in node.names}
    assert found - sys.stdlib_module_names == {"numpy"}
    assert (folder / "packed" / "_runtime.py").read_text() == Path(runtime_module.__file__).read_text()


def test_only_functions_for_callers_can_be_seen(folder: Path) -> None:
    try:
        command = ["nm", "-D", "--defined-only", folder / "packed/lib/libpacked.so"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("no nm")
    names = {line.split()[-1] for line in shown.stdout.splitlines()}
    functions = {p.name() for p in PROCS}
    asked = {"gather_admits", "first_of_admits", "packed_isa", "exo_why", "exo_wanted", "exo_stack_found"}
    assert names == functions | {f"exo_python_{f}" for f in functions} | asked


MAIN = """
#include <packed.h>
#include <stdio.h>
int main(void) {
    float a = 2, x[] = {1, 2, 3}, y[] = {10, 20, 30};
    const int32_t good[] = {2, 0, 1}, bad[] = {3, 0, 1};
    axpy(3, &a, (struct exo_win_1f32c){x, {1}}, y);
    printf("%g %g %g %d %d %s\\n", y[0], y[1], y[2], gather_admits(3, 3, good, x, y), gather_admits(3, 3, bad, x, y),
           packed_isa());
    fflush(stdout);
    int32_t n = 1;
    const int32_t zero = 0;
    ratio(1, &zero, &n);
}
"""


def test_a_program_in_c(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(MAIN)
    flags = elsewhere("import runpy; runpy.run_module('packed')", folder).split()
    subprocess.run(["cc", "main.c", *flags, "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, env={"PACKED_ISA": "c"}, capture_output=True, text=True)
    assert done.stdout == "12 24 36 1 0 c\n"
    assert done.returncode < 0 and done.stderr == "ratio: an integer is divided by zero\n"


def test_an_unknown_instruction_set_is_ignored_aloud(folder: Path) -> None:
    env = {**os.environ, "PACKED_ISA": "mmx", "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", "import packed"], env=env, capture_output=True, text=True)
    sets = ", ".join(m.name for m in usual_machines())
    assert (done.returncode, done.stderr) == (0, f"PACKED_ISA is mmx, not one of {sets}: ignored\n")


@pytest.mark.skipif(not available(avx2), reason="there is no AVX2 here")
def test_without_code_for_the_processor_the_import_says_what_is_missing(tmp_path: Path, monkeypatch: Any) -> None:
    from backends.packaging import library

    asked = {**library.TESTS["x86_64"], "avx2": "0"}  # a processor without it
    monkeypatch.setattr(library, "TESTS", {"x86_64": asked})
    package([(avx2, [axpy_for(avx2)])], "wide", "1", tmp_path, unpacked=True)
    code = "try:\n    import wide\nexcept ImportError as e:\n    print(e)"
    assert elsewhere(code, tmp_path) == (
        "wide is compiled for processors with avx2, fma, f16c; this one lacks some of it\n"
    )


# -- refusals -----------------------------------------------------------------------------------------

X86 = pytest.mark.skipif(len(usual_machines()) == 1, reason="instructions of x86-64")


@X86
def test_instructions_for_one_target_are_not_put_into_others(tmp_path: Path) -> None:
    fixed = axpy_for(avx512)
    with pytest.raises(UnsupportedTargetError, match=r"no code of this for avx2: axpy needs avx512f.*write a schedule"):
        package([(avx2, [fixed]), (avx512, [fixed])], "fixed", "1", tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("machine", "word"), [(gemmini, "gemmini"), (neon, "asimd")], ids=str)
def test_targets_for_other_processors(machine: Machine, word: str, tmp_path: Path) -> None:
    if word == "asimd" and len(usual_machines()) == 1:
        pytest.skip("for x86-64")
    with pytest.raises(UnsupportedTargetError, match=rf"{machine} needs {word}, which a library for \w+ can't ask"):
        package([(machine, [axpy])], "there", "1", tmp_path)


def test_two_targets_that_ask_the_same(tmp_path: Path) -> None:
    twin = Machine("twin", {"f32": 4}, DRAM, {})
    with pytest.raises(UnsupportedTargetError, match="c and twin ask the same of a processor"):
        package([(plain_c, [axpy]), (twin, [axpy])], "two", "1", tmp_path)


@X86
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def axpy(n: size, x: f64[n]): pass", r"axpy takes .*'f32'.* for c and .*'f64'.* for avx2"),
        ("def axpy(n: size, x: f32[n]):\n    assert n > 3\n    pass", "axpy asserts less for c and n > 3 for avx2"),
        ("def other(n: size, x: f32[n]): pass", "axpy is called axpy for c and other for avx2"),
        ("def axpy(n: size, x: f32[n]):\n    x[0] = 1.0", "axpy takes .*written=False.* for c and .*written=True"),
    ],
)
def test_versions_that_differ_for_a_caller(text: str, message: str, tmp_path: Path) -> None:
    first = proc_from_source("def axpy(n: size, x: f32[n]): pass")
    with pytest.raises(NameClashError, match=message):
        package([(plain_c, [first]), (avx2, [proc_from_source(text)])], "differ", "1", tmp_path)


@pytest.mark.parametrize("name", ["np", "INSTRUCTION_SET", "lib_isa"])
def test_names_that_the_module_has_itself(name: str, tmp_path: Path) -> None:
    with pytest.raises(NameClashError, match=f"{name} is a name that the package itself has"):
        package([(plain_c, [proc_from_source(f"def {name}(x: f32): pass")])], "lib", "1", tmp_path)


def test_a_condition_on_data_that_python_does_not_look_at(tmp_path: Path) -> None:
    p = proc_from_source("def f(x: f32):\n    assert x > 0.0\n    x = 1.0")
    with pytest.raises(BackendError, match="asks for data"):
        package([(plain_c, [p])], "asks", "1", tmp_path)


def test_without_a_compiler_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    with pytest.raises(NoCompilerError, match="/nowhere/cc"):
        package([(plain_c, [axpy])], "none", "1", tmp_path)
    assert not list(tmp_path.iterdir())


@X86
def test_a_compiler_that_takes_more_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "cc -mavx2")
    with pytest.raises(CompileError, match="instructions that not all processors have: take -m flags out of CC"):
        package([(plain_c, [axpy])], "all", "1", tmp_path)
