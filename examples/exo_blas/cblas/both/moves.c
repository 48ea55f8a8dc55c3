// x := alpha x, y := x, and x, y := y, x, and x, y := c x + s y, c y - s x: what `rotm` does with other numbers
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "../level1.h"

TWO_WAYS(CBLAS_BY, scal, scal, void, if (n <= 0) return, incx != 1 || IS_ACROSS(COUNT, x) || IS_SHARED(x),
    if (incx > 1) APART_OF(scal)(n, n, AT(alpha), EACH(OUT, x));
    else if (incx == 1) LONG(scal)(FROM(x), AT(alpha), OUT(x, 1)),
    LOOP(scal)(COUNT, AT(alpha), OUT(x, 1)))

// From many bytes on, past the caches, after the elements before the first whole line
#define IS_FAR (COUNT * (int64_t)sizeof(T) >= CHOICE(copy_far))
TWO_WAYS(CBLAS, copy, copy, void, if (n <= 0) return,
    incx != 1 || incy != 1 || IS_ACROSS(COUNT, y) || IS_SHARED(y) || IS_FAR,
    if (incx == 1 && incy == 1 && IS_FAR) REAL_KERNEL(copy_far_long)(COUNT, -(uintptr_t)y % EXO_LINE / sizeof(T), 1 << 16, IN(x, 1), OUT(y, 1));
    else OTHER_UPDATES(copy, IN, ),
    LOOP(copy)(COUNT, IN(x, 1), OUT(y, 1)))

UPDATE(CBLAS, swap, swap, OUT, ARE_ACROSS, n > 0, )
UPDATE(CBLAS_BY, rot, rotm, OUT, ARE_ACROSS, n > 0, AT(c), AT(s), AT(-s), AT(c), )
