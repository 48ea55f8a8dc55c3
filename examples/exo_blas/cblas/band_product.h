// Products with a band, in up to four parts: rows with the first column, with all columns, with neither the first nor the
// last one, and with the last one.

// y += alpha A x, or alpha A^T x if not `dots`: of m rows from the same column on as the matrix begins; w in the first.
static inline void exo_left(int dots, int64_t m, int64_t w, const T *alpha, struct EXO_IN2 a, const T *x, T *y) {
    if (dots) KERNEL(left_n)(m, w, alpha, a, IN(x, 1), OUT(y, 1));
    else KERNEL(left_trans)(m, w, alpha, a, IN(x, 1), OUT(y, 1));
}

// The same of rows that each begin a column later and have w elements.
static inline void exo_band(int dots, int64_t m, int64_t w, const T *alpha, struct EXO_IN2 a, const T *x, T *y) {
    if (dots) BY_WIDTH(w, KERNEL(band_n), KERNEL(band_n_narrow))(m, w, alpha, a, IN(x, 1), OUT(y, 1));
    else BY_WIDTH(w, KERNEL(band_trans), KERNEL(band_trans_narrow))(m, w, alpha, a, IN(x, 1), OUT(y, 1));
}

// The same of rows that each begin a column later and end with the last column; w elements in the last.
static inline void exo_right(int dots, int64_t m, int64_t w, const T *alpha, struct EXO_IN2 a, const T *x, T *y) {
    if (dots) KERNEL(right_n)(m, w, alpha, a, IN(x, 1), OUT(y, 1));
    else KERNEL(right_trans)(m, w, alpha, a, IN(x, 1), OUT(y, 1));
}

// The same of rows that have all n columns.
static inline void exo_rectangle(int dots, int64_t m, int64_t n, const T *alpha, struct EXO_IN2 a, const T *x, T *y) {
    if (dots) KERNEL(gemv_n)(m, n, alpha, a, IN(x, 1), OUT(y, 1));
    else KERNEL(gemv_trans)(m, n, alpha, a, IN(x, 1), OUT(y, 1));
}

// y += alpha A x, or alpha A^T x, of a band with kl diagonals below and ku above that of (0, 0).
static inline void exo_band_product(int dots, int64_t m, int64_t n, int64_t kl, int64_t ku, T alpha, const T *a,
    int64_t slant, const T *x, T *y) {
    int64_t rows = FEWER(m, n + kl);                     // with any element
    int64_t begin = FEWER(kl, rows);                     // with the first column
    int64_t whole = MORE(0, FEWER(n - ku, rows));        // before they lack columns at the end
    int64_t last = MORE(begin, whole);                   // from here on they end with the last column, and not all have the first
    int64_t column = last - kl;
#define AT(i, j) &alpha, IN2(a + (i) * slant + (j), slant, 1), x + (dots ? (j) : (i)), y + (dots ? (i) : (j))
    if (FEWER(begin, whole)) exo_left(dots, FEWER(begin, whole), ku + 1, AT(0, 0));
    if (begin < whole) exo_band(dots, whole - begin, kl + ku + 1, AT(begin, 0));
    if (begin > whole) exo_rectangle(dots, begin - whole, n, AT(whole, 0));
    if (last < rows) exo_right(dots, rows - last, n - column - (rows - last) + 1, AT(last, column));
#undef AT
}
