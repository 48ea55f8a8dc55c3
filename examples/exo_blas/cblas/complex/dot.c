// The sum of x[i] y[i], with x conjugated or not
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "../level1.h"

#define NOTHING if (n <= 0) *(T *)r = ((T *)r)[1] = 0; if (n <= 0) return
#define IS_OTHER incx != 1 || incy != 1 || IS_SHARED(x)
#define OTHER(sign)                                                                      \
    if (incx == 1 && incy == 1) LONG(products)(n, AT(sign), IN(x, 1), IN(y, 1), r);      \
    else APART_OF(products)(n, AT(sign), EACH(IN, x), EACH(IN, y), r)
#define USUAL(sign) LOOP(products)(n, AT(sign), IN(x, 1), IN(y, 1), r)
TWO_WAYS(CBLAS, dotu_sub, products, void, NOTHING, IS_OTHER, OTHER(1), USUAL(1))
TWO_WAYS(CBLAS, dotc_sub, products, void, NOTHING, IS_OTHER, OTHER(-1), USUAL(-1))
