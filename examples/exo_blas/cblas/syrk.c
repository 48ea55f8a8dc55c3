// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syrk)(PARAMETERS(syrk)) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK(syrk);
    const T factor = k == 0 ? 0 : alpha;
    if (n == 0) return;
    (turned == rows ? KERNEL(rank_k_along) : KERNEL(rank_k_across))(n, AT_LEAST_1(k), FROM(k), lower, &factor, &beta,
        LEFT(a, lda, turned == rows), IN2(a, lda, 1), OUT2(c, ldc, 1));
}
