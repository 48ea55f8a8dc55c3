"""Strategies for linear algebra, each one function over a machine and a precision. See docs/blas.md."""
