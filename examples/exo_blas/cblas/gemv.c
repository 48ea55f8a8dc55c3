// y := alpha op(A) x + beta y
// flags: -fno-tree-vectorize -fno-version-loops-for-strides: columns that make no vector are sooner done one by one
#include "threads.h"

#define FAR(lda) (ALIKE(lda) ? ELEMENTS(matrix_far_alike) : ELEMENTS(matrix_far))

APART void wide(int by_rows, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, const T *x, int64_t incx, T beta, T *y,
    int64_t incy) {
    const int threads = m * n < CHOICE(gemv_shared) ? 1 : exo_threads();
    if (by_rows) KERNEL(gemv_n_wide)(m, n, threads, FAR(lda), ELEMENTS(gemv_long), ELEMENTS(gemv_part), &alpha,
        IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
    else KERNEL(gemv_trans_wide)(m, n, threads, FAR(lda), ELEMENTS(gemv_long), ELEMENTS(gemv_near), CHOICE(gemv_panel),
        &alpha, IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
}

void CBLAS(gemv)(PARAMETERS(gemv)) {
    CHECK(gemv);
    if (m == 0 || n == 0) return;
    int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;
    int by_rows = BY_ROWS(layout, trans);
    x = FIRST(x, by_rows ? columns : rows, incx);
    y = FIRST(y, by_rows ? rows : columns, incy);
    if (RARE(columns == 1 && lda == 1 && (by_rows ? incy : incx) == 1)) by_rows = !by_rows, columns = rows, rows = 1;
    if (columns > EXO_VECTORS * LANES) wide(by_rows, rows, columns, alpha, a, lda, x, incx, beta, y, incy);
    else if (by_rows) KERNEL(gemv_n_narrow)(rows, columns, &alpha, IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
    else KERNEL(gemv_trans_narrow)(rows, columns, &alpha, IN2(a, lda, 1), IN(x, incx), &beta, OUT(y, incy));
}
