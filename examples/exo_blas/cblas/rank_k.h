// What updates of rank k of a symmetric matrix have in common: one triangle of C is written.
#include "threads.h"

// op(A), by its rows or by its columns, which are of neighbours
#define LEFT(a, lda, by_columns) IN2(a, (by_columns) ? 1 : (lda), (by_columns) ? (lda) : 1)
#define FROM(k) CHOICE(gemm_shared) / AT_LEAST_1(k) + 1  // elements of C from which on threads share it
