// y := alpha op(A) x + beta y, where A is a band
#include "banded.h"
#include "band_product.h"

void CBLAS(gbmv)(PARAMETERS(gbmv)) {
    int row_major = ROW_MAJOR(layout), dots = BY_ROWS(layout, trans);
    int64_t rows = row_major ? m : n, columns = row_major ? n : m, below = row_major ? kl : ku, above = row_major ? ku : kl;
    int64_t nx = dots ? columns : rows, ny = dots ? rows : columns;
    CHECK(gbmv);
    if (m == 0 || n == 0) return;
    x = FIRST(x, nx, incx);
    y = FIRST(y, ny, incy);
    exo_scale(ny, beta, y, incy);
    if (alpha == 0) return;
    GATHER(u, nx, x, incx, gbmv);
    GATHER(v, ny, y, incy, gbmv);
    exo_band_product(dots, rows, columns, below, above, alpha, a + below, (int64_t)lda - 1, u, v);
    SCATTER(v, ny, y, incy);
    RELEASE(u);
    RELEASE(v);
}
