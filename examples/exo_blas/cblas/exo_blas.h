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

// The functions of builder/routines.py

#ifdef __cplusplus
}
#endif

#endif  // EXO_BLAS_H
