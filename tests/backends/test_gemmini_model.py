"""The functional model refuses what the hardware leaves undefined; the RISC-V build sends the right words."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backends.c import compile
from backends.gemmini import INCLUDE_DIR, Counts
from backends.toolchain import compiler
from examples.gemmini.matmul import Product, scheduled

ACCUM, ADD, FULL, NONE = 1 << 31, 1 << 30, 1 << 29, 0xFFFFFFFF
PARAMETERS = {
    "config_ld": "i l f b l",
    "config_st": "l b f",
    "config_ex": "b b l l l b b",
    "mvin": "i p u l l",
    "mvout": "p u l l",
    "preload": "u u l l l l",
    "compute": "u u l l l l",
    "flush": "",
    "fence": "",
    "reset": "b",
}
TYPES = {"i": ctypes.c_int, "l": ctypes.c_int64, "f": ctypes.c_float, "b": ctypes.c_bool, "p": ctypes.c_void_p}
Call = tuple[object, ...]
Run = Callable[..., str]

SETUP: tuple[Call, ...] = (
    ("config_ld", 0, 16, 1.0, False, 16),
    ("config_st", 16, False, 1.0),
    ("config_ex", True, False, 0, 1, 1, False, False),
)
BUFFER = np.arange(4096, dtype=np.int8)
AT = BUFFER.ctypes.data
LOADED: tuple[Call, ...] = (*SETUP, ("mvin", 0, AT, 0, 16, 16), ("mvin", 0, AT, 16, 16, 16))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`run((name, arguments), ..)` issues instructions after a reset and returns the fault, or ""."""
    folder = tmp_path_factory.mktemp("model")
    source, library = folder / "model.c", folder / "model.so"
    source.write_text('#include "exo_gemmini.h"\n')
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-DEXO_GEMMINI_MODEL_HERE", f"-I{INCLUDE_DIR}"]
    subprocess.run([*compiler(), *flags, "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    functions = ctypes.CDLL(str(library))
    functions.exo_gemmini_fault.restype = ctypes.c_char_p
    for name, kinds in PARAMETERS.items():
        types = [TYPES.get(k, ctypes.c_uint32) for k in kinds.split()]
        getattr(functions, f"exo_gemmini_{name}").argtypes = types

    def issue(*calls: Call) -> str:
        functions.exo_gemmini_reset(True)
        for name, *arguments in calls:
            getattr(functions, f"exo_gemmini_{name}")(*arguments)
        fault: bytes = functions.exo_gemmini_fault()
        return fault.decode()

    return issue


PRELOAD = ("preload", 16, ACCUM, 16, 16, 16, 16)
COMPUTE = ("compute", 0, NONE, 16, 16, 16, 16)


def test_what_is_right_is_no_fault(run: Run) -> None:
    out = np.zeros(1024, np.int8)
    again = ("preload", 16, ACCUM | ADD, 16, 16, 16, 16)
    stores = (("mvout", out.ctypes.data, ACCUM, 16, 16), ("fence",), ("mvin", 0, out.ctypes.data, 0, 16, 16))
    assert run(*LOADED, PRELOAD, COMPUTE, again, COMPUTE, *stores) == ""


def test_a_store_waits_for_the_load_of_what_it_stores(run: Run) -> None:
    data = np.zeros(256, np.int8).ctypes.data
    load, store = ("mvin", 0, data, 32, 16, 16), ("mvout", data, 32, 16, 16)
    assert run(*SETUP, load, store) == ""
    assert run(*SETUP, ("mvin", 0, AT, 0, 16, 16), load, ("fence",), ("mvout", data, 0, 16, 16)) == ""


FAULTS: dict[str, tuple[tuple[Call, ...], str]] = {
    "load without configuration": ((("mvin", 0, AT, 0, 16, 16),), "load register 0 was never set"),
    "load by another register": ((*SETUP, ("mvin", 1, AT, 0, 16, 16)), "load register 1 was never set"),
    "store without configuration": ((("mvout", AT, 0, 16, 16),), "store register was never set"),
    "preload without configuration": ((PRELOAD,), "execution register was never set"),
    "too many rows": ((*SETUP, ("mvin", 0, AT, 0, 16, 17)), "rows: 17, and 1 to 16"),
    "no rows": ((*SETUP, ("mvin", 0, AT, 0, 16, 0)), "rows: 0, and 1 to 16"),
    "too many columns": ((*SETUP, ("mvin", 0, AT, 0, 65, 16)), "columns: 65, and 1 to 64"),
    "too many columns of int32": ((*SETUP, ("mvin", 0, AT, ACCUM, 17, 1)), "columns: 17, and 1 to 16"),
    "too many columns stored": ((*LOADED, ("mvout", AT, 0, 65, 1)), "columns: 65, and 1 to 64"),
    "past the scratchpad": ((*SETUP, ("mvin", 0, AT, 16369, 16, 16)), "rows 16369 to 16384, and the scratchpad"),
    "block past the scratchpad": ((*SETUP, ("mvin", 0, AT, 16353, 32, 16)), "the scratchpad has 16384"),
    "past the accumulator": ((*SETUP, ("mvin", 0, AT, ACCUM | 1023, 16, 2)), "the accumulator has 1024"),
    "product past the accumulator": ((*LOADED, ("preload", 16, ACCUM | 1010, 16, 16, 16, 16)), "accumulator has 1024"),
    "tiles that overlap": (
        (("config_ld", 0, 16, 1.0, False, 8), ("mvin", 0, AT, 0, 32, 16)),
        "16 rows, and tiles begin every 8",
    ),
    "a negative stride": ((("config_ld", 0, -1, 1.0, False, 16),), "negative stride"),
    "a stride of too many bits": ((("config_st", 2**32, False, 1.0),), "does not fit 32 bits"),
    "int32 scaled": ((("config_ld", 0, 16, 0.5, False, 16), ("mvin", 0, AT, ACCUM, 4, 4)), "int32 can't be scaled"),
    "rows stored over each other": ((*LOADED, ("config_st", 8, False, 1.0), ("mvout", AT, 0, 16, 2)), "overlap"),
    "both operands transposed": ((("config_ex", True, False, 0, 1, 1, True, True),), "both operands"),
    "the other dataflow": ((("config_ex", False, False, 0, 1, 1, False, False),), "output-stationary"),
    "compute alone": ((*LOADED, COMPUTE), "without a preload"),
    "compute twice": ((*LOADED, PRELOAD, COMPUTE, COMPUTE), "without a preload"),
    "an operand overwritten": ((*LOADED, PRELOAD, ("mvin", 0, AT, 16, 16, 16), COMPUTE), "between preload and compute"),
    "configuration in between": ((*LOADED, PRELOAD, SETUP[2], COMPUTE), "config_ex between preload and compute"),
    "two preloads": ((*LOADED, PRELOAD, PRELOAD), "preload between preload and compute"),
    "A never written": ((*LOADED, PRELOAD, ("compute", 32, NONE, 16, 16, 16, 16)), "A: row 32, column 0 was never"),
    "B never written": ((*LOADED, ("preload", 17, ACCUM, 16, 16, 16, 16), COMPUTE), "B: row 32, column 0 was never"),
    "D never written": ((*LOADED, PRELOAD, ("compute", 0, 40, 16, 16, 16, 16)), "D: row 40, column 0 was never"),
    "A partly written": (
        (*SETUP, ("mvin", 0, AT, 0, 15, 16), ("mvin", 0, AT, 16, 16, 16), PRELOAD, COMPUTE),
        "A: row 0, column 15 was never",
    ),
    "sums onto nothing": ((*LOADED, ("preload", 16, ACCUM | ADD, 16, 16, 16, 16), COMPUTE), "adds: row 0, column 0"),
    "a load onto nothing": ((*SETUP, ("mvin", 0, AT, ACCUM | ADD, 4, 4)), "mvin that adds: row 0, column 0"),
    "nothing stored": ((*SETUP, ("mvout", AT, ACCUM, 16, 16)), "mvout: row 0, column 0 was never written"),
    "nothing stored from the scratchpad": ((*SETUP, ("mvout", AT, 5, 1, 1)), "mvout: row 5, column 0 was never"),
    "B in the accumulator": ((*LOADED, ("preload", ACCUM, ACCUM, 16, 16, 16, 16)), "not in the scratchpad"),
    "C with more rows than A": ((*LOADED, PRELOAD, ("compute", 0, NONE, 16, 4, 16, 16)), "C has 16 rows, A 4"),
    "a sum in the scratchpad": ((*LOADED, ("preload", 16, ADD, 16, 16, 16, 16)), "the scratchpad can't add"),
    "a load of what was stored": (
        (*LOADED, ("mvout", AT + 1024, 0, 16, 16), ("mvin", 0, AT + 1024 + 250, 0, 16, 1)),
        "without a fence",
    ),
    "a store to what another load may still read": (
        (*LOADED, ("mvin", 0, AT + 1024, 32, 16, 16), ("mvout", AT + 1024 + 250, 0, 16, 1)),
        "mvout to bytes that an mvin may still read",
    ),
    "ReLU with a negative scale": ((("config_st", 16, True, -1.0),), "ReLU with a negative scale"),
}


@pytest.mark.parametrize("what", sorted(FAULTS))
def test_faults(what: str, run: Run) -> None:
    calls, message = FAULTS[what]
    assert message in run(*calls)


def test_a_fault_ends_a_program_of_its_own(tmp_path: Path) -> None:
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text('#include "exo_gemmini.h"\nint main(void) { exo_gemmini_mvin(0, NULL, 0, 1, 1); }\n')
    flags = ["-DEXO_GEMMINI_MODEL_HERE", f"-I{INCLUDE_DIR}"]
    subprocess.run([*compiler(), *flags, "-o", program, source, "-lm"], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "gemmini: mvin: load register 0 was never set" in done.stderr


def test_counts_have_the_order_of_the_header() -> None:
    struct = (INCLUDE_DIR / "exo_gemmini.h").read_text().split("struct exo_gemmini_counts {")[1].split("};")[0]
    lines = (line.split("//")[0].strip() for line in struct.splitlines())
    names = [n.strip() for line in lines for n in line.removeprefix("int64_t").rstrip(";").split(",") if n.strip()]
    flat = [f"mvin{i}" for n in names for i in range(3) if n == "mvin[3]"]
    at = names.index("mvin[3]")
    assert [*names[:at], *flat, *names[at + 1 :]] == list(Counts.__dataclass_fields__)


# -- RISC-V -------------------------------------------------------------------------------------------


def bits(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


WORDS = [
    ("config_ld(1, 48, 0.5f, true, 16)", 0, bits(0.5) << 32 | 16 << 16 | 1 << 8 | 1 << 3 | 1 << 2 | 1, 48),
    ("config_st(80, true, 2.0f)", 0, 1 << 2 | 2, bits(2.0) << 32 | 80),
    ("config_ex(true, true, 0, 1, 2, true, false)", 0, bits(1.0) << 32 | 1 << 16 | 1 << 8 | 1 << 3 | 1 << 2, 2 << 48),
    ("mvin(0, (void *)64, 7, 33, 5)", 2, 64, 5 << 48 | 33 << 32 | 7),
    ("mvin(1, NULL, EXO_GEMMINI_ACCUM | 3, 16, 16)", 1, 0, 16 << 48 | 16 << 32 | ACCUM | 3),
    ("mvin(2, (void *)64, 7, 33, 5)", 14, 64, 5 << 48 | 33 << 32 | 7),
    ("mvout((void *)64, EXO_GEMMINI_ACCUM | EXO_GEMMINI_FULL, 2, 3)", 3, 64, 3 << 48 | 2 << 32 | ACCUM | FULL),
    ("preload(9, 8, 4, 3, 2, 1)", 6, 3 << 48 | 4 << 32 | 9, 1 << 48 | 2 << 32 | 8),
    ("compute(9, EXO_GEMMINI_NONE, 4, 3, 16, 16)", 4, 3 << 48 | 4 << 32 | 9, 16 << 48 | 16 << 32 | NONE),
    ("flush()", 7, 0, 0),
]


def test_the_words_that_are_sent(tmp_path: Path) -> None:
    """The RISC-V build on this host, with its one assembly statement recorded instead."""
    source, program = tmp_path / "words.c", tmp_path / "words"
    words = ", ".join(f"(unsigned long long)({x})" for x in "fab")
    record = f'#define EXO_GEMMINI_ISSUE(f, a, b) printf("%llu %llu %llu\\n", {words})'
    calls = "".join(f"    exo_gemmini_{call};\n" for call, *_ in WORDS)
    text = f'#include <stdio.h>\n#define __riscv 1\n{record}\n#include "exo_gemmini.h"\nint main(void) {{\n{calls}}}\n'
    source.write_text(text)
    subprocess.run([*compiler(), "-O1", f"-I{INCLUDE_DIR}", "-o", program, source], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert [tuple(map(int, line.split())) for line in done.stdout.splitlines()] == [tuple(w) for _, *w in WORDS]


@pytest.mark.skipif(
    shutil.which("riscv64-linux-gnu-gcc") is None,
    reason="no RISC-V compiler; on Debian: apt install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
)
def test_the_riscv_build_compiles(tmp_path: Path) -> None:
    module = compile([scheduled(Product(32, 32, 32))], "matmul")
    (tmp_path / "matmul.h").write_text(module.header)
    (tmp_path / "matmul.c").write_text(module.source)
    assembly = tmp_path / "matmul.s"
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror", *module.cc_flags]
    command = ["riscv64-linux-gnu-gcc", *flags, "-S", "-o", str(assembly), str(tmp_path / "matmul.c")]
    subprocess.run(command, check=True, cwd=tmp_path)
    text = assembly.read_text()
    assert ".insn r 0x7b, 3, 6, x0" in text and ".insn r 0x7b, 3, 4, x0" in text
    subprocess.run([*command[:-4], "-c", "-o", str(tmp_path / "matmul.o"), command[-1]], check=True, cwd=tmp_path)
    assert "\tfence" in text  # the compiler puts blocks in another order
    assert module.source.endswith("    exo_gemmini_fence();\n}\n")
