// C := alpha op(A) op(A)^H + beta C, for real alpha and beta, of which one triangle is written
#include "rank_k.h"

void CBLAS(herk)(PARAMETERS(herk)) {
    CHECK(herk);
    if (n == 0 || ((alpha == 0 || k == 0) && beta == 1)) return;
    const int lower = LOWER(layout, uplo);
    const View left = factor(1, layout, trans, a, lda);
    scale_hermitian(lower, n, beta, c, ldc);
    add_triangle(lower, n, k, (Number){alpha, 0}, left, adjoint(left), c, ldc);
    make_real(n, c, ldc);
}
