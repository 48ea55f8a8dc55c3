// What level 3 is made of: matrices as they are used, transposed or conjugated or neither, and their product (gemm.c).
#include "pairs.h"

// Element (i, j) is the pair at `at` + 2 (i row + j column), conjugated if `conj`.
typedef struct {
    const T *at;
    int64_t row, column;
    int conj;
} View;

static inline const T *pair_of(View a, int64_t i, int64_t j) { return a.at + 2 * (i * a.row + j * a.column); }
static inline View from(View a, int64_t i, int64_t j) { return (View){pair_of(a, i, j), a.row, a.column, a.conj}; }
static inline View transposed(View a) { return (View){a.at, a.column, a.row, a.conj}; }
static inline View adjoint(View a) { return (View){a.at, a.column, a.row, !a.conj}; }

// op(A) of a matrix that lies row-major, if `across` transposed, and conjugated
static inline View view(const void *a, int64_t lda, int across, int conj) {
    return (View){a, across ? 1 : lda, across ? lda : 1, conj};
}

// C := alpha A B + C, of C with neighbours in rows that are ldc apart; or of one triangle of C, of m = n
typedef enum { WHOLE, LOWER_PART, UPPER_PART } Part;
#define COMPLEX_PRODUCT EXO_JOIN(EXO_JOIN(exo_, EXO_LETTER), EXO_HERE(product))
void COMPLEX_PRODUCT(Part part, int64_t m, int64_t n, int64_t k, Number alpha, View a, View b, T *c, int64_t ldc);

// A := beta A; of beta = 0, A is not read
static inline void scale_rows(int64_t m, int64_t n, Number beta, T *a, int64_t lda) {
    for (int64_t i = 0; i < m && n > 0 && !is_one(beta); i++) {
        if (is_zero(beta)) memset(a + 2 * i * lda, 0, 2 * n * sizeof(T));
        else KERNEL(scal_pairs)(n, &beta.re, &beta.im, OUT(a + 2 * i * lda, 1));
    }
}
