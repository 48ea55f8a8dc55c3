// x := op(A)^-1 x, where A is triangular and a band

DEFINE(tbsv, if (LOWER(layout, uplo)) a += k;
    if (n > 0) KERNEL(tbsv)(ORIENTATION, n, k, BAND(a, lda), OUTPUT(x, n, incx)))
