// C := alpha A B + beta C or alpha B A + beta C, for a symmetric A
#include "symmetric.h"
#include "../checks.h"

void CBLAS(symm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc) {
    CHECK_SYMM(symm);
    multiply(layout, side, uplo, 0, m, n, number(alpha), a, lda, b, ldb, number(beta), c, ldc);
}
