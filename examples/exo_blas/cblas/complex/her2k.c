// C := alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C, for a real beta, of which one triangle is written
#include "rank_k.h"

void CBLAS(her2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, T beta, void *c, CBLAS_INT ldc) {
    CHECK_RANK_K(her2k, CblasConjTrans, 8);
    REQUIRE(ldb >= AT_LEAST_1(across ? n : k), 10, her2k);
    REQUIRE(ldc >= AT_LEAST_1(n), 13, her2k);
    const Number by = conjugated(number(alpha), !ROW_MAJOR(layout));
    if (n == 0 || ((is_zero(by) || k == 0) && beta == 1)) return;
    const int lower = LOWER(layout, uplo);
    const View first = FACTOR(a, lda, 1, across), second = FACTOR(b, ldb, 1, across);
    scale_hermitian(lower, n, beta, c, ldc);
    add_triangle(lower, n, k, by, first, adjoint(second), c, ldc);
    add_triangle(lower, n, k, conjugated(by, 1), second, adjoint(first), c, ldc);
    make_real(n, c, ldc);
}
