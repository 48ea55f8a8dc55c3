// C := alpha op(A) op(A)^H + beta C, for real alpha and beta, of which one triangle is written
#include "rank_k.h"
#include "../checks.h"

void CBLAS(herk)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, T alpha,
    const void *a, CBLAS_INT lda, T beta, void *c, CBLAS_INT ldc) {
    CHECK_SYRK(herk, trans == CblasNoTrans || trans == CblasConjTrans);
    if (n == 0 || ((alpha == 0 || k == 0) && beta == 1)) return;
    const int lower = LOWER(layout, uplo);
    const View left = factor(1, layout, trans, a, lda);
    scale_hermitian(lower, n, beta, c, ldc);
    add_triangle(lower, n, k, (Number){alpha, 0}, left, adjoint(left), c, ldc);
    make_real(n, c, ldc);
}
