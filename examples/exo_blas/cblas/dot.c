// The sum of x[i] y[i]
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "level1.h"

SUM_OF_TWO(CBLAS, dot, dot, T, if (n <= 0) return 0, T, , IN)
