// x := op(A) x, where A is triangular and a band
#include "banded.h"
#include "band_product.h"
#include "triangle_vector.h"

void CBLAS(tbmv)(PARAMETERS(tbmv)) {
    CHECK(tbmv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    int64_t slant = (int64_t)lda - 1;
    const T one = 1;
    if (lower) a += k;
    x = FIRST(x, n, incx);
    GATHER(v, n, x, incx, tbmv);
    ROOM(u, n, tbmv);
    exo_copy(n, v, 1, u, 1);
    if (diag != CblasUnit) KERNEL(diagonal)(n, IN(a, lda), IN(u, 1), OUT(v, 1));
    // what is beside the diagonal, as a band that begins a row or a column later
    const T *beside = lower ? a + slant : a + 1;
    int rows_later = lower == dots;  // of op(A)
    if (n > 1 && k > 0)
        exo_band_product(dots, n - 1, n - 1, lower ? k - 1 : 0, lower ? 0 : k - 1, one, beside, slant,
            u + !rows_later, v + rows_later);
    SCATTER(v, n, x, incx);
    RELEASE(u);
    RELEASE(v);
}
