// The CBLAS interface, in single and double precision, for real and complex numbers.
#ifndef EXO_BLAS_H
#define EXO_BLAS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CBLAS_INT
#define CBLAS_INT int32_t
#endif
#define CBLAS_INDEX size_t

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
#define CBLAS_ORDER CBLAS_LAYOUT

// Called when an argument is wrong, with its position; prints and ends the program. A program may define its own.
void cblas_xerbla(CBLAS_INT position, const char *routine, const char *form, ...);
// The same of functions that are called by their Fortran names, such as sgemm_.
void xerbla_(const char *routine, const CBLAS_INT *position, size_t length);

// The instruction set in use: "c", "avx2" or "avx512". EXO_BLAS_ISA in the environment limits the choice.
const char *exo_blas_isa(void);

// Writes the numbers that decide which way a routine goes, as lines of a profile (EXO_BLAS_PROFILE in the environment names
// one), of at most `size` bytes with the 0 at the end. Returns how many they are without it.
int exo_blas_choices(char *text, int size);

// Level 1
float cblas_sasum(CBLAS_INT n, const float *x, CBLAS_INT incx);
double cblas_dasum(CBLAS_INT n, const double *x, CBLAS_INT incx);
void cblas_saxpy(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, float *y, CBLAS_INT incy);
void cblas_daxpy(CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx, double *y, CBLAS_INT incy);
void cblas_scopy(CBLAS_INT n, const float *x, CBLAS_INT incx, float *y, CBLAS_INT incy);
void cblas_dcopy(CBLAS_INT n, const double *x, CBLAS_INT incx, double *y, CBLAS_INT incy);
float cblas_sdot(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy);
double cblas_ddot(CBLAS_INT n, const double *x, CBLAS_INT incx, const double *y, CBLAS_INT incy);
double cblas_dsdot(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy);
float cblas_sdsdot(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy);
float cblas_snrm2(CBLAS_INT n, const float *x, CBLAS_INT incx);
double cblas_dnrm2(CBLAS_INT n, const double *x, CBLAS_INT incx);
void cblas_srot(CBLAS_INT n, float *x, CBLAS_INT incx, float *y, CBLAS_INT incy, float c, float s);
void cblas_drot(CBLAS_INT n, double *x, CBLAS_INT incx, double *y, CBLAS_INT incy, double c, double s);
void cblas_srotg(float *a, float *b, float *c, float *s);
void cblas_drotg(double *a, double *b, double *c, double *s);
void cblas_srotm(CBLAS_INT n, float *x, CBLAS_INT incx, float *y, CBLAS_INT incy, const float *param);
void cblas_drotm(CBLAS_INT n, double *x, CBLAS_INT incx, double *y, CBLAS_INT incy, const double *param);
void cblas_srotmg(float *d1, float *d2, float *b1, float b2, float *param);
void cblas_drotmg(double *d1, double *d2, double *b1, double b2, double *param);
void cblas_sscal(CBLAS_INT n, float alpha, float *x, CBLAS_INT incx);
void cblas_dscal(CBLAS_INT n, double alpha, double *x, CBLAS_INT incx);
void cblas_sswap(CBLAS_INT n, float *x, CBLAS_INT incx, float *y, CBLAS_INT incy);
void cblas_dswap(CBLAS_INT n, double *x, CBLAS_INT incx, double *y, CBLAS_INT incy);
CBLAS_INDEX cblas_isamax(CBLAS_INT n, const float *x, CBLAS_INT incx);
CBLAS_INDEX cblas_idamax(CBLAS_INT n, const double *x, CBLAS_INT incx);

// Level 2
void cblas_sgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    float alpha, const float *a, CBLAS_INT lda, const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    double alpha, const double *a, CBLAS_INT lda, const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT
    incy);
void cblas_sgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, float alpha, const float *a,
    CBLAS_INT lda, const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, double alpha, const double *a,
    CBLAS_INT lda, const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_sger(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const
    float *y, CBLAS_INT incy, float *a, CBLAS_INT lda);
void cblas_dger(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx, const
    double *y, CBLAS_INT incy, double *a, CBLAS_INT lda);
