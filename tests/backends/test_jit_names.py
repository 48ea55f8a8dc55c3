"""Procedures may have any name: what compiled code calls is its own, whatever other libraries have of that name."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backends import jit
from backends.c import NameClashError, compile
from backends.gemmini.model import simulate
from exo_strat import Proc

Code = Callable[..., Proc]

_NAMES = """
    step advance times accept sync send wait access bind read close getline write pipe select signal kill getpid
    malloc free memcpy memset exit abort calloc printf aligned_alloc main index time clock environ
    exp expf sqrt fma signgam y0 exo_entry exo_alloc exo_call exo_frame a0 exo__a0 exo_min_f32 linux errno NAN double
"""
NAMES = _NAMES.split()


def plus_one(code: Code, name: str) -> Proc:
    return code(f"""
    def {name}(n: size, x: [f32][n]):
        t: f32[n]
        for i in seq(0, n):
            t[i] = fmin(x[i], 1000.0)
        for i in seq(0, n):
            x[i] = t[i] + 1.0
    """)


def twice(code: Code, name: str, callee: Proc) -> Proc:
    return code(
        f"""
    def {name}(n: size, x: [f32][n]):
        {callee.name()}(n, x[0:n])
        {callee.name()}(n, x[0:n])
    """,
        **{callee.name(): callee},
    )


def test_calls_between_procedures_with_names_of_libraries(code: Code) -> None:
    """A chain of calls: each procedure calls the one before."""
    p = plus_one(code, NAMES[0])
    for name in (*NAMES[1:], "\N{GREEK SMALL LETTER ALPHA}", "x" * 300):
        p = code(f"def {name}(n: size, x: [f32][n]):\n    {p.name()}(n, x[0:n])\n", **{p.name(): p})
    x = np.zeros(3, np.float32)
    jit(p, flags=["-O0"])(3, x)
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", ["step", "accept", "malloc", "memcpy", "main", "exp", "getline"])
def test_a_name_of_a_library(code: Code, name: str) -> None:
    """At the top, and called from there."""
    p, x = plus_one(code, name), np.zeros(3, np.float32)
    jit(p)(3, x)
    jit(twice(code, "outer", p))(3, x)
    assert x.tolist() == [3, 3, 3]


def test_macros_of_headers_as_names(code: Code) -> None:
    f = jit(
        code("""
    def isless(BIG_ENDIAN: f32[8], alloca: i32):
        SEEK_SET: f32[80000]
        SEEK_SET[0] = 1.0
        for FP_NAN in seq(0, 8):
            BIG_ENDIAN[FP_NAN] = SEEK_SET[0]
        alloca = alloca // alloca
    """)
    )
    x = np.zeros(8, np.float32)
    f(x, np.array([3], np.int32))
    assert x.tolist() == [1] * 8


def test_what_an_instruction_brings_is_local_too(code: Code) -> None:
    """Its C may define functions and variables whose names other libraries have."""
    own = "float timezone = 4.0f;\nvoid advance(float *x) { *x += timezone; }"
    advance = code(
        f"""
    @instr("advance(&{{x_data}});", {own!r})
    def bump(x: [f32][1]):
        x[0] += 4.0
    """
    )
    p = code("def p(x: f32[1]):\n    bump(x[0:1])\n", bump=advance)
    x = np.zeros(1, np.float32)
    jit(p)(x)
    assert x.tolist() == [4]


def test_bodies_of_parallel_loops_and_config_state(code: Code) -> None:
    step = plus_one(code, "step")
    p = code(
        """
    def wait(m: size, x: f32[m, 8]):
        for send in par(0, m):
            step(8, x[send, 0:8])
    """,
        step=step,
    )
    x = np.zeros((5, 8), np.float32)
    jit(p)(5, x)
    assert (x == 1).all()


def test_only_the_entry_point_can_be_seen(code: Code) -> None:
    library = jit(twice(code, "accept", plus_one(code, "step"))).library
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in names.splitlines()} == {
        "exo_entry", "exo_again", "exo_layout", "exo_like_last", "exo_types", "exo_look", "exo_python",
        "exo_wanted", "exo_stack_needed", "exo_stack_found", "exo_why",
    }  # fmt: skip


def test_the_model_of_gemmini_has_local_names(code: Code) -> None:
    x = np.zeros(3, np.float32)
    simulate(twice(code, "accept", plus_one(code, "step")))(3, x)
    assert x.tolist() == [2, 2, 2]


def test_names_of_a_library_that_is_loaded_for_all(code: Code, tmp_path: Path) -> None:
    """A library whose symbols everybody sees has all names of the generated code."""
    from ctypes import CDLL, RTLD_GLOBAL

    from backends.toolchain import build

    own = ("_step", "call", "entry", "again", "look", "alike", "run", "give_up", "wanted", "failures", "enter", "why")
    names = [f"exo_{n}" for n in (*own, "release", "acquire", "python", "stack_needed", "stack_found")]
    source = "#include <stdlib.h>\n" + "".join(f"void {n}(void) {{ abort(); }}\n" for n in names)
    CDLL(str(build("everything", source, ())), mode=RTLD_GLOBAL)
    x = np.zeros(3, np.float32)
    f = jit(twice(code, "outer", plus_one(code, "step")), flags=["-O0"])
    for _ in range(2):
        f(3, x)
    assert x.tolist() == [4, 4, 4]
    large = jit(
        code("""
    def large(k: size, x: f32[1]):
        t: f32[k]
        t[0] = x[0]
        x[0] = t[0]
    """)
    )
    with pytest.raises(MemoryError, match="large: there is no memory"):
        large(2**50, x[:1])


def test_c_for_others_has_no_name_of_the_c_library(code: Code) -> None:
    """Whoever links it would have that function replaced, or be called by another name."""
    step = plus_one(code, "step")
    with pytest.raises(NameClashError, match="C or its library has the name step"):
        compile([step])
    inside = compile([twice(code, "outer", step)]).source
    assert "static void step_(" in inside and " step(" not in inside
