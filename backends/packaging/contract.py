"""What a packaged function takes and what must hold of it, as Python text: the modules of a wheel.

The text has the form that `runtime` reads, which goes into the wheel as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..arguments import ArrayPlan, ControlPlan, Plan, ValuePlan, plans
from ..c import BackendError
from ..c.program import Function
from ..kernel import (
    Binary,
    Cell,
    Claim,
    Const,
    Expr,
    Node,
    Scalar,
    StrideExpr,
    Sym,
    Unary,
    Var,
    children,
    has_cells,
    print_expr,
)

PYTHON_OPERATORS = {op: op for op in ("+", "-", "*", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or")} | {"/": "//"}
NAMES = frozenset({"np", "NDArray", "annotations", "INSTRUCTION_SET"})
"""What the module calls itself, so that no function can have the name."""


@dataclass(frozen=True)
class Contract:
    """A function as Python sees it: its name, what it takes, and its assertions as (text, Python text, on data)."""

    name: str
    parameters: tuple[str, ...]
    plans: tuple[Plan, ...]
    names: Mapping[Sym, str]
    assertions: tuple[tuple[str, str, bool], ...]

    def takes(self) -> tuple[str, ...]:
        """What is taken, one text a parameter, but for the largest numbers."""
        return tuple(_parameter(p, n, self.names, None) for p, n in zip(self.plans, self.parameters, strict=True))

    def most(self) -> int | None:
        """How large integers may be; None if it takes none."""
        return min((p.most for p in self.plans if isinstance(p, ControlPlan)), default=None)


def contract(f: Function) -> Contract:
    """The contract of a function. Raises `BackendError` if an assertion can't be checked by Python."""
    names = {a.sym: a.sym.name for a in f.tree.args}
    return Contract(f.tree.name, tuple(names.values()), plans(f), names, tuple(_assertions(f, names)))


def _assertions(f: Function, names: Mapping[Sym, str]) -> Iterator[tuple[str, str, bool]]:
    for p in f.tree.preds:
        for part in _conjuncts(p) if has_cells(p) else (p,):
            yield print_expr(part, names), broken(part, names), has_cells(p)


def _conjuncts(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Binary) and e.op == "and":
        yield from _conjuncts(e.lhs)
        yield from _conjuncts(e.rhs)
    else:
        yield e


# -- expressions --------------------------------------------------------------------------------------


def broken(e: Expr, names: Mapping[Sym, str]) -> str:
    """Python text for a condition: None of `v`, a `runtime.Given`, of which it holds, else what it looked at.

    >>> from ..kernel import Control
    >>> n = Sym("n", 0)
    >>> broken(Binary("<", Var(n), Const(2, Control("int"))), {n: "n"})
    "None if (v.numbers['n'] < 2) else {'n': v.numbers['n']}"
    """
    if isinstance(e, Claim):
        args = "".join(f", {python(a, names)}" for a in e.args)
        return f"{e.kind}(v, {names[e.sym]!r}{args})"
    return f"None if {python(e, names)} else {_seen(e, names)}"


def python(e: Expr, names: Mapping[Sym, str]) -> str:
    """A control expression as Python text over `v`, a `runtime.Given`. Raises `BackendError` for one that asks for
    more.

    >>> from ..kernel import Control
    >>> n = Sym("n", 0)
    >>> python(Binary("/", Var(n), Const(4, Control("int"))), {n: "n"})
    "(v.numbers['n'] // 4)"
    """
    match e:
        case Const(value=value):
            return repr(int(value))
        case Var(sym=s):
            return f"v.numbers[{names[s]!r}]"
        case StrideExpr(sym=s, dim=d):
            return f"v.strides[{names[s]!r}][{d}]"
        case Cell(read=r):
            place = ", ".join(python(i, names) for i in r.idx)
            return f"int(v.data[{names[r.sym]!r}]{f'[{place}]' if place else ''})"
        case Unary(op="-", arg=a):
            return f"(-{python(a, names)})"
        case Unary(op="not", arg=a):
            return f"(not {python(a, names)})"
        case Binary(op="min" | "max" as op, lhs=a, rhs=b):
            return f"{op}({python(a, names)}, {python(b, names)})"
        case Binary(op=op, lhs=a, rhs=b) if op in PYTHON_OPERATORS:
            return f"({python(a, names)} {PYTHON_OPERATORS[op]} {python(b, names)})"
        case _:
            raise BackendError(f"`{print_expr(e, names)}` can't be checked when Python calls: write it without")


def _seen(e: Node, names: Mapping[Sym, str]) -> str:
    """Python text for what evaluating an expression looks at, by its text: what decides nothing is left out."""
    match e:
        case Var(sym=s):
            return f"{{{names[s]!r}: {python(e, names)}}}"
        case StrideExpr(sym=s, dim=d):
            return f"{{{f'stride({names[s]}, {d})'!r}: {python(e, names)}}}"
        case Cell(read=r):
            place = ", ".join(python(i, names) for i in r.idx)
            text = f"{names[r.sym]!r} + str([{place}])" if place else repr(names[r.sym])
            return _joined([f"{{{text}: {python(e, names)}}}", *(_seen(i, names) for i in r.idx)])
        case Binary(op="and" | "or" as op, lhs=a, rhs=b):
            taken = f"({_seen(b, names)} if {'' if op == 'and' else 'not '}{python(a, names)} else {{}})"
            return _joined([_seen(a, names), taken])
        case _:
            return _joined([_seen(part, names) for _, part in children(e)])


def _joined(parts: Sequence[str]) -> str:
    some = [p for p in parts if p != "{}"]
    return some[0] if len(some) == 1 else f"{{{', '.join(f'**{p}' for p in some)}}}"


