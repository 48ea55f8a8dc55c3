// Level 2 of complex numbers: what kernels are handed of the arguments of a routine. A column-major matrix is its
// transposed, and any matrix rows of reals, of which the kernel is told how many columns there are on both sides of the
// diagonal: dense, a band, or a packed triangle (`ROWS` in programs/storage.py).
#define DENSE(a, lda) {(T *)(a), {2 * (int64_t)(lda), 0, 1}}
#define BANDED(a, lda, below) {(T *)(a) + 2 * (int64_t)(below), {2 * (int64_t)(lda) - 2, 0, 1}}
#define PACKED(a, n, lower) {(T *)(a), {(lower) ? 2 : 2 * (int64_t)(n) - 2, (lower) ? 1 : -1, 1}}
#define VECTOR(x, n, inc) {(T *)(x) - ((inc) < 0 ? 2 * ((int64_t)(n) - 1) * (inc) : 0), {(inc)}}
#define IN_VECTOR(x, n, inc) ((struct EXO_IN1)VECTOR(x, n, inc))
#define OUT_VECTOR(x, n, inc) ((struct EXO_OUT1)VECTOR(x, n, inc))
#define SIGN(conj) &(const T){(conj) ? -1 : 1}
// Whether rows of so many columns are long; and the call of a kernel, or of that for long rows where vectors may be long
#define IS_LONG(columns) (2 * (int64_t)(columns) * (int64_t)sizeof(T) >= CHOICE(matrix_wide))
#define BY_LENGTH(columns, few, many, ...)        \
    if (EXO_LONGER && IS_LONG(columns))           \
        many(__VA_ARGS__);                        \
    else                                          \
        few(__VA_ARGS__)
