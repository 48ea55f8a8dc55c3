// B := alpha op(A) B or alpha B op(A), for a triangular A
#include "triangle.h"
#include "checks.h"

void CBLAS(trmm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, T *b, CBLAS_INT ldb) {
    CHECK_TRMM(trmm);
    triangular(KERNEL(trmm_left), KERNEL(trmm_right), layout, side, uplo, trans, diag, m, n, alpha, a,
        lda, b, ldb);
}
