// What products with a triangle and solutions of triangular systems have in common: x is overwritten, and each row of
// the triangle, dense, packed, or of a band, is used once.
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "rows.h"

// The columns of row i besides the diagonal, in reals: where they begin, and how many they are
#define LOWER_ROWS(m) ((m)->below > 0)
static inline int64_t first_of(const Rows *m, int64_t i) { return 2 * (LOWER_ROWS(m) ? from_of(m, i) : i + 1); }
static inline int64_t count_of(const Rows *m, int64_t i) {
    return 2 * (LOWER_ROWS(m) ? i : to_of(m, i)) - first_of(m, i);
}

static void triangular(const Rows *m, int dots, int conj, int unit, T *x, T *u, T *v);

// The routine, of arguments that are right: `triangular` has neighbours and two vectors of zeros.
static void in_place(const Rows *m, int dots, int conj, int unit, T *x, int64_t incx) {
    const int64_t n = m->rows;
    if (n == 0) return;
    x = FIRST_PAIR(x, n, incx);
    ROOM_OF_PAIRS(near_x, n, triangle);
    ROOM_OF_PAIRS(u, n, triangle);
    ROOM_OF_PAIRS(v, n, triangle);
    KERNEL(copied_strided)(n, &one, PAIRS(x, incx), PAIRS_OUT(near_x, 1));
    triangular(m, dots, conj, unit, near_x, u, v);
    KERNEL(copied_strided)(n, &one, PAIRS(near_x, 1), PAIRS_OUT(x, incx));
    RELEASE(near_x);
    RELEASE(u);
    RELEASE(v);
}
