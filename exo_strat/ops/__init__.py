"""Ops: rewrites as values, and what is built on them.

`strategy` has Ops, the driver that runs them, `@strategy` and `@named`; `failure` says why one did not apply;
`combinators` and `traversals` make Ops of Ops; `moves` go to other places. `tracing` and `explain` tell what a strategy
did, `prospects` and `lint` what it can't do, and `sketches` what its result should look like.
"""
