// x := op(A)^-1 x, where A is triangular

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
    switch (4 * lower + 2 * dots + (diag == CblasUnit)) {
        case 0: KERNEL(trsv_ut)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 1: KERNEL(trsv_ut_unit)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 2: KERNEL(trsv_un)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 3: KERNEL(trsv_un_unit)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 4: KERNEL(trsv_lt)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 5: KERNEL(trsv_lt_unit)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 6: KERNEL(trsv_ln)(n, IN2(a, lda, 1), OUT(u, 1)); break;
        case 7: KERNEL(trsv_ln_unit)(n, IN2(a, lda, 1), OUT(u, 1)); break;
    }
    SCATTER(u, n, x, incx);
    RELEASE(u);
}
