// The sum of x[i] y[i] in double precision; and that and a number, rounded
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "level1.h"

SUM_OF_TWO(CBLAS_AS, dsdot, dsdot, double, if (n <= 0) return 0, double, , IN)
#define ROUNDED(sum) (float)(alpha + (sum))
SUM_OF_TWO(CBLAS_AS, sdsdot, dsdot, float, if (n <= 0) return alpha, double, ROUNDED, IN)
