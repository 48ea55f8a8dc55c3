"""`python -m exo_strat.cli` is `exo-strat`."""

from .commands import main

main()
