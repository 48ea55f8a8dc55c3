"""What the tests of the backends share: procedures from text, and a cache of compiled code of their own."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.arguments import entry, plans
from backends.c import CModule, compile
from exo_strat import Proc, proc_from_source


@pytest.fixture(autouse=True, scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing is compiled into the user's cache."""
    patch = pytest.MonkeyPatch()
    patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test."""
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def code() -> Callable[..., Proc]:
    """`code(text, name=meaning, ..)`: the procedure of a text."""
    return lambda text, **env: proc_from_source(text, env)


# -- 64-bit Arm ---------------------------------------------------------------------------------------

ARM_CC, ARM_RUN = "aarch64-linux-gnu-gcc", "qemu-aarch64"
ARM_FLAGS = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function")
PACKAGES = {ARM_CC: "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross", ARM_RUN: "qemu-user"}


def found(*tools: str) -> None:
    """Skip a test where a tool is missing."""
    missing = [t for t in tools if shutil.which(t) is None]
    if missing:
        install = " and ".join(PACKAGES[t] for t in missing)
        pytest.skip(f"{' and '.join(missing)} can't be found; Debian has {install}")


@pytest.fixture
def compiles_for_arm(tmp_path: Path) -> Callable[[CModule], None]:
    """`compiles_for_arm(module)` asserts that the cross compiler takes it without a warning."""
    found(ARM_CC)

    def check(module: CModule) -> None:
        source = tmp_path / f"{module.name}.c"
        source.write_text(module.text)
        command = [ARM_CC, *ARM_FLAGS, "-O1", "-c", "-o", str(tmp_path / "module.o"), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return check


_READER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAND = 64, MARK = 0xa5 };
static void next(void *to, size_t n) { if (fread(to, 1, n, stdin) != n) abort(); }

// A block of so many bytes from the input, between two guard bands.
static char *array(int64_t bytes) {
    char *p = malloc((size_t)bytes + 2 * BAND);
    memset(p, MARK, (size_t)bytes + 2 * BAND);
    next(p + BAND, (size_t)bytes);
    return p + BAND;
}

// The block to the output, if the guard bands are as they were.
static void back(char *p, int64_t bytes) {
    for (int i = 0; i < BAND; i++)
        if ((unsigned char)p[i - BAND] != MARK || (unsigned char)p[bytes + i] != MARK) {
            fprintf(stderr, "written outside of an array\\n");
            exit(1);
        }
    fwrite(p, 1, (size_t)bytes, stdout);
    free(p - BAND);
}
"""


def _reader(p: Proc, module: CModule) -> str:
    """A program that calls a procedure on arguments from its input, and puts its arrays to its output.

    Windows are refused: each array comes as a number of bytes and the bytes.
    """
    made = entry(module.functions[0])
    assert len(made.params) == len(plans(module.functions[0])), f"{p.name()} takes windows"
    lines, after = [], []
    for i, param in enumerate(made.params):
        if param.kind is ctypes.c_void_p:
            lines.append(f"int64_t n{i}; next(&n{i}, 8); char *a{i} = array(n{i});")
            after.append(f"back(a{i}, n{i});")
        else:
            lines.append(f"{param.ctype} a{i}; next(&a{i}, sizeof a{i});")
    body = "\n    ".join([*lines, f"{made.call};", *after])
    return f"{module.text}\n{made.text}{_READER}\nint main(void) {{\n    {body}\n    return 0;\n}}\n"


def _bytes(given: object, kind: type) -> bytes:
    if isinstance(given, np.ndarray):
        return given.nbytes.to_bytes(8, "little") + given.tobytes()
    return bytes(kind(given))


@pytest.fixture
def on_arm(tmp_path: Path) -> Callable[..., Callable[..., None]]:
    """`on_arm(p)(*arguments)` runs a procedure as 64-bit Arm code in an emulator; arrays are changed in place."""
    found(ARM_CC, ARM_RUN)

    def build(p: Proc, flags: Sequence[str] = ("-O2",)) -> Callable[..., None]:
        module = compile([p], p.name())
        source, program = tmp_path / f"{p.name()}.c", tmp_path / p.name()
        source.write_text(_reader(p, module))
        command = [ARM_CC, *ARM_FLAGS, *flags, *module.cc_flags, "-static", "-o", str(program), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        types = [param.kind for param in entry(module.functions[0]).params]

        def call(*args: Any) -> None:
            given = b"".join(map(_bytes, args, types))
            ran = subprocess.run([ARM_RUN, program], input=given, capture_output=True)
            assert ran.returncode == 0, ran.stderr.decode()
            at = 0
            for a in args:
                if isinstance(a, np.ndarray):
                    a[...] = np.frombuffer(ran.stdout, a.dtype, a.size, at).reshape(a.shape)
                    at += a.nbytes
            assert at == len(ran.stdout)

        return call

    return build
