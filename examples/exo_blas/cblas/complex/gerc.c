// A := alpha x y^T + A, with y conjugated
#include "ger.h"

void CBLAS(gerc)(PARAMETERS(gerc)) {
    CHECK(gerc);
    update(ROW_MAJOR(layout), 1, m, n, number(alpha), x, incx, y, incy, a, lda);
}
