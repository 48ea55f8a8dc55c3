// x := op(A) x, where A is triangular

#define BLOCK 96  // rows of a large triangle that are taken together

// The same of a large triangle and neighbours: for some rows at a time, the small triangle and the rectangle beside it.
// They come in an order in which what is read is still old.
APART void blocks(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int lower, int dots,
    int64_t n, const T *a, int64_t lda, T *x) {
    const int64_t count = (n + BLOCK - 1) / BLOCK;
    for (int64_t b = 0; b < count; b++) {
        const int64_t i = (lower == dots ? count - 1 - b : b) * BLOCK, rows = n - i < BLOCK ? n - i : BLOCK;
        const int64_t from = lower ? 0 : i + rows, columns = lower ? i : n - from;
        const T *row = a + i * lda;
        if (columns > 0 && !dots) ADDS(rows, columns, 1, row + from, lda, x + i, 1, x + from);
        CBLAS(trmv)(layout, uplo, trans, diag, rows, row + i, lda, x + i, 1);
        if (columns > 0 && dots) DOTS(rows, columns, 1, row + from, lda, x + from, x + i, 1);
    }
}

void CBLAS(trmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *a,
    CBLAS_INT lda, T *x, CBLAS_INT incx) {
    REQUIRE(IS_LAYOUT(layout), 1, trmv);
    REQUIRE(IS_UPLO(uplo), 2, trmv);
    REQUIRE(IS_TRANSPOSE(trans), 3, trmv);
    REQUIRE(IS_DIAG(diag), 4, trmv);
    REQUIRE(n >= 0, 5, trmv);
    REQUIRE(lda >= AT_LEAST_1(n), 7, trmv);
    REQUIRE(incx != 0, 9, trmv);
    if (n == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower), dots = ROW_MAJOR(layout) == (trans == CblasNoTrans);
    x = FIRST(x, n, incx);
    ROOM(u, n, trmv);
    if (RARE(n > BLOCK && FROM_MEMORY((int64_t)n * n / 2, lda))) {
        exo_copy(n, x, incx, u, 1);
        blocks(layout, uplo, trans, diag, lower, dots, n, a, lda, u);
        exo_copy(n, u, 1, x, incx);
        RELEASE(u);
        return;
    }
    const T one = 1;
    const struct EXO_IN1 d = diag == CblasUnit ? IN(&one, 0) : IN(a, (int64_t)lda + 1);
    if (dots) {
        exo_copy(n, x, incx, u, 1);
        if (lower) KERNEL(trmv_ln)(n, IN2(a, lda, 1), d, IN(u, 1), OUT(x, incx));
        else KERNEL(trmv_un)(n, IN2(a, lda, 1), d, IN(u, 1), OUT(x, incx));
    } else {
        if (lower) KERNEL(trmv_lt)(n, IN2(a, lda, 1), d, IN(x, incx), OUT(u, 1));
        else KERNEL(trmv_ut)(n, IN2(a, lda, 1), d, IN(x, incx), OUT(u, 1));
        exo_copy(n, u, 1, x, incx);
    }
    RELEASE(u);
}
