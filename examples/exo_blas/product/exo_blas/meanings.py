"""What each number is about that decides which way a routine goes, in a few words, as `src/choices.h` says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MEANINGS: Final[Mapping[str, str]] = {
    "vector_aligned": "elements from which on a vector begins with those before its first whole line",
    "vectors_aligned": "bytes of two vectors from which on they begin so",
    "vector_wide": "bytes of a vector from which on vectors of 512 bits are used",
    "vector_shared": "bytes of a vector from which on threads share it",
    "copy_moved": "bytes of a copy from which on the C library moves it",
    "copy_far": "bytes of a copy from which on it passes the caches",
    "matrix_far": "bytes of a matrix from which on it comes from memory",
    "matrix_far_alike": "the same, if its rows share few lines of the first cache",
    "gemv_shared": "elements of a matrix from which on threads share its product with a vector",
    "gemv_long": "bytes of a row from which on it is taken in parts",
    "gemv_part": "bytes of such a part",
    "gemv_near": "bytes of a transposed matrix up to which it is taken by panels",
    "gemv_panel": "rows of such a panel",
    "ger_wide": "columns from which on rows that begin alike are not taken by panels",
    "ger_ordered": "bytes of a matrix from which on its rows are updated one by one",
    "ger_ordered_apart": "the same, if not all rows begin alike",
    "ger_far": "bytes of a matrix from which on they are not",
    "triangle_block": "rows of a triangle from memory that are taken together",
    "matrix_wide": "bytes of a row of complex numbers from which on it is long",
    "complex_together": "columns up to which rows of complex numbers are taken together",
    "complex_near": "bytes of a complex B up to which it is read as it is, not copied",
    "gemm_shared": "multiplications from which on threads share a product",
    "gemm_tiny": "multiplications up to which they are made one by one; of a transposed B, twice as many",
    "gemm_shallow": "products of an element up to which C is what takes time",
    "gemm_near": "bytes of B up to which it needs no copy",
    "gemm_cached": "bytes of B that stay in the second cache while rows pass over them",
    "gemm_slim": "rows or columns up to which a product is made the transposed way, or turned",
    "gemm_dots": "products of an element from which on sums along vectors pay",
    "gemm_few_products": "products of an element up to which a transposed A is read as it is",
    "gemm_far": "bytes of a transposed A from which on it is turned for few columns, too",
    "gemm_many_columns": "columns from which on a transposed A is turned",
    "gemm_few_rows": "rows up to which B is not packed",
    "gemm_few_rows_short": "the same, if rows of B are shorter than a page",
    "gemm_ahead": "rows of B that are read at a time",
    "gemm_reach": "rows of B that a tile may go down in the first cache",
    "gemm_large": "bytes of C from which on its rows are passed over as a whole",
    "triangle_near": "rows of a triangle up to which B needs no copy",
}
