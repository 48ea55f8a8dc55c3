// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

DEFINE(syr2k, const int along = (trans != CblasNoTrans) == ROW_MAJOR(layout); const T factor = k == 0 ? 0 : alpha;
    if (n > 0)
        (along ? KERNEL(rank_2k_along) : KERNEL(rank_2k_across))(n, AT_LEAST_1(k), FROM(k), LOWER(layout, uplo), &factor,
            &beta, LEFT(a, lda, along), LEFT(b, ldb, along), IN2(a, lda, 1), IN2(b, ldb, 1), OUT2(c, ldc, 1)))
