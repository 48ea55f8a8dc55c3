// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syr2k)(PARAMETERS(syr2k)) {
    CHECK(syr2k);
    const int lower = LOWER(layout, uplo);
    const View first = factor(0, layout, trans, a, lda), second = factor(0, layout, trans, b, ldb);
    scale_triangle(lower, n, number(beta), c, ldc);
    add_triangle(lower, n, k, number(alpha), first, transposed(second), c, ldc);
    add_triangle(lower, n, k, number(alpha), second, transposed(first), c, ldc);
}
