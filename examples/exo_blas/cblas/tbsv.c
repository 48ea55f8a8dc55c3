// x := op(A)^-1 x, where A is triangular and a band
#include "checks.h"

void CBLAS(tbsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
    const T *a, CBLAS_INT lda, T *x, CBLAS_INT incx) {
    CHECK_TBMV(tbsv);
    if (LOWER(layout, uplo)) a += k;
    if (n > 0)
        KERNEL(tbsv)(LOWER(layout, uplo), BY_ROWS(layout, trans), diag == CblasUnit, n, k, BAND(a, lda),
            OUTPUT(x, n, incx));
}
