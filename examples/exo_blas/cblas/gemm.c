// C := alpha op(A) op(B) + beta C
// flags: -ffp-contract=off: else gcc fuses some last products and some not, by the code around them: it must not depend
// on the rows that a thread has
// flags: -mtune-ctrl=^sse_unaligned_load_optimal -mmove-max=128 -mstore-max=128: of a matrix that is handed over, address
// and strides were stored one by one, and gcc would copy two at a time, for which the processor has to wait
// flags: --param=hot-bb-frequency-fraction=1000000: else gcc takes calls for seldom ones, and copies by `rep movs`
// flags: -O2 -fpeel-loops -fvect-cost-model=dynamic: -O3 is no faster, and takes longer
// flags without vectors: -ffp-contract=off: the same, where a processor has such instructions without vectors of ours
// flags without vectors: -O2 -fpeel-loops -fvect-cost-model=dynamic: -O3 makes code that is nine times as slow
#include "threads.h"
#include "room.h"

DECLARE(gemv);
DECLARE(ger);

#define SMALL EXO_NEAR  // elements for which there is room on the stack

// y := alpha A x + beta y, with rows of A at distance a0 and elements of a row at distance a1, one of which is 1
static void column(int64_t m, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *x, int64_t incx, T beta,
    T *y, int64_t incy) {
    const int64_t rows = m == 1 && a0 < k ? k : a0, columns = k == 1 && a1 < m ? m : a1;  // of one, it may be anything
    if (a1 == 1) CBLAS(gemv)(CblasRowMajor, CblasNoTrans, m, k, alpha, a, rows, x, incx, beta, y, incy);
    else CBLAS(gemv)(CblasRowMajor, CblasTrans, k, m, alpha, a, columns, x, incx, beta, y, incy);
}

// C := alpha A B + beta C, of a C that isn't a vector. How it is computed doesn't depend on the rows that a thread has.
APART_WHOLE void product(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc) {
    const int threads = m * n * k < CHOICE(gemm_shared) ? 1 : exo_threads();
    const int64_t slice = exo_slice(m, threads, EXO_ROWS);
    SHARE(i, m, slice, KERNEL(product_large)(LEAST(slice, m - i), n, k, m, EXO_LINE / 4, EXO_LONGER, CHOICE(gemm_near),
        CHOICE(gemm_shallow), CHOICE(gemm_ahead), CHOICE(gemm_ahead_narrow), CHOICE(gemm_cached), CHOICE(gemm_passed),
        CHOICE(gemm_slim), CHOICE(gemm_dots), CHOICE(gemm_dots_turned), CHOICE(gemm_large), CHOICE(gemm_few_products),
        CHOICE(gemm_few_bytes), CHOICE(gemm_few_rows), CHOICE(gemm_few_rows_short), CHOICE(gemm_reach), CHOICE(gemm_far),
        CHOICE(gemm_many_columns), &alpha, IN2(a + i * a0, a0, a1), IN2(a + i * a0, a1, a0), IN2(b, b0, b1),
        IN2(b, b1, b0), &beta, OUT2(c + i * ldc, ldc, 1)))
}

void PRODUCT(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc) {
    if (m <= 0 || n <= 0) return;
    const int fits = n * k <= SMALL && m * k <= SMALL && m * n <= SMALL;
    if ((alpha == 0 || k <= 0) && beta == 0) KERNEL(matrix_zero)(m, n, OUT2(c, ldc, 1));
    else if ((alpha == 0 || k <= 0) && beta != 1) KERNEL(matrix_scale)(m, n, &beta, OUT2(c, ldc, 1));
    else if (alpha == 0 || k <= 0) return;
    else if (m * n * k <= (b1 == 1 ? 1 : 2) * CHOICE(gemm_tiny) && ((m > 1 && n > 1) || m * n * k == 1))
        KERNEL(product_tiny)(m, n, k, &alpha, IN2(a, a0, a1), IN2(b, b0, b1), &beta, OUT2(c, ldc, 1));
    else if (n == 1) column(m, k, alpha, a, a0, a1, b, b0, beta, c, ldc);
    else if (m == 1) column(n, k, alpha, b, b1, b0, a, a1, beta, c, 1);
    else if (k == 1 && beta == 1) CBLAS(ger)(CblasRowMajor, m, n, alpha, a, a0, b, b1, c, ldc);
    else if (b1 == 1 && n * k <= SMALL && (m <= CHOICE(gemm_slim) || fits))
        KERNEL(product_small)(m, n, k, &alpha, IN2(a, a0, a1), IN2(b, b0, 1), &beta, OUT2(c, ldc, 1));
    else if (fits && k < CHOICE(gemm_dots))
        KERNEL(product_small_turned)(m, n, k, &alpha, IN2(a, a0, a1), IN2(b, 1, b1), &beta, OUT2(c, ldc, 1));
    else product(m, n, k, alpha, a, a0, a1, b, b0, b1, beta, c, ldc);
}

// The products of a batch, of matrices so many elements apart. How small ones are computed is decided once.
static void products(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t apart_a, int64_t a0, int64_t a1,
    const T *b, int64_t apart_b, int64_t b0, int64_t b1, T beta, T *c, int64_t apart, int64_t ldc, int64_t batch) {
    const struct EXO_IN3 as = {a, {apart_a, a0, a1}}, bs = {b, {apart_b, b0, b1}};
    const struct EXO_OUT3 cs = {c, {apart, ldc, 1}};
    const int small = m > 1 && n > 1 && k > 0 && alpha != 0 && n * k <= SMALL && m * k <= SMALL && m * n <= SMALL;
    if (small && b1 == 1) KERNEL(product_batch)(batch, m, n, k, &alpha, as, bs, &beta, cs);
    else if (small && k < CHOICE(gemm_dots))
        KERNEL(product_batch_turned)(batch, m, n, k, SMALL / (n * k), &alpha, as, bs, &beta, cs);
    else for (int64_t l = 0; l < batch; l++)
        PRODUCT(m, n, k, alpha, a + l * apart_a, a0, a1, b + l * apart_b, b0, b1, beta, c + l * apart, ldc);
}

// Of op(A), op(B) and C in either order: the columns of a column-major C are the rows of the transposed product
#define EITHER(f, a, b, ...) \
    (ROW_MAJOR(layout) ? f(m, n, k, alpha, a, b, beta, __VA_ARGS__) : f(n, m, k, alpha, b, a, beta, __VA_ARGS__))
#define STRIDES(a, trans) (trans) == CblasNoTrans ? ld##a : 1, (trans) == CblasNoTrans ? 1 : ld##a
#define ONE(a, trans) a, STRIDES(a, trans)
DEFINE(gemm, EITHER(PRODUCT, ONE(a, transa), ONE(b, transb), c, ldc))

#define MANY(a, trans) a + l * stride##a, stride##a, STRIDES(a, trans)
DEFINE(gemm_batch_strided, const int threads = exo_batch_threads((double)m * n * k, batch);
    const int64_t slice = exo_slice(batch, threads, 1);
    SHARE(l, batch, slice,
        EITHER(products, MANY(a, transa), MANY(b, transb), c + l * stridec, stridec, ldc, LEAST(batch - l, slice))))
