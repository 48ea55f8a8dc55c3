// A := alpha x x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(syr, if (n > 0 && alpha != 0) KERNEL(syr)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), OUT2(a, lda, 1)))
