"""What goes wrong outside of a procedure is a Python exception that says what happened; the process lives."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyrsistent import pmap

from backends import CacheError, JitFunction, NoCompilerError, jit, toolchain
from backends.runtime import stack_use
from exo_strat import Config, Proc, index

Code = Callable[..., Proc]

TOO_LONG = 2**50


@pytest.fixture
def store(code: Code) -> Proc:
    return code("""
    def store(x: f32):
        x = 1.0
    """)


def one(f: JitFunction) -> None:
    x = np.zeros(1, np.float32)
    f(x)
    assert x[0] == 1


# -- no value -----------------------------------------------------------------------------------------


def test_a_config_field_that_grows_too_large(code: Code) -> None:
    grows = Config("Grows", pmap({"i": index}))
    f = jit(
        code(
            """
    def double(n: size, x: f32[8]):
        t: f32[n]
        t[0] = 1.0
        Grows.i = n
        for k in seq(0, 70):
            Grows.i = Grows.i * 2
        if Grows.i > 5:
            x[0] = t[0]
    """,
            Grows=grows,
        )
    )
    with pytest.raises(ArithmeticError, match="double: a config field has grown too large for 64 bits"):
        f(3, np.zeros(8, np.float32))


@pytest.mark.parametrize("mode", ["seq", "par", "vec"])
@pytest.mark.parametrize("kind", ["i8", "u32", "i64"])
def test_an_integer_divided_by_zero(code: Code, kind: str, mode: str) -> None:
    f = jit(
        code(f"""
    def quotients(x: {kind}[8], y: {kind}[8]):
        for i in {mode}(0, 8):
            x[i] = x[i] // y[i]
    """)
    )
    x, y = (np.full(8, v, kind.replace("u", "uint") if kind[0] == "u" else kind.replace("i", "int")) for v in (7, 2))
    f(x, y)
    assert x.tolist() == [3] * 8
    y[5] = 0
    with pytest.raises(ArithmeticError, match="quotients: an integer is divided by zero"):
        f(x, y)
    y[5] = 1
    f(x, y)


@pytest.mark.parametrize("bits", [32, 64])
def test_the_least_integer_divided_by_minus_one(code: Code, bits: int) -> None:
    f = jit(
        code(f"""
    def quotient(x: i{bits}, y: i{bits}):
        x = x // y
    """)
    )
    x = np.array([-(2 ** (bits - 1))], f"int{bits}")
    f(x, -1)  # no integer of this many bits is the quotient: any will do


# -- memory -------------------------------------------------------------------------------------------


def test_a_buffer_that_is_too_large_for_the_stack(code: Code) -> None:
    f = jit(
        code("""
    def large(x: f32[1]):
        t: f32[10000000] @ DRAM_STACK
        for i in seq(0, 10000000):
            t[i] = x[0]
        x[0] = t[7] + 1.0
    """)
    )
    x = np.zeros(1, np.float32)
    with pytest.raises(MemoryError, match=r"large: .* DRAM_STACK .* take 40,0.. bytes.*|large: .*take 40,0"):
        f(x)
    with pytest.raises(MemoryError, match="set_memory"):
        f.bind(x)()
    before = threading.stack_size(64 * 2**20)
    try:
        worker = threading.Thread(target=f, args=(x,))
        worker.start()
        worker.join()
    finally:
        threading.stack_size(before)
    assert x[0] == 1


def test_threads_of_parallel_loops_need_stack_too(code: Code) -> None:
    f = jit(
        code("""
    def large(x: f32[2]):
        for j in par(0, 2):
            t: f32[10000000] @ DRAM_STACK
            for i in seq(0, 10000000):
                t[i] = x[j]
            x[j] = t[7] + 1.0
    """)
    )
    with pytest.raises(MemoryError, match="OMP_STACKSIZE"):
        f(np.zeros(2, np.float32))


def test_the_stack_of_calls_is_that_of_the_deepest() -> None:
    code = """
static void exo__f(int a) {
    a;
}

static void exo__g(int a) {
    exo__f(a);
    exo__f(a);
}

static void exo__h(int a) {
    exo__f(a);
}

