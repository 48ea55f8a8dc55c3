// y := alpha A x + beta y, where A is symmetric

void CBLAS(symv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, const T *x,
    CBLAS_INT incx, T beta, T *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, symv);
    REQUIRE(IS_UPLO(uplo), 2, symv);
    REQUIRE(n >= 0, 3, symv);
    REQUIRE(lda >= AT_LEAST_1(n), 6, symv);
    REQUIRE(incx != 0, 8, symv);
    REQUIRE(incy != 0, 11, symv);
    if (n == 0) return;
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    exo_scale(n, beta, y, incy);
    if (alpha == 0) return;
    GATHER(u, n, x, incx, symv);
    GATHER(v, n, y, incy, symv);
    if (ROW_MAJOR(layout) == (uplo == CblasLower)) KERNEL(symv_l)(n, &alpha, IN2(a, lda, 1), IN(u, 1), OUT(v, 1));
    else KERNEL(symv_u)(n, &alpha, IN2(a, lda, 1), IN(u, 1), OUT(v, 1));
    SCATTER(v, n, y, incy);
    RELEASE(u);
    RELEASE(v);
}
