// C := alpha A B + beta C or alpha B A + beta C, for a Hermitian A
#include "symmetric.h"
#include "../checks.h"

void CBLAS(hemm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc) {
    CHECK_SYMM(hemm);
    multiply(layout, side, uplo, 1, m, n, number(alpha), a, lda, b, ldb, number(beta), c, ldc);
}
