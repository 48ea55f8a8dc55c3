// x := op(A)^-1 x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(trsv, if (n == 0) return;
    if (RARE(IS_LARGE_TRIANGLE(n, lda)))
        KERNEL(trsv_far)(ORIENTATION, n, CHOICE(triangle_block), IN2(a, lda, 1), OUTPUT(x, n, incx));
    else KERNEL(trsv)(ORIENTATION, n, IN2(a, lda, 1), OUTPUT(x, n, incx)))
