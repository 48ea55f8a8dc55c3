// What updates of rank k of a symmetric matrix have in common: one triangle of C is written.
#include "threads.h"
#include "room.h"

#define FROM(k) CHOICE(gemm_shared) / AT_LEAST_1(k) + 1  // elements of C from which on threads share it
#define GIVEN FROM(k), LOWER(layout, uplo), &factor, &beta
#define ROWS(a, lda) IN2(a, lda, 1)
#define COLUMNS(a, lda) IN2(a, 1, lda)
