// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"
#include "../checks.h"

void CBLAS(syr2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c,
    CBLAS_INT ldc) {
    CHECK_SYR2K(syr2k, trans == CblasNoTrans || trans == CblasTrans);
    const int lower = LOWER(layout, uplo);
    const View first = factor(0, layout, trans, a, lda), second = factor(0, layout, trans, b, ldb);
    scale_triangle(lower, n, number(beta), c, ldc);
    add_triangle(lower, n, k, number(alpha), first, transposed(second), c, ldc);
    add_triangle(lower, n, k, number(alpha), second, transposed(first), c, ldc);
}
