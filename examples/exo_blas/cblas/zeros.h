// Zeros as the reference has them (EXO_BLAS_ZEROS=skip): it leaves out products with some zeros, so that what is infinite
// or no number beside them doesn't show. A result is computed as ever; if something in it is no number, it is computed
// again, element by element, from a copy of what was there before. Who includes this defines N, the numbers, with times(),
// over(), conj_of() and real_of(). The calls, and what `kind` is, come from builder/zeros.py.
//
// All is seen as column-major: a row-major matrix is the transposed one.
#define ZEROS(name) EXO_JOIN(exo_##name##_, EXO_LETTER)

// A matrix: element (i, j) is there if i - j is from `first` to `last`.
typedef struct { N *at; int64_t rows, columns, row, column, first, last; int packed; } Matrix;

typedef struct {
    char kind;  // of a triangle: a 'p'roduct or a 's'olution; a 'u'pdate
    int left, turned, conj, unit, two, hermitian;
    N alpha, beta;
    Matrix out, a, b;  // a triangle; or factors, `out` += alpha A B^T, and alpha B A^T if there are two
    int conj_a, conj_b;
    N *old;
} Job;

static inline N *place(const Matrix *m, int64_t i, int64_t j) {
    if (!m->packed) return m->at + i * m->row + j * m->column;
    return m->at + i + (m->last == 0 ? j * (j + 1) : j * (2 * m->rows - j - 1)) / 2;
}
static inline int has(const Matrix *m, int64_t i, int64_t j) { return m->first <= i - j && i - j <= m->last; }
static inline N value(const Matrix *m, int64_t i, int64_t j, int conj) {
    return conj ? conj_of(*place(m, i, j)) : *place(m, i, j);
}
static inline N number_at(const void *z, int is_real) { return !z ? 1 : is_real ? *(const T *)z : *(const N *)z; }

static Matrix general(const void *at, int64_t rows, int64_t columns, int64_t ld) {
    return (Matrix){(N *)at, rows, columns, 1, ld, -columns, rows, 0};
}
static Matrix vector(const void *at, int64_t n, int64_t inc) {
    return (Matrix){FIRST((N *)at, n, inc), n, 1, inc, 0, -1, n, 0};
}
static Matrix triangle(const exo_call *c, const void *at, int64_t n, int64_t ld, int band) {
    const int upper = (c->uplo == CblasUpper) != (c->layout == CblasRowMajor);
    const int64_t width = band ? c->k : n;
    return (Matrix){(N *)at + (band && upper ? width : 0), n, n, 1, ld - band, upper ? -width : 0, upper ? 0 : width, !!c->ap};
}

// What a call is about; a kind of 0 if the reference leaves nothing out.
static Job job_of(char kind, const exo_call *c) {
    const int rows = c->layout == CblasRowMajor, of_x = !!c->x, sided = !!c->side;
    const int turned = c->trans && (c->trans != CblasNoTrans) != (rows && !sided);
    Job job = {.kind = kind, .turned = turned, .conj = c->trans == CblasConjTrans, .unit = c->diag == CblasUnit};
    job.alpha = number_at(c->alpha, c->real_alpha), job.beta = number_at(c->beta, c->real_beta);
    const void *const matrix = c->ap ? c->ap : c->a;
    if (job.alpha == 0) return (Job){0};
    if (kind == 'p' || kind == 's') {
        job.left = !sided || (c->side == CblasLeft) != rows;
        job.out = of_x ? vector(c->x, c->n, c->incx) : general(c->b, rows ? c->n : c->m, rows ? c->m : c->n, c->ldb);
        job.a = triangle(c, matrix, job.left ? job.out.rows : job.out.columns, c->lda, c->band);
        if (job.left && turned) job.kind = 0;
        return job;
    }
    job.kind = turned ? 0 : 'u', job.hermitian = kind == 'h', job.two = c->uplo && (c->y || c->b);
    if (of_x) {
        job.out = c->uplo ? triangle(c, matrix, c->n, c->lda, 0) : general(c->a, rows ? c->n : c->m, rows ? c->m : c->n, c->lda);
        job.a = vector(c->x, c->uplo ? c->n : c->m, c->incx);
        job.b = c->y ? vector(c->y, c->n, c->incy) : job.a;
    } else {
        job.out = triangle(c, c->c, c->n, c->ldc, 0);
        job.a = general(c->a, c->n, c->k, c->lda);
        job.b = c->b ? general(c->b, c->n, c->k, c->ldb) : job.a;
    }
    job.conj_a = of_x && c->uplo && job.hermitian && rows, job.conj_b = (job.hermitian || kind == 'c') && !job.conj_a;
    if (!c->uplo && rows) {  // y x^T, or of a conjugated y
        const Matrix first = job.a;
        job.a = job.b, job.b = first, job.conj_a = job.conj_b, job.conj_b = 0;
    }
    if (job.hermitian && rows) job.alpha = conj_of(job.alpha);
    return job;
}

