// y := alpha op(A) x + beta y
// flags: -fno-tree-vectorize -fno-version-loops-for-strides: columns that make no vector are sooner done one by one
#include "threads.h"

#define ALIKE_ROWS 48  // threads begin at multiples of it: a row is added up with the same others as on one thread
#define ALIKE_COLUMNS 64
#define BYTES(n) ((n) * (int64_t)sizeof(T))
#define LANES (32 / (int64_t)sizeof(T))  // elements of a vector
#define FEW_COLUMNS 8                    // for fewer there are kernels without vectors (programs/skinny.py)
#define NARROW (10 * LANES)              // columns up to which there are kernels of their own (programs/skinny.py)

// How wide parts of n columns are, of which none has more than `most`, and all have about as many. None has so few that a
// kernel for few columns would take them: how they are added up must not depend on the parts, as threads have their own.
static int64_t width(int64_t n, int64_t most) {
    const int64_t parts = (n + most - 1) / most;
    int64_t wide = ((n + parts - 1) / parts + LANES - 1) / LANES * LANES;
    while (n % wide > 0 && n % wide < FEW_COLUMNS && wide > 2 * LANES) wide -= LANES;
    return wide;
}

// Of a matrix from memory, or of one whose rows are taken in parts; by threads, if there are several.
static void large(int threads, int by_rows, int far, int parts, int64_t m, int64_t n, T alpha, const T *a, int64_t lda,
    const T *x, int64_t incx, T beta, T *y, int64_t incy) {
    if (threads > 1) {
        const int64_t count = by_rows ? m : n, unit = by_rows ? ALIKE_ROWS : ALIKE_COLUMNS, units = count / unit;
#pragma omp parallel for num_threads(threads)
        for (int k = 0; k < threads; k++) {  // the last one has what is left over: a few columns are done otherwise
            const int64_t i = units * k / threads * unit;
            const int64_t some = (k + 1 < threads ? units * (k + 1) / threads * unit : count) - i;
            if (some > 0)
                large(1, by_rows, far, parts, by_rows ? some : m, by_rows ? n : some, alpha, a + (by_rows ? i * lda : i), lda,
                    x, incx, beta, y + i * incy, incy);
        }
    } else if (by_rows)
        KERNEL(gemv_n_large)(m, n, far, parts ? width(n, CHOICE(gemv_part) / (int64_t)sizeof(T)) : n, &alpha,
            IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
    else
        KERNEL(gemv_trans_large)(m, n, far, parts, CHOICE(gemv_panel), width(n, NARROW), &alpha, IN2(a, lda, 1), IN(x, incx),
            &beta, OUT(y, incy));
}

APART void wide(int by_rows, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T beta, T *y,
    int64_t incy) {
    const int is_long = BYTES(n) >= CHOICE(gemv_long);  // such a vector leaves little room in the first cache
    const int parts = by_rows ? m >= 8 && is_long : m >= 16 && (is_long || BYTES(m * n) <= CHOICE(gemv_near));
    large(m * n < CHOICE(gemv_shared) ? 1 : exo_threads(), by_rows, FROM_MEMORY(m * n, lda), parts, m, n, alpha, a, lda, x,
        incx, beta, y, incy);
}

void CBLAS(gemv)(PARAMETERS(gemv)) {
    CHECK(gemv);
    if (m == 0 || n == 0) return;
    int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;
    int by_rows = BY_ROWS(layout, trans);
    x = FIRST(x, by_rows ? columns : rows, incx);
    y = FIRST(y, by_rows ? rows : columns, incy);
    if (RARE(columns == 1 && lda == 1 && (by_rows ? incy : incx) == 1)) by_rows = !by_rows, columns = rows, rows = 1;
    if (columns > NARROW) wide(by_rows, rows, columns, alpha, a, lda, x, incx, beta, y, incy);
    else if (by_rows) KERNEL(gemv_n_narrow)(rows, columns, &alpha, IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
    else KERNEL(gemv_trans_narrow)(rows, columns, &alpha, IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
}
