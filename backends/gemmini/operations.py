"""What Gemmini can do, without configuration and with: pairs for `call_eqv`.

An `Operation` has a plain procedure, to be matched with code, and a version that sets the register and then calls the
instruction. The second is derived from the first by rewrites, so that the kernel knows that they do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from exo_strat import Config, ForCursor, NodeCursor, Proc, WriteConfigCursor, direct, nodes

from . import execute, loads, state, stores
from .build import kind_of


@dataclass(frozen=True)
class Operation:
    """A plain procedure, and an equal one that is the config instruction and the instruction."""

    plain: Proc
    configured: Proc


def _register(setting: Proc) -> list[tuple[Config, str]]:
    """The fields that a config instruction writes, in order."""
    return [(s.config, s.field) for s in setting.tree.body if isinstance(s, nodes.WriteConfig)]


def _loop(p: Proc) -> ForCursor:
    """The loop that does the work."""
    return next(s for s in p.body() if isinstance(s, ForCursor))


def _first_read(p: Proc, name: str) -> NodeCursor | None:
    """The first place in the loop where an argument is used."""
    arg = next(a for a in p.tree.args if a.sym.name == name)
    for c in _loop(p).descendants():
        if isinstance(c.node, nodes.Read | nodes.Var) and c.node.sym == arg.sym:
            return c
    return None


def _configured(plain: Proc, setting: Proc, values: Sequence[str], do: Proc) -> Proc:
    """The plain procedure as a call of `setting` with these values, and of `do`."""
    p, fields = plain, _register(setting)
    for (config, field), value in zip(fields, values, strict=True):
        p = direct.write_config(p, _loop(p).before(), config, field, value)
        if any(a.sym.name == value for a in p.tree.args):
            while (read := _first_read(p, value)) is not None:
                # the write that this adds repeats the one in front
                p = direct.bind_config(p, read, config, field)
                p = direct.delete_config(p, next(c for c in _loop(p).descendants() if isinstance(c, WriteConfigCursor)))
    p = direct.replace(p, p.body()[: len(fields)], setting)
    return direct.rename(direct.replace(p, _loop(p), do), f"{plain.name()}_configured")


@cache
def load(name: str, i: int = 0) -> Operation:
    """A load of `loads.KINDS` by register 0, 1 or 2."""
    kind, plain = kind_of(loads.KINDS, name, "load"), loads.load(name, i)
    stride, shrunk = kind.stride or "0", str(kind.shrunk)
    if kind.scaled:
        setting, values = state.config_ld_scaled[i], [stride, "True", "scale", shrunk, kind.block]
    else:
        setting, values = state.config_ld[i], [stride, "False", shrunk, kind.block]
    return Operation(plain, _configured(plain, setting, values, loads.DO_LOADS[f"do_{name}_id{i}"]))


@cache
def product(name: str) -> Operation:
    """A product of `execute.KINDS`."""
    plain = execute.product(name)
    act = "act" if any(a.sym.name == "act" for a in plain.tree.args) else "False"
    values = ["True", act, "0", "1", "1", "False", "False"]
    return Operation(plain, _configured(plain, state.config_ex, values, execute.DO_PRODUCTS[f"do_{name}"]))


@cache
def store(name: str) -> Operation:
    """A store of `stores.KINDS`."""
    kind, plain = kind_of(stores.KINDS, name, "store"), stores.store(name)
    values = [kind.stride, "act" if kind.scaled else "False", "scale" if kind.scaled else "1.0"]
    return Operation(plain, _configured(plain, state.config_st, values, stores.DO_STORES[f"do_{name}"]))
