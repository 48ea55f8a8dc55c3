"""exo_strat: loop programs made fast by rewriting strategies that are values.

A `Proc` is a loop program; an `Op` rewrites one at a `Cursor`, or returns a `Failure` that says why
not; combinators make Ops of Ops. Object code is written with `@proc` and everything that it names is
exported here.
"""
