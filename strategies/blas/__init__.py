"""Strategies for linear algebra, each one function over a machine and a precision. See examples/exo_blas/design.md."""
