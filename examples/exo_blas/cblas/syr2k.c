// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
#include "rank_k.h"

void CBLAS(syr2k)(PARAMETERS(syr2k)) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, lower = LOWER(layout, uplo);
    CHECK(syr2k);
    const T factor = k == 0 ? 0 : alpha;
    if (n == 0) return;
    (turned == rows ? KERNEL(rank_2k_along) : KERNEL(rank_2k_across))(n, AT_LEAST_1(k), FROM(k), lower, &factor, &beta,
        LEFT(a, lda, turned == rows), LEFT(b, ldb, turned == rows), IN2(a, lda, 1), IN2(b, ldb, 1), OUT2(c, ldc, 1));
}
