// C := alpha A B + beta C or alpha B A + beta C, for a symmetric or a Hermitian A. It is handed over from the diagonal
// down: an upper triangle as the transposed of a lower one, which of a Hermitian A is conjugated.
#include "matrices.h"
#include "../checks.h"

static void multiply(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int hermitian, int64_t m, int64_t n,
    const void *alpha, const T *a, int64_t lda, const T *b, int64_t ldb, const void *beta, T *c, int64_t ldc) {
    const int rows = ROW_MAJOR(layout), upper = !LOWER(layout, uplo);
    const int64_t height = rows ? m : n, width = rows ? n : m;
    const T *const sign = hermitian && upper ? &minus : &plus;
    if (m == 0 || n == 0) return;
    if ((side == CblasLeft) == rows)
        KERNEL(symm_left)(height, width, hermitian, sign, IN(alpha, 1), OP(a, lda, upper), LYING(b, ldb), IN(beta, 1),
            RESULT(c, ldc));
    else
        KERNEL(symm_right)(height, width, hermitian, sign, IN(alpha, 1), OP(a, lda, upper), OP(b, ldb, 0), IN(beta, 1),
            RESULT(c, ldc));
}

void CBLAS(hemm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc) {
    CHECK_SYMM(hemm);
    multiply(layout, side, uplo, 1, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

void CBLAS(symm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc) {
    CHECK_SYMM(symm);
    multiply(layout, side, uplo, 0, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
