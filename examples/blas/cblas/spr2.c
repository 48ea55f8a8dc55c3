// A := alpha x y^T + alpha y x^T + A, where A is symmetric and packed

void CBLAS(spr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, const T *y,
    CBLAS_INT incy, T *ap) {
    REQUIRE(IS_LAYOUT(layout), 1, spr2);
    REQUIRE(IS_UPLO(uplo), 2, spr2);
    REQUIRE(n >= 0, 3, spr2);
    REQUIRE(incx != 0, 6, spr2);
    REQUIRE(incy != 0, 8, spr2);
    if (n == 0 || alpha == 0) return;
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    GATHER(u, n, x, incx, spr2);
    GATHER(v, n, y, incy, spr2);
    if (ROW_MAJOR(layout) == (uplo == CblasLower))
        KERNEL(syr2_l_packed)(n, &alpha, IN(u, 1), IN(v, 1), OUT2(ap, n, 1));
    else KERNEL(syr2_u_packed)(n, &alpha, IN(u, 1), IN(v, 1), OUT2(ap, n, 1));
    RELEASE(u);
    RELEASE(v);
}
