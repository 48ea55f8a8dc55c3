// The Euclidean norm
#include "threads.h"
#include "norm.h"

double CBLAS_AS(dnrm2)(PARAMETERS(dnrm2)) {
    if (n <= 0) return 0;
    if (RARE(incx != 1)) return any_stride(n, FIRST(x, n, incx), incx);
    return norm(n, x);
}
