// Matrices by rows, as they are in memory (a column-major one is its transposed): dense, a band, or a packed triangle.
#include "pairs.h"

// Element (i, j) is at `row_of(m, i)` + 2 j. Row i has the columns i - below to i + above, as far as there are such.
typedef struct {
    const T *a;  // where element (0, 0) is, or would be
    int64_t rows, columns, below, above;
    int64_t step;  // pairs from a row to the next one, to the element above that of the same column; unless packed
    enum { APART_BY_STEP, PACKED_LOWER, PACKED_UPPER } storage;
} Rows;

static inline int64_t offset_of(const Rows *m, int64_t i) {
    if (m->storage == PACKED_LOWER) return i * (i + 1);
    return m->storage == PACKED_UPPER ? i * (2 * m->columns - i - 1) : 2 * i * m->step;
}
static inline const T *row_of(const Rows *m, int64_t i) { return m->a + offset_of(m, i); }
static inline int64_t from_of(const Rows *m, int64_t i) { return i > m->below ? i - m->below : 0; }
static inline int64_t to_of(const Rows *m, int64_t i) {
    return m->columns - i <= m->above ? m->columns : i + m->above + 1;
}

static inline Rows dense(int64_t rows, int64_t columns, const void *a, int64_t lda) {
    return (Rows){a, rows, columns, rows, columns, lda, APART_BY_STEP};
}
static inline Rows band(int64_t rows, int64_t columns, int64_t below, int64_t above, const void *a, int64_t lda) {
    return (Rows){(const T *)a + 2 * below, rows, columns, below, above, lda - 1, APART_BY_STEP};
}
static inline Rows triangle(int lower, int64_t n, const void *a, int64_t lda) {
    return (Rows){a, n, n, lower ? n : 0, lower ? 0 : n, lda, APART_BY_STEP};
}
static inline Rows triangle_band(int lower, int64_t n, int64_t k, const void *a, int64_t lda) {
    return band(n, n, lower ? k : 0, lower ? 0 : k, a, lda);
}
static inline Rows packed(int lower, int64_t n, const void *a) {
    return (Rows){a, n, n, lower ? n : 0, lower ? 0 : n, 0, lower ? PACKED_LOWER : PACKED_UPPER};
}

// Room for so many pairs, of zeros. Ends the function if there is none.
#define ROOM_OF_PAIRS(name, n, routine) \
    ROOM(name, 2 * (n), routine);       \
    memset(name, 0, 2 * (n) * sizeof(T))
