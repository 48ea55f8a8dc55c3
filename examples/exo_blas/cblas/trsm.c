// B := alpha op(A)^-1 B or alpha B op(A)^-1, for a triangular A
// flags without vectors: -O2 -fpeel-loops: -O3 makes code that is half as large again and mostly slower
#include "triangle.h"

DEFINE(trsm, triangular(KERNEL(trsm_left), KERNEL(trsm_right), layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))
