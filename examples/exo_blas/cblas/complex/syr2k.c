// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syr2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c,
    CBLAS_INT ldc) {
    CHECK_RANK_K(syr2k, CblasTrans, 8);
    REQUIRE(ldb >= AT_LEAST_1(across ? n : k), 10, syr2k);
    REQUIRE(ldc >= AT_LEAST_1(n), 13, syr2k);
    const int lower = LOWER(layout, uplo);
    const View first = FACTOR(a, lda, 0, across), second = FACTOR(b, ldb, 0, across);
    scale_triangle(lower, n, number(beta), c, ldc);
    add_triangle(lower, n, k, number(alpha), first, transposed(second), c, ldc);
    add_triangle(lower, n, k, number(alpha), second, transposed(first), c, ldc);
}
