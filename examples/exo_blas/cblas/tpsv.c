// x := op(A)^-1 x, where A is triangular and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "triangle_vector.h"

DECLARE(tpsv);

APART void by_ut(int64_t n, const T *a, T *x) { KERNEL(trsv_ut_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_ut_unit(int64_t n, const T *a, T *x) { KERNEL(trsv_ut_unit_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_un(int64_t n, const T *a, T *x) { KERNEL(trsv_un_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_un_unit(int64_t n, const T *a, T *x) { KERNEL(trsv_un_unit_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_lt(int64_t n, const T *a, T *x) { KERNEL(trsv_lt_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_lt_unit(int64_t n, const T *a, T *x) { KERNEL(trsv_lt_unit_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_ln(int64_t n, const T *a, T *x) { KERNEL(trsv_ln_packed)(n, IN2(a, n, 1), OUT(x, 1)); }
APART void by_ln_unit(int64_t n, const T *a, T *x) { KERNEL(trsv_ln_unit_packed)(n, IN2(a, n, 1), OUT(x, 1)); }

APART void copied(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n, const T *ap,
    T *x, int64_t incx) {
    ROOM(u, n, tpsv);
    exo_copy(n, x, incx, u, 1);
    CBLAS(tpsv)(layout, uplo, trans, diag, n, ap, u, 1);
    exo_copy(n, u, 1, x, incx);
    RELEASE(u);
}

void CBLAS(tpsv)(PARAMETERS(tpsv)) {
    CHECK(tpsv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    if (RARE(incx != 1)) copied(layout, uplo, trans, diag, n, ap, FIRST(x, n, incx), incx);
    else BY_TRIANGLE(lower, dots, diag == CblasUnit, n, ap, x);
}
