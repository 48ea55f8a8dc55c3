// y := x
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "../level1.h"

// From many bytes on, past the caches, after the elements before the first whole line; else from some on as a move
#define IS_AS_LONG(choice) (COUNT * (int64_t)sizeof(T) >= CHOICE(choice))
#define NEIGHBOURS (incx == 1 && incy == 1)
TWO_WAYS(CBLAS, copy, copy, void, if (n <= 0) return,
    !NEIGHBOURS || IS_ACROSS(COUNT, y) || IS_SHARED || IS_AS_LONG(copy_far) || IS_AS_LONG(copy_moved),
    if (NEIGHBOURS && IS_AS_LONG(copy_far))
        REAL_KERNEL(copy_far_long)(COUNT, -(uintptr_t)y % EXO_LINE / sizeof(T), 1 << 16, IN(x, 1), OUT(y, 1));
    else if (NEIGHBOURS && IS_AS_LONG(copy_moved) && !IS_SHARED) REAL_KERNEL(copy_moved)(COUNT, IN(x, 1), OUT(y, 1));
    else OTHER_UPDATES(copy, IN, ),
    LOOP(copy)(COUNT, IN(x, 1), OUT(y, 1)))
