// A := alpha x x^T + A, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(spr, if (n > 0) KERNEL(spr)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), ap))
