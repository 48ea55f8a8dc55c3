// y := alpha op(A) x + beta y
// flags: -fno-tree-vectorize -fno-version-loops-for-strides: columns that make no vector are sooner done one by one
#include "threads.h"

#define MANY 12          // rows that are read together if there are so many elements that they come from memory
#define ALIKE_ROWS 48    // threads begin at multiples of it: a row is added up with the same others as on one thread
#define ALIKE_COLUMNS 64
#define LANES (32 / (int64_t)sizeof(T))  // elements of a vector
#define IS_LONG(n) ((n) * (int64_t)sizeof(T) >= CHOICE(gemv_long))  // such a vector leaves little room in the first cache
#define IN_FIRST_CACHE(m, n) ((m) * (n) * (int64_t)sizeof(T) <= CHOICE(gemv_near))

void DOTS(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    const int64_t many = m - m % MANY, some = m - many;
    if (many) KERNEL(gemv_n_many)(many, n, &alpha, IN2(a, lda, 1), IN(x, 1), OUT(y, incy));
    if (some) KERNEL(gemv_n)(some, n, &alpha, IN2(a + many * lda, lda, 1), IN(x, 1), OUT(y + many * incy, incy));
}

void ADDS(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    const int64_t many = m - m % MANY, some = m - many;
    if (many) KERNEL(gemv_trans_many)(many, n, &alpha, IN2(a, lda, 1), IN(x, incx), OUT(y, 1));
    if (some) KERNEL(gemv_trans)(some, n, &alpha, IN2(a + many * lda, lda, 1), IN(x + many * incx, incx), OUT(y, 1));
}

// A matrix of one row, or of one column without gaps, is a vector.
APART void one_dot(int64_t n, T alpha, const T *a, const T *x, T *y) {
    T t;
    KERNEL(dot)(n, IN(a, 1), IN(x, 1), &t);
    *y += alpha * t;
}

APART void one_added(int64_t n, T t, const T *a, T *y) { KERNEL(axpy)(n, &t, IN(a, 1), OUT(y, 1)); }

APART void few(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    if (n == 1 && lda == 1 && incy == 1) one_added(m, alpha * *x, a, y);
    else KERNEL(gemv_n_few)(m, n, &alpha, IN2(a, lda, 1), IN(x, 1), OUT(y, incy));
}

APART void few_transposed(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    if (n == 1 && lda == 1 && incx == 1) one_dot(m, alpha, a, x, y);
    else KERNEL(gemv_trans_few)(m, n, &alpha, IN2(a, lda, 1), IN(x, incx), OUT(y, 1));
}

APART void narrow(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    KERNEL(gemv_n_skinny)(m, n, &alpha, IN2(a, lda, 1), IN(x, 1), OUT(y, incy));
}

APART void narrow_transposed(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    KERNEL(gemv_trans_skinny)(m, n, &alpha, IN2(a, lda, 1), IN(x, incx), OUT(y, 1));
}

// How wide the first is of n columns' parts, of which none has more than `most` columns, and all about as many.
static int64_t part(int64_t n, int64_t most) {
    const int64_t parts = (n + most - 1) / most;
    return parts == 1 ? n : (n / parts + LANES - 1) / LANES * LANES;
}

// Some columns at a time, of long rows: so many elements of x stay in the first cache for all rows.
static void near_dots(int64_t most, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y,
    int64_t incy) {
    for (int64_t width, j = 0; j < n; j += width) {
        width = part(n - j, most);
        KERNEL(gemv_n)(m, width, &alpha, IN2(a + j, lda, 1), IN(x + j, 1), OUT(y, incy));
    }
}

// Some rows at a time, and as many columns as there are registers for. More rows may be on more pages of memory than
// the processor knows the addresses of.
static void by_panels(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    for (int64_t rows; m > 0; m -= rows, a += rows * lda, x += rows * incx) {
        rows = m < CHOICE(gemv_panel) ? m : CHOICE(gemv_panel);
        for (int64_t width, j = 0; j < n; j += width) {
            width = part(n - j, 10 * LANES);
            (width < 8 ? few_transposed : narrow_transposed)(rows, width, alpha, a + j, lda, x, incx, y + j);
        }
    }
}