void cblas_ssbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, float alpha, const float *a,
    CBLAS_INT lda, const float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dsbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, double alpha, const double *a,
    CBLAS_INT lda, const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_sspmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *ap, const float *x,
    CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dspmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *ap, const double *x,
    CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_sspr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, float
    *ap);
void cblas_dspr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
    double *ap);
void cblas_sspr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const
    float *y, CBLAS_INT incy, float *ap);
void cblas_dspr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
    const double *y, CBLAS_INT incy, double *ap);
void cblas_ssymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda, const
    float *x, CBLAS_INT incx, float beta, float *y, CBLAS_INT incy);
void cblas_dsymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda,
    const double *x, CBLAS_INT incx, double beta, double *y, CBLAS_INT incy);
void cblas_ssyr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, float
    *a, CBLAS_INT lda);
void cblas_dsyr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
    double *a, CBLAS_INT lda);
void cblas_ssyr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const
    float *y, CBLAS_INT incy, float *a, CBLAS_INT lda);
void cblas_dsyr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const double *x, CBLAS_INT incx,
    const double *y, CBLAS_INT incy, double *a, CBLAS_INT lda);
void cblas_stbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT
    k, const float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT
    k, const double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_stbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT
    k, const float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT
    k, const double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_stpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    float *ap, float *x, CBLAS_INT incx);
void cblas_dtpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    double *ap, double *x, CBLAS_INT incx);
void cblas_stpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    float *ap, float *x, CBLAS_INT incx);
void cblas_dtpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    double *ap, double *x, CBLAS_INT incx);
void cblas_strmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);
void cblas_strsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    float *a, CBLAS_INT lda, float *x, CBLAS_INT incx);
void cblas_dtrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const
    double *a, CBLAS_INT lda, double *x, CBLAS_INT incx);

// Level 3
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, float alpha, const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta, float *c,
    CBLAS_INT ldc);
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, double alpha, const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb, double beta, double *c,
    CBLAS_INT ldc);
// Of a batch: C[l] := alpha op(A[l]) op(B[l]) + beta C[l]. Matrices are so many elements apart; those of C don't overlap.
void cblas_sgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
    CBLAS_INT n, CBLAS_INT k, float alpha, const float *a, CBLAS_INT lda, CBLAS_INT stridea, const float *b, CBLAS_INT
    ldb, CBLAS_INT strideb, float beta, float *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch);
void cblas_dgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
    CBLAS_INT n, CBLAS_INT k, double alpha, const double *a, CBLAS_INT lda, CBLAS_INT stridea, const double *b,
    CBLAS_INT ldb, CBLAS_INT strideb, double beta, double *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch);
void cblas_ssymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, float alpha, const
    float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta, float *c, CBLAS_INT ldc);
void cblas_dsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, double alpha, const
    double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb, double beta, double *c, CBLAS_INT ldc);
void cblas_ssyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, float alpha,
    const float *a, CBLAS_INT lda, float beta, float *c, CBLAS_INT ldc);
void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, double alpha,
    const double *a, CBLAS_INT lda, double beta, double *c, CBLAS_INT ldc);
void cblas_ssyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, float alpha,
    const float *a, CBLAS_INT lda, const float *b, CBLAS_INT ldb, float beta, float *c, CBLAS_INT ldc);
void cblas_dsyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, double alpha,
    const double *a, CBLAS_INT lda, const double *b, CBLAS_INT ldb, double beta, double *c, CBLAS_INT ldc);
void cblas_strmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda, float *b, CBLAS_INT ldb);
void cblas_dtrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda, double *b, CBLAS_INT ldb);
void cblas_strsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, float alpha, const float *a, CBLAS_INT lda, float *b, CBLAS_INT ldb);
void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, double alpha, const double *a, CBLAS_INT lda, double *b, CBLAS_INT ldb);

// Complex numbers: pairs of a real and an imaginary part, by address. Those of single precision are called c, of double z.

