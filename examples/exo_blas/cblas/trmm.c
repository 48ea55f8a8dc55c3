// B := alpha op(A) B or alpha B op(A), for a triangular A
#include "triangle.h"

DEFINE(trmm, triangular(KERNEL(trmm_left), KERNEL(trmm_right), layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb))
