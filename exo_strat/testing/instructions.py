"""Whether each instruction of a machine does what its body says.

Proofs take an instruction's body for what the hardware does, so a wrong operand order in a table is what they can't
see. Here each instruction runs as C, and what it leaves is compared with what the interpreter makes of its body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from random import Random
from typing import Any, Final, TypeAlias, cast

import numpy as np
from returns.result import Success

from .. import interp, plugins
from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..interp import Array, Cell, Value, array, dense_strides
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC
from ..ir.names import Sym
from ..ir.nodes import Arg, Binary, Call, Const, ProcDef, StrideExpr
from ..ir.printing import names_at, print_expr, print_type
from ..ir.types import Control, Scalar, Tensor, bf16, bool_, size
from ..ir.walk import walk
from ..machine import Machine
from ..ops.combinators import at
from ..primitives import replace
from .index_data import value_of
from .inputs import config_fields

Run: TypeAlias = Callable[[Proc], Callable[..., object]]
"""What makes of a procedure a function on NumPy arrays and numbers, as `backends.jit` does."""
Values: TypeAlias = Mapping[str, "int | bool | Array"]
Left: TypeAlias = "list[list[float]] | str"
"""The cells of each data argument after a call; or in words how the call went wrong."""
Runs: TypeAlias = Callable[[Sequence[tuple[int, Sequence["int | bool | Array"]]]], Sequence[Left]]
"""What makes calls, each of one of several procedures by its number."""

ADDRESSED: Final = (None, DRAM, DRAM_STACK, DRAM_STATIC)
"""The memories of operands that a C pointer can reach."""
MOST: Final = 300
"""How many choices of control arguments an instruction is tried with. One mask of up to 64 lanes is tried with all."""
WHOLE: Final = "whole"
DRAWS: Final = ("small", "other", WHOLE)
"""Each choice is tried with small numbers of both signs, whose sums and products are exact; and with positive floats,
as roots have no value elsewhere, or integers of the whole range. Only what has no value for these is tried with whole
floats, as exponents are, or with small integers that are not negative, as shifts are."""
SHOWN: Final = 5
"""How many wrong instructions are shown in full."""


class WrongInstructionError(AssertionError):
    """Instructions that don't do what their bodies say: which, on what, what should come out, and what does."""


def check_instructions(
    machine: Machine, programs: Iterable[Proc] | None = None, run: Run | None = None
) -> Mapping[str, int]:
    """Asserts that each instruction of a machine does what its body says. Returns how often each was compared.

    An instruction is called with registers and memory full of random numbers, and with all values of its small control
    arguments, such as the number of lanes of a mask. All operands are compared afterwards with what the interpreter
    makes of the body: what it should write, what it should not, and what lies between the elements of a window. Each
    array ends where a page of memory does, so a read or write beyond its end is found, too.

    The code runs on this processor, or where the machine is another one in an emulator (qemu-user). The functional
    model of an accelerator is given as `run`: it makes of a procedure a function on NumPy arrays, as `backends.jit`
    does. Arrays then lie between marks, so a write beyond them is found, but no read.

    Without `programs`, an instruction's operands are in memory that C pointers reach, or whole registers of
    `machine.mem_type`, which are filled and read by the machine's own load and store. For others give programs that
    call them, with what they ask for: registers that are set, memories that are filled. Each instruction must be called
    by one.

    Raises `WrongInstructionError` (an `AssertionError`); `ValueError` for an instruction that no program calls, or of
    which no arguments are found; what the backend raises where the machine's code can't run here.

    >>> from exo_strat import DRAM, Machine, proc_from_source
    >>> source = '''
    ... @instr("for (int i = 0; i < 4; i++) (&{dst_data})[i] += (&{src_data})[{n} - 1];")
    ... def add_last(n: size, dst: [f32][4], src: [f32][n]):
    ...     assert n <= 3
    ...     assert stride(dst, 0) == 1
    ...     assert stride(src, 0) == 1
    ...     for i in seq(0, 4):
    ...         dst[i] += src[n - 1]
    ... '''
    >>> toy = Machine("toy", {}, DRAM, {"f32": (proc_from_source(source),)})
    >>> check_instructions(toy)
    {'add_last': 6}
    """
    instructions = {p.name(): p for p in all_instructions(machine)}
    trials = [Trial(p, p) for p in programs] if programs is not None else [
        Trial(p, driver(machine, p)) for p in instructions.values()
    ]  # fmt: skip
    missing = [n for n, p in instructions.items() if programs is not None and not any(t.calls(p) for t in trials)]
    if missing:
        raise ValueError(f"no program calls {', '.join(missing)}")
    cases = _cases(trials, 2 * max([8, *machine.vec_widths.values()]))
    runs = _apart(machine, trials) if run is None else _simulated(run, trials)
    _assert_as_wanted(trials, cases, runs)
    return dict(Counter(trials[c.trial].meant.name() for c in cases))


