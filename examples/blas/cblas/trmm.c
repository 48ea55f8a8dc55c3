// B := alpha op(A) B or alpha B op(A), for a triangular A
//
// A is halved until it is small: what is off the diagonal is a product.
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

// B := alpha A B
static void left(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (m <= SMALL) {
        small(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(m, SMALL);
    T *const low = b + h * ldb;
    if (!upper) left(0, unit, m - h, n, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
    if (!upper) PRODUCT(m - h, n, h, alpha, a + h * a0, a0, a1, b, ldb, 1, 1, low, ldb);
    left(upper, unit, h, n, alpha, a, a0, a1, b, ldb);
    if (upper) PRODUCT(h, n, m - h, alpha, a + h * a1, a0, a1, low, ldb, 1, 1, b, ldb);
    if (upper) left(1, unit, m - h, n, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
}

// B := alpha B A
static void right(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    if (n <= SMALL) {
        small_right(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(n, SMALL);
    T *const low = b + h;
    if (upper) right(1, unit, m, n - h, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
    if (upper) PRODUCT(m, n - h, h, alpha, b, ldb, 1, a + h * a1, a0, a1, 1, low, ldb);
    right(upper, unit, m, h, alpha, a, a0, a1, b, ldb);
    if (!upper) PRODUCT(m, h, n - h, alpha, low, ldb, 1, a + h * a0, a0, a1, 1, b, ldb);
    if (!upper) right(0, unit, m, n - h, alpha, a + h * (a0 + a1), a0, a1, low, ldb);
}

void CBLAS(trmm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, T *b, CBLAS_INT ldb) {
    CHECK_TRIANGULAR(trmm);
    triangular(layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
}
