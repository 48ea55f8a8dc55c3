// y := alpha A x + beta y, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(spmv, if (n > 0) KERNEL(spmv)(LOWER(layout, uplo), n, &alpha, ap, INPUT(x, n, incx), &beta, OUTPUT(y, n, incy)))
