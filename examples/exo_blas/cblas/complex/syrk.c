// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"
#include "../checks.h"

void CBLAS(syrk)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *beta, void *c, CBLAS_INT ldc) {
    CHECK_SYRK(syrk, trans == CblasNoTrans || trans == CblasTrans);
    const int lower = LOWER(layout, uplo);
    const View left = factor(0, layout, trans, a, lda);
    scale_triangle(lower, n, number(beta), c, ldc);
    add_triangle(lower, n, k, number(alpha), left, transposed(left), c, ldc);
}
