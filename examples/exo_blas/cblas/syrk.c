// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

DEFINE(syrk, const int along = (trans != CblasNoTrans) == ROW_MAJOR(layout); const T factor = k == 0 ? 0 : alpha;
    if (n > 0)
        (along ? KERNEL(rank_k_along) : KERNEL(rank_k_across))(n, AT_LEAST_1(k), FROM(k), LOWER(layout, uplo), &factor,
            &beta, LEFT(a, lda, along), IN2(a, lda, 1), OUT2(c, ldc, 1)))
