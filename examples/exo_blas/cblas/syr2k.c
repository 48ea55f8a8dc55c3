// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

DEFINE(syr2k, const T factor = k == 0 ? 0 : alpha; if (n == 0) return;
    if ((trans != CblasNoTrans) == ROW_MAJOR(layout))
        KERNEL(rank_2k_along)(n, AT_LEAST_1(k), CHOICE(triangle_turned), GIVEN, COLUMNS(a, lda), COLUMNS(b, ldb),
            ROWS(a, lda), ROWS(b, ldb), OUT2(c, ldc, 1));
    else
        KERNEL(rank_2k_across)(n, AT_LEAST_1(k), GIVEN, ROWS(a, lda), ROWS(b, ldb), ROWS(a, lda), ROWS(b, ldb),
            OUT2(c, ldc, 1)))
