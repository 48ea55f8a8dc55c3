// x := op(A) x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(trmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *a,
    CBLAS_INT lda, T *x, CBLAS_INT incx) {
    CHECK_TRMV(trmv);
    if (n == 0) return;
    static const T one = 1;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans), unit = diag == CblasUnit;
    const struct EXO_IN1 diagonal = IN(unit ? &one : a, unit ? 0 : (int64_t)lda + 1);
    x = FIRST(x, n, incx);
    if (RARE(IS_LARGE_TRIANGLE(n, lda)))
        KERNEL(trmv_far)(lower, dots, n, CHOICE(triangle_block), IN2(a, lda, 1), diagonal, OUT(x, incx));
    else KERNEL(trmv)(lower, dots, n, IN2(a, lda, 1), diagonal, OUT(x, incx));
}
