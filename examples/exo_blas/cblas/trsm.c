// B := alpha op(A)^-1 B or alpha B op(A)^-1, for a triangular A
#include "triangle.h"

DEFINE(trsm, triangular(KERNEL(trsm_left), KERNEL(trsm_right), layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))
