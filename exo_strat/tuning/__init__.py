"""Tuning: searches over what the holes of a strategy may be filled with.

    found = tune(op, p, measuring(p, {"n": 1000}), search=random_search(seed=1), seconds=60)
    print(found)
    found.best_op, found.best_proc
"""

from __future__ import annotations

from .apart import Ended
from .found import Tuning
from .measures import Measure, Modelled, Prepared, Timed
from .model_search import optuna_search
from .programs import Programs
from .search import History, Known, Search, Tried, best_first, climbing, exhaustive, random_search, starting
from .sizes import Cut, by_sizes, cases, sized
from .tune import scheduled_cost, tune
from .tuned import remark

__all__ = [
    "Cut",
    "Ended",
    "History",
    "Known",
    "Measure",
    "Modelled",
    "Prepared",
    "Programs",
    "Search",
    "Timed",
    "Tried",
    "Tuning",
    "best_first",
    "by_sizes",
    "cases",
    "climbing",
    "exhaustive",
    "optuna_search",
    "random_search",
    "remark",
    "scheduled_cost",
    "sized",
    "starting",
    "tune",
]
