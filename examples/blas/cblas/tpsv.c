// x := op(A)^-1 x, where A is triangular and packed
#include "packed.h"

// x := op(A)^-1 x for a corner, of n rows
static inline void corner(int lower, int dots, int unit, int64_t n, struct EXO_IN2 a, T *x) {
    switch (4 * lower + 2 * dots + unit) {
        case 0: KERNEL(trsv_ut_corner)(n, a, OUT(x, 1)); break;
        case 1: KERNEL(trsv_ut_unit_corner)(n, a, OUT(x, 1)); break;
        case 2: KERNEL(trsv_un_corner)(n, a, OUT(x, 1)); break;
        case 3: KERNEL(trsv_un_unit_corner)(n, a, OUT(x, 1)); break;
        case 4: KERNEL(trsv_lt_corner)(n, a, OUT(x, 1)); break;
        case 5: KERNEL(trsv_lt_unit_corner)(n, a, OUT(x, 1)); break;
        case 6: KERNEL(trsv_ln_corner)(n, a, OUT(x, 1)); break;
        case 7: KERNEL(trsv_ln_unit_corner)(n, a, OUT(x, 1)); break;
    }
}

void CBLAS(tpsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *ap,
    T *x, CBLAS_INT incx) {
    REQUIRE(IS_LAYOUT(layout), 1, tpsv);
    REQUIRE(IS_UPLO(uplo), 2, tpsv);
    REQUIRE(IS_TRANSPOSE(trans), 3, tpsv);
    REQUIRE(IS_DIAG(diag), 4, tpsv);
    REQUIRE(n >= 0, 5, tpsv);
    REQUIRE(incx != 0, 8, tpsv);
    if (n == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower), dots = ROW_MAJOR(layout) == (trans == CblasNoTrans);
    int unit = diag == CblasUnit;
    const T minus_one = -1;
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, tpsv);
    if (n % 2 && dots) corner(lower, dots, unit, 1, IN2(ALONE_OF(ap), 1, 1), u + ALONE);
    PAIRS(p, ap, lower == dots) {
        if (dots) {
            if (p.columns) KERNEL(gemv_n_pair)(p.columns, &minus_one, RECTANGLE(p), IN(u + p.from, 1), OUT(u + p.at, 1));
            corner(lower, dots, unit, 2, CORNER(p), u + p.at);
        } else {
            corner(lower, dots, unit, 2, CORNER(p), u + p.at);
            if (p.columns)
                KERNEL(gemv_trans_pair)(p.columns, &minus_one, RECTANGLE(p), IN(u + p.at, 1), OUT(u + p.from, 1));
        }
    }
    if (n % 2 && !dots) corner(lower, dots, unit, 1, IN2(ALONE_OF(ap), 1, 1), u + ALONE);
    SCATTER(u, n, x, incx);
    RELEASE(u);
}
