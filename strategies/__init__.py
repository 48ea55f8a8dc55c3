"""The library of strategies, written only against the public names of `exo_strat`."""
