"""A BLAS: naive loop programs, shared strategies, and a library with the CBLAS interface. See README.md."""
