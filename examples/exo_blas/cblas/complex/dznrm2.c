// The Euclidean norm: that of twice as many reals, or of the norms of the real parts and of the imaginary ones
#include "../threads.h"
#include "../norm.h"

double CBLAS_AS(dznrm2)(PARAMETERS(dznrm2)) {
    if (n <= 0) return 0;
    if (incx == 1) return norm(2 * (int64_t)n, x);
    const double *const first = (const double *)x - (incx < 0 ? 2 * (int64_t)(n - 1) * incx : 0);
    const double both[2] = {any_stride(n, first, 2 * (int64_t)incx), any_stride(n, first + 1, 2 * (int64_t)incx)};
    return norm(2, both);
}
