// C := alpha A B + beta C or alpha B A + beta C, for a symmetric A
#include "symmetric.h"

void CBLAS(symm)(PARAMETERS(symm)) {
    CHECK(symm);
    multiply(layout, side, uplo, 0, m, n, number(alpha), a, lda, b, ldb, number(beta), c, ldc);
}
