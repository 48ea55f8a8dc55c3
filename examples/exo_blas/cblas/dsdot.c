// The sum of x[i] y[i] in double precision
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers

APART_WHOLE double any_stride(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy) {
    SURE(n > 0);
    double r;
    KERNEL_AS(dsdot_strided)(n, IN_F32(FIRST(x, n, incx), incx), IN_F32(FIRST(y, n, incy), incy), &r);
    return r;
}

double CBLAS_AS(dsdot)(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy) {
    if (n <= 0) return 0;
    if (RARE(incx != 1 || incy != 1)) return any_stride(n, x, incx, y, incy);
    double r;
    KERNEL_AS(dsdot)(n, IN_F32(x, 1), IN_F32(y, 1), &r);
    return r;
}
