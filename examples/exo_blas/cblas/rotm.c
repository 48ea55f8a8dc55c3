// x, y := H (x, y). The flag h[0] tells which entries of H are 1 or -1: all are given, those of the diagonal are 1, or
// the others are.
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice

DECLARE(rotm);

// One kernel for all flags: without vectors, to multiply by 1 takes no time.
APART_WHOLE void any_stride(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, const T *h) {
    SURE(n > 0);
    T h11 = h[1], h21 = h[2], h12 = h[3], h22 = h[4];
    if (h[0] == 0) h11 = h22 = 1;
    else if (!(h[0] < 0)) h12 = 1, h21 = -1;
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    if (RARE(incx == 0 || incy == 0)) {  // one element after the other: some are one
        for (int64_t i = 0; i < n; i++) {
            IN_TURN;
            KERNEL(rotm_strided)(1, &h11, &h12, &h21, &h22, OUT(x + i * incx, 1), OUT(y + i * incy, 1));
        }
        return;
    }
    KERNEL(rotm_strided)(n, &h11, &h12, &h21, &h22, OUT(x, incx), OUT(y, incy));
}

APART void aligned(CBLAS_INT n, T *x, T *y, const T *h) {
    CBLAS_INT before = BEFORE(y);
    any_stride(before, x, 1, y, 1, h);
    CBLAS(rotm)(n - before, x + before, 1, y + before, 1, h);
}

void CBLAS(rotm)(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, const T *h) {
    if (n <= 0 || h[0] == -2) return;
    if (RARE(incx != 1 || incy != 1)) any_stride(n, x, incx, y, incy, h);
    else if (RARE(ARE_ACROSS(n, y))) aligned(n, x, y, h);
    else if (h[0] < 0) KERNEL(rotm)(n, &h[1], &h[3], &h[2], &h[4], OUT(x, 1), OUT(y, 1));
    else if (h[0] == 0) KERNEL(rotm_unit)(n, &h[3], &h[2], OUT(x, 1), OUT(y, 1));
    else KERNEL(rotm_diagonal)(n, &h[1], &h[4], OUT(x, 1), OUT(y, 1));
}