static void as_it_is(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    KERNEL(gemv_trans)(m, n, &alpha, IN2(a, lda, 1), IN(x, incx), OUT(y, 1));
}

// y += alpha A x
APART void plain(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    if (m == 1) {
        one_dot(n, alpha, a, x, y);
        return;
    }
    const int threads = m * n < CHOICE(gemv_shared) ? 1 : exo_threads(), far = FROM_MEMORY(m * n, lda);
    const int64_t most = m >= 8 && IS_LONG(n) ? CHOICE(gemv_part) / (int64_t)sizeof(T) : n;
    if (threads == 1) {
        if (far) DOTS(m, n, alpha, a, lda, x, y, incy);
        else near_dots(most, m, n, alpha, a, lda, x, y, incy);
        return;
    }
    const int64_t slice = exo_slice(m, threads, ALIKE_ROWS);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < m; i += slice) {
        const int64_t rows = m - i < slice ? m - i : slice;
        if (far) DOTS(rows, n, alpha, a + i * lda, lda, x, y + i * incy, incy);
        else near_dots(most, rows, n, alpha, a + i * lda, lda, x, y + i * incy, incy);
    }
}

typedef void Added(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y);

// y += alpha A^T x
APART void transposed(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    if (m == 1) {
        one_added(n, alpha * *x, a, y);
        return;
    }
    const int threads = m * n < CHOICE(gemv_shared) ? 1 : exo_threads();
    const int panels = m >= 16 && (IS_LONG(n) || IN_FIRST_CACHE(m, n));
    Added *const add = FROM_MEMORY(m * n, lda) ? ADDS : panels ? by_panels : as_it_is;
    if (threads == 1) {
        add(m, n, alpha, a, lda, x, incx, y);
        return;
    }
    const int64_t blocks = n / ALIKE_COLUMNS;  // the last thread has what is left over: a few columns are done otherwise
#pragma omp parallel for num_threads(threads)
    for (int k = 0; k < threads; k++) {
        const int64_t j = blocks * k / threads * ALIKE_COLUMNS;
        const int64_t end = k + 1 < threads ? blocks * (k + 1) / threads * ALIKE_COLUMNS : n;
        if (j < end) add(m, end - j, alpha, a + j, lda, x, incx, y + j);
    }
}

static inline void dots(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    (n < LANES ? few : n <= 10 * LANES ? narrow : plain)(m, n, alpha, a, lda, x, y, incy);
}

static inline void adds(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    (n < 8 ? few_transposed : n <= 10 * LANES ? narrow_transposed : transposed)(m, n, alpha, a, lda, x, incx, y);
}

APART void scale(int64_t n, T beta, T *y, int64_t incy) {
    if (n >= LANES) exo_scale(n, beta, y, incy);
    else if (beta == 0) for (int64_t i = 0; i < n; i++) y[i * incy] = 0;
    else for (int64_t i = 0; i < n; i++) y[i * incy] *= beta;
}

// The same where the elements of the vector that a loop over columns goes through are no neighbours
APART void copied(int by_rows, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y,
    int64_t incy) {
    ROOM(u, n, gemv);
    exo_copy(n, by_rows ? x : y, by_rows ? incx : incy, u, 1);
    if (by_rows) dots(m, n, alpha, a, lda, u, y, incy);
    else {
        adds(m, n, alpha, a, lda, x, incx, u);
        exo_copy(n, u, 1, y, incy);
    }
    RELEASE(u);
}

void CBLAS(gemv)(PARAMETERS(gemv)) {
    int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;
    int by_rows = BY_ROWS(layout, trans);
    int64_t nx = by_rows ? columns : rows, ny = by_rows ? rows : columns;
    CHECK(gemv);
    if (m == 0 || n == 0) return;
    x = FIRST(x, nx, incx);
    y = FIRST(y, ny, incy);
    if (RARE(beta != 1)) scale(ny, beta, y, incy);
    if (alpha == 0) return;
    if (RARE((by_rows ? incx : incy) != 1)) copied(by_rows, rows, columns, alpha, a, lda, x, incx, y, incy);
    else if (by_rows) dots(rows, columns, alpha, a, lda, x, y, incy);
    else adds(rows, columns, alpha, a, lda, x, incx, y);
}
