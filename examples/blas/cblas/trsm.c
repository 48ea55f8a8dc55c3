// B := alpha op(A)^-1 B or alpha B op(A)^-1, for a triangular A
//
// A is halved until it is small: what is off the diagonal is a product.

#define SMALL 32

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
    if (m <= SMALL) {
        small(upper, unit, m, n, alpha, a, a0, a1, b, ldb);
        return;
    }
    const int64_t h = HALF(m, SMALL);
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
    if (n <= SMALL) {  // some rows a time, turned
        T turned[SMALL * SMALL];
        for (int64_t i = 0; i < m; i += SMALL) {
            const int64_t rows = m - i < SMALL ? m - i : SMALL;
            KERNEL(matrix_copy)(n, rows, IN2(b + i * ldb, 1, ldb), OUT2(turned, SMALL, 1));
            small(!upper, unit, n, rows, alpha, a, a1, a0, turned, SMALL);
            KERNEL(matrix_copy)(rows, n, IN2(turned, 1, SMALL), OUT2(b + i * ldb, ldb, 1));
        }
        return;
    }
    const int64_t h = HALF(n, SMALL);
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

void CBLAS(trsm)(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, T *b, CBLAS_INT ldb) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, on_left = side == CblasLeft;
    REQUIRE(IS_LAYOUT(layout), 1, trsm);
    REQUIRE(IS_SIDE(side), 2, trsm);
    REQUIRE(IS_UPLO(uplo), 3, trsm);
    REQUIRE(IS_TRANSPOSE(trans), 4, trsm);
    REQUIRE(IS_DIAG(diag), 5, trsm);
    REQUIRE(m >= 0, 6, trsm);
    REQUIRE(n >= 0, 7, trsm);
    REQUIRE(lda >= AT_LEAST_1(on_left ? m : n), 10, trsm);
    REQUIRE(ldb >= AT_LEAST_1(rows ? n : m), 12, trsm);
    if (m == 0 || n == 0) return;
    const int64_t height = rows ? m : n, width = rows ? n : m;  // columns are the rows of the transposed
    if (alpha == 0) {
        KERNEL(matrix_zero)(height, width, OUT2(b, ldb, 1));
        return;
    }
    // op(A) by its strides in row-major order, or op(A)^T where B is transposed
    const int upper = (uplo == CblasUpper) != turned;
    const int64_t a0 = turned ? 1 : lda, a1 = turned ? lda : 1;
    if (on_left == rows) left(upper == rows, diag == CblasUnit, height, width, alpha, a, a0, a1, b, ldb);
    else right(upper == rows, diag == CblasUnit, height, width, alpha, a, a0, a1, b, ldb);
}
