// x := op(A) x, where A is triangular and a band

DEFINE(tbmv, if (LOWER(layout, uplo)) a += k;
    if (n > 0) KERNEL(tbmv)(ORIENTATION, n, k, BAND(a, lda), OUTPUT(x, n, incx)))
