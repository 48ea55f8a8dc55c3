"""What a search found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ops.combinators import identity
from ..ops.spaces import Space
from ..ops.strategy import Op, schedule
from .ranks import spearman
from .search import Tried, best_of


@dataclass(frozen=True)
class Tuning:
    """What a search found: all that was `tried`, in this order, and why it `stopped`.

    `unscheduled` is the procedure as it was, if that was asked for.
    """

    op: Op
    proc: Proc
    place: Cursor | None
    space: Space
    tried: tuple[Tried, ...]
    unscheduled: Tried | None
    stopped: str

    @property
    def best(self) -> Tried | None:
        """The fastest candidate; None if none could be measured."""
        return best_of([t for t in (self.unscheduled, *self.tried) if t is not None])

    @property
    def best_op(self) -> Op:
        """The strategy with the values of the fastest candidate in its holes; `identity`, if nothing is faster than the
        procedure as it was. Raises `ValueError` if none could be measured."""
        if self.best is None:
            raise ValueError(f"no candidate could be measured; the first: {next(map(str, self.tried), 'none')}")
        return identity if self.best is self.unscheduled else self.op.fill(self.best.decisions)

    @cached_property
    def best_proc(self) -> Proc:
        """What this strategy makes of the procedure: every rewrite is proved again."""
        return schedule(self.best_op, self.proc, self.place)

    @property
    def correlation(self) -> float | None:
        """Spearman's rank correlation of the model's costs and the times; None if there was no model, or too little."""
        both = [(t.cost, t.seconds) for t in self.tried if t.status == "measured" and None not in (t.cost, t.seconds)]
        return spearman([cost or 0.0 for cost, _ in both], [s or 0.0 for _, s in both])

    def __str__(self) -> str:
        counts = Counter(t.came_of for t in self.tried)
        lines = [f"{len(self.tried)} tried ({', '.join(f'{n} {s}' for s, n in counts.items())}): {self.stopped}"]
        lines += [f"best: {self.best}"] if self.best else []
        lines += [f"the procedure as it was: {self.unscheduled}"] if self.unscheduled else []
        rank = self.correlation
        return "\n".join(lines + ([] if rank is None else [f"rank correlation of model and times: {rank:.2f}"]))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .html import tuning_html

        return tuning_html(self)