def all_instructions(machine: Machine) -> tuple[Proc, ...]:
    """The instructions of a machine, of whatever precision and use."""
    tables = (machine.instructions, machine.streams, machine.transposes)
    return tuple(dict.fromkeys(p for table in tables for _, procs in sorted(table.items()) for p in procs))


@dataclass(frozen=True)
class Trial:
    """A procedure that says what should come out, and the one that runs, which has the same arguments."""

    meant: Proc
    runs: Proc

    def calls(self, instruction: Proc) -> bool:
        """Whether it, or what it calls, calls an instruction."""
        return instruction.tree in _called(self.runs.tree)


def _called(tree: ProcDef) -> set[ProcDef]:
    callees = [n.f.tree for _, n in walk(tree) if isinstance(n, Call)]
    return {*callees}.union(*map(_called, callees))


# -- programs for single instructions -----------------------------------------------------------------


@dataclass(frozen=True)
class _Operand:
    """What a driver needs for an operand: its own parameter, what it passes, and what comes before and after."""

    param: str
    passed: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def driver(machine: Machine, instruction: Proc) -> Proc:
    """A procedure with the operands of an instruction as arrays: it loads the registers, calls the instruction and
    stores all registers again.

    Raises `ValueError` for an instruction that needs more than that.
    """
    tree, names = instruction.tree, names_at(instruction.tree)
    if config_fields(tree):
        raise ValueError(f"{tree.name} uses a configuration register: give programs that set it")
    operands = [_operand(machine, tree, a) for a in tree.args]
    lines = (
        *(f"assert {print_expr(e, names)}" for e in tree.preds),
        *(line for o in operands for line in o.before),
        f"{tree.name}({', '.join(o.passed for o in operands)})",
        *(line for o in operands for line in o.after),
    )
    text = f"def check_{tree.name}({', '.join(o.param for o in operands)}):\n"
    movers = [mover(machine, s, into) for s in _register_precisions(tree) for into in (True, False)]
    env = {machine.mem_type.name: machine.mem_type, **{p.name(): p for p in (*movers, instruction)}}
    return proc_from_source(text + "".join(f"    {line}\n" for line in lines), env)


def _operand(machine: Machine, tree: ProcDef, a: Arg) -> _Operand:
    names = names_at(tree)
    name = names[a.sym]
    if a.mem in ADDRESSED:
        return _Operand(f"{name}: {print_type(a.type, a.mem, names)}", name)
    if a.mem != machine.mem_type or not _is_register(a):
        raise ValueError(f"{tree.name}: {name} is no whole register of {machine.mem_type}: give programs that call it")
    assert isinstance(a.type, Tensor)
    declared = f"{a.type.base}[{print_expr(a.type.shape[0], names)}]"
    lanes = f"[0:{print_expr(a.type.shape[0], names)}]"
    register = f"{name}_register"
    load, store = (mover(machine, a.type.base.name, into).name() for into in (True, False))
    return _Operand(
        f"{name}: {declared} @ DRAM",
        f"{register}{lanes}",
        (f"{register}: {declared} @ {a.mem}", f"{load}({register}{lanes}, {name}{lanes})"),
        (f"{store}({name}{lanes}, {register}{lanes})",),
    )


