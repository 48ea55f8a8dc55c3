"""Inputs for procedures: small, admitted by their assertions, windows with odd strides.

Sizes start at 1; integers may be negative. All data arguments hold numbers: what a procedure may read of
its arguments is the caller's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random
from typing import Final

from hypothesis import strategies as st

from .. import interp
from ..cursors.proc import Proc
from ..interp import Array
from ..ir.cells import has_cells, indexing
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import Call, Cell, Claim, ProcDef, Read, ReadConfig, StrideExpr, WriteConfig
from ..ir.printing import names_at
from ..ir.types import Control, Tensor, Type, bool_, f32, i8, size, stride_, u8
from ..ir.walk import walk
from .index_data import about_elements, fill_indices, value_of

MANY: Final = 400
"""How many assignments of values to control arguments are tried for the assertions."""
SIZES: Final = (1, 2, 3, 4, 5, 8)
INTEGERS: Final = (0, 1, 2, 3, -1, -2, 5)

LAID_OUT: Final = 0
"""Instead of a stride: the one of a window that is laid out as others are."""

MANY_STRIDES: Final = 30
"""Sizes above this don't let more strides be drawn: too few of them would be the one that a condition asks for."""

MANY_DRAWS: Final = 60
"""How often data is drawn until it is such as is asserted of single elements."""

Controls = tuple[int, ...]
Chosen = Mapping[str, int]
"""Values by the name of an argument, `Cfg.n` or `stride(x, 0)`."""
NOTHING: Final[Chosen] = {}


@dataclass(frozen=True)
class Inputs:
    """A value for each argument, and for each config field by "Config.field"; see `interp.run`."""

    args: Mapping[str, object]
    configs: Mapping[str, object]

    def __str__(self) -> str:
        values = {**self.args, **self.configs}
        return ", ".join(f"{k} = {v.value() if isinstance(v, Array) else v}" for k, v in values.items())


