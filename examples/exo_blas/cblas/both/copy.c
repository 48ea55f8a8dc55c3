// y := x
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "../level1.h"

// From many bytes on, past the caches, after the elements before the first whole line
#define IS_FAR (COUNT * (int64_t)sizeof(T) >= CHOICE(copy_far))
TWO_WAYS(CBLAS, copy, copy, void, if (n <= 0) return,
    incx != 1 || incy != 1 || IS_ACROSS(COUNT, y) || IS_SHARED || IS_FAR,
    if (incx == 1 && incy == 1 && IS_FAR) REAL_KERNEL(copy_far_long)(COUNT, -(uintptr_t)y % EXO_LINE / sizeof(T), 1 << 16, IN(x, 1), OUT(y, 1));
    else OTHER_UPDATES(copy, IN, ),
    LOOP(copy)(COUNT, IN(x, 1), OUT(y, 1)))
