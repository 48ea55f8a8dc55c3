// What the wrappers of this folder are written with. Each file becomes one translation unit for each target and, if it
// does not say the precision itself (CBLAS_AS), for each precision; in front of it stand EXO_TARGET, EXO_LETTER, `T` and
// the kernels that it names. Of complex numbers, in the folder `complex`, EXO_LETTER is c or z and EXO_REAL s or d; else
// both are the same.
//
//   CBLAS(axpy)       defines cblas_saxpy or cblas_daxpy, for this target
//   DECLARE(trmv);    says that CBLAS(trmv) is there, for what is before it and calls it
//   CBLAS_I(amax)     likewise cblas_isamax or cblas_idamax
//   CBLAS_AS(dsdot)   defines cblas_dsdot, in a file that has one precision only
//   CBLAS_OF(asum)    of complex numbers, what gives a real one: defines cblas_scasum or cblas_dzasum
//   CBLAS_BY(scal)    of complex numbers, what takes a real one: defines cblas_csscal or cblas_zdscal
//   KERNEL(axpy)      the kernel saxpy or daxpy; its C signature is that of the scheduled procedure
//   REAL_KERNEL(dot)  the kernel sdot or ddot, in a file for complex numbers, where KERNEL(dot) is cdot or zdot
//   APART             static, and never part of its caller: what the usual case should not save registers for
//   APART_WHOLE       likewise, and the kernels that it calls are parts of it: a jump takes as long as a few numbers
//   RARE(incx != 1)   a condition that usually does not hold
//   SURE(n > 0)       a condition that always holds, for the C compiler to rely on
//   EXO_VECTOR        bytes of a vector
//   EXO_VECTORIZED    1 if kernels are written in vectors, 0 if that is left to the C compiler
//   EXO_LONGER        1 if kernels for long rows have longer vectors than others
//   EXO_LINE          numbers of the machine and of the plan of products; see `numbers` in builder/units.py
//   CHOICE(copy_far)  a number that decides which way a routine goes; see choices.h
//   PARAMETERS(gemv)  the parameters of cblas_sgemv or cblas_dgemv, by builder/routines.py
//   ARGUMENTS(gemv)   their names
//   DEFINE(gemv, ..)  defines CBLAS(gemv) with its parameters, which checks them and does what is said then
//   CHECK(gemv)       calls cblas_xerbla(7, "cblas_sgemv", ..) and returns, if the 7th is wrong; of a call by the Fortran
//                     name, which says so by its layout, xerbla_("SGEMV ", 6) (builder/fortran.py)

#define EXO_PASTE(a, b) a##b
#define EXO_JOIN(a, b) EXO_PASTE(a, b)
#define EXO_HERE(name) EXO_JOIN(name##_, EXO_TARGET)
#define CBLAS_AS(routine) EXO_HERE(cblas_##routine)
#define APART static __attribute__((noinline))
#define APART_WHOLE static __attribute__((noinline, flatten))
#define RARE(condition) __builtin_expect(!!(condition), 0)
#ifdef __GNUC__
#define SURE(condition) ((condition) ? (void)0 : __builtin_unreachable())
#else
#define SURE(condition) ((void)0)
#endif

#ifdef T
// Loads and stores of vectors that are on two cache lines take twice as long: how many elements are before the first whole
// vector of y, and whether it pays to begin with these, in an update of y, and in one of two vectors.
#define BEFORE(y) (-((uintptr_t)(y) / sizeof(T)) % (EXO_VECTOR / sizeof(T)))
#define IS_ACROSS(n, y) ((n) >= CHOICE(vector_aligned) && BEFORE(y) != 0)
#define ARE_ACROSS(n, y) ((int64_t)((n) * sizeof(T)) >= CHOICE(vectors_aligned) && BEFORE(y) != 0)

#define CBLAS(routine) EXO_JOIN(EXO_JOIN(cblas_, EXO_LETTER), EXO_HERE(routine))
#define DECLARE(routine) __typeof__(EXO_JOIN(EXO_JOIN(cblas_, EXO_LETTER), routine)) CBLAS(routine)
#define CBLAS_I(routine) EXO_JOIN(EXO_JOIN(cblas_i, EXO_LETTER), EXO_HERE(routine))
#define CBLAS_OF(routine) EXO_JOIN(EXO_JOIN(cblas_, EXO_OF), EXO_HERE(routine))
#define CBLAS_BY(routine) EXO_JOIN(EXO_JOIN(cblas_, EXO_BY), EXO_HERE(routine))
#define KERNEL(routine) EXO_JOIN(EXO_LETTER, routine)
#define REAL_KERNEL(routine) EXO_JOIN(EXO_REAL, routine)

