// A := alpha x y^T + A
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

#define LANES (32 / (int64_t)sizeof(T))    // elements of a vector
#define FEW 512                            // elements that have room on the stack
// The function for up to so many columns as there are registers for; with those that make no vector; and for any number
#define FEW_COLUMNS(n) ((n) % LANES == 0 ? narrow : (n) < LANES ? one_by_one : ragged)
#define BY_WIDTH(n) ((n) < 11 * LANES ? FEW_COLUMNS(n) : update)

APART void one_by_one(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    KERNEL(ger_row)(m, n, &alpha, IN(x, incx), IN(y, 1), OUT2(a, lda, 1));
}

APART void together(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    KERNEL(ger)(m, n, &alpha, IN(x, incx), IN(y, 1), OUT2(a, lda, 1));
}

APART void narrow(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    KERNEL(ger_skinny)(m, n, &alpha, IN(x, incx), IN(y, 1), OUT2(a, lda, 1));
}

APART void ragged(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    KERNEL(ger_ragged)(m, n, &alpha, IN(x, incx), IN(y, 1), OUT2(a, lda, 1));
}

// Some rows at a time, as many columns as there are registers for.
static void by_columns(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    for (int64_t rows; m > 0; m -= rows, x += rows * incx, a += rows * lda) {
        rows = m < CHOICE(ger_panel) ? m : CHOICE(ger_panel);  // so many stay in the first cache
        for (int64_t width, j = 0; j < n; j += width) {
            width = n - j < 11 * LANES ? n - j : 10 * LANES;
            FEW_COLUMNS(width)(rows, width, alpha, x, incx, y + j, a + j, lda);
        }
    }
}

// Each row from its first whole vector on.
static void in_order(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    for (int64_t i = 0; i < m; i++, x += incx, a += lda) {
        int64_t head = BEFORE(a);
        if (head) one_by_one(1, head, alpha, x, incx, y, a, lda);
        one_by_one(1, n - head, alpha, x, incx, y + head, a + head, lda);
    }
}

// Stores are faster if no vector is on two cache lines. Rows at a distance of `step` begin at the same place of a vector;
// as many columns are before the first whole one in each. Rows of few columns are not worth it; of a matrix in the last
// cache, rows are faster one after the other.
APART void update(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    int64_t step = LANES, bytes = m * n * (int64_t)sizeof(T);
    while (step > 1 && lda * (step / 2) % LANES == 0) step /= 2;
    const int64_t ordered = step == 1 ? CHOICE(ger_ordered) : CHOICE(ger_ordered_apart);
    if (n / step < CHOICE(ger_wide)) by_columns(m, n, alpha, x, incx, y, a, lda);
    else if (m < 4 * step) one_by_one(m, n, alpha, x, incx, y, a, lda);
    else if (bytes >= ordered && bytes < CHOICE(ger_far)) in_order(m, n, alpha, x, incx, y, a, lda);
    else for (int64_t i = 0; i < step; i++, x += incx, a += lda) {
        int64_t rows = (m - i + step - 1) / step, head = BEFORE(a);
        if (head) one_by_one(rows, head, alpha, x, step * incx, y, a, step * lda);
        together(rows, n - head, alpha, x, step * incx, y + head, a + head, step * lda);
    }
}

APART void copied(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, int64_t incy, T *a, int64_t lda) {
    T few[FEW], *const u = n > FEW ? malloc(n * sizeof(T)) : few;
    if (!u) {
        cblas_xerbla(0, "cblas_ger", "%s\n", "no memory");
        return;
    }
    for (int64_t j = 0; j < n; j++) u[j] = y[j * incy];
    BY_WIDTH(n)(m, n, alpha, x, incx, u, a, lda);
    if (u != few) free(u);
}

void CBLAS(ger)(PARAMETERS(ger)) {
    CHECK(ger);
    if (m == 0 || n == 0 || alpha == 0) return;
    x = FIRST(x, m, incx);
    y = FIRST(y, n, incy);
    if (!ROW_MAJOR(layout)) {  // the transpose: y x^T
        const T *first = x;
        CBLAS_INT rows = m, inc = incx;
        x = y, m = n, incx = incy;
        y = first, n = rows, incy = inc;
    }
    if (RARE(incy != 1)) copied(m, n, alpha, x, incx, y, incy, a, lda);
    else BY_WIDTH(n)(m, n, alpha, x, incx, y, a, lda);
}
