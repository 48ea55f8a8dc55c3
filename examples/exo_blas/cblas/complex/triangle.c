// B := alpha op(A) B or alpha B op(A), and the same of the inverse of op(A), for a triangular A. It is handed over as a
// lower triangle from the left: an upper one from its last row back, and from the right the transposed, as is B.
#include "matrices.h"

#define IN_PLACE(left, right)                                                                  \
    const int rows = ROW_MAJOR(layout), on_left = (side == CblasLeft) == rows;                 \
    const int across = (trans != CblasNoTrans) == on_left, back = LOWER(layout, uplo) == across; \
    const int64_t height = rows ? m : n, width = rows ? n : m, sign = back ? -1 : 1;           \
    const int64_t last = back ? 2 * ((on_left ? height : width) - 1) : 0;                      \
    const int64_t row = across ? 1 : lda, column = across ? lda : 1, end = last * (row + column); \
    const struct EXO_IN3 triangle = PAIRS_OF((T *)a + end, sign * row, sign * column);         \
    const struct EXO_OUT3 by_columns = PAIRS_OF((T *)b + last, ldb, sign);                     \
    if (m == 0 || n == 0) return;                                                              \
    if (on_left)                                                                               \
        left(height, width, diag == CblasUnit, CONJ(trans), IN(alpha, 1), triangle, RESULT((T *)b + last * ldb, sign * ldb));\
    else right(height, width, diag == CblasUnit, CONJ(trans), IN(alpha, 1), triangle, by_columns)

DEFINE(trmm, IN_PLACE(KERNEL(trmm_left), KERNEL(trmm_right)))
DEFINE(trsm, IN_PLACE(KERNEL(trsm_left), KERNEL(trsm_right)))
