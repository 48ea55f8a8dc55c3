"""The command line, `exo-strat`: `commands` has its commands, the other modules what one of them does."""
