// A := alpha x y^T + A and A := alpha x y^H + A; and of a Hermitian A, dense or packed, A := alpha x x^H + A and
// A := alpha x y^H + conj(alpha) y x^H + A
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "rows.h"

// Rows of a large matrix are not taken together: that is so from more columns on than there are.
#define TOGETHER(m, n) (2 * (int64_t)(m) * (n) * (int64_t)sizeof(T) > CHOICE(ger_ordered) ? (n) + 1 : 1)
#define GENERAL(conj)                                                                       \
    const struct EXO_IN1 down = IN_VECTOR(x, m, incx), along = IN_VECTOR(y, n, incy);       \
    const struct EXO_OUT3 matrix = DENSE(a, lda);                                           \
    if (m == 0 || n == 0) return;                                                           \
    if (ROW_MAJOR(layout)) {                                                                \
        BY_LENGTH(n, KERNEL(ger), KERNEL(ger_long), m, n, TOGETHER(m, n), SIGN(0), IN(alpha, 1), down, SIGN(conj),  \
            along, matrix);                                                                 \
    } else                                                                                  \
        BY_LENGTH(m, KERNEL(ger), KERNEL(ger_long), n, m, TOGETHER(n, m), SIGN(conj), IN(alpha, 1), along, SIGN(0), \
            down, matrix)
// Whether all rows begin with a line of the cache
#define ALL_ALIKE ((2 * (int64_t)lda * (int64_t)sizeof(T) | (int64_t)(uintptr_t)a) % EXO_LINE == 0)
#define HERMITIAN(kernel, long_kernel, alike, matrix, ...)                                        \
    const int lower = LOWER(layout, uplo);                                                        \
    if (n > 0)                                                                                    \
        BY_LENGTH(n, kernel, long_kernel, n, lower, alike, SIGN(!ROW_MAJOR(layout)), __VA_ARGS__, \
            (struct EXO_OUT3)matrix)
#define ONE &alpha, IN_VECTOR(x, n, incx)
#define TWO IN(alpha, 1), IN_VECTOR(x, n, incx), IN_VECTOR(y, n, incy)

DEFINE(geru, GENERAL(0))
DEFINE(gerc, GENERAL(1))
DEFINE(her, HERMITIAN(KERNEL(her), KERNEL(her_long), ALL_ALIKE, DENSE(a, lda), ONE))
DEFINE(hpr, HERMITIAN(KERNEL(her), KERNEL(her_long), 0, PACKED(ap, n, lower), ONE))
DEFINE(her2, HERMITIAN(KERNEL(her2), KERNEL(her2_long), ALL_ALIKE, DENSE(a, lda), TWO))
DEFINE(hpr2, HERMITIAN(KERNEL(her2), KERNEL(her2_long), 0, PACKED(ap, n, lower), TWO))
