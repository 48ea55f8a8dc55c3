// B := alpha op(A) B or alpha B op(A), and the same of the inverse of op(A), for a triangular A. It is handed over as a
// lower triangle from the left: an upper one from its last row back, and from the right the transposed, as is B.
#include "matrices.h"
#include "../checks.h"

#define IN_PLACE(left, right)                                                                                        \
    const int rows = ROW_MAJOR(layout), on_left = (side == CblasLeft) == rows, across = (trans != CblasNoTrans) == on_left; \
    const int back = LOWER(layout, uplo) == across;                                                                  \
    const int64_t height = rows ? m : n, width = rows ? n : m, last = (on_left ? height : width) - 1;                \
    const int64_t row = across ? 2 : 2 * (int64_t)lda, column = across ? 2 * (int64_t)lda : 2, sign = back ? -1 : 1; \
    const struct EXO_IN3 triangle = {(const T *)a + (back ? last * (row + column) : 0), {sign * row, sign * column, 1}}; \
    if (m == 0 || n == 0) return;                                                                                    \
    if (on_left)                                                                                                     \
        left(height, width, diag == CblasUnit, CONJ(trans), IN(alpha, 1), triangle,                                  \
            OUT2((T *)b + (back ? 2 * last * ldb : 0), 2 * sign * ldb, 1));                                          \
    else                                                                                                             \
        right(height, width, diag == CblasUnit, CONJ(trans), IN(alpha, 1), triangle,                                 \
            ((struct EXO_OUT3){(T *)b + (back ? 2 * last : 0), {2 * (int64_t)ldb, 2 * sign, 1}}))

void CBLAS(trmm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb) {
    CHECK_TRMM(trmm);
    IN_PLACE(KERNEL(trmm_left), KERNEL(trmm_right));
}

void CBLAS(trsm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb) {
    CHECK_TRMM(trsm);
    IN_PLACE(KERNEL(trsm_left), KERNEL(trsm_right));
}
