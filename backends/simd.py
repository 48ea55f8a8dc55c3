"""Vector instructions of any processor, from a table.

A row says what happens in lane `i`, in object code, and how intrinsics do it. From a row come, for
each register type, an instruction on whole registers and, where the processor has masks, one on the
first `n` lanes, which leaves the others as they are: `mm512_add_ps`, `mm512_mask_add_ps`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from returns.result import Success

from .kernel import DRAM, Machine, Memory, Proc, at, proc_from_source, replace


@dataclass(frozen=True)
class Operation:
    """A row of the table.

    `params` are `name:kind`: V a vector register, M as many elements of memory, the name of a precision likewise
    at that one ("f32" where registers are f64), E one element as a window of extent 1, P a pair of them, S a single
    value. `lane` is the object code for lane i. `c` is the statement, where `f(..)` is the intrinsic of that name, a
    parameter its register or first element. `masked` is the statement for the first `n` lanes; ""
    derives it from a statement `register = value` by merging, which computes all lanes. From any other, such as
    `dst += a`, none is derived; `missing` names those. A row with parameters in memory must give `masked`, as
    that memory may end after `n` elements. `other` is the object code of
    the lanes from `n` on. With `c` empty only the masked instruction exists, under the row's own name.
    Registers that can't be merged have no masked instructions. `fence` is what must follow before other
    threads may see the result. `group` is how many lanes a mask takes or leaves together.
    """

    name: str
    params: str
    lane: str
    c: str
    masked: str = ""
    other: str = ""
    fence: str = ""
    group: int = 1


@dataclass(frozen=True)
class Registers:
    """A register type: `prefix` and `suffix` of its instructions ("mm512", "ps"), its precision, lanes
    and memory. `merge` is the C expression that takes NEW in the first `n` lanes and OLD in the others, such as
    "blendv(OLD, NEW, exo_mask8(n))", or "" where the processor has no masks; as in a row, `blendv` is the intrinsic
    without prefix and suffix. `helpers` is C text that is printed once a file: the same as the memory's `prelude()`,
    if that is needed, too. `spelling` is how intrinsics are made of PREFIX, NAME and SUFFIX."""

    prefix: str
    suffix: str
    precision: str
    lanes: int
    memory: Memory
    merge: str
    helpers: str
    spelling: str = "_PREFIX_NAME_SUFFIX"

    def name(self, operation: str) -> str:
        """The name of an instruction."""
        return f"{self.prefix}_{operation}_{self.suffix}"

    def intrinsic(self, name: str) -> str:
        """What C calls an intrinsic of the table."""
        return self.spelling.replace("PREFIX", self.prefix).replace("SUFFIX", self.suffix).replace("NAME", name)


_INTRINSIC = re.compile(r"\b(?!exo_)([a-z]\w*)\(")
_OPERAND = re.compile(r"(?<![{\w])[a-z]+(?![\w(])")


def _params(op: Operation | Need) -> list[tuple[str, str]]:
    return [(name, kind) for name, _, kind in (p.partition(":") for p in op.params.split())]


def _template(op: Operation, regs: Registers, text: str) -> str:
    """A statement of the table as an instruction's template: `f(a, &m)` is `_mm512_f_ps({a_data}, &{m_data})`."""
    holes = {name: f"{{{name}_data}}" for name, _ in _params(op)} | {"n": "{n}"}
    text = _INTRINSIC.sub(lambda m: f"{regs.intrinsic(m[1])}(", text)
    return _OPERAND.sub(lambda m: holes.get(m[0], m[0]), text) + ";"


def _merging(op: Operation, regs: Registers) -> str:
    """The masked form of an assignment."""
    memory = [name for name, kind in _params(op) if _in_memory(kind)]
    if memory:
        raise ValueError(
            f"the row {op.name!r} touches {memory[0]} in memory, and a masked form derived by merging would do so "
            "beyond the first n elements: give the statement for the first n lanes as `masked`"
        )
    target, _, value = op.c.partition(" = ")
    return f"{target} = {regs.merge.replace('OLD', target).replace('NEW', value)}"