# -- modules ------------------------------------------------------------------------------------------


def plans_text(contracts: Sequence[tuple[Contract, int]], name: str, wanted: str) -> str:
    """The module that loads the library and knows what each function takes; with each contract comes the largest
    integer that it may be given. `wanted` says in words what the library asks of a processor."""
    lines = [
        '"""What the functions of this package take, and the library with their code. Made by `exo-strat package`."""',
        "",
        "# fmt: off",
        "from pathlib import Path",
        "",
        "from ._runtime import Array, Condition, Function, Library, Number, Value, distinct, rising, within",
        "",
        f"LIBRARY = Library(Path(__file__).parent / 'lib' / 'lib{name}.so', {name!r}, {wanted!r})",
        "CALLS = {",
    ]
    for c, most in contracts:
        lines += [f"    {c.name!r}: Function(", f"        LIBRARY, {c.name!r},", "        ("]
        for p, n in zip(c.plans, c.parameters, strict=True):
            lines.append(f"            {_parameter(p, n, c.names, most)},")
        lines += ["        ),", "        ("]
        for text, python_text, data in c.assertions:
            lines.append(f"            Condition({text!r}, lambda v: {python_text}, {data}),")
        lines += ["        ),", "    ),"]
    return "\n".join([*lines, "}", ""])


def _parameter(p: Plan, name: str, names: Mapping[Sym, str], most: int | None) -> str:
    match p:
        case ControlPlan(kind=kind):
            return f"Number({name!r}, {kind!r}, {most})"
        case ValuePlan(scalar=scalar):
            return f"Value({name!r}, {scalar.name!r})"
        case ArrayPlan(shape=shape, scalar=scalar, window=window, written=written):
            extents = "".join(f"{python(e, names)}, " for e in shape)
            return (
                f"Array({name!r}, {scalar.name!r}, lambda v: ({extents}), rank={len(shape)}, window={window},"
                f" written={written})"
            )


def module_text(contracts: Sequence[tuple[Contract, int]], name: str, sets: Sequence[str]) -> str:
    """The module that is imported: a function for each contract, with type hints and a docstring."""
    calls = "_calls"
    while any(calls in c.parameters for c, _ in contracts):
        calls += "_"
    head = f'''\
"""Compiled functions on NumPy arrays, with code for {_listed(sets)}: what the processor has is taken on import.

Results are written into arrays that are given. `INSTRUCTION_SET` says which code is used; the environment's variable
{name.upper()}_ISA ({", ".join(sets)}) asks for no more than that. For programs in C there are a header and the
library: `python -m {name}` prints the flags for the C compiler. Made by `exo-strat package`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._plans import CALLS as {calls}
from ._plans import LIBRARY as _library

__all__ = {[*sorted(c.name for c, _ in contracts), "INSTRUCTION_SET"]!r}

INSTRUCTION_SET: str = _library.instruction_set
"""The code that is used: {" or ".join(sets)}."""
'''
    return head + "".join(_function(c, most, calls) for c, most in contracts)


def _function(c: Contract, most: int, calls: str) -> str:
    hints = ", ".join(f"{n}: {_hint(p)}" for p, n in zip(c.plans, c.parameters, strict=True))
    doc = "\n".join(f"    {line}" if line else "" for line in docstring(c, most))
    return (
        f'\n\ndef {c.name}({hints}) -> None:\n    """{doc.strip()}\n    """\n'
        f"    {calls}[{c.name!r}]({', '.join(c.parameters)})\n"
    )


def docstring(c: Contract, most: int) -> Iterator[str]:
    """The lines of a function's docstring."""
    written = [n for p, n in zip(c.plans, c.parameters, strict=True) if isinstance(p, ArrayPlan) and p.written]
    yield f"Writes {_listed(written)}." if written else "Writes nothing."
    yield ""
    for p, n in zip(c.plans, c.parameters, strict=True):
        yield f"{n}: {_described(p, c.names)}"
    for text, _, _ in c.assertions:
        yield f"Needs {text}."
    yield ""
    if most < 2**63 - 1 and any(isinstance(p, ControlPlan) for p in c.plans):
        yield f"Integers may be as large as {most}."
    yield "Raises ValueError, naming the argument, if one is not so, or if an array that is written shares memory"
    yield "with another; MemoryError if there is too little memory; ArithmeticError if an integer is divided by zero."


def _hint(p: Plan) -> str:
    match p:
        case ControlPlan(kind=kind):
            return "bool" if kind == "bool" else "int"
        case ValuePlan(scalar=scalar):
            return "float" if scalar.is_float else "int"
        case ArrayPlan(dtype=dtype):
            return f"NDArray[np.{dtype}]"


def _described(p: Plan, names: Mapping[Sym, str]) -> str:
    match p:
        case ControlPlan(kind="size"):
            return "size, an integer that is at least 1"
        case ControlPlan(kind="bool"):
            return "bool"
        case ControlPlan(kind=kind):
            return f"integer ({kind})"
        case ValuePlan(scalar=scalar):
            return f"one number ({scalar})"
        case ArrayPlan(shape=shape, window=window):
            if not shape:
                return f"array of one {_elements(p.scalar)}"
            extents = ", ".join(print_expr(e, names) for e in shape)
            order = "any strides" if window else "C-contiguous"
            return f"array of {_elements(p.scalar)}, shape ({extents}{',' * (len(shape) == 1)}), {order}"


def _elements(scalar: Scalar) -> str:
    kinds = {"f": "float", "i": "int", "u": "uint"}
    return "bfloat16 kept in uint16" if scalar.name == "bf16" else kinds[scalar.name[0]] + scalar.name[1:]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
