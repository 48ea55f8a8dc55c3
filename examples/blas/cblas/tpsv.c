// x := op(A)^-1 x, where A is triangular and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

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
    if (RARE(incx != 1)) copied(layout, uplo, trans, diag, n, ap, FIRST(x, n, incx), incx);
    else switch (4 * lower + 2 * dots + (diag == CblasUnit)) {
        case 0: by_ut(n, ap, x); return;
        case 1: by_ut_unit(n, ap, x); return;
        case 2: by_un(n, ap, x); return;
        case 3: by_un_unit(n, ap, x); return;
        case 4: by_lt(n, ap, x); return;
        case 5: by_lt_unit(n, ap, x); return;
        case 6: by_ln(n, ap, x); return;
        case 7: by_ln_unit(n, ap, x); return;
    }
}