int exo_entry(int a) {
    exo__g(a); exo__h(a);
}
"""
    frames = {"exo__f": 100, "exo__g": 10, "exo__h": 20, "exo_entry": 1}
    assert stack_use(code, frames) == 121
    assert stack_use(code, {**frames, "brought": 1000}) == 1121


@pytest.mark.parametrize("loop", ["seq", "par"])
def test_an_allocation_that_fails(code: Code, loop: str) -> None:
    callee = code("""
    def part(k: size, x: [f32][1]):
        t: f32[k]
        t[0] = x[0]
        x[0] = t[0] + 1.0
    """)
    f = jit(
        code(
            f"""
    def total(n: size, k: size, x: f32[n]):
        first: f32[n]
        for i in {loop}(0, n):
            part(k, x[i:i + 1])
        first[0] = x[0]
        x[0] = first[0]
    """,
            part=callee,
        )
    )
    x = np.zeros(8, np.float32)
    for _ in range(3):
        with pytest.raises(MemoryError, match=r"total: there is no memory for a buffer of 4,503,599,627,370,496 bytes"):
            f(8, TOO_LONG, x)
    with pytest.raises(MemoryError):
        f.bind(8, TOO_LONG, x)()
    x[:] = 0
    f(8, 3, x)
    assert x.tolist() == [1] * 8


def test_what_was_allocated_before_a_failure_is_released(code: Code) -> None:
    f = jit(
        code("""
    def wide(k: size, x: f32[1]):
        t: f32[16000000]
        for i in seq(0, 16000000):
            t[i] = x[0]
        u: f32[k]
        u[0] = t[5]
        x[0] = u[0]
    """)
    )

    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[0])

    if not Path("/proc/self/statm").exists():
        pytest.skip("this system does not say how much memory a process has")
    before = pages()
    for _ in range(4):
        with pytest.raises(MemoryError):
            f(TOO_LONG, np.ones(1, np.float32))
    assert (pages() - before) * os.sysconf("SC_PAGESIZE") < 64 * 10**6


# -- the cache ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["truncated", "foreign", "nothing", "no sum", "bad sum", "other sum"])
def test_a_damaged_entry_is_made_again(store: Proc, cache_dir: Path, fault: str) -> None:
    library = jit(store).library
    about, whole = library.with_suffix(".json"), library.read_bytes()
    os.unlink(library)  # and a new file: this one is still mapped
    match fault:
        case "truncated":
            library.write_bytes(whole[: len(whole) // 2])
        case "foreign":
            library.write_bytes(jit(store, flags=["-O1"]).library.read_bytes())
        case "no sum" | "bad sum" | "other sum":
            library.write_bytes(whole)
            about.unlink()
            if fault != "no sum":
                about.write_text("[]" if fault == "bad sum" else '{"sha256": "0", "frames": {}}')
        case _:
            pass
    one(jit(store))
    assert library.exists() and about.exists()


def test_a_damaged_part_of_all_entries_is_made_again(store: Proc, cache_dir: Path) -> None:
    jit(store)
    for part in cache_dir.glob("*.o"):
        part.write_bytes(b"nonsense")
    one(jit(store, flags=["-O1"]))


def test_the_home_folder_in_the_name_of_the_cache(store: Proc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", "~/kept")
    assert jit(store).library.parent == tmp_path / "kept"
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", "~nobody-of-this-name/kept")
    with pytest.raises(CacheError, match="EXO_STRAT_CACHE_DIR"):
        jit(store)


@pytest.mark.parametrize("name", ["x" * 300, "y" * 200 + "/" + "z" * 4000])
def test_a_cache_with_too_long_a_name(store: Proc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path / name))
    with pytest.raises(CacheError, match="EXO_STRAT_CACHE_DIR"):
        jit(store)


# -- the compiler -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "says"), [("gcc '", "CC is no command"), ("true", "made no code"), ("{text}", "can't be run")]
)
def test_what_is_no_compiler(
    store: Proc, cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, says: str
) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"\0\1\2")
    text.chmod(0o755)
    monkeypatch.setenv("CC", command.format(text=text))
    with pytest.raises(NoCompilerError, match=says) as caught:
        jit(store)
    assert "set it to" in str(caught.value) or "set CC" in str(caught.value)


def test_a_compiler_for_another_processor(store: Proc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cross = tmp_path / "cross-cc"
    cross.write_text("#!/bin/sh\necho '#define __SIZEOF_POINTER__ 4'\n")
    cross.chmod(0o755)
    monkeypatch.setenv("CC", str(cross))
    with pytest.raises(NoCompilerError, match=r"cross-cc makes no 64-bit code for .*; set CC to a compiler that does"):
        jit(store)


def test_another_compiler_in_the_place_of_the_first(
    store: Proc, cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, wrapper = shutil.which("cc"), tmp_path / "wrapper"
    monkeypatch.setenv("CC", str(wrapper))
    libraries = []
    for version in ("one", "other"):
        wrapper.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} && exit\nexec {real} "$@"\n')
        wrapper.chmod(0o755)
        libraries.append(jit(store).library)
    assert libraries[0] != libraries[1]


# -- headers ------------------------------------------------------------------------------------------


def test_a_header_of_an_instruction_is_seen_to_change(code: Code, cache_dir: Path, tmp_path: Path) -> None:
    """Also one that it includes."""
    outer, inner = tmp_path / "outer.h", tmp_path / "inner.h"
    outer.write_text('#include "inner.h"\n')
    inner.write_text("static void bump(float *x) { *x += 1; }\n")
    bump = code(
        f"""
    @instr("bump(&{{x_data}});", '#include "{outer}"')
    def bump(x: [f32][1]):
        x[0] += 1.0
    """
    )
    p = code("def p(x: f32[1]):\n    bump(x[0:1])\n", bump=bump)
    x = np.zeros(1, np.float32)
    first = jit(p)
    first(x)
    assert jit(p).library == first.library
    inner.write_text("static void bump(float *x) { *x += 10; }\n")
    jit(p)(x)
    assert x[0] == 11
    inner.write_text("static void bump(float *x) { *x += 1; }\n")
    assert jit(p).library == first.library


def test_a_header_found_by_a_flag_is_seen_to_change(code: Code, cache_dir: Path, tmp_path: Path) -> None:
    """Even if it has the name of one of the C library's."""
    header = tmp_path / "math.h"
    bump = code(
        """
    @instr("bump(&{x_data});", "#include <math.h>")
    def bump(x: [f32][1]):
        x[0] += 1.0
    """
    )
    p = code("def p(x: f32[1]):\n    bump(x[0:1])\n", bump=bump)
    x = np.zeros(1, np.float32)
    for by in (1, 10):
        header.write_text(f"static void bump(float *x) {{ *x += {by}; }}\n")
        jit(p, flags=[f"-I{tmp_path}"])(x)
    assert x[0] == 11


def test_headers_are_read_only_where_some_may_change(
    store: Proc, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for what comes with the compiler, nor for a comment that speaks of headers."""
    commands = list[Sequence[str]]()

    def noted(command: Sequence[str], *rest: Any) -> str:
        commands.append(command)
        return run(command, *rest)

    run = toolchain._run
    monkeypatch.setattr(toolchain, "_run", noted)
    jit(store)
    assert len(commands) >= 2 and not [c for c in commands if "-E" in c and "-dM" not in c]
