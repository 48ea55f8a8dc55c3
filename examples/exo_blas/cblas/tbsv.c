// x := op(A)^-1 x, where A is triangular and a band
#include "banded.h"
#include "triangle_vector.h"

// Solves the rows of a band, and the triangle at its end, or at its beginning.
#define SOLVE(triangle_first, triangle_by, wide, narrow)                                       \
    do {                                                                                       \
        if (triangle_first && part) triangle_by(part, IN2(triangle, slant, 1), OUT(u + from, 1));  \
        if (rows) BY_WIDTH(part + 1, wide, narrow)(rows, part + 1, IN2(band, slant, 1), OUT(u, 1)); \
        if (!triangle_first && part) triangle_by(part, IN2(triangle, slant, 1), OUT(u + from, 1)); \
    } while (0)

void CBLAS(tbsv)(PARAMETERS(tbsv)) {
    CHECK(tbsv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    int64_t part = FEWER(k, n), rows = n - part, slant = (int64_t)lda - 1;  // part: rows that make a triangle
    int64_t from = lower ? 0 : rows;
    if (lower) a += k;
    const T *band = lower ? a + part * slant : a, *triangle = a + from * (slant + 1);
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, tbsv);
    switch (4 * lower + 2 * dots + (diag == CblasUnit)) {
        case 0: SOLVE(0, KERNEL(trsv_ut), KERNEL(trsv_band_ut), KERNEL(trsv_band_ut_narrow)); break;
        case 1: SOLVE(0, KERNEL(trsv_ut_unit), KERNEL(trsv_band_ut_unit), KERNEL(trsv_band_ut_unit_narrow)); break;
        case 2: SOLVE(1, KERNEL(trsv_un), KERNEL(trsv_band_un), KERNEL(trsv_band_un_narrow)); break;
        case 3: SOLVE(1, KERNEL(trsv_un_unit), KERNEL(trsv_band_un_unit), KERNEL(trsv_band_un_unit_narrow)); break;
        case 4: SOLVE(0, KERNEL(trsv_lt), KERNEL(trsv_band_lt), KERNEL(trsv_band_lt_narrow)); break;
        case 5: SOLVE(0, KERNEL(trsv_lt_unit), KERNEL(trsv_band_lt_unit), KERNEL(trsv_band_lt_unit_narrow)); break;
        case 6: SOLVE(1, KERNEL(trsv_ln), KERNEL(trsv_band_ln), KERNEL(trsv_band_ln_narrow)); break;
        case 7: SOLVE(1, KERNEL(trsv_ln_unit), KERNEL(trsv_band_ln_unit), KERNEL(trsv_band_ln_unit_narrow)); break;
    }
    SCATTER(u, n, x, incx);
    RELEASE(u);
}
