// A := alpha x y^T + alpha y x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(syr2, if (n > 0 && alpha != 0)
    KERNEL(syr2)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), INPUT(y, n, incy), OUT2(a, lda, 1)))
