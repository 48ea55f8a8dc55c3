// x := alpha x, and x, y := y, x
#include "../level1.h"

TWO_WAYS(CBLAS_BY, scal, scal, void, if (n <= 0) return, incx != 1 || IS_ACROSS(COUNT, x) || IS_SHARED,
    if (incx > 1) APART_OF(scal)(n, n, AT(alpha), EACH(OUT, x));
    else if (incx == 1) LONG(scal)(COUNT, BEFORE(x), SHARED, AT(alpha), OUT(x, 1)),
    LOOP(scal)(COUNT, AT(alpha), OUT(x, 1)))

UPDATE(CBLAS, swap, swap, OUT, ARE_ACROSS, n > 0, )
