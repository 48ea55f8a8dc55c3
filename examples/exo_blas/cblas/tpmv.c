// x := op(A) x, where A is triangular and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(tpmv, if (n > 0) KERNEL(tpmv)(ORIENTATION, n, ap, OUTPUT(x, n, incx)))
