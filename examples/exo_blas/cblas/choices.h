// Numbers that decide which way a routine goes. A result is right whichever they are; how fast it is depends on the
// processor. A line has the name; what a model says without a profile (profile.h), of the bytes L2 of the second cache
// and of WIDE, whether vectors have 512 bits; the least and the most that it may be. Models without L2 are what was best on the
// processors that were measured: `exo-blas tune` measures on yours.
#define EXO_ANY ((int64_t)1 << 60)
#define EXO_CHOICES(CHOICE)                                                                                         \
    /* Level 1: elements from which on a vector begins with those before its first whole line, bytes of two vectors */ \
    CHOICE(vector_aligned, 192, 32, EXO_ANY)                                                                        \
    CHOICE(vectors_aligned, 768, 256, EXO_ANY)                                                                      \
    CHOICE(vector_wide, 768, 64, EXO_ANY)               /* bytes of one from which on vectors of 512 bits pay */    \
    CHOICE(vector_shared, 1 << 20, 1 << 16, EXO_ANY)    /* bytes of a vector that threads share */                  \
    CHOICE(copy_moved, 24 << 10, 1 << 10, EXO_ANY)      /* bytes of a copy that the C library moves .. */           \
    CHOICE(copy_far, 10 << 20, 1 << 19, EXO_ANY)        /* .. and of one that passes the caches */                  \
    /* Level 2: bytes of a matrix that comes from memory, and of one whose rows share few lines of the first cache */ \
    CHOICE(matrix_far, L2, 1 << 10, EXO_ANY)                                                                        \
    CHOICE(matrix_far_alike, 12 * L2, 1 << 10, EXO_ANY)                                                             \
    CHOICE(gemv_shared, 1 << 18, 1 << 12, EXO_ANY)      /* elements of a matrix that threads share */               \
    CHOICE(gemv_long, 6144, 512, EXO_ANY)               /* bytes of a row that is taken in parts .. */              \
    CHOICE(gemv_part, 3072, 256, EXO_ANY)               /* .. of so many bytes */                                   \
    CHOICE(gemv_near, 40 << 10, 0, EXO_ANY)             /* bytes of a matrix that are taken by panels .. */         \
    CHOICE(gemv_panel, 48, 8, EXO_ANY)                  /* .. of so many rows */                                    \
    CHOICE(ger_wide, 24, 1, EXO_ANY)                    /* columns, by rows that begin alike, not taken by panels */ \
    CHOICE(ger_ordered, 2 << 20, 0, EXO_ANY)            /* bytes of a matrix whose rows are taken one by one, .. */ \
    CHOICE(ger_ordered_apart, 12 << 20, 0, EXO_ANY)     /* .. of rows that don't all begin alike, .. */             \
    CHOICE(ger_far, 40 << 20, 0, EXO_ANY)               /* .. and of one whose rows are not */                      \
    CHOICE(triangle_block, 96, 8, EXO_ANY)              /* rows of a triangle from memory that are taken together */ \
    CHOICE(matrix_wide, 256, 0, EXO_ANY)                /* bytes of a row of complex numbers that is long */        \
    CHOICE(complex_together, 32, 1, EXO_ANY)            /* columns for which rows of complex numbers are taken together */ \
    /* Level 3 */                                                                                                   \
    CHOICE(complex_near, L2 / 4, 0, EXO_ANY)            /* bytes of a complex B that is read as it is, not copied */ \
    CHOICE(gemm_shared, 1 << 21, 1 << 12, EXO_ANY)      /* multiplications that threads share */                    \
    CHOICE(gemm_tiny, 16, 0, 1 << 10)                   /* multiplications made one by one, of a transposed B twice */ \
    CHOICE(gemm_shallow, 16, 1, 512)                    /* products of an element for which C is what takes time */ \
    CHOICE(gemm_near, L2 / 8, 0, EXO_ANY)               /* bytes of B that needs no copy: it stays in the second cache */ \
    CHOICE(gemm_cached, L2 / 2, 1 << 14, EXO_ANY)       /* bytes of B that stay there while rows pass over them */  \
    CHOICE(gemm_passed, 64, 8, 1 << 12)                 /* columns that are passed over together, or a multiple */  \
    CHOICE(gemm_slim, 64, 0, 256)                       /* rows or columns that are taken the transposed way, or turned */ \
    CHOICE(gemm_dots, 256, 32, EXO_ANY)                 /* products of an element for which sums along vectors pay */ \
    CHOICE(gemm_dots_turned, 16, 0, 256)                /* rows of A that are turned for such sums */               \
    CHOICE(gemm_few_bytes, 16, 0, 256)                  /* of a row of C, for which a vector is too long */         \
    CHOICE(gemm_few_products, 64, 0, EXO_ANY)           /* of an element, for which a transposed A is read as it is */ \
    CHOICE(gemm_far, 2 << 20, 0, EXO_ANY)               /* bytes of a transposed A that is turned for few columns, too */ \
    CHOICE(gemm_many_columns, WIDE ? 256 : 192, 0, EXO_ANY)  /* for which a transposed A is turned */               \
    CHOICE(gemm_few_rows, 48, 0, EXO_ANY)               /* for which to pack B doesn't pay, .. */                   \
    CHOICE(gemm_few_rows_short, WIDE ? 320 : 48, 0, EXO_ANY)  /* .. if its rows are shorter than a page */          \
    CHOICE(gemm_ahead, WIDE ? EXO_ANY : 64, 8, EXO_ANY)  /* rows of B that are read at a time, .. */                \
    CHOICE(gemm_ahead_narrow, 64, 8, EXO_ANY)           /* .. for a C whose last vector is half empty, .. */        \
    CHOICE(gemm_reach, WIDE ? EXO_ANY : 128, 0, EXO_ANY)  /* .. and those that a tile may go down in the first cache */ \
    CHOICE(gemm_large, WIDE ? 4 << 20 : 8 << 20, 0, EXO_ANY)  /* bytes of C whose rows are passed over as a whole */ \
    CHOICE(triangle_turned, WIDE ? 512 : 170, 8, EXO_ANY)  /* elements of a row of a transposed A that is turned */ \
    CHOICE(triangle_near, L2 / 3072, 8, EXO_ANY)        /* rows of a triangle for which B needs no copy */

#define EXO_FIELD(name, model, least, most) int64_t name;
struct exo_choices { EXO_CHOICES(EXO_FIELD) };
extern __attribute__((visibility("hidden"))) struct exo_choices exo_choices;
#define CHOICE(name) exo_choices.name
#define ELEMENTS(name) (CHOICE(name) / (int64_t)sizeof(T))
#define LANES (EXO_WIDTH / (int64_t)sizeof(T))  // elements of a vector of level 2
