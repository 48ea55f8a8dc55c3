// x, y := c x + s y, c y - s x

APART void any_stride(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, T c, T s) {
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    if (incx == 0 || incy == 0) {  // one element after the other: some are one
        for (int64_t i = 0; i < n; i++) KERNEL(rot_strided)(1, &c, &s, OUT(x + i * incx, 1), OUT(y + i * incy, 1));
        return;
    }
    KERNEL(rot_strided)(n, &c, &s, OUT(x, incx), OUT(y, incy));
}

void CBLAS(rot)(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, T c, T s) {
    if (n <= 0) return;
    if (incx == 1 && incy == 1) KERNEL(rot)(n, &c, &s, OUT(x, 1), OUT(y, 1));
    else any_stride(n, x, incx, y, incy, c, s);
}