def _is_register(a: Arg) -> bool:
    return isinstance(a.type, Tensor) and len(a.type.shape) == 1 and isinstance(a.type.shape[0], Const)


def _register_precisions(tree: ProcDef) -> list[str]:
    return sorted({a.type.base.name for a in tree.args if isinstance(a.type, Tensor) and a.mem not in ADDRESSED})


@cache
def mover(machine: Machine, precision: str, into: bool) -> Proc:
    """The instruction that loads a register, or stores one. Raises `ValueError` if there is none."""
    lanes, memories = machine.vec_width(precision), (machine.mem_type, DRAM)
    dst, src = memories if into else reversed(memories)
    copy = proc_from_source(
        f"""
def copy(dst: [{precision}][{lanes}] @ {dst}, src: [{precision}][{lanes}] @ {src}):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, {lanes}):
        dst[i] = src[i]
""",
        {machine.mem_type.name: machine.mem_type},
    )
    for p in machine.get_instructions(precision):
        if isinstance(at("for i in _: _", replace(p))(copy), Success):
            return p
    what = "loads" if into else "stores"
    raise ValueError(f"{machine} has no instruction that {what} a register of {precision}: {copy.body()[0]}")


# -- arguments ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A call of one of the trials, and what should be in the cells of its arrays afterwards."""

    trial: int
    values: Values
    want: Mapping[str, Sequence[float]]


def _cases(trials: Sequence[Trial], most: int) -> list[Case]:
    """All calls to make. Raises `ValueError` if there are none of some trial."""
    cases = [c for k, t in enumerate(trials) for c in _cases_of(k, t.meant.tree, most)]
    never = [t.meant.name() for k, t in enumerate(trials) if not any(c.trial == k for c in cases)]
    if never:
        raise ValueError(f"no arguments were found for which {', '.join(never)} is defined")
    return cases


def _cases_of(k: int, meant: ProcDef, most: int) -> Iterator[Case]:
    """The calls of a procedure that have a meaning."""
    for controls in _controls(meant, most):
        found = False
        for draw in DRAWS:
            if draw == WHOLE and found:
                break
            values = _filled(meant, controls, draw, Random(f"{meant.name} {[*controls.values()]} {draw}"))
            if not interp.admits(meant, values):
                break
            outcome = interp.run(meant, values)
            if outcome.trap is None and _fits(meant, outcome.outputs):
                found = True
                yield Case(k, values, {n: _cells(values[n], v) for n, v in outcome.outputs.items()})


def _controls(tree: ProcDef, most: int) -> list[dict[Sym, int]]:
    """Values of the control arguments: all small ones, or if there are too many some of them."""
    args = [a for a in tree.args if isinstance(a.type, Control)]
    choices = [(False, True) if a.type == bool_ else range(1 if a.type == size else -1, most + 1) for a in args]
    if prod(map(len, choices)) <= MOST:
        drawn = list(product(*choices))
    else:
        random = Random(tree.name)
        drawn = sorted({tuple(random.choice(c) for c in choices) for _ in range(MOST)})
    return [dict(zip((a.sym for a in args), values, strict=True)) for values in drawn]


def _filled(tree: ProcDef, controls: Mapping[Sym, int], draw: str, random: Random) -> Values:
    """A value for each argument."""
    values: dict[str, int | bool | Array] = {}
    for a in tree.args:
        if isinstance(a.type, Control):
            values[names_at(tree)[a.sym]] = controls[a.sym]
            continue
        shape = tuple(value_of(e, controls) for e in a.type.shape) if isinstance(a.type, Tensor) else ()
        strides = _strides(tree, a, shape)
        cells = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        numbers: list[Cell] = [_number(_scalar(a), draw, random) for _ in range(cells)]
        values[names_at(tree)[a.sym]] = Array(numbers, 0, shape, strides)
    return values


