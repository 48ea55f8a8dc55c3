// x := op(A) x, where A is triangular and packed. The pairs come in an order in which what is read is still old.
#include "packed.h"

// x := op(A) x for a corner, of n rows
static inline void corner(int lower, int dots, int unit, int64_t n, struct EXO_IN2 a, T *x) {
    const T one = 1;
    const struct EXO_IN1 d = unit ? IN(&one, 0) : IN(a.data, a.strides[0] + 1);
    T u[2] = {0, 0}, old[2] = {x[0], n > 1 ? x[1] : 0};
    if (lower && dots) KERNEL(trmv_ln_corner)(n, a, d, IN(old, 1), OUT(u, 1));
    else if (lower) KERNEL(trmv_lt_corner)(n, a, d, IN(old, 1), OUT(u, 1));
    else if (dots) KERNEL(trmv_un_corner)(n, a, d, IN(old, 1), OUT(u, 1));
    else KERNEL(trmv_ut_corner)(n, a, d, IN(old, 1), OUT(u, 1));
    exo_copy(n, u, 1, x, 1);
}

void CBLAS(tpmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *ap,
    T *x, CBLAS_INT incx) {
    REQUIRE(IS_LAYOUT(layout), 1, tpmv);
    REQUIRE(IS_UPLO(uplo), 2, tpmv);
    REQUIRE(IS_TRANSPOSE(trans), 3, tpmv);
    REQUIRE(IS_DIAG(diag), 4, tpmv);
    REQUIRE(n >= 0, 5, tpmv);
    REQUIRE(incx != 0, 8, tpmv);
    if (n == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower), dots = ROW_MAJOR(layout) == (trans == CblasNoTrans);
    int unit = diag == CblasUnit;
    const T one = 1;
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, tpmv);
    if (n % 2 && !dots) corner(lower, dots, unit, 1, IN2(ALONE_OF(ap), 1, 1), u + ALONE);
    PAIRS(p, ap, lower != dots) {
        if (dots) {
            corner(lower, dots, unit, 2, CORNER(p), u + p.at);
            if (p.columns) KERNEL(gemv_n_pair)(p.columns, &one, RECTANGLE(p), IN(u + p.from, 1), OUT(u + p.at, 1));
        } else {
            if (p.columns) KERNEL(gemv_trans_pair)(p.columns, &one, RECTANGLE(p), IN(u + p.at, 1), OUT(u + p.from, 1));
            corner(lower, dots, unit, 2, CORNER(p), u + p.at);
        }
    }
    if (n % 2 && dots) corner(lower, dots, unit, 1, IN2(ALONE_OF(ap), 1, 1), u + ALONE);
    SCATTER(u, n, x, incx);
    RELEASE(u);
}
