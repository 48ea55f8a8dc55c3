"""Forms of values: numbers of control integers, `a if c else b`, minima and maxima, integers and bf16, short forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pyrsistent import pvector

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source, reparse_env
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.externs import CONVERSIONS, DIVISIONS, SHIFTS, bitand, bitnot, bitor, bitxor
from ..ir.nodes import (
    Alloc,
    Assign,
    Binary,
    Const,
    Expr,
    ExternCall,
    Node,
    ProcDef,
    Read,
    Reduce,
    Select,
    Unary,
)
from ..ir.precisions import element
from ..ir.types import Control, bf16
from ..ir.walk import Path, get, put_at, walk
from .choices import Choices
from .form_places import checked, condition_at, elements_at, indices_of, integers_at, loops_of, values_of, where
from .precisions import PALETTES, at_precisions


def numbers(ch: Choices, p: Proc) -> Proc | None:
    places = [path for path in values_of(p.tree) if integers_at(p.tree, path)]
    if not places:
        return None
    path = ch.pick(places)
    ints = integers_at(p.tree, path)
    i = ch.pick(ints[:2])
    e = b.sub(ch.pick(ints), i) if ch.chance(30) else b.add(i, b.num(ch.upto(2)))
    old = get(p.tree, path)
    number = ExternCall(CONVERSIONS["f32"], pvector([e]))
    new = Binary("+", old, number) if ch.chance(40) else number  # type: ignore[arg-type]
    return checked(put_at(p.tree, path, new))


def select(ch: Choices, p: Proc) -> Proc | None:
    places = values_of(p.tree)
    if not places:
        return None
    path = ch.pick(places)
    old, tree = get(p.tree, path), p.tree
    around = [get(tree, path[:k]) for k in range(len(path))]
    # what grows must not be multiplied by itself
    multiplied = any(isinstance(n, Reduce) and n.op == "*" for n in around)
    others: list[Expr] = [*([] if multiplied else elements_at(tree, path)), b.data(float(ch.upto(2)))]
    sides = [old, ch.pick(others)]
    then, other = sides if ch.chance(60) else sides[::-1]
    chosen: Expr = Select(condition_at(ch, tree, path), then, other)  # type: ignore[arg-type]
    if ch.chance(15):  # as an operand of sums that may be written in another order
        chosen = Binary("+", ch.pick(others), Binary("+", chosen, ch.pick(others)))
    return checked(put_at(tree, path, chosen))


def minmax(ch: Choices, p: Proc) -> Proc | None:
    tree, loops, indices = p.tree, loops_of(p.tree), indices_of(p.tree)
    if loops and (not indices or ch.chance(50)):
        path, _ = ch.pick(loops)
        label = ch.pick(["hi", "hi", "lo"])
        other = ch.pick([b.num(ch.upto(4)), *integers_at(tree, path)])
        if ch.chance(40):
            other = b.add(other, b.num(ch.upto(2))) if ch.chance(50) else b.sub(other, b.ONE)
        op = ch.pick(["min", "min", "min", "max"] if label == "hi" else ["max", "max", "max", "min"])
        at: Path = (*path, (label, None))
    elif indices:
        at, _ = ch.pick(indices)
        op, other = ch.pick(["min", "max"]), ch.pick([*integers_at(tree, at), b.num(ch.upto(3))])
    else:
        return None
    old = get(tree, at)
    kind = ch.upto(3) if at[-1][0] not in ("lo", "hi") else 0
    if kind == 1:  # one beside the old one, but never below the first
        op, old, other = "max", b.sub(old, b.num(1 + ch.upto(1))), b.ZERO  # type: ignore[arg-type]
    elif kind == 2:
        op, other = "min", b.add(old, b.num(1 + ch.upto(1)))  # type: ignore[arg-type]
    pair = [old, other] if ch.chance(70) else [other, old]
    return checked(put_at(tree, at, Binary(op, *pair)))  # type: ignore[arg-type]


WHOLE: Final = tuple(p for p in PALETTES if p[0][0] in "iu")
STORED: Final = tuple(p for p in PALETTES if "bf16" in p)
OPERATIONS: Final = (*DIVISIONS, *SHIFTS, bitand, bitor, bitxor, bitnot)


def of_precisions(palettes: Sequence[tuple[str, ...]]) -> Callable[[Choices, Proc], Proc | None]:
    return lambda ch, p: at_precisions(ch, p, palettes, 100)


def bf16_spots(tree: ProcDef) -> Iterator[Path]:
    """Where numbers of bf16 are stored or read."""
    kinds = {s: element(t) for s, t in declarations(tree).items() if not isinstance(t, Control)}
    return where(lambda n: isinstance(n, Read | Assign | Alloc) and kinds.get(n.sym) == bf16)(tree)


def short(ch: Choices, p: Proc) -> Proc | None:
    """A line of the text is written in a short form: a loop with a step or one that falls, `-=`, a value with an
    allocation, a name for an index."""
    lines = str(p).splitlines()
    options: list[list[str]] = []
    for k, line in enumerate(lines):
        if line.startswith(("def ", "    assert ")):
            continue
        pad = line[: len(line) - len(line.lstrip())]
        if m := re.fullmatch(r"( *for \w+ in (?:seq|par|vec)\()(.*), (.*)\):", line):
            if "," in m[2] + m[3]:
                continue
            texts = [f"{m[1]}{m[2]}, {m[3]}, {step}):" for step in (2, 3)]
            texts += [f"{m[1]}{m[3]} - 1, {m[2]} - 1, -{step}):" for step in (1, 2)]
            options += [[*lines[:k], t, *lines[k + 1 :]] for t in texts]
        elif m := re.fullmatch(r"( *[^#=]* )(\+=|/=) (.*)", line):
            options.append([*lines[:k], f"{m[1]}-= {m[3]}", *lines[k + 1 :]])
        elif m := re.fullmatch(r" *(\w+): (\w+) @ \w+", line):
            options.append([*lines[:k], f"{line} = {ch.upto(2)}.0", *lines[k + 1 :]])
        elif ": " not in line and (m := re.search(r"\[([\w +*-]*\w)\]", line)) and not m[1].isdigit():
            named = line.replace(f"[{m[1]}]", "[here]")
            options.append([*lines[:k], f"{pad}here = {m[1]}", named, *lines[k + 1 :]])
    if not options:
        return None
    return proc_from_source("\n".join(ch.pick(options)), reparse_env(p.tree))


def is_stepped(n: Node) -> bool:
    """Whether a node is an index that goes in steps or falls, or a sum that subtracts."""
    if isinstance(n, Reduce):
        return isinstance(n.rhs, Unary)
    if not isinstance(n, Read | Assign):
        return False
    parts = [x for e in n.idx for _, x in walk(e)]
    return any(isinstance(x, Binary) and (x.op == "*" or (x.op == "-" and not isinstance(x.rhs, Const))) for x in parts)
