// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syrk)(PARAMETERS(syrk)) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK(syrk);
    rank_k(lower, turned == rows, n, k, alpha, a, lda, a, lda, beta, c, ldc);
}
