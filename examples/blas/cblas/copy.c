// y := x

APART void any_stride(CBLAS_INT n, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    x = FIRST(x, n, incx);
    if (incy == 0) *y = x[(int64_t)(n - 1) * incx];  // the last one stays
    else KERNEL(copy_strided)(n, IN(x, incx), OUT(FIRST(y, n, incy), incy));
}

void CBLAS(copy)(CBLAS_INT n, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    if (n <= 0) return;
    if (incx == 1 && incy == 1) KERNEL(copy)(n, IN(x, 1), OUT(y, 1));
    else any_stride(n, x, incx, y, incy);
}