// Windows on vectors and matrices, to read and to write: elements at distance `inc`, rows at distance `lda`.
#define IN(x, inc) ((struct EXO_IN1){(x), {(inc)}})
#define OUT(x, inc) ((struct EXO_OUT1){(x), {(inc)}})
#define IN2(a, lda, inc) ((struct EXO_IN2){(a), {(lda), (inc)}})
#define OUT2(a, lda, inc) ((struct EXO_OUT2){(a), {(lda), (inc)}})
// A band, whose rows are an element closer than what they are stored in.
#define BAND(a, lda) IN2(a, (int64_t)(lda)-1, 1)
// The same of CBLAS's vectors, which with a negative increment begin at the end.
#define INPUT(x, n, inc) IN(FIRST(x, n, inc), inc)
#define OUTPUT(x, n, inc) OUT(FIRST(x, n, inc), inc)

// What level 3 is made of, from gemm.c: C := alpha A B + beta C, of A and B with elements of a row at distance a1 and b1
// and rows at distance a0 and b0, one of either is 1, and C with rows at distance ldc.
#define PRODUCT EXO_JOIN(EXO_JOIN(exo_, EXO_REAL), EXO_HERE(product))
void PRODUCT(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc);

// Whether a matrix, or a triangle of n rows, is not near the processor. Rows whose distance is nearly a multiple of a way
// of the first cache share a set of its lines: so many more may be near.
#define ALIKE(lda) (((lda) * (int64_t)sizeof(T) + EXO_LINE / 2 - 1) % EXO_WAY < EXO_LINE - 1)
#define FROM_MEMORY(elements, lda) \
    ((elements) * (int64_t)sizeof(T) > (ALIKE(lda) ? CHOICE(matrix_far_alike) : CHOICE(matrix_far)))
#define IS_LARGE_TRIANGLE(n, lda) ((n) > CHOICE(triangle_block) && FROM_MEMORY((int64_t)(n) * (n) / 2, lda))
#endif

#define LEAST(x, y) ((x) < (y) ? (x) : (y))
// Where the first element of a vector is: a negative increment counts from the end.
#define FIRST(x, n, inc) ((inc) < 0 ? (x) - (int64_t)((n) - 1) * (inc) : (x))

__attribute__((visibility("hidden"))) void exo_wrong(CBLAS_LAYOUT layout, CBLAS_INT position, const char *routine,
    const char *what);
#define PARAMETERS(routine) EXO_JOIN(EXO_PARAMETERS_, routine)
#define ARGUMENTS(routine) EXO_JOIN(EXO_ARGUMENTS_, routine)
#define CHECK(routine) EXO_JOIN(EXO_CHECK_, routine) (void)0
#define DEFINE(routine, ...) \
    void CBLAS(routine)(PARAMETERS(routine)) { CHECK(routine); __VA_ARGS__; }
#define EXO_REQUIRE(condition, position, routine, what)  \
    if (!(condition)) {                                  \
        exo_wrong(layout, position, routine, what);      \
        return;                                          \
    }

#define ROW_MAJOR(layout) ((layout) == CblasRowMajor)
// Of the row-major matrix: whether its lower triangle is stored; whether op(A) x is by its rows, not by its columns
#define LOWER(layout, uplo) (ROW_MAJOR(layout) == ((uplo) == CblasLower))
#define BY_ROWS(layout, trans) (ROW_MAJOR(layout) == ((trans) == CblasNoTrans))
#define ORIENTATION LOWER(layout, uplo), BY_ROWS(layout, trans), diag == CblasUnit  // of a triangle times a vector
#define FROM_FORTRAN ((CBLAS_LAYOUT)0x464f52)  // a column-major matrix
#define AT_LEAST_1(n) ((n) > 1 ? (n) : 1)

// A call that leaves out zeros (both/zeros.c), by builder/zeros.py: its arguments, 0 where it has none. A vector's step is
// its increment, a matrix's the distance of rows or columns, 0 if they are packed; who reads one only has it twice. If A is
// a triangle, it may be a band, or its inverse; of updates, a factor may be conjugated, and there may be two.
typedef struct { const void *at; int64_t step; } exo_array;
typedef struct {
    int layout, uplo, trans, diag, side, band, solved, conj, two;
    int64_t m, n, k;
    const void *alpha, *beta;  // pairs, of real numbers, too
    exo_array read[2], written;
} exo_call;
