// A := alpha x x^H + A, where A is Hermitian
#include "hermitian_updates.h"

void CBLAS(her)(PARAMETERS(her)) {
    CHECK(her);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    update(&rows, ROW_MAJOR(layout), alpha, x, incx, a);
}
