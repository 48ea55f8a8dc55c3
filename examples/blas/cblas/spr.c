// A := alpha x x^T + A, where A is symmetric and packed

void CBLAS(spr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *ap) {
    REQUIRE(IS_LAYOUT(layout), 1, spr);
    REQUIRE(IS_UPLO(uplo), 2, spr);
    REQUIRE(n >= 0, 3, spr);
    REQUIRE(incx != 0, 6, spr);
    if (n == 0 || alpha == 0) return;
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, spr);
    if (ROW_MAJOR(layout) == (uplo == CblasLower)) KERNEL(syr_l_packed)(n, &alpha, IN(u, 1), OUT2(ap, n, 1));
    else KERNEL(syr_u_packed)(n, &alpha, IN(u, 1), OUT2(ap, n, 1));
    RELEASE(u);
}
