// x := alpha x

APART void any_stride(CBLAS_INT n, T alpha, T *x, CBLAS_INT incx) {
    if (incx > 0) KERNEL(scal_strided)(n, &alpha, OUT(x, incx));
}

void CBLAS(scal)(CBLAS_INT n, T alpha, T *x, CBLAS_INT incx) {
    if (n <= 0) return;
    if (RARE(incx != 1)) any_stride(n, alpha, x, incx);
    else KERNEL(scal)(n, &alpha, OUT(x, 1));
}
