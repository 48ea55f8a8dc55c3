// y := alpha A x + beta y, where A is Hermitian
#include "hermitian.h"

void CBLAS(hemv)(PARAMETERS(hemv)) {
    CHECK(hemv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
