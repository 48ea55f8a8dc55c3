// The sum of |x[i]|
// flags: -fno-signed-zeros -fno-trapping-math: else gcc takes three instructions for |x|, as of -0 it has to be -0

APART_WHOLE T any_stride(CBLAS_INT n, const T *x, CBLAS_INT incx) {
    SURE(n > 0);
    if (incx <= 0) return 0;
    T r;
    KERNEL(asum_strided)(n, IN(x, incx), &r);
    return r;
}

T CBLAS(asum)(CBLAS_INT n, const T *x, CBLAS_INT incx) {
    if (n <= 0) return 0;
    if (RARE(incx != 1)) return any_stride(n, x, incx);
    T r;
    KERNEL(asum)(n, IN(x, 1), &r);
    return r;
}
