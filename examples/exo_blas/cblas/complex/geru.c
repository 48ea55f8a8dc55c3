// A := alpha x y^T + A
#include "ger.h"

void CBLAS(geru)(PARAMETERS(geru)) {
    CHECK(geru);
    update(ROW_MAJOR(layout), 0, m, n, number(alpha), x, incx, y, incy, a, lda);
}
