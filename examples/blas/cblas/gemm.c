// C := alpha op(A) op(B) + beta C
#include "threads.h"

typedef void Gemv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_INT, CBLAS_INT, T, const T *, CBLAS_INT, const T *, CBLAS_INT, T,
    T *, CBLAS_INT);
Gemv CBLAS(gemv);

#define LARGE (1 << 21)  // multiplications that threads share
#define SHALLOW 16       // products of an element for which C is what takes time: it is passed over row by row
#define ROWS 6           // rows of a tile
#ifdef __AVX512F__
#define FEW_ROWS 96  // rows for which packing a panel of B doesn't pay, as measured: panels of AVX-512 are wide
#else
#define FEW_ROWS 24
#endif

// y := alpha A x + beta y, with rows of A at distance a0 and elements of a row at distance a1, one of which is 1
static void column(int64_t m, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *x, int64_t incx, T beta,
    T *y, int64_t incy) {
    const int64_t lda = m == 1 && a0 < k ? k : a0;  // of one row, a0 may be anything
    if (a1 == 1) CBLAS(gemv)(CblasRowMajor, CblasNoTrans, m, k, alpha, a, lda, x, incx, beta, y, incy);
    else CBLAS(gemv)(CblasRowMajor, CblasTrans, k, m, alpha, a, a1, x, incx, beta, y, incy);
}

// C += alpha A B
static void product(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, int64_t b1, T *c, int64_t ldc) {
    const struct EXO_IN2 whole = IN2(b, b0, b1);
    if (b1 != 1) {
        KERNEL(gemm_across)(m, n, k, &alpha, IN2(a, a0, a1), whole, OUT2(c, ldc, 1));
    } else if (k <= SHALLOW) {
        for (int64_t i = 0; i < m; i += ROWS) {
            const int64_t rows = m - i < ROWS ? m - i : ROWS;
            KERNEL(gemm_unpacked)(rows, n, k, &alpha, IN2(a + i * a0, a0, a1), whole, OUT2(c + i * ldc, ldc, 1));
        }
    } else if (m <= FEW_ROWS) {
        KERNEL(gemm_unpacked)(m, n, k, &alpha, IN2(a, a0, a1), whole, OUT2(c, ldc, 1));
    } else {
        KERNEL(gemm_packed)(m, n, k, &alpha, IN2(a, a0, a1), whole, OUT2(c, ldc, 1));
    }
}

void PRODUCT(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc) {
    if (m <= 0 || n <= 0) return;
    if (k > 0 && n == 1) {
        column(m, k, alpha, a, a0, a1, b, b0, beta, c, ldc);
        return;
    }
    if (k > 0 && m == 1 && b1 != 1) {
        column(n, k, alpha, b, b1, b0, a, a1, beta, c, 1);
        return;
    }
    if (beta == 0) KERNEL(matrix_zero)(m, n, OUT2(c, ldc, 1));
    else if (beta != 1) KERNEL(matrix_scale)(m, n, &beta, OUT2(c, ldc, 1));
    if (alpha == 0 || k <= 0) return;
    int threads = m * n * k < LARGE ? 1 : exo_threads();
    if (threads == 1) {
        product(m, n, k, alpha, a, a0, a1, b, b0, b1, c, ldc);
        return;
    }
    int64_t slice = (m / threads + ROWS) / ROWS * ROWS;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        int64_t from = t * slice, rows = m - from < slice ? m - from : slice;
        if (rows > 0) product(rows, n, k, alpha, a + from * a0, a0, a1, b, b0, b1, c + from * ldc, ldc);
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
