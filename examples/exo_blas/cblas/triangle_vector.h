// What products and systems of a triangle and a vector have in common, dense, packed or banded.

// Calls by_ut, by_ut_unit, .. or by_ln_unit: of an upper or lower triangle, whose rows are added up or, with x, are dot
// products, and whose diagonal is stored or `unit`.
#define BY_TRIANGLE(lower, dots, unit, ...)           \
    switch (4 * (lower) + 2 * (dots) + (unit)) {      \
        case 0: by_ut(__VA_ARGS__); return;           \
        case 1: by_ut_unit(__VA_ARGS__); return;      \
        case 2: by_un(__VA_ARGS__); return;           \
        case 3: by_un_unit(__VA_ARGS__); return;      \
        case 4: by_lt(__VA_ARGS__); return;           \
        case 5: by_lt_unit(__VA_ARGS__); return;      \
        case 6: by_ln(__VA_ARGS__); return;           \
        case 7: by_ln_unit(__VA_ARGS__); return;      \
    }
