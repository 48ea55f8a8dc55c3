// A := alpha x y^H + conj(alpha) y x^H + A, where A is Hermitian and packed
#include "hermitian_updates.h"

void CBLAS(hpr2)(PARAMETERS(hpr2)) {
    CHECK(hpr2);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    update2(&rows, ROW_MAJOR(layout), number(alpha), x, incx, y, incy, ap);
}
