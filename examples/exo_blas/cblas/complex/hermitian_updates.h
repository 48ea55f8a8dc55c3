// A := alpha x x^H + A and A := alpha x y^H + conj(alpha) y x^H + A, where A is Hermitian and one triangle of it is
// stored, dense or packed. In a column-major one, what is stored in row i is conjugated (`row_major` is 0).
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "updates.h"

// The part of row i that is stored: the diagonal, which stays real, and one side of it
typedef struct { T *at; int64_t first, count; } Part;

static inline Part part_of(const Rows *m, T *a, int64_t i) {
    const int64_t first = m->below ? 0 : i;
    return (Part){a + offset_of(m, i) + 2 * first, first, m->below ? i + 1 : m->columns - i};
}

static void update(const Rows *m, int row_major, T alpha, const T *x, int64_t incx, T *a) {
    const int64_t n = m->rows;
    if (n == 0 || alpha == 0) return;
    x = FIRST_PAIR(x, n, incx);
    ROOM_OF_PAIRS(u, n, her);
    ROOM_OF_PAIRS(v, n, her);
    take_apart(n, row_major, x, incx, u, v);
    for (int64_t i = 0; i < n; i++) {
        const Part part = part_of(m, a, i);
        const Number own = conjugated(number(x + 2 * i * incx), !row_major), t = {alpha * own.re, alpha * own.im};
        add_row(part.count, row_major, t, u + 2 * part.first, v + 2 * part.first, part.at);
        a[offset_of(m, i) + 2 * i + 1] = 0;
    }
    RELEASE(u);
    RELEASE(v);
}

static void update2(const Rows *m, int row_major, Number alpha, const T *x, int64_t incx, const T *y, int64_t incy,
    T *a) {
    const int64_t n = m->rows;
    if (n == 0 || is_zero(alpha)) return;
    x = FIRST_PAIR(x, n, incx), y = FIRST_PAIR(y, n, incy);
    ROOM_OF_PAIRS(ux, n, her2);
    ROOM_OF_PAIRS(vx, n, her2);
    ROOM_OF_PAIRS(uy, n, her2);
    ROOM_OF_PAIRS(vy, n, her2);
    take_apart(n, row_major, x, incx, ux, vx);
    take_apart(n, row_major, y, incy, uy, vy);
    for (int64_t i = 0; i < n; i++) {
        const Part part = part_of(m, a, i);
        const int64_t first = 2 * part.first;
        const Number own_x = conjugated(number(x + 2 * i * incx), !row_major);
        const Number own_y = conjugated(number(y + 2 * i * incy), !row_major);
        // (alpha x) y^H, of which a column-major row is (conj(alpha) conj(x)) y^T
        add_row(part.count, row_major, product(conjugated(alpha, !row_major), own_x), uy + first, vy + first, part.at);
        add_row(part.count, row_major, product(conjugated(alpha, row_major), own_y), ux + first, vx + first, part.at);
        a[offset_of(m, i) + 2 * i + 1] = 0;
    }
    RELEASE(ux);
    RELEASE(vx);
    RELEASE(uy);
    RELEASE(vy);
}
