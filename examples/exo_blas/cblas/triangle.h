// What trmm and trsm have in common: B := alpha op(A) B or alpha B op(A), where op(A) is a triangle or its inverse.
#include "threads.h"
#include "room.h"

typedef void Triangular(int64_t order, int64_t others, int64_t near, int64_t far, int64_t shared, bool upper, bool unit,
    const T *alpha, struct EXO_IN2 a, struct EXO_OUT2 b);

// `on` is the kernel for B by rows, and `on_turned` that for the transposed of such a B.
static void triangular(Triangular *on, Triangular *on_turned, CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,
    CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT m, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, T *b,
    CBLAS_INT ldb) {
    const int rows = ROW_MAJOR(layout), right = side == CblasRight, turned = (trans != CblasNoTrans) != right;
    const int64_t order = right ? n : m, a0 = rows != turned ? lda : 1, a1 = rows != turned ? 1 : lda;
    if (m == 0 || n == 0) return;
    // what multiplies from the right multiplies, turned, the turned B from the left
    if (alpha == 0) KERNEL(matrix_zero)(rows ? m : n, rows ? n : m, OUT2(b, ldb, 1));
    else (right == rows ? on_turned : on)(order, right ? m : n, CHOICE(triangle_near), CHOICE(triangle_turned),
        CHOICE(gemm_shared) / order + 1, (uplo == CblasUpper) != turned, diag == CblasUnit, &alpha, IN2(a, a0, a1),
        OUT2(b, ldb, 1));
}