def _declaration(name: str, kind: str, regs: Registers, extent: str) -> str:
    return {
        "V": f"{name}: [{regs.precision}][{regs.lanes}] @ {regs.memory.name}",
        "M": f"{name}: [{regs.precision}][{extent}] @ DRAM",
        "E": f"{name}: [{regs.precision}][1] @ DRAM",
        "P": f"{name}: [{regs.precision}][2] @ DRAM",
        "S": f"{name}: {regs.precision} @ DRAM",
    }.get(kind, f"{name}: [{kind}][{extent}] @ DRAM")


def _in_memory(kind: str) -> bool:
    """Whether a parameter is as many elements of memory as there are lanes."""
    return kind not in ("V", "E", "P", "S")


def _source(name: str, op: Operation, regs: Registers, statement: str, masked: bool) -> str:
    """The object code of an instruction."""
    params = ["n: size"] if masked else []
    params += [_declaration(p, kind, regs, "n" if masked else str(regs.lanes)) for p, kind in _params(op)]
    lines = [
        f"@instr({_template(op, regs, statement)!r}, {regs.helpers!r}, {op.fence!r})",
        f"def {name}({', '.join(params)}):",
        *([f"    assert n <= {regs.lanes}"] if masked else []),
        *([f"    assert n % {op.group} == 0"] if masked and op.group > 1 else []),
        *(f"    assert stride({p}, 0) == 1" for p, kind in _params(op) if kind in "VP" or _in_memory(kind)),
        f"    for i in seq(0, {regs.lanes}):",
        *(["        if i < n:", f"            {op.lane}"] if masked else [f"        {op.lane}"]),
        *(["        else:", f"            {op.other}"] if op.other else []),
    ]
    return "\n".join(lines) + "\n"


def _sources(op: Operation, regs: Registers) -> list[str]:
    sources = []
    if op.c:
        sources.append(_source(regs.name(op.name), op, regs, op.c, False))
    if regs.merge and (op.masked or " = " in op.c):
        name = regs.name(f"mask_{op.name}" if op.c else op.name)
        sources.append(_source(name, op, regs, op.masked or _merging(op, regs), True))
    return sources


def instructions(regs: Registers, operations: Sequence[Operation]) -> tuple[Proc, ...]:
    """All instructions of a table on a register type: those on whole registers, then the masked ones."""
    env = {regs.memory.name: regs.memory, "DRAM": DRAM}
    sources = sorted((s for op in operations for s in _sources(op, regs)), key=lambda s: "if i < n:" in s)
    return tuple(proc_from_source(s, env) for s in sources)


# -- what strategies look for -------------------------------------------------------------------------


@dataclass(frozen=True)
class Need:
    """A row that the standard strategies look for: `params` and `lane` as in an `Operation`, and a statement
    that has no vector code without it: of a loop over i, or that of a matrix product. Or its masked form."""

    what: str
    params: str
    lane: str
    statement: str
    masked: bool = False


