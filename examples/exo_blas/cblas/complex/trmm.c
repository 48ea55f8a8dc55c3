// B := alpha op(A) B or alpha B op(A), for a triangular A
#define SOLVES 0
#include "triangle.h"

static void small(int upper, int unit, int64_t m, int64_t n, View a, T *b, int64_t ldb) {
    for (int64_t k = 0; k < m; k++) {  // each row needs those that are changed after it
        const int64_t i = upper ? k : m - 1 - k, first = upper ? i + 1 : 0, end = upper ? m : i;
        T *const row = b + 2 * i * ldb;
        const Number own = element(a, i, i);
        if (!unit) KERNEL(scal_pairs)(n, &own.re, &own.im, OUT(row, 1));
        for (int64_t p = first; p < end; p++) add_times(n, element(a, i, p), b + 2 * p * ldb, row);
    }
}

void CBLAS(trmm)(PARAMETERS(trmm)) {
    CHECK(trmm);
    triangular(layout, side, uplo, trans, diag, m, n, number(alpha), a, lda, b, ldb);
}
