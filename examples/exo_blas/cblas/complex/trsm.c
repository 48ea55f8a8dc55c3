// B := alpha op(A)^-1 B or alpha B op(A)^-1, for a triangular A
#define SOLVES 1
#include "triangle.h"
#include "divisor.h"

static void small(int upper, int unit, int64_t m, int64_t n, View a, T *b, int64_t ldb) {
    for (int64_t k = 0; k < m; k++) {  // each row needs those that are known before it
        const int64_t i = upper ? m - 1 - k : k, first = upper ? i + 1 : 0, end = upper ? m : i;
        T *const row = b + 2 * i * ldb;
        for (int64_t p = first; p < end; p++) {
            const Number by = element(a, i, p);
            add_times(n, (Number){-by.re, -by.im}, b + 2 * p * ldb, row);
        }
        if (unit) continue;
        const Divisor d = divisor_of(element(a, i, i));
        KERNEL(divide)(n, &d.p, &d.q, &d.by, PAIRS_OUT(row, 1));
    }
}

void CBLAS(trsm)(PARAMETERS(trsm)) {
    CHECK(trsm);
    triangular(layout, side, uplo, trans, diag, m, n, number(alpha), a, lda, b, ldb);
}
