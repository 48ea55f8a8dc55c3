// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"
#include "checks.h"

void CBLAS(syr2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, T alpha,
    const T *a, CBLAS_INT lda, const T *b, CBLAS_INT ldb, T beta, T *c, CBLAS_INT ldc) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK_SYR2K(syr2k, IS_TRANSPOSE(trans));
    const T factor = k == 0 ? 0 : alpha;
    if (n == 0) return;
    (turned == rows ? KERNEL(rank_2k_along) : KERNEL(rank_2k_across))(n, AT_LEAST_1(k), FROM(k), lower, &factor, &beta,
        LEFT(a, lda, turned == rows), LEFT(b, ldb, turned == rows), IN2(a, lda, 1), IN2(b, ldb, 1), OUT2(c, ldc, 1));
}