def _strides(tree: ProcDef, a: Arg, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Those of a window are the ones that are asserted; where none is, something lies between the elements."""
    if not (isinstance(a.type, Tensor) and a.type.window):
        return dense_strides(shape)
    strides = _asserted(tree, a.sym)
    reach = 1 + sum(s * (shape[d] - 1) for d, s in strides.items())
    for d in reversed(range(len(shape))):
        if d not in strides:
            strides[d] = reach + 1
            reach += strides[d] * (shape[d] - 1)
    return tuple(strides[d] for d in range(len(shape)))


def _asserted(tree: ProcDef, sym: Sym) -> dict[int, int]:
    """The strides of a window that an assertion gives as a number, by dimension."""
    found: dict[int, int] = {}
    for e in tree.preds:
        match e:
            case Binary(op="==", lhs=StrideExpr(sym=s, dim=d), rhs=Const(value=v)) if s == sym:
                found[d] = int(v)
    return found


def _scalar(a: Arg) -> Scalar:
    t = a.type.base if isinstance(a.type, Tensor) else a.type
    assert isinstance(t, Scalar)
    return t


def _number(t: Scalar, draw: str, random: Random) -> int | Fraction:
    if t.is_float and draw == WHOLE:
        return random.randint(-11, 11)
    if t.is_float:
        return Fraction(random.randint(1, 40) * (1 if draw == "other" else random.choice((-1, 1))), 4)
    lo, hi = _range(t)
    if draw == "other":
        return random.randint(lo, hi)
    return random.randint(0 if draw == WHOLE else max(lo, -11), 11)


def _range(t: Scalar) -> tuple[int, int]:
    """The integers of a precision."""
    bits = int(t.name[1:])
    return (0, 2**bits - 1) if t.name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _fits(tree: ProcDef, outputs: Mapping[str, Value]) -> bool:
    """Whether the integers that come out are of their precision. Else the call has no meaning."""
    whole = ((_range(_scalar(a)), outputs[names_at(tree)[a.sym]]) for a in tree.args if _is_integer(a))
    return all(lo <= v <= hi for (lo, hi), value in whole for v in array(value).cells if v is not None)


def _is_integer(a: Arg) -> bool:
    return not isinstance(a.type, Control) and not _scalar(a).is_float


def _cells(given: object, value: Value) -> list[float]:
    """The cells of an array after its elements were changed."""
    assert isinstance(given, Array)
    cells = [float(v or 0) for v in given.cells]
    for k, v in zip(given.places(), array(value).cells, strict=True):
        cells[k] = float(v or 0)
    return cells


# -- running ------------------------------------------------------------------------------------------


def _apart(machine: Machine, trials: Sequence[Trial]) -> Runs:
    """The calls in a process of their own, on this processor or in an emulator."""
    make = cast(Callable[[Sequence[Proc], Machine], Runs], plugins.load(plugins.BACKENDS, "isolated"))
    return make([t.runs for t in trials], machine)


def _simulated(run: Run, trials: Sequence[Trial]) -> Runs:
    """The calls as those of a function on NumPy arrays, which lie between marks."""
    functions = [run(t.runs) for t in trials]
    scalars = [[_scalar(a) for a in t.runs.tree.args if not isinstance(a.type, Control)] for t in trials]

    def runs(calls: Sequence[tuple[int, Sequence[int | bool | Array]]]) -> list[Left]:
        return [_called_on(functions[k], scalars[k], args) for k, args in calls]

    return runs


BAND: Final = 64
"""The marks before and after an array: this many elements on each side."""


def _called_on(f: Callable[..., object], scalars: Sequence[Scalar], args: Sequence[int | bool | Array]) -> Left:
    rest = iter(scalars)
    blocks = [_Block.of(a, next(rest)) if isinstance(a, Array) else a for a in args]
    f(*(b.view if isinstance(b, _Block) else b for b in blocks))
    arrays = [b for b in blocks if isinstance(b, _Block)]
    return [b.cells() for b in arrays] if all(b.intact() for b in arrays) else "it wrote outside of an argument"


@dataclass(frozen=True)
class _Block:
    """Memory with an array in it, between marks."""

    memory: np.ndarray[Any, Any]
    view: np.ndarray[Any, Any]
    scalar: Scalar

    @staticmethod
    def of(a: Array, t: Scalar) -> _Block:
        dtype = np.dtype("uint16" if t == bf16 else {"f": "float", "i": "int", "u": "uint"}[t.name[0]] + t.name[1:])
        memory = np.frombuffer(bytes([MARK]) * (2 * BAND + len(a.cells)) * dtype.itemsize, dtype).copy()
        numbers = [float(v or 0) for v in a.cells]
        memory[BAND:-BAND] = np.array(numbers, np.float32).view(np.uint32) >> 16 if t == bf16 else numbers
        strides = tuple(s * dtype.itemsize for s in a.strides)
        return _Block(memory, np.lib.stride_tricks.as_strided(memory[BAND + a.offset :], a.shape, strides), t)

    def cells(self) -> list[float]:
        """The numbers. One of bf16 is the upper half of a float."""
        held = self.memory[BAND:-BAND]
        return [float(v) for v in ((held.astype(np.uint32) << 16).view(np.float32) if self.scalar == bf16 else held)]

    def intact(self) -> bool:
        """Whether the marks are as they were."""
        return {*self.memory[:BAND].tobytes(), *self.memory[-BAND:].tobytes()} == {MARK}


MARK: Final = 0xA5


# -- comparing ----------------------------------------------------------------------------------------


def _assert_as_wanted(trials: Sequence[Trial], cases: Sequence[Case], runs: Runs) -> None:
    """Makes all calls and compares; of each trial the first call is shown that goes wrong."""
    wrong: dict[int, str] = {}
    for c, left in zip(cases, runs([(c.trial, [*c.values.values()]) for c in cases]), strict=True):
        difference = _difference(trials[c.trial].meant.tree, c, left)
        if difference:
            wrong.setdefault(c.trial, f"{_shown_values(c.values)}\n{difference}")
    if wrong:
        raise WrongInstructionError(_report([(trials[k], why) for k, why in wrong.items()]))


def _difference(tree: ProcDef, c: Case, left: Left) -> str:
    """What differs from what should come out, in words."""
    if isinstance(left, str):
        return left
    data = [a for a in tree.args if not isinstance(a.type, Control)]
    for a, got in zip(data, left, strict=True):
        name = names_at(tree)[a.sym]
        want, near = c.want[name], _nearness(_scalar(a))
        for k, (x, y) in enumerate(zip(want, got, strict=True)):
            if not abs(x - y) <= near * abs(x):
                return f"{name} should be {_shown(want)}, is {_shown(got)}: cell {k} differs"
    return ""


def _nearness(t: Scalar) -> float:
    """By how much a result may differ, for its size: a few roundings of a float."""
    return {"bf16": 2.0**-6, "f16": 2.0**-7, "f32": 2.0**-20, "f64": 2.0**-49}.get(t.name, 0.0)


def _shown(cells: Iterable[float]) -> str:
    return f"({', '.join(f'{v:.9g}' for v in cells)})"


def _shown_values(values: Values) -> str:
    shown = {n: _shown(float(x or 0) for x in v.cells) if isinstance(v, Array) else v for n, v in values.items()}
    return f"with {', '.join(f'{n} = {v}' for n, v in shown.items())}"


def _report(wrong: Sequence[tuple[Trial, str]]) -> str:
    parts = [f"{t.meant.name()} does not do what its body says\n{why}\n{t.meant}" for t, why in wrong[:SHOWN]]
    more = [t.meant.name() for t, _ in wrong[SHOWN:]]
    return "\n\n".join(parts + [f"and so do not: {', '.join(more)}"] * bool(more))
