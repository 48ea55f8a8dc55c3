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

typedef void Way(int64_t m, int64_t n, int64_t k, int64_t deep, int64_t wide, int64_t tall, const T *alpha,
    struct EXO_IN2 a, struct EXO_IN2 b, const T *beta, struct EXO_OUT2 c);
typedef struct { int64_t deep, wide, tall; } Blocks;

#define SMALL EXO_NEAR       // elements for which there is room on the stack
#define LINE (EXO_LINE / 4)  // elements that are at least a cache line
#define BYTES(n) ((n) * (int64_t)sizeof(T))
// Whether the last vector of so few columns is empty by half, and shorter ones are better
#define NARROW(n) (EXO_LONGER && BYTES(n) <= 4 * EXO_WIDTH && BYTES((n) - 1) % (2 * EXO_WIDTH) < EXO_WIDTH)

// y := alpha A x + beta y, with rows of A at distance a0 and elements of a row at distance a1, one of which is 1
static void column(int64_t m, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *x, int64_t incx, T beta,
    T *y, int64_t incy) {
    const int64_t rows = m == 1 && a0 < k ? k : a0, columns = k == 1 && a1 < m ? m : a1;  // of one, it may be anything
    if (a1 == 1) CBLAS(gemv)(CblasRowMajor, CblasNoTrans, m, k, alpha, a, rows, x, incx, beta, y, incy);
    else CBLAS(gemv)(CblasRowMajor, CblasTrans, k, m, alpha, a, columns, x, incx, beta, y, incy);
}

// In which blocks a B that is read where it is stays near. Of one that is not near yet few rows at a time: a tile goes down
// them, and the processor reads ahead in that many only. Seven rows are four and three: after six, a sum would have to wait.
static Blocks blocks(int64_t m, int64_t n, int64_t k, int64_t ldb) {
    if (n * k <= SMALL) return (Blocks){k, n, m == 7 || m == 8 ? 4 : m};
    const int64_t rows = NARROW(n) ? CHOICE(gemm_ahead_narrow) : CHOICE(gemm_ahead), passed = CHOICE(gemm_passed);
    const int64_t ahead = BYTES(ldb) > EXO_PAGE ? CHOICE(gemm_shallow) : rows;
    const int64_t deep = BYTES(n * k) > CHOICE(gemm_near) ? LEAST(k, ahead) : k;
    const int64_t passes = (m + EXO_ROWS - 1) / EXO_ROWS, even = (m + passes - 1) / passes;
    const int64_t wide = (CHOICE(gemm_cached) / BYTES(deep) / passed + 1) * passed;
    return (Blocks){deep, passes == 1 ? n : wide, even < EXO_ROWS ? even : m};
}

// C := alpha A B + beta C, of a C that isn't a vector
APART void product(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc) {
    const int64_t slim = CHOICE(gemm_slim);
    const int small = n * k <= SMALL, shallow = k <= CHOICE(gemm_shallow), slender = m <= slim && n <= slim;
    const int thin = k > CHOICE(gemm_few_products) || (beta == 0 && BYTES(n) <= CHOICE(gemm_few_bytes));
    const int few_rows = m <= (BYTES(b0) > EXO_PAGE ? CHOICE(gemm_few_rows) : CHOICE(gemm_few_rows_short));
    const int in_reach = k <= CHOICE(gemm_reach) || m <= LINE || small;
    const int near = shallow || (BYTES(n * k) > CHOICE(gemm_near) ? few_rows : in_reach);
    Blocks by = blocks(m, n, k, b0);
    if (shallow && beta != 0 && beta != 1) by.tall = LEAST(by.tall, LINE);  // C is passed over once
    Way *way = near ? KERNEL(product_near) : KERNEL(product_packed);
    if (b1 != 1 && k >= CHOICE(gemm_dots) && (a1 == 1 ? m <= slim || n <= slim : m <= CHOICE(gemm_dots_turned))) {
        way = KERNEL(product_dots);
        by.deep = a1 == 1 ? SMALL / BYTES(1) : SMALL / m / LINE * LINE;
    } else if (b1 != 1 && !small && shallow && BYTES(m * n) > CHOICE(gemm_large)) {
        way = KERNEL(product_long_rows);
        by.wide = CHOICE(gemm_cached) / BYTES(k);
    } else if (thin && a0 == 1 && a1 != 1 && m * k > SMALL && n <= slim && 4 * n <= m && (b1 == 1 || small || !slender)) {
        const int64_t most = k > EXO_DEPTH ? m : SMALL / n / LINE * LINE;
        by = blocks(n, LEAST(m, most), k, a1);
        KERNEL(product_transposed)(m, n, k, most, by.deep, by.wide, by.tall, &alpha, IN2(a, a1, 1), IN2(b, b1, b0), &beta,
            OUT2(c, ldc, 1));
        return;
    } else if (b1 != 1 && (small || slender)) {
        way = KERNEL(product_turns);
        by.deep = SMALL / n;
        if (!small) by.tall = m == 7 || m == 8 ? 4 : m;
    } else if (b1 != 1 || !near) {
        way = b1 == 1 ? KERNEL(product_packed) : KERNEL(product_across);
        by.wide = BYTES(m * k) > CHOICE(gemm_far) ? slim : CHOICE(gemm_many_columns);  // those for which A is turned
    }
    // How C is computed has been decided: it doesn't depend on the rows that a thread has.
    const int threads = m * n * k < CHOICE(gemm_shared) ? 1 : exo_threads();
    const int64_t slice = exo_slice(m, threads, EXO_ROWS);
    SHARE(i, m, slice, way(LEAST(slice, m - i), n, k, by.deep, by.wide, by.tall, &alpha, IN2(a + i * a0, a0, a1),
        IN2(b, b0, b1), &beta, OUT2(c + i * ldc, ldc, 1)))
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
