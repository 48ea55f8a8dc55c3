// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"
#include "checks.h"

void CBLAS(syrk)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, T alpha,
    const T *a, CBLAS_INT lda, T beta, T *c, CBLAS_INT ldc) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK_SYRK(syrk, IS_TRANSPOSE(trans));
    rank_k(lower, turned == rows, n, k, alpha, a, lda, a, lda, beta, c, ldc);
}
