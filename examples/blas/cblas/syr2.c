// A := alpha x y^T + alpha y x^T + A, where A is symmetric

void CBLAS(syr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, const T *y,
    CBLAS_INT incy, T *a, CBLAS_INT lda) {
    REQUIRE(IS_LAYOUT(layout), 1, syr2);
    REQUIRE(IS_UPLO(uplo), 2, syr2);
    REQUIRE(n >= 0, 3, syr2);
    REQUIRE(incx != 0, 6, syr2);
    REQUIRE(incy != 0, 8, syr2);
    REQUIRE(lda >= AT_LEAST_1(n), 10, syr2);
    if (n == 0 || alpha == 0) return;
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    GATHER(u, n, x, incx, syr2);
    GATHER(v, n, y, incy, syr2);
    if (ROW_MAJOR(layout) == (uplo == CblasLower)) KERNEL(syr2_l)(n, &alpha, IN(u, 1), IN(v, 1), OUT2(a, lda, 1));
    else KERNEL(syr2_u)(n, &alpha, IN(u, 1), IN(v, 1), OUT2(a, lda, 1));
    RELEASE(u);
    RELEASE(v);
}
