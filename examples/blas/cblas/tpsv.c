// x := op(A)^-1 x, where A is triangular and packed

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
    const struct EXO_IN2 a = IN2(ap, n, 1);
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, tpsv);
    switch (4 * lower + 2 * dots + (diag == CblasUnit)) {
        case 0: KERNEL(trsv_ut_packed)(n, a, OUT(u, 1)); break;
        case 1: KERNEL(trsv_ut_unit_packed)(n, a, OUT(u, 1)); break;
        case 2: KERNEL(trsv_un_packed)(n, a, OUT(u, 1)); break;
        case 3: KERNEL(trsv_un_unit_packed)(n, a, OUT(u, 1)); break;
        case 4: KERNEL(trsv_lt_packed)(n, a, OUT(u, 1)); break;
        case 5: KERNEL(trsv_lt_unit_packed)(n, a, OUT(u, 1)); break;
        case 6: KERNEL(trsv_ln_packed)(n, a, OUT(u, 1)); break;
        case 7: KERNEL(trsv_ln_unit_packed)(n, a, OUT(u, 1)); break;
    }
    SCATTER(u, n, x, incx);
    RELEASE(u);
}
