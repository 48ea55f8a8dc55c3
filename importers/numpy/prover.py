"""What is certain of sizes and iterators: asked of the front end, which proves that a call meets an assertion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from exo_strat import FrontendError, proc_from_source

from ..control import Poly, Symbol, of
from .program import Frame

NEED = proc_from_source("def need(k: int):\n    assert k >= 0\n    pass\n")


@dataclass
class Prover:
    """Proves that integers aren't negative; `types` has the type of each control argument."""

    types: dict[str, str]
    arrays: dict[str, str] = field(default_factory=dict)
    """The types of arguments that indices are read from."""
    known: dict[tuple[str, tuple[str, ...], tuple[str, ...]], bool] = field(default_factory=dict)

    def holds(self, value: Poly, asserted: Sequence[str], facts: Sequence[str] = ()) -> bool:
        """Whether a value is never negative under assertions and facts."""
        if value.constant is not None:
            return value.constant >= 0
        if not value.is_affine():
            return self._at_least_at_ones(value)
        key = value.text(), tuple(asserted), tuple(facts)
        if key not in self.known:
            self.known[key] = self._ask(*key)
        return self.known[key]

    def _at_least_at_ones(self, value: Poly) -> bool:
        """Whether a polynomial of sizes is certainly not negative: with each size as 1 and a rest, no term is."""
        if any(self.types.get(s.name) != "size" for s in value.symbols()) or not value.is_polynomial():
            return False
        rest = value.replaced({s: of(s) + 1 for s in value.symbols()})
        return all(c >= 0 for _, c in rest.terms)

    def _ask(self, value: str, asserted: tuple[str, ...], facts: tuple[str, ...]) -> bool:
        args = ", ".join(f"{n}: {t}" for n, t in (self.types | self.arrays).items())
        lines = [f"def ask({args}):", *(f"    assert {a}" for a in asserted)]
        for k, fact in enumerate(facts):
            lines.append(f"{'    ' * (k + 1)}if {fact}:")
        lines.append(f"{'    ' * (len(facts) + 1)}need({value})")
        try:
            proc_from_source("\n".join([*lines, ""]), {"need": NEED})
        except FrontendError:
            return False
        return True


def least(value: Poly, frames: Sequence[Frame]) -> Poly | None:
    """A lower bound of a value over the loops around; None if none is found."""
    for f in reversed(frames):
        c = value.coefficient(f.symbol)
        if c is None:
            return None
        if not c.terms:
            continue
        signs = {k > 0 for _, k in c.terms}
        if len(signs) != 1:
            return None
        first = f.lo if f.step > 0 else f.hi + 1
        last = f.hi - 1 if f.step > 0 else f.lo
        value = value.replaced({f.symbol: first if signs.pop() else last})
    return value


def facts_of(f: Frame) -> tuple[str, ...]:
    """What holds of an iterator inside of its loop."""
    i = f.symbol.name
    if f.step > 0:
        bounds: tuple[str, ...] = (f"{i} >= {f.lo}", f"{i} < {f.hi}")
    else:
        bounds = (f"{i} <= {f.lo}", f"{i} > {f.hi}")
    step = abs(f.step)
    apart = f"({i} - ({f.lo})) % {step} == 0"
    return bounds if step == 1 else (*bounds, apart)


def arguments(value: Poly, symbols: frozenset[Symbol]) -> bool:
    """Whether a value is made of arguments only."""
    return value.symbols() <= symbols
