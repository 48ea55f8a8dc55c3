// x := op(A) x, where A is triangular

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
    const T one = 1;
    const struct EXO_IN1 d = diag == CblasUnit ? IN(&one, 0) : IN(a, (int64_t)lda + 1);
    x = FIRST(x, n, incx);
    ROOM(u, n, trmv);
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