NEEDED = (
    Need("load", "dst:V src:M", "dst[i] = src[i]", "y[i] = x[i]"),
    Need("store", "dst:M src:V", "dst[i] = src[i]", "y[i] = x[i]"),
    Need("broadcast", "dst:V value:S", "dst[i] = value", "y[i] = a"),
    Need("sum", "dst:V a:V b:V", "dst[i] = a[i] + b[i]", "y[i] = x[i] + w[i]"),
    Need("difference", "dst:V a:V b:V", "dst[i] = a[i] - b[i]", "y[i] = x[i] - w[i]"),
    Need("product", "dst:V a:V b:V", "dst[i] = a[i] * b[i]", "y[i] = x[i] * w[i]"),
    Need("quotient", "dst:V a:V b:V", "dst[i] = a[i] / b[i]", "y[i] = x[i] / w[i]"),
    Need("negation", "dst:V a:V", "dst[i] = -a[i]", "y[i] = -x[i]"),
    Need("absolute value", "dst:V a:V", "dst[i] = abs(a[i])", "y[i] = abs(x[i])"),
    Need("positive part", "dst:V a:V", "dst[i] = relu(a[i])", "y[i] = relu(x[i])"),
    Need("square root", "dst:V a:V", "dst[i] = sqrt(a[i])", "y[i] = sqrt(x[i])"),
    Need("larger", "dst:V a:V b:V", "dst[i] = fmax(a[i], b[i])", "y[i] = fmax(x[i], w[i])"),
    Need("smaller", "dst:V a:V b:V", "dst[i] = fmin(a[i], b[i])", "y[i] = fmin(x[i], w[i])"),
    Need(
        "choice", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])",
        "y[i] = select(x[i], w[i], v[i], u[i])",
    ),
    Need("accumulation", "dst:V a:V", "dst[i] += a[i]", "s += x[i]"),
    Need("sum of the lanes", "dst:S a:V", "dst += a[i]", "s += x[i]"),
)  # fmt: skip
"""The rows for what a program may compute. One for what no program of yours computes can be left out."""

FUSED = (
    Need("accumulated product", "a:V b:V c:V", "c[i] += a[i] * b[i]", "s += x[i] * w[i]"),
    Need("product and sum", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "y[i] += a * x[i]"),
    Need("product less something", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "y[i] = x[i] * w[i] - v[i]"),
    Need("something less product", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "y[i] = v[i] - x[i] * w[i]"),
    Need("product with one element", "a:E b:V c:V", "c[i] += a[0] * b[i]", "C[i, j] += A[i, k] * B[k, j]"),
)
"""The rows that multiply and add in one. With any of them the strategies look for all, with none for none."""


def missing(machine: Machine, precision: str) -> tuple[Need, ...]:
    """Which rows of `NEEDED` no instruction of a machine does, and of `FUSED` unless it has none of those; and, if it
    masks lanes, which of the rows that it has lack a masked form.

    >>> from backends.targets import neon
    >>> missing(neon, "f32")
    ()
    """
    plain, fused = ([n for n in rows if does(machine, precision, n) is None] for rows in (NEEDED, FUSED))
    lacking = (*plain, *(fused if len(fused) < len(FUSED) else ()))
    if not machine.supports_predication:
        return lacking
    masked = (mask(n) for n in (*NEEDED, *FUSED) if n not in plain and n not in fused)
    return (*lacking, *(n for n in masked if does(machine, precision, n) is None))


def mask(need: Need) -> Need:
    """The masked form of a row."""
    return Need(f"{need.what}, masked", need.params, need.lane, need.statement, masked=True)


def does(machine: Machine, precision: str, need: Need) -> Proc | None:
    """The instruction of a machine that is a row, on whole registers or masked, if there is one."""
    lanes = machine.vec_width(precision)
    regs = Registers("", "", precision, lanes, machine.mem_type, "", "")
    extent, params = ("n", ["n: size"]) if need.masked else (str(lanes), [])
    declared = ", ".join([*params, *(_declaration(name, kind, regs, extent) for name, kind in _params(need))])
    bounded = f"    assert n <= {lanes}\n" if need.masked else ""
    contiguous = "".join(f"    assert stride({name}, 0) == 1\n" for name, kind in _params(need) if kind in "VM")
    lane = f"if i < n:\n            {need.lane}" if need.masked else need.lane
    text = f"def row({declared}):\n{bounded}{contiguous}    for i in seq(0, {lanes}):\n        {lane}\n"
    row = proc_from_source(text, {machine.mem_type.name: machine.mem_type})
    for p in machine.get_instructions(precision):
        if isinstance(at("for i in _: _", replace(p))(row), Success):
            return p
    return None
