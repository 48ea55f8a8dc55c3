// y := alpha op(A) x + beta y
#include "threads.h"

#define LARGE (1 << 18)  // elements of a matrix whose rows or columns threads share
#define MANY 12          // rows that are read together if there are so many elements that they come from memory
#define IS_NARROW(n) ((n) <= 320 / (int64_t)sizeof(T))  // whether there are kernels of their own for so many columns

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

// y += alpha A x
APART void plain(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    int threads = m * n < LARGE ? 1 : exo_threads(), far = FROM_MEMORY(m * n, lda);
    if (threads == 1) {
        if (far) DOTS(m, n, alpha, a, lda, x, y, incy);
        else KERNEL(gemv_n)(m, n, &alpha, IN2(a, lda, 1), IN(x, 1), OUT(y, incy));
        return;
    }
    int64_t slice = (m + threads - 1) / threads;
#pragma omp parallel for num_threads(threads)
    for (int k = 0; k < threads; k++) {
        int64_t from = k * slice, rows = m - from < slice ? m - from : slice;
        if (rows > 0 && far) DOTS(rows, n, alpha, a + from * lda, lda, x, y + from * incy, incy);
        else if (rows > 0) KERNEL(gemv_n)(rows, n, &alpha, IN2(a + from * lda, lda, 1), IN(x, 1), OUT(y + from * incy, incy));
    }
}

// y += alpha A^T x
APART void transposed(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    int threads = m * n < LARGE ? 1 : exo_threads(), far = FROM_MEMORY(m * n, lda);
    if (threads == 1) {
        if (far) ADDS(m, n, alpha, a, lda, x, incx, y);
        else KERNEL(gemv_trans)(m, n, &alpha, IN2(a, lda, 1), IN(x, incx), OUT(y, 1));
        return;
    }
    int64_t slice = (n / threads + 64) & -64;
#pragma omp parallel for num_threads(threads)
    for (int k = 0; k < threads; k++) {
        int64_t from = k * slice, columns = n - from < slice ? n - from : slice;
        if (columns > 0 && far) ADDS(m, columns, alpha, a + from, lda, x, incx, y + from);
        else if (columns > 0) KERNEL(gemv_trans)(m, columns, &alpha, IN2(a + from, lda, 1), IN(x, incx), OUT(y + from, 1));
    }
}

APART void narrow(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    KERNEL(gemv_n_skinny)(m, n, &alpha, IN2(a, lda, 1), IN(x, 1), OUT(y, incy));
}

APART void narrow_transposed(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    KERNEL(gemv_trans_skinny)(m, n, &alpha, IN2(a, lda, 1), IN(x, incx), OUT(y, 1));
}

static inline void dots(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, T *y, int64_t incy) {
    (IS_NARROW(n) ? narrow : plain)(m, n, alpha, a, lda, x, y, incy);
}

static inline void adds(int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T *y) {
    (IS_NARROW(n) ? narrow_transposed : transposed)(m, n, alpha, a, lda, x, incx, y);
}

APART void scale(int64_t n, T beta, T *y, int64_t incy) { exo_scale(n, beta, y, incy); }

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

void CBLAS(gemv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, T alpha, const T *a,
    CBLAS_INT lda, const T *x, CBLAS_INT incx, T beta, T *y, CBLAS_INT incy) {
    int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;
    int by_rows = ROW_MAJOR(layout) == (trans == CblasNoTrans);
    int64_t nx = by_rows ? columns : rows, ny = by_rows ? rows : columns;
    REQUIRE(IS_LAYOUT(layout), 1, gemv);
    REQUIRE(IS_TRANSPOSE(trans), 2, gemv);
    REQUIRE(m >= 0, 3, gemv);
    REQUIRE(n >= 0, 4, gemv);
    REQUIRE(lda >= AT_LEAST_1(columns), 7, gemv);
    REQUIRE(incx != 0, 9, gemv);
    REQUIRE(incy != 0, 12, gemv);
    if (m == 0 || n == 0) return;
    x = FIRST(x, nx, incx);
    y = FIRST(y, ny, incy);
    if (RARE(beta != 1)) scale(ny, beta, y, incy);
    if (alpha == 0) return;
    if (RARE((by_rows ? incx : incy) != 1)) copied(by_rows, rows, columns, alpha, a, lda, x, incx, y, incy);
    else if (by_rows) dots(rows, columns, alpha, a, lda, x, y, incy);
    else adds(rows, columns, alpha, a, lda, x, incx, y);
}
