// What functions ask of their arguments, by the routine of real numbers that has the same ones: CHECK_SYMV(hemv) is for
// symv and hemv. `taken` says which transpositions an update of rank k takes.

#define CHECK_GEMV(routine)                                            \
    REQUIRE(IS_LAYOUT(layout), 1, routine);                            \
    REQUIRE(IS_TRANSPOSE(trans), 2, routine);                          \
    REQUIRE(m >= 0, 3, routine);                                       \
    REQUIRE(n >= 0, 4, routine);                                       \
    REQUIRE(lda >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 7, routine); \
    REQUIRE(incx != 0, 9, routine);                                    \
    REQUIRE(incy != 0, 12, routine)
#define CHECK_GBMV(routine)                      \
    REQUIRE(IS_LAYOUT(layout), 1, routine);      \
    REQUIRE(IS_TRANSPOSE(trans), 2, routine);    \
    REQUIRE(m >= 0, 3, routine);                 \
    REQUIRE(n >= 0, 4, routine);                 \
    REQUIRE(kl >= 0, 5, routine);                \
    REQUIRE(ku >= 0, 6, routine);                \
    REQUIRE(lda > (int64_t)kl + ku, 9, routine); \
    REQUIRE(incx != 0, 11, routine);             \
    REQUIRE(incy != 0, 14, routine)
#define CHECK_GER(routine)                  \
    REQUIRE(IS_LAYOUT(layout), 1, routine); \
    REQUIRE(m >= 0, 2, routine);            \
    REQUIRE(n >= 0, 3, routine);            \
    REQUIRE(incx != 0, 6, routine);         \
    REQUIRE(incy != 0, 8, routine);         \
    REQUIRE(lda >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 10, routine)
#define CHECK_HALF(routine)                 \
    REQUIRE(IS_LAYOUT(layout), 1, routine); \
    REQUIRE(IS_UPLO(uplo), 2, routine);     \
    REQUIRE(n >= 0, 3, routine)
#define CHECK_SYMV(routine)                    \
    CHECK_HALF(routine);                       \
    REQUIRE(lda >= AT_LEAST_1(n), 6, routine); \
    REQUIRE(incx != 0, 8, routine);            \
    REQUIRE(incy != 0, 11, routine)
#define CHECK_SBMV(routine)         \
    CHECK_HALF(routine);            \
    REQUIRE(k >= 0, 4, routine);    \
    REQUIRE(lda > k, 7, routine);   \
    REQUIRE(incx != 0, 9, routine); \
    REQUIRE(incy != 0, 12, routine)
#define CHECK_SPMV(routine)         \
    CHECK_HALF(routine);            \
    REQUIRE(incx != 0, 7, routine); \
    REQUIRE(incy != 0, 10, routine)
#define CHECK_SYR(routine)          \
    CHECK_HALF(routine);            \
    REQUIRE(incx != 0, 6, routine); \
    REQUIRE(lda >= AT_LEAST_1(n), 8, routine)
#define CHECK_SPR(routine) \
    CHECK_HALF(routine);   \
    REQUIRE(incx != 0, 6, routine)
#define CHECK_SYR2(routine)         \
    CHECK_HALF(routine);            \
    REQUIRE(incx != 0, 6, routine); \
    REQUIRE(incy != 0, 8, routine); \
    REQUIRE(lda >= AT_LEAST_1(n), 10, routine)
#define CHECK_SPR2(routine)         \
    CHECK_HALF(routine);            \
    REQUIRE(incx != 0, 6, routine); \
    REQUIRE(incy != 0, 8, routine)
#define CHECK_TRIANGLE(routine)               \
    REQUIRE(IS_LAYOUT(layout), 1, routine);   \
    REQUIRE(IS_UPLO(uplo), 2, routine);       \
    REQUIRE(IS_TRANSPOSE(trans), 3, routine); \
    REQUIRE(IS_DIAG(diag), 4, routine);       \
    REQUIRE(n >= 0, 5, routine)
#define CHECK_TRMV(routine)                    \
    CHECK_TRIANGLE(routine);                   \
    REQUIRE(lda >= AT_LEAST_1(n), 7, routine); \
    REQUIRE(incx != 0, 9, routine)
