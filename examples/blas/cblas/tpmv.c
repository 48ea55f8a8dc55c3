// x := op(A) x, where A is triangular and packed

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
    const T one = 1;
    const struct EXO_IN2 a = IN2(ap, n, 1);
    const struct EXO_IN1 d = IN(ap, n), ones = IN(&one, 0);
    x = FIRST(x, n, incx);
    GATHER(v, n, x, incx, tpmv);
    ROOM(u, n, tpmv);
    exo_copy(n, v, 1, u, 1);
    switch (4 * lower + 2 * dots + (diag == CblasUnit)) {
        case 0: KERNEL(trmv_ut_packed)(n, a, d, IN(u, 1), OUT(v, 1)); break;
        case 1: KERNEL(trmv_ut_packed_unit)(n, a, ones, IN(u, 1), OUT(v, 1)); break;
        case 2: KERNEL(trmv_un_packed)(n, a, d, IN(u, 1), OUT(v, 1)); break;
        case 3: KERNEL(trmv_un_packed_unit)(n, a, ones, IN(u, 1), OUT(v, 1)); break;
        case 4: KERNEL(trmv_lt_packed)(n, a, d, IN(u, 1), OUT(v, 1)); break;
        case 5: KERNEL(trmv_lt_packed_unit)(n, a, ones, IN(u, 1), OUT(v, 1)); break;
        case 6: KERNEL(trmv_ln_packed)(n, a, d, IN(u, 1), OUT(v, 1)); break;
        case 7: KERNEL(trmv_ln_packed_unit)(n, a, ones, IN(u, 1), OUT(v, 1)); break;
    }
    SCATTER(v, n, x, incx);
    RELEASE(u);
    RELEASE(v);
}
