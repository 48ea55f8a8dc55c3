// Zeros as the reference has them (EXO_BLAS_ZEROS=skip): before a call, a copy of what it writes is kept; after it, what is
// no number is looked for, and then all is computed again (programs/zeros.py). The calls come from builder/zeros.py.
//
// All is seen as column-major: a row-major matrix is the transposed one.
#define ZEROS(name) EXO_JOIN(exo_##name##_, EXO_LETTER)

// Column j begins at j column + j (j - 1) / 2 more numbers; element (i, j) is there if i - j is from `first` to `last`.
typedef struct {
    T *at;
    int64_t column, more, row, rows, columns, first, last;
} Matrix;
#define WINDOW(m) {(m).at, {REALS * (m).column, REALS * (m).more, REALS * (m).row, 1}}
#define READ(m) ((struct EXO_IN4)WINDOW(m))
#define WRITTEN(m) ((struct EXO_OUT4)WINDOW(m))

static Matrix whole(const exo_array *a, int64_t rows, int64_t columns) {
    return (Matrix){(T *)a->at, a->step, 0, 1, rows, columns, -columns, rows};
}

static Matrix vector(const exo_array *x, int64_t n) {
    return (Matrix){(T *)x->at - (x->step < 0 ? REALS * (n - 1) * x->step : 0), 0, 0, x->step, n, 1, -1, n};
}

static Matrix factor(const exo_call *c, const exo_array *a, int64_t n) {
    return c->trans ? whole(a, n, c->k) : vector(a, n);
}

static Matrix triangle(const exo_call *c, const exo_array *a, int64_t n) {
    const int upper = (c->uplo == CblasUpper) != ROW_MAJOR(c->layout), packed = !a->step;
    const int64_t width = c->band ? c->k : n, step = packed ? (upper ? 1 : n - 1) : a->step - c->band;
    T *const at = (T *)a->at + (c->band && upper ? REALS * width : 0);
    return (Matrix){at, step, packed ? (upper ? 1 : -1) : 0, 1, n, n, upper ? -width : 0, upper ? 0 : width};
}

static Matrix written(const exo_call *c) {
    const int rows = ROW_MAJOR(c->layout);
    if (c->diag ? c->side : !c->uplo) return whole(&c->written, rows ? c->n : c->m, rows ? c->m : c->n);
    return c->diag ? vector(&c->written, c->n) : triangle(c, &c->written, c->n);
}

static int is_left(const exo_call *c) { return !c->side || (c->side == CblasLeft) != ROW_MAJOR(c->layout); }

static int is_turned(const exo_call *c) {
    return c->trans && (c->trans != CblasNoTrans) != (ROW_MAJOR(c->layout) && !c->side);
}

// NULL if the reference leaves nothing out
void *ZEROS(before)(const exo_call *c) {
    const Matrix x = written(c);
    const T *const alpha = c->alpha;
    const int is_0 = alpha[0] == 0 && alpha[REALS - 1] == 0, is_empty = c->trans && !c->diag && c->k == 0;
    if (x.rows == 0 || x.columns == 0 || is_0 || is_empty || (is_left(c) && is_turned(c))) return NULL;
    T *const old = malloc(x.rows * x.columns * REALS * sizeof(T));
    if (old) KERNEL(zeros_copy)(x.rows, x.columns, x.first, x.last, READ(x), old);
    else cblas_xerbla(0, "EXO_BLAS_ZEROS", "%s\n", "no memory for a copy: zeros are not left out");
    return old;
}

// With what `before` gave
void ZEROS(after)(const exo_call *c, void *old) {
    const Matrix x = written(c);
    const int rows = ROW_MAJOR(c->layout), left = is_left(c), swapped = rows && !c->uplo;
    if (old && c->diag) {
        const int64_t n = left ? x.rows : x.columns;
        Matrix a = triangle(c, c->read, n);
        if (is_turned(c)) a = (Matrix){a.at, a.row, 0, a.column, n, n, -a.last, -a.first};
        KERNEL(zeros_triangle)(c->solved, left, !c->side, is_turned(c), c->diag == CblasUnit, c->trans == CblasConjTrans,
            x.rows, x.columns, n, a.first, a.last, IN(c->alpha, 1), READ(a), old, WRITTEN(x));
    } else if (old) {
        const Matrix a = factor(c, &c->read[swapped], x.rows), b = factor(c, &c->read[!swapped], x.columns);
        const int hermitian = c->conj && c->uplo, conj_a = c->conj && !c->trans && rows;
        KERNEL(zeros_update)(c->two, hermitian, hermitian && rows, conj_a, c->conj && !conj_a, x.rows, x.columns,
            a.columns, x.first, x.last, IN(c->alpha, 1), IN(c->beta, 1), READ(a), READ(b), old, WRITTEN(x));
    }
    free(old);
}
