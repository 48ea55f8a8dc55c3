// Rows of A to which numbers times a vector are added: general updates, and Hermitian ones of one triangle.
#include "rows.h"

// A vector y, of which conj(y) or y is added: taken apart as for a product, with the sign that makes `add_row` right
static inline void take_apart(int64_t n, int conj, const T *y, int64_t incy, T *u, T *v) {
    KERNEL(spread_strided)(n, SIGN(!conj), PAIRS(y, incy), PAIRS_OUT(u, 1), PAIRS_OUT(v, 1));
}

// row += t y, or row += t conj(y), of y as above
static inline void add_row(int64_t n, int conj, Number t, const T *u, const T *v, T *row) {
    const T im = conj ? t.im : -t.im;
    if (n > 0) KERNEL(rank)(2 * n, &t.re, &im, IN(u, 1), IN(v, 1), OUT(row, 1));
}
