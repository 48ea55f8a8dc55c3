// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syr2k)(PARAMETERS(syr2k)) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK(syr2k);
    rank_k(lower, turned == rows, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    rank_k(lower, turned == rows, n, k, alpha, b, ldb, a, lda, 1, c, ldc);
}
