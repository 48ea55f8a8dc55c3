// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"
#include "checks.h"

void CBLAS(syr2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, T alpha,
    const T *a, CBLAS_INT lda, const T *b, CBLAS_INT ldb, T beta, T *c, CBLAS_INT ldc) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK_SYR2K(syr2k, IS_TRANSPOSE(trans));
    rank_k(lower, turned == rows, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    rank_k(lower, turned == rows, n, k, alpha, b, ldb, a, lda, 1, c, ldc);
}
