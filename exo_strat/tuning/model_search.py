"""A search that learns from what was measured, by Optuna."""

from __future__ import annotations

from typing import Any, Final

from ..ops.spaces import Choice, Space
from .search import History, Known, Search, Tried, random_search

TRIES: Final = 20
"""How often Optuna is asked until it proposes something new; then random assignments are drawn."""


class NoOptunaError(RuntimeError):
    """Optuna is not installed."""


def optuna_search(seed: int = 0) -> Search:
    """Proposals by Optuna's estimator (a tree of Parzen estimators), which learns from the times so far.

    The history is replayed into a study of its own for each proposal, so the answer is a function of it. What could not
    be measured counts as failed. Raises `NoOptunaError` where Optuna is not installed.
    """
    try:
        import optuna
    except ImportError as e:
        raise NoOptunaError("optuna_search needs Optuna: pip install 'exo-strat[tune]'") from e
    optuna.logging.disable_default_handler()
    otherwise = random_search(seed)

    def search(space: Space, history: History) -> dict[str, Any] | None:
        known = Known(space, history)
        sampler = optuna.samplers.TPESampler(seed=seed + len(history))
        study = optuna.create_study(sampler=sampler)
        for t in history:
            study.add_trial(replayed(space, t))
        for _ in range(TRIES):
            trial = study.ask()
            values = proposed(space, trial)
            if values not in known and space.admits(values):
                return values
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return otherwise(space, history)

    def proposed(space: Space, trial: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while (choice := space.next(values)) is not None:
            values[choice.name] = choice.candidates[_suggested(choice, trial)]
        return values

    def replayed(space: Space, t: Tried) -> Any:
        """A candidate as a trial. It has what Optuna was asked for, not what a later, larger space has besides."""
        places = {c.name: _place(c, t.values[c.name]) for c in space.choices if c.name in t.values}
        made = {name: k for name, k in places.items() if k is not None}
        sizes = {c.name: len(c.candidates) for c in space.choices}
        ordered = {c.name: _is_ordered(c) for c in space.choices}
        state = optuna.trial.TrialState
        return optuna.trial.create_trial(
            state=state.COMPLETE if t.seconds is not None else state.RUNNING if t.status == "asked" else state.FAIL,
            value=t.seconds,
            params=made,
            distributions={
                name: optuna.distributions.IntDistribution(0, sizes[name] - 1)
                if ordered[name]
                else optuna.distributions.CategoricalDistribution(tuple(range(sizes[name])))
                for name in made
            },
        )

    return search


def _suggested(choice: Choice, trial: Any) -> int:
    """The place of a candidate: Optuna knows those that are numbers in order as neighbours."""
    last = len(choice.candidates) - 1
    if _is_ordered(choice):
        return int(trial.suggest_int(choice.name, 0, last))
    return int(trial.suggest_categorical(choice.name, list(range(last + 1))))


def _is_ordered(choice: Choice) -> bool:
    numbers = choice.candidates
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in numbers):
        return False
    return list(numbers) == sorted(numbers) and len(numbers) > 1


def _place(choice: Choice, value: object) -> int | None:
    """Where a value stands among the candidates."""
    found = (k for k, x in enumerate(choice.candidates) if x == value and type(x) is type(value))
    return next(found, None)
