// B := alpha op(A) B or alpha B op(A), for a triangular A
// flags without vectors: -O2 -fpeel-loops: -O3 makes code that is half as large again and mostly slower
#include "triangle.h"

DEFINE(trmm, triangular(KERNEL(trmm_left), KERNEL(trmm_right), layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))
