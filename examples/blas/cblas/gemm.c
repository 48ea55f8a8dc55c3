// C := alpha op(A) op(B) + beta C

#define LARGE (1 << 21)  // multiplications that threads share
#define FEW_ROWS 48      // rows for which packing a panel of B doesn't pay
#define DEPTH 256        // as strategies/blas/level3.py has it

// C += alpha A B, of rows from `a` and `c` on
static void rows_of(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T *c, int64_t ldc) {
    if (b1 != 1) KERNEL(gemm_across)(m, n, k, &alpha, IN2(a, a0, a1), IN2(b, b0, b1), OUT2(c, ldc, 1));
    else if (m <= FEW_ROWS) KERNEL(gemm_unpacked)(m, n, k, &alpha, IN2(a, a0, a1), IN2(b, b0, 1), OUT2(c, ldc, 1));
    else KERNEL(gemm_packed)(m, n, k, &alpha, IN2(a, a0, a1), IN2(b, b0, 1), OUT2(c, ldc, 1));
}

void PRODUCT(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc) {
    if (m <= 0 || n <= 0) return;
    if (beta == 0) KERNEL(matrix_zero)(m, n, OUT2(c, ldc, 1));
    else if (beta != 1) KERNEL(matrix_scale)(m, n, &beta, OUT2(c, ldc, 1));
    if (alpha == 0 || k <= 0) return;
    int threads = m * n * k < LARGE ? 1 : exo_threads();
    if (threads == 1) {
        rows_of(m, n, k, alpha, a, a0, a1, b, b0, b1, c, ldc);
        return;
    }
    int64_t slice = (m / threads + 6) / 6 * 6;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        int64_t from = t * slice, rows = m - from < slice ? m - from : slice;
        if (rows > 0) rows_of(rows, n, k, alpha, a + from * a0, a0, a1, b, b0, b1, c + from * ldc, ldc);
    }
}

void CBLAS(gemm)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, T alpha, const T *a, CBLAS_INT lda, const T *b, CBLAS_INT ldb, T beta, T *c, CBLAS_INT ldc) {
    const int rows = ROW_MAJOR(layout), ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    REQUIRE(IS_LAYOUT(layout), 1, gemm);
    REQUIRE(IS_TRANSPOSE(transa), 2, gemm);
    REQUIRE(IS_TRANSPOSE(transb), 3, gemm);
    REQUIRE(m >= 0, 4, gemm);
    REQUIRE(n >= 0, 5, gemm);
    REQUIRE(k >= 0, 6, gemm);
    REQUIRE(lda >= AT_LEAST_1(ta == rows ? m : k), 9, gemm);
    REQUIRE(ldb >= AT_LEAST_1(tb == rows ? k : n), 11, gemm);
    REQUIRE(ldc >= AT_LEAST_1(rows ? n : m), 14, gemm);
    const int64_t a0 = ta ? 1 : lda, a1 = ta ? lda : 1, b0 = tb ? 1 : ldb, b1 = tb ? ldb : 1;
    if (rows) PRODUCT(m, n, k, alpha, a, a0, a1, b, b0, b1, beta, c, ldc);
    else PRODUCT(n, m, k, alpha, b, b0, b1, a, a0, a1, beta, c, ldc);  // the columns are the rows of the transposed
}
