// y := alpha A x + beta y, where A is symmetric and packed

void CBLAS(spmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *ap, const T *x, CBLAS_INT incx,
    T beta, T *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, spmv);
    REQUIRE(IS_UPLO(uplo), 2, spmv);
    REQUIRE(n >= 0, 3, spmv);
    REQUIRE(incx != 0, 7, spmv);
    REQUIRE(incy != 0, 10, spmv);
    if (n == 0) return;
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    exo_scale(n, beta, y, incy);
    if (alpha == 0) return;
    GATHER(u, n, x, incx, spmv);
    GATHER(v, n, y, incy, spmv);
    if (ROW_MAJOR(layout) == (uplo == CblasLower)) KERNEL(symv_l_packed)(n, &alpha, IN2(ap, n, 1), IN(u, 1), OUT(v, 1));
    else KERNEL(symv_u_packed)(n, &alpha, IN2(ap, n, 1), IN(u, 1), OUT(v, 1));
    SCATTER(v, n, y, incy);
    RELEASE(u);
    RELEASE(v);
}
