// y := alpha A x + beta y, where A is symmetric and a band
#include "banded.h"

void CBLAS(sbmv)(PARAMETERS(sbmv)) {
    CHECK(sbmv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo);
    int64_t part = FEWER(k, n), rows = n - part, slant = (int64_t)lda - 1;  // part: rows that make a triangle
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    exo_scale(n, beta, y, incy);
    if (alpha == 0) return;
    GATHER(u, n, x, incx, sbmv);
    GATHER(v, n, y, incy, sbmv);
    if (lower) {
        a += k;
        if (part) KERNEL(symv_l)(part, &alpha, IN2(a, slant, 1), IN(u, 1), OUT(v, 1));
        if (rows)
            BY_WIDTH(part + 1, KERNEL(symv_band_l), KERNEL(symv_band_l_narrow))(rows, part + 1, &alpha,
                IN2(a + part * slant, slant, 1), IN(u, 1), OUT(v, 1));
    } else {
        if (rows)
            BY_WIDTH(part + 1, KERNEL(symv_band_u), KERNEL(symv_band_u_narrow))(rows, part + 1, &alpha,
                IN2(a, slant, 1), IN(u, 1), OUT(v, 1));
        if (part) KERNEL(symv_u)(part, &alpha, IN2(a + rows * (slant + 1), slant, 1), IN(u + rows, 1), OUT(v + rows, 1));
    }
    SCATTER(v, n, y, incy);
    RELEASE(u);
    RELEASE(v);
}
