// y := alpha op(A) x + beta y, where A is a band

DEFINE(gbmv, const int64_t nx = trans == CblasNoTrans ? n : m, ny = (int64_t)m + n - nx;
    const int64_t below = ROW_MAJOR(layout) ? kl : ku, above = (int64_t)kl + ku - below;
    if (m > 0 && n > 0)
        KERNEL(gbmv)(BY_ROWS(layout, trans), ny, nx, below, above, &alpha, BAND(a + below, lda),
            BAND(a + below, lda), INPUT(x, nx, incx), &beta, OUTPUT(y, ny, incy)))
