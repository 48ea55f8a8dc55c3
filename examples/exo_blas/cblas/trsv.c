// x := op(A)^-1 x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

void CBLAS(trsv)(PARAMETERS(trsv)) {
    CHECK(trsv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans), unit = diag == CblasUnit;
    x = FIRST(x, n, incx);
    if (RARE(IS_LARGE_TRIANGLE(n, lda)))
        KERNEL(trsv_far)(lower, dots, unit, n, CHOICE(triangle_block), IN2(a, lda, 1), OUT(x, incx));
    else KERNEL(trsv)(lower, dots, unit, n, IN2(a, lda, 1), OUT(x, incx));
}
