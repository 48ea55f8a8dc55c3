// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syrk)(PARAMETERS(syrk)) {
    CHECK(syrk);
    const int lower = LOWER(layout, uplo);
    const View left = factor(0, layout, trans, a, lda);
    scale_triangle(lower, n, number(beta), c, ldc);
    add_triangle(lower, n, k, number(alpha), left, transposed(left), c, ldc);
}
