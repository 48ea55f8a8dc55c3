// B := alpha op(A) B or alpha B op(A), for a triangular A
//
// A is halved until it stays near, and then taken by as many rows as a tile of a product has, or by a few columns: what
// is off the diagonal is a product. A small one is left to a kernel.
#include "threads.h"
#include "triangle.h"

static void small(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (!upper) {  // from the last row back, it is upper
        a += (m - 1) * (a0 + a1), b += (m - 1) * ldb;
        a0 = -a0, a1 = -a1, ldb = -ldb;
    }
    if (unit) KERNEL(trmm_unit)(m, n, &alpha, IN2(a, a0, a1), OUT2(b, ldb, 1));
    else KERNEL(trmm)(m, n, &alpha, IN2(a, a0, a1), OUT2(b, ldb, 1));
}

#define COLUMNS 16  // whole vectors of any target

// B := alpha A B, some rows at a time: each needs those after it, or before it, as they were.
static void by_rows(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    for (int64_t rest = m; rest > 0;) {
        const int64_t rows = rest < EXO_ROWS ? rest : EXO_ROWS;  // those of a tile
        const int64_t i = upper ? m - rest : rest - rows, p = upper ? i + rows : 0;
        rest -= rows;
        small(upper, unit, rows, n, alpha, a + i * (a0 + a1), a0, a1, b + i * ldb, ldb);
        PRODUCT(rows, n, rest, alpha, a + i * a0 + p * a1, a0, a1, b + p * ldb, ldb, 1, 1, b + i * ldb, ldb);
    }
}

static void left(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (m <= CHOICE(trmm_near)) {
        (m <= SMALL ? small : by_rows)(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(m, 4 * EXO_ROWS);
    T *const low = b + h * ldb;
    if (!upper) left(0, unit, m - h, n, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
    if (!upper) PRODUCT(m - h, n, h, alpha, a + h * a0, a0, a1, b, ldb, 1, 1, low, ldb);
    left(upper, unit, h, n, alpha, a, a0, a1, b, ldb);
    if (upper) PRODUCT(h, n, m - h, alpha, a + h * a1, a0, a1, low, ldb, 1, 1, b, ldb);
    if (upper) left(1, unit, m - h, n, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
}

// B := alpha B A, some columns at a time
static void by_columns(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    for (int64_t rest = n; rest > 0;) {
        const int64_t columns = rest < COLUMNS ? rest : COLUMNS;
        const int64_t j = upper ? rest - columns : n - rest, p = upper ? 0 : j + columns;
        rest -= columns;
        small_right(upper, unit, m, columns, alpha, a + j * (a0 + a1), a0, a1, b + j, ldb);
        PRODUCT(m, columns, rest, alpha, b + p, ldb, 1, a + p * a0 + j * a1, a0, a1, 1, b + j, ldb);
    }
}

static void right(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (n <= CHOICE(trmm_near)) {
        (n <= SMALL ? small_right : by_columns)(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(n, 2 * COLUMNS);
    T *const low = b + h;
    if (upper) right(1, unit, m, n - h, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
    if (upper) PRODUCT(m, n - h, h, alpha, b, ldb, 1, a + h * a1, a0, a1, 1, low, ldb);
    right(upper, unit, m, h, alpha, a, a0, a1, b, ldb);
    if (!upper) PRODUCT(m, h, n - h, alpha, low, ldb, 1, a + h * a0, a0, a1, 1, b, ldb);
    if (!upper) right(0, unit, m, n - h, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
}

void CBLAS(trmm)(PARAMETERS(trmm)) {
    CHECK(trmm);
    triangular(layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