def samples(p: Proc | ProcDef, limit: int = 10) -> list[Inputs]:
    """Some inputs that the procedure admits, always the same ones; the smallest sizes first.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n % 4 == 0
    ...     x[n - 1] = 0.0
    ... ''')
    >>> sorted({i.args["n"] for i in samples(p)})
    [4, 8]
    """
    tree = p.tree if isinstance(p, Proc) else p
    found = _admitted(tree)
    if not found:
        return []
    n = min(limit, max(len(found), 4))
    step = max(1, len(found) // n)
    return [_filled(tree, *found[k * step % len(found)], Random(k)) for k in range(n)]


@st.composite
def inputs(draw: st.DrawFn, p: Proc) -> Inputs:
    """Inputs that the procedure admits. None are drawn if none is found among small values."""
    found = _admitted(p.tree)
    controls, dense = draw(st.sampled_from(found) if found else st.nothing())
    return _filled(p.tree, controls, dense, Random(draw(st.integers(0, 1000))))


def with_controls(p: Proc | ProcDef, values: Mapping[str, int], limit: int) -> Iterator[Inputs]:
    """Inputs that the procedure admits in which the control arguments named, the config fields (`Cfg.n`) and the
    strides of windows (`stride(x, 0)`) have the given values. The others are drawn: integers up to a little more than
    twice the values given, and the strides that the procedure asks for, which it may compare with any of them."""
    tree = p.tree if isinstance(p, Proc) else p
    names = names_at(tree)
    most = max(values.values(), default=1)
    larger = [n for n in (most + 1, most + 2, 2 * most + 2, 2 * most + 3) if n > max(SIZES)]
    choices: list[Sequence[int]] = []
    for a in tree.args:
        if isinstance(a.type, Control):
            given = values.get(names[a.sym])
            free = [*_choices(a.type), *(larger if a.type not in (bool_, stride_) else [])]
            choices.append(free if given is None else [bool(given) if a.type == bool_ else given])
    controls = len(choices)
    asked = [s for s in _strides_asked(tree) if s not in values]
    choices += [(LAID_OUT, *range(1, 2 * min(most, MANY_STRIDES) + 4))] * len(asked)
    random = Random(0)
    everything = list(product(*choices)) if prod(map(len, choices)) <= MANY else list(_drawn(choices))
    random.shuffle(everything)
    tried = (
        (drawn[:controls], dense, {**values, **_strides(asked, drawn[controls:])})
        for drawn, dense in product(everything, (False, True))
    )
    admitted = [x for x in tried if _admits(tree, *x)][:limit]
    for k in range(limit if admitted else 0):  # the same with other data, if there are few
        numbers, dense, chosen = admitted[k % len(admitted)]
        yield _filled(tree, numbers, dense, Random(k), chosen)


def _strides_asked(tree: ProcDef) -> list[str]:
    """The strides of windows it is handed that a procedure asks for."""
    windows = {a.sym for a in tree.args if isinstance(a.type, Tensor) and a.type.window}
    asked = {(n.sym, n.dim) for _, n in walk(tree) if isinstance(n, StrideExpr) and n.sym in windows}
    shown = names_at(tree)
    return sorted(f"stride({shown[s]}, {d})" for s, d in asked)


def _strides(asked: Sequence[str], drawn: Sequence[int]) -> dict[str, int]:
    return {s: n for s, n in zip(asked, drawn, strict=True) if n != LAID_OUT}


@memo_by_identity
def _admitted(tree: ProcDef) -> list[tuple[Controls, bool]]:
    """The small values of the control arguments that are admitted, and whether windows must be dense for that."""
    choices = [_choices(a.type) for a in tree.args if isinstance(a.type, Control)]
    everything = list(product(*choices)) if prod(map(len, choices)) <= MANY else list(_drawn(choices))
    found: list[tuple[Controls, bool]] = []
    for values in everything:
        for dense in (False, True):
            if _admits(tree, values, dense):
                found.append((values, dense))
                break
    return found


def _choices(t: Control) -> Sequence[int]:
    if t == bool_:
        return (False, True)
    return SIZES if t == size else (1, 2) if t == stride_ else INTEGERS


def _drawn(choices: Sequence[Sequence[int]]) -> Iterator[Controls]:
    random = Random(0)
    seen = {tuple(random.choice(c) for c in choices) for _ in range(MANY)}
    yield from sorted(seen)


def _admits(tree: ProcDef, values: Controls, dense: bool, chosen: Chosen = NOTHING) -> bool:
    try:
        given = _filled(tree, values, dense, Random(0) if _asks_data(tree) else None, chosen)
    except ValueError:  # an extent that is not positive
        return False
    return interp.admits(tree, given.args, given.configs)


@memo_by_identity
def _asks_data(tree: ProcDef) -> bool:
    """Whether data or config fields may matter to what a procedure asserts."""
    asked = any(isinstance(n, Read | Cell | Claim) for e in tree.preds for _, n in walk(e))
    return asked or bool(indexing(tree)) or bool(config_fields(tree))


def _filled(tree: ProcDef, controls: Controls, dense: bool, random: Random | None, chosen: Chosen = NOTHING) -> Inputs:
    """Inputs with given control values, and random data but for the fields, elements and strides that are chosen, or no
    data if nothing is `random`. If single elements are asserted about, such for which that holds, if they are found."""
    found = _random(tree, controls, dense, random, chosen)
    for _ in range(MANY_DRAWS if has_cells(tree) and any(map(about_elements, tree.preds)) else 0):
        if interp.admits(tree, found.args, found.configs):
            break
        found = _random(tree, controls, dense, random, chosen)
    return found


def _random(tree: ProcDef, controls: Controls, dense: bool, random: Random | None, chosen: Chosen) -> Inputs:
    names, rest = names_at(tree), iter(controls)
    env: dict[Sym, int] = {a.sym: next(rest) for a in tree.args if isinstance(a.type, Control)}
    args: dict[str, object] = {}
    taken = indexing(tree)
    for a in tree.args:
        if isinstance(a.type, Control):
            args[names[a.sym]] = env[a.sym]
            continue
        laid_out = _laid_out(_data(a.type, env, dense, random), a.type, names[a.sym], random, chosen)
        args[names[a.sym]] = laid_out
        if a.sym in taken and random is not None:
            fill_indices(laid_out, tree, a, env, random, chosen)
    if random is None:
        return Inputs(args, {})
    fields = {f"{f.config.name}.{f.field}": _field(f.config.fields[f.field], random) for f in config_fields(tree)}
    for f in config_fields(tree):
        key = f"{f.config.name}.{f.field}"
        fields[key] = _as_field(f.config.fields[f.field], chosen[key]) if key in chosen else fields[key]
    return Inputs(args, fields)


def _as_field(t: Type, value: int) -> object:
    if t == size and value < 1:
        raise ValueError(f"a size is at least 1, not {value}")
    return bool(value) if t == bool_ else value


def _laid_out(a: Array, t: Type, name: str, random: Random | None, chosen: Chosen) -> Array:
    """A window with the strides that are chosen."""
    given = [chosen.get(f"stride({name}, {d})") for d in range(len(a.shape))]
    if not isinstance(t, Tensor) or not t.window or not any(s is not None for s in given):
        return a
    strides = tuple(a.strides[d] if s is None else s for d, s in enumerate(given))
    steps = [(n - 1) * s for n, s in zip(a.shape, strides, strict=True)]
    first, last = -sum(min(0, s) for s in steps), sum(max(0, s) for s in steps)
    return Array(_numbers(random, t.base, first + last + 1), first, a.shape, strides)


def _numbers(random: Random | None, t: Type, count: int) -> list[interp.Cell]:
    """Numbers that a precision holds; of those that hold little, mostly such of which sums are held, too."""
    if random is None:
        return []
    few, bits = 5 if t in (i8, u8) else 2, random.getrandbits
    found: list[interp.Cell] = []
    for _ in range(count):
        small, large = below(8, bits) - 3, below(140, bits) - 40
        n = large if below(few, bits) == few - 1 else small
        found.append(abs(n) if str(t)[0] == "u" else n)
    return found


def below(n: int, bits: Callable[[int], int]) -> int:
    """A random integer from 0 to n - 1, as `Random.randrange` draws it, in half the time."""
    size = n.bit_length()
    k = bits(size)
    while k >= n:
        k = bits(size)
    return k


def _field(t: Type, random: Random) -> object:
    if t == bool_:
        return random.random() < 0.5
    if isinstance(t, Control):
        return random.randint(1, 3) if t == size else random.randint(0, 2)
    return _numbers(random, f32, 1)[0]


def _data(t: Type, env: Mapping[Sym, int], dense: bool, random: Random | None) -> Array:
    shape = tuple(value_of(e, env) for e in t.shape) if isinstance(t, Tensor) else ()
    if any(n < 1 for n in shape):
        raise ValueError(f"{t} would be empty")
    window = isinstance(t, Tensor) and t.window and not dense
    strides = _odd_strides(shape) if window else interp.dense_strides(shape)
    offset = 1 if window else 0
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    base = t.base if isinstance(t, Tensor) else t
    return Array(_numbers(random, base, last + 1), offset, shape, strides)


def _odd_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a part of a larger buffer that leaves some of it out along each dimension."""
    out: list[int] = []
    stride = 2
    for n in reversed(shape):
        out.append(stride)
        stride = stride * n + 1
    return tuple(reversed(out))


@memo_by_identity
def config_fields(tree: ProcDef) -> tuple[ReadConfig, ...]:
    """The config fields that a procedure names, itself or in what it calls."""
    found: dict[tuple[str, str], ReadConfig] = {}
    for _, n in walk(tree):
        if isinstance(n, ReadConfig | WriteConfig):
            found[n.config.name, n.field] = ReadConfig(n.config, n.field)
        elif isinstance(n, Call):
            found |= {(r.config.name, r.field): r for r in config_fields(n.f.tree)}
    return tuple(found[k] for k in sorted(found))

