// A := alpha x y^T + alpha y x^T + A, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(spr2, if (n > 0) KERNEL(spr2)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), INPUT(y, n, incy), ap))