static N product(const Job *job, int64_t i, int64_t j) {
    const int64_t m = job->out.rows, end = job->left ? m : job->out.columns;
    N sum = 0;
    for (int64_t p = 0; p < end; p++) {
        const int64_t row = job->left ? i : job->turned ? j : p, column = job->left ? p : job->turned ? p : j;
        const N old = job->old[job->left ? p + j * m : i + p * m];
        if (!has(&job->a, row, column) || (job->left && old == 0)) continue;
        const N a = row == column && job->unit ? 1 : value(&job->a, row, column, job->conj);
        if (!job->left && row != column && a == 0) continue;
        sum += job->left ? times(times(job->alpha, old), a) : times(times(job->alpha, a), old);
    }
    return sum;
}

static N solution(const Job *job, int64_t i, int64_t j) {
    const int64_t end = job->left ? job->out.rows : job->out.columns, own = job->left ? i : j;
    N *const own_old = &job->old[i + j * job->out.rows];
    N sum = times(job->alpha, *own_old);
    for (int64_t p = 0; p < end; p++) {
        const int64_t row = job->left ? i : job->turned ? j : p, column = job->left ? p : job->turned ? p : j;
        if (p == own || !has(&job->a, row, column)) continue;
        const N a = value(&job->a, row, column, job->conj);
        const N x = *place(&job->out, job->left ? p : i, job->left ? j : p);
        if ((job->left ? job->old[p + j * job->out.rows] : a) != 0) sum -= times(a, x);
    }
    *own_old = sum;  // whether it counts as a zero is asked before the division
    if (job->unit || (job->left && sum == 0)) return sum;
    const N d = value(&job->a, own, own, job->conj);
    return job->left ? over(sum, d) : times(over(1, d), sum);
}

static N update(const Job *job, int64_t i, int64_t j) {
    N sum = job->beta == 0 ? 0 : times(job->beta, job->old[i + j * job->out.rows]);
    for (int64_t l = 0; l < job->a.columns; l++) {
        const N first = value(&job->b, j, l, job->conj_b), second = value(&job->a, j, l, job->conj_b);
        if (first == 0 && (!job->two || second == 0)) continue;
        sum += times(times(job->alpha, first), value(&job->a, i, l, job->conj_a));
        if (!job->two) continue;
        const N alpha = job->hermitian ? conj_of(job->alpha) : job->alpha;
        sum += times(times(alpha, second), value(&job->b, i, l, job->conj_a));
    }
    return job->hermitian && i == j ? real_of(sum) : sum;
}

static void again(const Job *job) {
    const Matrix *const out = &job->out;
    // in which order solutions are known: of a triangle that is upper, from the last row back, or from the first column on
    const int upper = job->kind == 's' && job->a.last == 0, back = job->left ? upper : job->kind == 's' && upper == job->turned;
    for (int64_t q = 0; q < out->columns; q++)
        for (int64_t r = 0; r < out->rows; r++) {
            const int64_t j = back && !job->left ? out->columns - 1 - q : q, i = back && job->left ? out->rows - 1 - r : r;
            if (has(out, i, j))
                *place(out, i, j) = (job->kind == 'p' ? product : job->kind == 's' ? solution : update)(job, i, j);
        }
}

// Before a call: a copy of what it changes, or NULL
void *ZEROS(before)(char kind, const exo_call *c) {
    const Job job = job_of(kind, c);
    const Matrix *const out = &job.out;
    if (!job.kind || out->rows <= 0 || out->columns <= 0) return NULL;
    N *const old = malloc(out->rows * out->columns * sizeof(N));
    if (!old) cblas_xerbla(0, "EXO_BLAS_ZEROS", "%s\n", "no memory for a copy: zeros are not left out");
    for (int64_t j = 0; old && j < out->columns; j++)
        for (int64_t i = 0; i < out->rows; i++) old[i + j * out->rows] = has(out, i, j) ? *place(out, i, j) : 0;
    return old;
}

// After it
void ZEROS(after)(char kind, const exo_call *c, void *old) {
    Job job = job_of(kind, c);
    job.old = old;
    int wrong = 0;
    for (int64_t j = 0; old && j < job.out.columns && !wrong; j++)
        for (int64_t i = 0; i < job.out.rows; i++)
            if (has(&job.out, i, j)) wrong |= *place(&job.out, i, j) != *place(&job.out, i, j);
    if (wrong) again(&job);
    free(old);
}
