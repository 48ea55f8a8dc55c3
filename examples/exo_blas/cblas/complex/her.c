// A := alpha x x^H + A, where A is Hermitian
#include "hermitian_updates.h"
#include "../checks.h"

void CBLAS(her)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const void *x, CBLAS_INT incx, void *a,
    CBLAS_INT lda) {
    CHECK_SYR(her);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    update(&rows, ROW_MAJOR(layout), alpha, x, incx, a);
}
