// A := alpha x x^H + A, where A is Hermitian and packed
#include "hermitian_updates.h"

void CBLAS(hpr)(PARAMETERS(hpr)) {
    CHECK(hpr);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    update(&rows, ROW_MAJOR(layout), alpha, x, incx, ap);
}