// Level 1, complex
float cblas_scabs1(const void *z);
double cblas_dcabs1(const void *z);
float cblas_scasum(CBLAS_INT n, const void *x, CBLAS_INT incx);
double cblas_dzasum(CBLAS_INT n, const void *x, CBLAS_INT incx);
void cblas_caxpy(CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_zaxpy(CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_ccopy(CBLAS_INT n, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_zcopy(CBLAS_INT n, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_cdotc_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *r);
void cblas_zdotc_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *r);
void cblas_cdotu_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *r);
void cblas_zdotu_sub(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *r);
float cblas_scnrm2(CBLAS_INT n, const void *x, CBLAS_INT incx);
double cblas_dznrm2(CBLAS_INT n, const void *x, CBLAS_INT incx);
void cblas_crotg(void *a, void *b, float *c, void *s);
void cblas_zrotg(void *a, void *b, double *c, void *s);
void cblas_csrot(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy, float c, float s);
void cblas_zdrot(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy, double c, double s);
void cblas_cscal(CBLAS_INT n, const void *alpha, void *x, CBLAS_INT incx);
void cblas_zscal(CBLAS_INT n, const void *alpha, void *x, CBLAS_INT incx);
void cblas_csscal(CBLAS_INT n, float alpha, void *x, CBLAS_INT incx);
void cblas_zdscal(CBLAS_INT n, double alpha, void *x, CBLAS_INT incx);
void cblas_cswap(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
void cblas_zswap(CBLAS_INT n, void *x, CBLAS_INT incx, void *y, CBLAS_INT incy);
CBLAS_INDEX cblas_icamax(CBLAS_INT n, const void *x, CBLAS_INT incx);
CBLAS_INDEX cblas_izamax(CBLAS_INT n, const void *x, CBLAS_INT incx);

// Level 2, complex
void cblas_cgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y,
    CBLAS_INT incy);
void cblas_zgbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y,
    CBLAS_INT incy);
void cblas_cgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_cgerc(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_zgerc(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_cgeru(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_zgeru(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_chbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zhbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_chemv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zhemv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_cher(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const void *x, CBLAS_INT incx, void *a,
    CBLAS_INT lda);
void cblas_zher(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const void *x, CBLAS_INT incx, void *a,
    CBLAS_INT lda);
void cblas_cher2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_zher2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda);
void cblas_chpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap, const void *x,
    CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_zhpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap, const void *x,
    CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy);
void cblas_chpr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, float alpha, const void *x, CBLAS_INT incx,
    void *ap);
void cblas_zhpr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, double alpha, const void *x, CBLAS_INT incx,
    void *ap);
void cblas_chpr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *ap);
void cblas_zhpr2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *ap);
void cblas_ctbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztbmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ctbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztbsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, CBLAS_INT k,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ctpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx);
void cblas_ztpmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx);
void cblas_ctpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx);
void cblas_ztpsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx);
void cblas_ctrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ctrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);
void cblas_ztrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx);

// Level 3, complex
void cblas_cgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta,
    void *c, CBLAS_INT ldc);
void cblas_zgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta,
    void *c, CBLAS_INT ldc);
void cblas_cgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
    CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, CBLAS_INT stridea, const void *b,
    CBLAS_INT ldb, CBLAS_INT strideb, const void *beta, void *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch);
void cblas_zgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
    CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, CBLAS_INT stridea, const void *b,
    CBLAS_INT ldb, CBLAS_INT strideb, const void *beta, void *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch);
void cblas_chemm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_zhemm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_cher2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, float beta, void *c, CBLAS_INT ldc);
void cblas_zher2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, double beta, void *c, CBLAS_INT ldc);
void cblas_cherk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, float alpha,
    const void *a, CBLAS_INT lda, float beta, void *c, CBLAS_INT ldc);
void cblas_zherk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, double alpha,
    const void *a, CBLAS_INT lda, double beta, void *c, CBLAS_INT ldc);
void cblas_csymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_zsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c, CBLAS_INT ldc);
void cblas_csyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c,
    CBLAS_INT ldc);
void cblas_zsyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c,
    CBLAS_INT ldc);
void cblas_csyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *beta, void *c, CBLAS_INT ldc);
void cblas_zsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *beta, void *c, CBLAS_INT ldc);
void cblas_ctrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_ztrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_ctrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);
void cblas_ztrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda, void *b, CBLAS_INT ldb);

#ifdef __cplusplus
}
#endif

#endif  // EXO_BLAS_H
