"""Where a check stands: what is in scope, what is known, and how a failure is reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyrsistent import PMap

from ..ir.frozen import fast_init
from ..ir.names import Sym, checked_name
from ..ir.nodes import Expr, Interval, Point, ProcDef
from ..ir.printing import names_at, print_dim
from ..ir.types import Control
from ..ir.walk import Path, Step
from ..logic.effects import show_model
from ..logic.forms import Env, Formula, HashedOnce, Lin, Model, Opaque, atoms, cond, lin, lin_atoms, value_of
from ..logic.solver import Refuted, Words, prove, spelled
from .check_views import View
from .errors import CheckError

Facts = tuple[Formula, ...]


@fast_init
@dataclass(frozen=True, slots=True)
class Place:
    """A node of `tree` with the buffers (`views`) and control variables in scope there, and the facts.

    `env` reads config fields and data at the moment when the statement that holds the node begins.
    """

    tree: ProcDef
    path: Path
    facts: Facts
    views: PMap[Sym, View]
    controls: PMap[Sym, Control]
    env: Env

    def at(self, *steps: Step) -> Place:
        """A descendant."""
        return self.back((*self.path, *steps))

    def back(self, path: Path) -> Place:
        """Another node, with the same in scope and known."""
        return Place(self.tree, path, self.facts, self.views, self.controls, self.env)

    def begin(self, path: Path) -> Place:
        """The statement at `path`, at whose beginning a new moment is."""
        return Place(self.tree, path, self.facts, self.views, self.controls, self.env.at(path))

    def know(self, facts: Iterable[Formula]) -> Place:
        """With more facts."""
        known = set(self.facts)
        new = tuple([f for f in facts if f not in known])
        return replace(self, facts=HashedOnce(self.facts + new)) if new else self

    def with_view(self, sym: Sym, view: View) -> Place:
        """With one more buffer in scope."""
        self.check_binder(sym)
        return replace(self, views=self.views.set(sym, view))

    def with_control(self, sym: Sym, t: Control) -> Place:
        """With one more control variable in scope."""
        self.check_binder(sym)
        return replace(self, controls=self.controls.set(sym, t))

    def check_binder(self, sym: Sym) -> None:
        if sym in self.views or sym in self.controls:
            raise self.error(f"{sym} is bound twice; each variable must be bound once")
        self.check_name(sym.name, "a variable")

    def check_name(self, name: str, what: str) -> None:
        """Raises `CheckError` if `what` can't be called so."""
        try:
            checked_name(name, what)
        except ValueError as e:
            raise self.error(str(e)) from None

    # -- names and values --

    def name(self, sym: Sym) -> str:
        """The spelling of a variable."""
        return names_at(self.tree).get(sym, sym.name)

    def show(self, e: Expr | Interval | Point) -> str:
        """An expression as object code."""
        return print_dim(e, names_at(self.tree))

    def view(self, sym: Sym) -> View:
        """The buffer `sym`, which must be in scope."""
        known = self.views.get(sym)
        if known is None:
            raise self.error(f"no buffer {sym} is in scope here")
        return known

    def number(self, e: Expr) -> Lin:
        """The value of an integer control expression, at this moment."""
        return lin(e, self.env)

    def truth(self, e: Expr) -> Formula:
        """The truth of a control condition, at this moment."""
        return cond(e, self.env)

    # -- failures --

    def error(self, message: str, model: Model | None = None) -> CheckError:
        """The failure to raise."""
        if model is None:
            return CheckError(self.path, message, None)
        return CheckError(self.path, message, show_model(self.tree, model))

    def require(self, goal: Formula, words: Words, numbers: Words = "", *about: Lin) -> None:
        """Raises `CheckError` with the message `words` unless `goal` follows from what is known here.

        `numbers` is a template that shows what the forms `about` are in a counterexample.
        """
        answer = prove(self.facts, goal, lambda: f"it is not so that {spelled(words)}")
        if answer:
            return
        message = spelled(words)
        if not isinstance(answer, Refuted):
            raise self.error(f"{message} (not proved: {answer.why})")
        asked = {*atoms(goal), *(a for x in about for a in lin_atoms(x))}
        shown = show_model(self.tree, {a: v for a, v in answer.model.items() if a in asked})
        example = ", ".join(f"{name} = {v}" for name, v in shown.items())
        found = {**dict.fromkeys(asked, 0), **answer.model}  # what the model does not mention may be anything
        values = spelled(numbers).format(*[value_of(x, found) for x in about])
        text = ": ".join(t for t in (example, values) if t)
        # Strides that nobody asked for would only distract.
        model = {a: v for a, v in answer.model.items() if a in asked or not isinstance(a, Opaque)}
        raise self.error(f"{message}; for example {text}" if text else message, model)
