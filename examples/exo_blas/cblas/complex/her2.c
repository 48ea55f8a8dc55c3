// A := alpha x y^H + conj(alpha) y x^H + A, where A is Hermitian
#include "hermitian_updates.h"

void CBLAS(her2)(PARAMETERS(her2)) {
    CHECK(her2);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    update2(&rows, ROW_MAJOR(layout), number(alpha), x, incx, y, incy, a);
}
