// What trmm and trsm have in common: B := alpha op(A) B or alpha B op(A), where op(A) is a triangle or its inverse. Who
// includes it defines `kernels`: of a lower and an upper triangle, without and with a unit diagonal, on B and on B turned.
#include "threads.h"

typedef void Triangular(int64_t order, int64_t others, int64_t near, int64_t shared, const T *alpha, struct EXO_IN2 a,
    struct EXO_OUT2 b);

static Triangular *const kernels[2][2][2];

static void triangular(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, T *b, CBLAS_INT ldb) {
    const int rows = ROW_MAJOR(layout), right = side == CblasRight, turned = (trans != CblasNoTrans) != right;
    if (m == 0 || n == 0) return;
    if (alpha == 0) {
        KERNEL(matrix_zero)(rows ? m : n, rows ? n : m, OUT2(b, ldb, 1));
        return;
    }
    // what multiplies from the right multiplies, turned, the turned B from the left
    const int64_t order = right ? n : m, a0 = rows != turned ? lda : 1, a1 = rows != turned ? 1 : lda;
    kernels[(uplo == CblasUpper) != turned][diag == CblasUnit][right == rows](order, right ? m : n,
        CHOICE(triangle_near), CHOICE(gemm_shared) / order + 1, &alpha, IN2(a, a0, a1), OUT2(b, ldb, 1));
}
