// A := alpha x y^T + A, with y conjugated or not
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "updates.h"

static void update(int row_major, int conj, int64_t m, int64_t n, Number alpha, const T *x, int64_t incx, const T *y,
    int64_t incy, T *a, int64_t lda) {
    if (m == 0 || n == 0 || is_zero(alpha)) return;
    x = FIRST_PAIR(x, m, incx), y = FIRST_PAIR(y, n, incy);
    const int64_t rows = row_major ? m : n, columns = row_major ? n : m;
    const int shared = row_major && conj;  // whether the vector that all rows share is conjugated
    ROOM_OF_PAIRS(u, columns, ger);
    ROOM_OF_PAIRS(v, columns, ger);
    take_apart(columns, shared, row_major ? y : x, row_major ? incy : incx, u, v);
    for (int64_t i = 0; i < rows; i++) {
        const Number own = row_major ? number(x + 2 * i * incx) : conjugated(number(y + 2 * i * incy), conj);
        add_row(columns, shared, product(alpha, own), u, v, a + 2 * i * lda);
    }
    RELEASE(u);
    RELEASE(v);
}
