// A := alpha x x^T + A, where A is symmetric

void CBLAS(syr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *a,
    CBLAS_INT lda) {
    REQUIRE(IS_LAYOUT(layout), 1, syr);
    REQUIRE(IS_UPLO(uplo), 2, syr);
    REQUIRE(n >= 0, 3, syr);
    REQUIRE(incx != 0, 6, syr);
    REQUIRE(lda >= AT_LEAST_1(n), 8, syr);
    if (n == 0 || alpha == 0) return;
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, syr);
    if (ROW_MAJOR(layout) == (uplo == CblasLower)) KERNEL(syr_l)(n, &alpha, IN(u, 1), OUT2(a, lda, 1));
    else KERNEL(syr_u)(n, &alpha, IN(u, 1), OUT2(a, lda, 1));
    RELEASE(u);
}
