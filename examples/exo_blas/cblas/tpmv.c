// x := op(A) x, where A is triangular and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "triangle_vector.h"

DECLARE(tpmv);

typedef void Kernel(int64_t n, struct EXO_IN2 a, struct EXO_IN1 d, struct EXO_IN1 x, struct EXO_OUT1 y);

// x := op(A) x, of neighbours; a `unit` diagonal is not read
static inline __attribute__((always_inline)) void product(Kernel *kernel, int unit, int64_t n, const T *ap, T *x) {
    const T one = 1;
    ROOM(u, n, tpmv);
    exo_copy(n, x, 1, u, 1);
    kernel(n, IN2(ap, n, 1), unit ? IN(&one, 0) : IN(ap, n), IN(u, 1), OUT(x, 1));
    RELEASE(u);
}

APART void by_ut(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_ut_packed), 0, n, ap, x); }
APART void by_ut_unit(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_ut_packed_unit), 1, n, ap, x); }
APART void by_un(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_un_packed), 0, n, ap, x); }
APART void by_un_unit(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_un_packed_unit), 1, n, ap, x); }
APART void by_lt(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_lt_packed), 0, n, ap, x); }
APART void by_lt_unit(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_lt_packed_unit), 1, n, ap, x); }
APART void by_ln(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_ln_packed), 0, n, ap, x); }
APART void by_ln_unit(int64_t n, const T *ap, T *x) { product(KERNEL(trmv_ln_packed_unit), 1, n, ap, x); }

APART void copied(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n, const T *ap,
    T *x, int64_t incx) {
    ROOM(v, n, tpmv);
    exo_copy(n, x, incx, v, 1);
    CBLAS(tpmv)(layout, uplo, trans, diag, n, ap, v, 1);
    exo_copy(n, v, 1, x, incx);
    RELEASE(v);
}

void CBLAS(tpmv)(PARAMETERS(tpmv)) {
    CHECK(tpmv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    if (RARE(incx != 1)) copied(layout, uplo, trans, diag, n, ap, FIRST(x, n, incx), incx);
    else BY_TRIANGLE(lower, dots, diag == CblasUnit, n, ap, x);
}
