"""Instructions that don't do what their bodies say are found, and named with what differs.

Those of the targets are checked in tests/backends.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from backends import available, jit, x86_avx2
from backends.simd import Operation, instructions
from backends.targets import avx2, neon
from backends.toolchain import UnsupportedTargetError
from exo_strat import DRAM, Machine, Memory, Proc, config, proc_from_source
from exo_strat.testing import WrongInstructionError, check_instructions


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled into the user's cache."""
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


MASKED_ADD = """
@instr({c!r})
def add(n: size, dst: [f32][4], src: [f32][n]):
    assert n <= 4
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        if i < n:
            dst[i] += src[i]
"""
ADD = "for (int i = 0; i < {n}; i++) (&{dst_data})[i] += (&{src_data})[i];"


def machine(*procs: Proc, memory: Memory = DRAM) -> Machine:
    return Machine("toy", {"f32": 4}, memory, {"f32": procs})


def masked_add(c: str) -> Machine:
    return machine(proc_from_source(MASKED_ADD.format(c=c)))


def test_an_instruction_is_tried_with_every_mask() -> None:
    assert check_instructions(masked_add(ADD)) == {"add": 8}


@pytest.mark.parametrize(
    ("c", "fault"),
    [
        pytest.param(ADD.replace("+=", "-="), "dst should be", id="a wrong operation"),
        pytest.param(ADD.replace("i < {n}", "i < {n} - 1"), "with n = 1, ", id="a lane too few"),
        pytest.param(f"{ADD} (&{{dst_data}})[3] = 0;", "cell 3 differs", id="a lane beyond the mask"),
        pytest.param(
            f"{ADD} volatile float t = (&{{src_data}})[3]; (void)t;", "read or wrote beyond the end", id="a long read"
        ),
        pytest.param(f"{ADD} (&{{dst_data}})[4] = 0;", "read or wrote beyond the end", id="a long write"),
        pytest.param(f"{ADD} (&{{dst_data}})[-1] = 0;", "before the beginning of an argument", id="a write before"),
        pytest.param(
            f"{ADD} *(float *)&{{src_data}} = 0;", "src should be", id="another operand is changed"
        ),
        pytest.param("__builtin_trap();", "no such instruction", id="no instruction of the processor"),
    ],
)
def test_a_wrong_instruction_is_found(c: str, fault: str) -> None:
    with pytest.raises(WrongInstructionError) as e:
        check_instructions(masked_add(c))
    text = str(e.value)
    assert text.startswith("add does not do what its body says\nwith n = 1, dst = (") and fault in text
    assert "dst[i] += src[i]" in text


def test_a_wrong_one_does_not_hide_the_others() -> None:
    rows = [f"def f{k}(x: [f32][1]):\n    x[0] = {k}.0" for k in range(8)]
    procs = [proc_from_source(f"@instr('{{x_data}} = {k % 2};')\n{row}") for k, row in enumerate(rows)]
    with pytest.raises(WrongInstructionError) as e:
        check_instructions(machine(*procs))
    assert "f2 does not" in str(e.value) and "f1 does not" not in str(e.value) and "so do not: f7" in str(e.value)


def test_what_lies_between_the_elements_of_a_window_stays() -> None:
    row = "def zero(x: [f32][2]):\n    for i in seq(0, 2):\n        x[i] = 0.0"
    right = proc_from_source("@instr('(&{x_data})[0] = 0; (&{x_data})[{x_stride_0}] = 0;')\n" + row)
    wrong = proc_from_source("@instr('for (int i = 0; i <= {x_stride_0}; i++) (&{x_data})[i] = 0;')\n" + row)
    assert check_instructions(machine(right)) == {"zero": 2}
    with pytest.raises(WrongInstructionError, match="cell 1 differs"):
        check_instructions(machine(wrong))


def test_streams_and_transposes_are_instructions() -> None:
    def zero(name: str) -> Proc:
        return proc_from_source(f"@instr('{{x_data}} = 0;')\ndef {name}(x: [f32][1]):\n    x[0] = 0.0")

    toy = replace(machine(zero("a")), streams={"f32": (zero("b"),)}, transposes={"f32": (zero("c"),)})
    assert sorted(check_instructions(toy)) == ["a", "b", "c"]


def test_integers_are_exact_and_those_that_do_not_fit_are_passed_over() -> None:
    row = "def add(x: [i8][1], y: [i8][1]):\n    x[0] += y[0]"
    right = proc_from_source("@instr('{x_data} += {y_data};')\n" + row)
    toy = Machine("toy", {}, DRAM, {"i8": (right,)})
    assert 1 <= check_instructions(toy)["add"] <= 2
    wrong = proc_from_source("@instr('{x_data} ^= {y_data};')\n" + row)
    with pytest.raises(WrongInstructionError):
        check_instructions(replace(toy, instructions={"i8": (wrong,)}))


# -- tables of targets --------------------------------------------------------------------------------

needs_avx2 = pytest.mark.skipif(not available(avx2), reason="this processor has no avx2")


