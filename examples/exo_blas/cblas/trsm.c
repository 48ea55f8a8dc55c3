// B := alpha op(A)^-1 B or alpha B op(A)^-1, for a triangular A
//
// A is halved until it is small: what is off the diagonal is a product.
#include "threads.h"
#include "triangle.h"

static void small(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (upper) {  // from the last row back, it is lower
        a += (m - 1) * (a0 + a1), b += (m - 1) * ldb;
        a0 = -a0, a1 = -a1, ldb = -ldb;
    }
    if (unit) KERNEL(trsm_unit)(m, n, &alpha, IN2(a, a0, a1), OUT2(b, ldb, 1));
    else KERNEL(trsm)(m, n, &alpha, IN2(a, a0, a1), OUT2(b, ldb, 1));
}

// B := alpha A^-1 B
static void left(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (m <= CHOICE(trsm_small)) {
        small(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(m, CHOICE(trsm_small));
    const T *const last = a + h * (a0 + a1);
    T *const low = b + h * ldb;
    if (upper) {
        left(1, unit, m - h, n, alpha, last, a0, a1, low, ldb);
        PRODUCT(h, n, m - h, -1, a + h * a1, a0, a1, low, ldb, 1, alpha, b, ldb);
        left(1, unit, h, n, 1, a, a0, a1, b, ldb);
    } else {
        left(0, unit, h, n, alpha, a, a0, a1, b, ldb);
        PRODUCT(m - h, n, h, -1, a + h * a0, a0, a1, b, ldb, 1, alpha, low, ldb);
        left(0, unit, m - h, n, 1, last, a0, a1, low, ldb);
    }
}

// B := alpha B A^-1
static void right(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (n <= CHOICE(trsm_small)) {
        small_right(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(n, CHOICE(trsm_small));
    const T *const last = a + h * (a0 + a1);
    T *const low = b + h;
    if (upper) {
        right(1, unit, m, h, alpha, a, a0, a1, b, ldb);
        PRODUCT(m, n - h, h, -1, b, ldb, 1, a + h * a1, a0, a1, alpha, low, ldb);
        right(1, unit, m, n - h, 1, last, a0, a1, low, ldb);
    } else {
        right(0, unit, m, n - h, alpha, last, a0, a1, low, ldb);
        PRODUCT(m, h, n - h, -1, low, ldb, 1, a + h * a0, a0, a1, alpha, b, ldb);
        right(0, unit, m, h, 1, a, a0, a1, b, ldb);
    }
}

void CBLAS(trsm)(PARAMETERS(trsm)) {
    CHECK(trsm);
    triangular(layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
