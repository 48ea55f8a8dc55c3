// x := op(A)^-1 x, where A is triangular and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(tpsv, if (n > 0) KERNEL(tpsv)(ORIENTATION, n, ap, OUTPUT(x, n, incx)))