#define CHECK_TBMV(routine)       \
    CHECK_TRIANGLE(routine);      \
    REQUIRE(k >= 0, 6, routine);  \
    REQUIRE(lda > k, 8, routine); \
    REQUIRE(incx != 0, 10, routine)
#define CHECK_TPMV(routine)  \
    CHECK_TRIANGLE(routine); \
    REQUIRE(incx != 0, 8, routine)
#define CHECK_PRODUCT(routine, at_ldb, at_ldc)                                    \
    REQUIRE(IS_LAYOUT(layout), 1, routine);                                       \
    REQUIRE(IS_TRANSPOSE(transa), 2, routine);                                    \
    REQUIRE(IS_TRANSPOSE(transb), 3, routine);                                    \
    REQUIRE(m >= 0, 4, routine);                                                  \
    REQUIRE(n >= 0, 5, routine);                                                  \
    REQUIRE(k >= 0, 6, routine);                                                  \
    REQUIRE(lda >= AT_LEAST_1(BY_ROWS(layout, transa) ? k : m), 9, routine);      \
    REQUIRE(ldb >= AT_LEAST_1(BY_ROWS(layout, transb) ? n : k), at_ldb, routine); \
    REQUIRE(ldc >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), at_ldc, routine)
#define CHECK_GEMM(routine) CHECK_PRODUCT(routine, 11, 14)
#define CHECK_GEMM_BATCH(routine)       \
    CHECK_PRODUCT(routine, 12, 16);     \
    REQUIRE(stridea >= 0, 10, routine); \
    REQUIRE(strideb >= 0, 13, routine); \
    REQUIRE(batch >= 0, 18, routine);   \
    REQUIRE(stridec >= (batch > 1), 17, routine)
#define CHECK_SYMM(routine)                                             \
    REQUIRE(IS_LAYOUT(layout), 1, routine);                             \
    REQUIRE(IS_SIDE(side), 2, routine);                                 \
    REQUIRE(IS_UPLO(uplo), 3, routine);                                 \
    REQUIRE(m >= 0, 4, routine);                                        \
    REQUIRE(n >= 0, 5, routine);                                        \
    REQUIRE(lda >= AT_LEAST_1(side == CblasLeft ? m : n), 8, routine);  \
    REQUIRE(ldb >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 10, routine); \
    REQUIRE(ldc >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 13, routine)
#define CHECK_SYRK(routine, taken)                                          \
    REQUIRE(IS_LAYOUT(layout), 1, routine);                                 \
    REQUIRE(IS_UPLO(uplo), 2, routine);                                     \
    REQUIRE(taken, 3, routine);                                             \
    REQUIRE(n >= 0, 4, routine);                                            \
    REQUIRE(k >= 0, 5, routine);                                            \
    REQUIRE(lda >= AT_LEAST_1(BY_ROWS(layout, trans) ? k : n), 8, routine); \
    REQUIRE(ldc >= AT_LEAST_1(n), 11, routine)
#define CHECK_SYR2K(routine, taken)                                          \
    REQUIRE(IS_LAYOUT(layout), 1, routine);                                  \
    REQUIRE(IS_UPLO(uplo), 2, routine);                                      \
    REQUIRE(taken, 3, routine);                                              \
    REQUIRE(n >= 0, 4, routine);                                             \
    REQUIRE(k >= 0, 5, routine);                                             \
    REQUIRE(lda >= AT_LEAST_1(BY_ROWS(layout, trans) ? k : n), 8, routine);  \
    REQUIRE(ldb >= AT_LEAST_1(BY_ROWS(layout, trans) ? k : n), 10, routine); \
    REQUIRE(ldc >= AT_LEAST_1(n), 13, routine)
#define CHECK_TRMM(routine)                                             \
    REQUIRE(IS_LAYOUT(layout), 1, routine);                             \
    REQUIRE(IS_SIDE(side), 2, routine);                                 \
    REQUIRE(IS_UPLO(uplo), 3, routine);                                 \
    REQUIRE(IS_TRANSPOSE(trans), 4, routine);                           \
    REQUIRE(IS_DIAG(diag), 5, routine);                                 \
    REQUIRE(m >= 0, 6, routine);                                        \
    REQUIRE(n >= 0, 7, routine);                                        \
    REQUIRE(lda >= AT_LEAST_1(side == CblasLeft ? m : n), 10, routine); \
    REQUIRE(ldb >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 12, routine)
