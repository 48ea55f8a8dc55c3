// Bands, row-major: element (i, j) is at a[i lda + j - i + kl], so at a[i slant + j] if a is where (0, 0) would be and
// slant = lda - 1. A row has the columns i - kl to i + ku, and where these are beyond the matrix, fewer.

#define WIDE 8  // what kernels for wide bands say that a row has at least

#define FEWER(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))

// The kernel for the width of a band.
#define BY_WIDTH(w, wide, narrow) ((w) < WIDE ? narrow : wide)
