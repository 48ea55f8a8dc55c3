// x := op(A)^-1 x, where A is triangular

#define BLOCK 96  // rows of a large triangle that are taken together

// The same of neighbours
static void triangle(int lower, int dots, int unit, int64_t n, const T *a, int64_t lda, T *x) {
    switch (4 * lower + 2 * dots + unit) {
        case 0: KERNEL(trsv_ut)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 1: KERNEL(trsv_ut_unit)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 2: KERNEL(trsv_un)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 3: KERNEL(trsv_un_unit)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 4: KERNEL(trsv_lt)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 5: KERNEL(trsv_lt_unit)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 6: KERNEL(trsv_ln)(n, IN2(a, lda, 1), OUT(x, 1)); break;
        case 7: KERNEL(trsv_ln_unit)(n, IN2(a, lda, 1), OUT(x, 1)); break;
    }
}

// Of a large triangle, for some rows at a time, a small triangle and the rectangle beside it.
void CBLAS(trsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *a,
    CBLAS_INT lda, T *x, CBLAS_INT incx) {
    REQUIRE(IS_LAYOUT(layout), 1, trsv);
    REQUIRE(IS_UPLO(uplo), 2, trsv);
    REQUIRE(IS_TRANSPOSE(trans), 3, trsv);
    REQUIRE(IS_DIAG(diag), 4, trsv);
    REQUIRE(n >= 0, 5, trsv);
    REQUIRE(lda >= AT_LEAST_1(n), 7, trsv);
    REQUIRE(incx != 0, 9, trsv);
    if (n == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower), dots = ROW_MAJOR(layout) == (trans == CblasNoTrans);
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, trsv);
    const int64_t size = FROM_MEMORY((int64_t)n * n / 2, lda) ? BLOCK : n, count = (n + size - 1) / size;
    for (int64_t b = 0; b < count; b++) {
        const int64_t i = (lower == dots ? b : count - 1 - b) * size, rows = n - i < size ? n - i : size;
        const int64_t from = lower ? 0 : i + rows, columns = lower ? i : n - from;
        const T *row = a + i * lda;
        if (columns > 0 && dots) DOTS(rows, columns, -1, row + from, lda, u + from, u + i, 1);
        triangle(lower, dots, diag == CblasUnit, rows, row + i, lda, u + i);
        if (columns > 0 && !dots) ADDS(rows, columns, -1, row + from, lda, u + i, 1, u + from);
    }
    SCATTER(u, n, x, incx);
    RELEASE(u);
}
