// x := op(A)^-1 x, where A is triangular and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(tpsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *ap,
    T *x, CBLAS_INT incx) {
    CHECK_TPMV(tpsv);
    if (n > 0)
        KERNEL(tpsv)(LOWER(layout, uplo), BY_ROWS(layout, trans), diag == CblasUnit, n, ap, OUTPUT(x, n, incx));
}
