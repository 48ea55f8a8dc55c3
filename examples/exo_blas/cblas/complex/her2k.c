// C := alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C, for a real beta, of which one triangle is written
#include "rank_k.h"

void CBLAS(her2k)(PARAMETERS(her2k)) {
    CHECK(her2k);
    const Number by = conjugated(number(alpha), !ROW_MAJOR(layout));
    if (n == 0 || ((is_zero(by) || k == 0) && beta == 1)) return;
    const int lower = LOWER(layout, uplo);
    const View first = factor(1, layout, trans, a, lda), second = factor(1, layout, trans, b, ldb);
    scale_hermitian(lower, n, beta, c, ldc);
    add_triangle(lower, n, k, by, first, adjoint(second), c, ldc);
    add_triangle(lower, n, k, conjugated(by, 1), second, adjoint(first), c, ldc);
    make_real(n, c, ldc);
}
