// C := alpha A B + beta C or alpha B A + beta C, for a Hermitian A
#include "symmetric.h"

void CBLAS(hemm)(PARAMETERS(hemm)) {
    CHECK(hemm);
    multiply(layout, side, uplo, 1, m, n, number(alpha), a, lda, b, ldb, number(beta), c, ldc);
}
