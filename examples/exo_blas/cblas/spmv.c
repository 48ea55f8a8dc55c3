// y := alpha A x + beta y, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

APART void scale(int64_t n, T beta, T *y, int64_t incy) { exo_scale(n, beta, y, incy); }

APART void lower(int64_t n, T alpha, const T *ap, const T *x, T *y) {
    KERNEL(symv_l_packed)(n, &alpha, IN2(ap, n, 1), IN(x, 1), OUT(y, 1));
}

APART void upper(int64_t n, T alpha, const T *ap, const T *x, T *y) {
    KERNEL(symv_u_packed)(n, &alpha, IN2(ap, n, 1), IN(x, 1), OUT(y, 1));
}

APART void copied(int low, int64_t n, T alpha, const T *ap, const T *x, int64_t incx, T *y, int64_t incy) {
    GATHER(u, n, x, incx, spmv);
    GATHER(v, n, y, incy, spmv);
    (low ? lower : upper)(n, alpha, ap, u, v);
    SCATTER(v, n, y, incy);
    RELEASE(u);
    RELEASE(v);
}

void CBLAS(spmv)(PARAMETERS(spmv)) {
    CHECK(spmv);
    if (n == 0) return;
    y = FIRST(y, n, incy);
    if (RARE(beta != 1)) scale(n, beta, y, incy);
    if (alpha == 0) return;
    const int low = LOWER(layout, uplo);
    if (RARE(incx != 1 || incy != 1)) copied(low, n, alpha, ap, FIRST(x, n, incx), incx, y, incy);
    else (low ? lower : upper)(n, alpha, ap, x, y);
}
