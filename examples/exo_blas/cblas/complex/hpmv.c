// y := alpha A x + beta y, where A is Hermitian and packed
#include "hermitian.h"

void CBLAS(hpmv)(PARAMETERS(hpmv)) {
    CHECK(hpmv);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