def with_row(row: Operation, suffix: str = "ps") -> Machine:
    """AVX2 with its load, its store and this row."""
    regs = x86_avx2._registers(suffix, "f32", 8)
    keep = [p for p in x86_avx2.F32 if p.name() in ("mm256_loadu_ps", "mm256_storeu_ps")]
    return replace(avx2, instructions={"f32": (*keep, *instructions(regs, [row]))}, streams={}, transposes={})


@needs_avx2
def test_operands_in_the_wrong_order_are_found() -> None:
    row = Operation("sub", "dst:V a:V b:V", "dst[i] = a[i] - b[i]", "dst = sub(b, a)")
    with pytest.raises(WrongInstructionError) as e:
        check_instructions(with_row(row))
    assert "mm256_sub_ps does not" in str(e.value) and "mm256_mask_sub_ps does not" in str(e.value)
    assert check_instructions(with_row(replace(row, c="dst = sub(a, b)")))["mm256_mask_sub_ps"] == 16


@needs_avx2
def test_a_masked_load_that_reads_a_whole_register_is_found() -> None:
    load = "dst = blendv(dst, loadu(&src), _mm256_castsi256_ps(exo_mask8(n)))"
    row = Operation("loadw", "dst:V src:M", "dst[i] = src[i]", "", load)
    with pytest.raises(WrongInstructionError, match=r"mm256_loadw_ps does not .*\nwith n = 1.*\nit read .* beyond"):
        check_instructions(with_row(row))


# -- programs and models ------------------------------------------------------------------------------


def program(call: str, instruction: Proc) -> Proc:
    text = f"def p(n: size, x: f32[4], y: f32[4]):\n    assert n <= 4\n    {call}"
    return proc_from_source(text, {instruction.name(): instruction})


def test_each_instruction_is_called_by_a_program() -> None:
    toy = masked_add(ADD)
    (add,) = toy.get_instructions("f32")
    assert check_instructions(toy, [program("add(n, x[0:4], y[0:n])", add)]) == {"p": 8}
    with pytest.raises(ValueError, match="no program calls add"):
        check_instructions(toy, [proc_from_source("def p(x: f32):\n    x = 0.0")])


def test_a_model_runs_instead_of_the_processor() -> None:
    assert check_instructions(masked_add(ADD), run=jit) == {"add": 8}
    with pytest.raises(WrongInstructionError, match="it wrote outside of an argument"):
        check_instructions(masked_add(f"{ADD} (&{{dst_data}})[4] = 0;"), run=jit)
    with pytest.raises(WrongInstructionError, match="dst should be"):
        check_instructions(masked_add(ADD.replace("+=", "-=")), run=lambda p: jit(p))


def test_the_model_gets_numpy_arrays() -> None:
    seen: list[object] = []
    with pytest.raises(WrongInstructionError):
        check_instructions(masked_add(ADD), run=lambda p: lambda *args: seen.extend(args))
    assert seen[0] == 1 and isinstance(seen[1], np.ndarray) and seen[1].dtype == np.float32


def test_what_needs_a_program_says_so() -> None:
    tile = Memory("TILE")
    far = proc_from_source("@instr('f();')\ndef far(x: [f32][2] @ TILE):\n    x[0] = 0.0", {"TILE": tile})
    with pytest.raises(ValueError, match="far: x is no whole register of DRAM: give programs"):
        check_instructions(machine(far))
    with pytest.raises(ValueError, match="toy has no instruction that loads a register of f32"):
        check_instructions(machine(far, memory=tile))
    configured = proc_from_source("@instr('f();')\ndef setting():\n    Setting.n = 1", {"Setting": Setting})
    with pytest.raises(ValueError, match="setting uses a configuration register: give programs"):
        check_instructions(machine(configured))


@config
class Setting:
    n: index


def test_where_the_code_cannot_run_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnsupportedTargetError, match="toy needs a processor with sparkle"):
        check_instructions(replace(masked_add(ADD), cpu_flags=("sparkle",)))
    another = replace(neon, instructions={"f32": neon.get_instructions("f32")[:2]})
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(UnsupportedTargetError, match="gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user"):
        check_instructions(another)


def test_an_instruction_that_is_never_defined_is_no_success() -> None:
    never = proc_from_source("@instr('f();')\ndef never(n: size, x: [f32][n]):\n    assert n >= 1000\n    x[0] = 0.0")
    with pytest.raises(ValueError, match="no arguments were found for which never is defined"):
        check_instructions(machine(never))


WIDEN = """
@instr({c!r})
def widen(dst: [f32][4], src: [bf16][4]):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]
"""
WIDENED = "for (int i = 0; i < 4; i++) ((uint32_t *)&{dst_data})[i] = (uint32_t)(&{src_data})[i] << 16;"


def test_an_instruction_on_bf16_gets_and_leaves_halves_of_floats() -> None:
    assert check_instructions(machine(proc_from_source(WIDEN.format(c=WIDENED)))) == {"widen": 2}
    with pytest.raises(WrongInstructionError, match="dst should be"):
        check_instructions(machine(proc_from_source(WIDEN.format(c=WIDENED.replace("<< 16", "<< 15")))))
