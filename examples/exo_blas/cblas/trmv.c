// x := op(A) x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

void CBLAS(trmv)(PARAMETERS(trmv)) {
    CHECK(trmv);
    if (n == 0) return;
    static const T one = 1;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans), unit = diag == CblasUnit;
    const struct EXO_IN1 diagonal = IN(unit ? &one : a, unit ? 0 : (int64_t)lda + 1);
    x = FIRST(x, n, incx);
    if (RARE(IS_LARGE_TRIANGLE(n, lda)))
        KERNEL(trmv_far)(lower, dots, n, CHOICE(triangle_block), IN2(a, lda, 1), diagonal, OUT(x, incx));
    else KERNEL(trmv)(lower, dots, n, IN2(a, lda, 1), diagonal, OUT(x, incx));
}
