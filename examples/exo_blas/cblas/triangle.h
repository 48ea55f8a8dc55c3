// What trmm and trsm have in common: B := alpha op(A) B or alpha B op(A), where op(A) is a triangle or its inverse. Who
// includes it defines `small`, `left` and `right`: of row-major matrices, of a triangle that is `upper`, and `small` and
// `left` from the left; `small` of at most SMALL rows.

#define SMALL 32

typedef void Triangular(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb);
static Triangular small, left, right;

#define TURNED 64  // rows that are turned at a time: the columns that a kernel takes together

// As `small`, but from the right and of at most SMALL columns: some rows at a time, turned.
static void small_right(int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1, T *b,
    int64_t ldb) {
    _Alignas(64) T turned[SMALL * TURNED];
    for (int64_t i = 0; i < m; i += TURNED) {
        const int64_t rows = m - i < TURNED ? m - i : TURNED;
        KERNEL(matrix_turn)(n, rows, IN2(b + i * ldb, 1, ldb), OUT2(turned, TURNED, 1));
        small(!upper, unit, n, rows, alpha, a, a1, a0, turned, TURNED);
        KERNEL(matrix_turn)(rows, n, IN2(turned, 1, TURNED), OUT2(b + i * ldb, ldb, 1));
    }
}

// B := alpha op(A) B or alpha B op(A), in row-major order. Threads share columns of B, or rows if A is on the right: the same
// slices for any number of threads, as how a product is computed depends on its extents.
static void shared(int on_left, int upper, int unit, int64_t m, int64_t n, T alpha, const T *a, int64_t a0, int64_t a1,
    T *b, int64_t ldb) {
    const int64_t order = on_left ? m : n, free = on_left ? n : m, slice = CHOICE(triangle_slice);
    const int few = free < 2 * slice || m * n * order < CHOICE(gemm_shared), threads = few ? 1 : exo_threads();
    const int64_t step = few ? free : slice;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < free; i += step) {
        const int64_t some = free - i < step ? free - i : step;
        if (on_left) left(upper, unit, m, some, alpha, a, a0, a1, b + i, ldb);
        else right(upper, unit, some, n, alpha, a, a0, a1, b + i * ldb, ldb);
    }
}

// The routine, of arguments that are right.
static void triangular(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, T *b, CBLAS_INT ldb) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans, on_left = side == CblasLeft;
    if (m == 0 || n == 0) return;
    const int64_t height = rows ? m : n, width = rows ? n : m;  // columns are the rows of the transposed
    if (alpha == 0) {
        KERNEL(matrix_zero)(height, width, OUT2(b, ldb, 1));
        return;
    }
    // op(A) by its strides in row-major order, or op(A)^T where B is transposed
    const int upper = (uplo == CblasUpper) != turned;
    const int64_t a0 = turned ? 1 : lda, a1 = turned ? lda : 1;
    shared(on_left == rows, upper == rows, diag == CblasUnit, height, width, alpha, a, a0, a1, b, ldb);
}
