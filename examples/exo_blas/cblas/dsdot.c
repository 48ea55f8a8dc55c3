// The sum of x[i] y[i] in double precision; and that and a number, rounded
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "level1.h"

double CBLAS_AS(dsdot)(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy) {
    return n <= 0 ? 0 : SUM2(dsdot, double, IN_F32);
}

float CBLAS_AS(sdsdot)(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy) {
    return n <= 0 ? alpha : (float)(alpha + SUM2(dsdot, double, IN_F32));
}
