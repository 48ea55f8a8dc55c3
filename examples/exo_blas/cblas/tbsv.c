// x := op(A)^-1 x, where A is triangular and a band

void CBLAS(tbsv)(PARAMETERS(tbsv)) {
    CHECK(tbsv);
    if (LOWER(layout, uplo)) a += k;
    if (n > 0)
        KERNEL(tbsv)(LOWER(layout, uplo), BY_ROWS(layout, trans), diag == CblasUnit, n, k, BAND(a, lda),
            OUTPUT(x, n, incx));
}
