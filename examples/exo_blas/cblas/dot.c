// The sum of x[i] y[i]
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers

APART_WHOLE T any_stride(CBLAS_INT n, const T *x, CBLAS_INT incx, const T *y, CBLAS_INT incy) {
    SURE(n > 0);
    T r;
    KERNEL(dot_strided)(n, IN(FIRST(x, n, incx), incx), IN(FIRST(y, n, incy), incy), &r);
    return r;
}

T CBLAS(dot)(CBLAS_INT n, const T *x, CBLAS_INT incx, const T *y, CBLAS_INT incy) {
    if (n <= 0) return 0;
    if (RARE(incx != 1 || incy != 1)) return any_stride(n, x, incx, y, incy);
    T r;
    KERNEL(dot)(n, IN(x, 1), IN(y, 1), &r);
    return r;
}
