// The checks in one precision; check.c includes this file for each.
#define IN(name) JOIN(LETTER, name)
#define B(name) JOIN(JOIN(cblas_, LETTER), name)

// Memory of a matrix or a vector: as it was, as it is, and the elements that may have changed.
typedef struct {
    T was[ROOM], is[ROOM];
    char may[ROOM];
} IN(Memory);

static IN(Memory) IN(A), IN(X), IN(Y);

static void IN(fresh)(IN(Memory) * a) {
    for (int i = 0; i < ROOM; i++) a->was[i] = a->is[i] = (T)number();
    memset(a->may, 0, ROOM);
}

// Whether what may change is near what is wanted, as far as rounding goes, and all else is as it was.
static void IN(near)(const char *routine, double found, double wanted, double size) {
    if (!(fabs(found - wanted) <= 8 * EPSILON * (1 + size))) wrong(routine, found, wanted);
}
static void IN(kept)(const char *routine, const IN(Memory) * a) {
    for (int i = 0; i < ROOM; i++)
        if (!a->may[i] && memcmp(&a->is[i], &a->was[i], sizeof(T))) wrong(routine, (double)a->is[i], (double)a->was[i]);
}

// Elements of a vector with an increment: where the first one is, and where each one.
static T *IN(start)(IN(Memory) * x) { return x->is + 7; }
static long IN(place)(int n, int inc, int i) { return 7 + (inc < 0 ? (long)(i - n + 1) * inc : (long)i * inc); }
static int IN(step)(void) {
    const int steps[] = {1, 1, -1, 2, -3, 5};
    return steps[below(6)];
}
static void IN(column)(const IN(Memory) * x, int n, int inc, Full *to) {
    to->m = n, to->n = 1;
    for (int i = 0; i < n; i++) to->at[i][0] = (double)x->was[IN(place)(n, inc, i)];
}

// y is `wanted` now, and nothing else changed
static void IN(compare)(const char *routine, IN(Memory) * y, int n, int inc, const Full *wanted, double size) {
    for (int i = 0; i < n; i++) {
        const long e = IN(place)(n, inc, i);
        IN(near)(routine, (double)y->is[e], wanted->at[i][0], size), y->may[e] = 1;
    }
    IN(kept)(routine, y), calls++;
}

static void IN(level1)(void) {
    static Full x, y;
    IN(Memory) *const p = &IN(X), *const q = &IN(Y);
    const int n = below(MOST), incx = IN(step)(), incy = IN(step)();
    const T alpha = (T)number(), c = (T)0.6, s = (T)0.8;
    double dot = 0, sum = 0, squares = 0, most = -1;
    int first = 0;
#define BEGIN IN(fresh)(p), IN(fresh)(q), IN(column)(p, n, incx, &x), IN(column)(q, n, incy, &y)
    BEGIN;
    const int positive = abs(incx);
    for (int i = 0; i < n; i++) {
        const double each = (double)p->was[IN(place)(n, positive, i)];
        dot += x.at[i][0] * y.at[i][0], sum += fabs(each), squares += each * each;
        if (fabs(each) > most) most = fabs(each), first = i;
    }
    IN(near)("dot", (double)B(dot)(n, IN(start)(p), incx, IN(start)(q), incy), dot, n);
    IN(near)("asum", (double)B(asum)(n, IN(start)(p), positive), sum, n * sum);
    IN(near)("nrm2", (double)B(nrm2)(n, IN(start)(p), positive), sqrt(squares), n);
    const CBLAS_INDEX found = JOIN(JOIN(cblas_i, LETTER), amax)(n, IN(start)(p), positive);
    if (n && (int)found != first) wrong("iamax", (double)found, first);
    IN(kept)("dot", p), IN(kept)("dot", q);
    B(axpy)(n, alpha, IN(start)(p), incx, IN(start)(q), incy);
    for (int i = 0; i < n; i++) y.at[i][0] += (double)alpha * x.at[i][0];
    IN(compare)("axpy", q, n, incy, &y, 1), IN(kept)("axpy", p);
    BEGIN;
    B(copy)(n, IN(start)(p), incx, IN(start)(q), incy);
    IN(compare)("copy", q, n, incy, &x, 0), IN(kept)("copy", p);
    BEGIN;
    B(swap)(n, IN(start)(p), incx, IN(start)(q), incy);
    IN(compare)("swap", q, n, incy, &x, 0), IN(compare)("swap", p, n, incx, &y, 0);
    BEGIN;
    B(scal)(n, alpha, IN(start)(p), positive), IN(column)(p, n, positive, &x);
    for (int i = 0; i < n; i++) x.at[i][0] *= (double)alpha;
    IN(compare)("scal", p, n, positive, &x, 1);
    for (int kind = 0; kind < 2; kind++) {  // the same rotation, given in two ways
        BEGIN;
        const T h[5] = {-1, c, -s, s, c};
        if (kind) B(rotm)(n, IN(start)(p), incx, IN(start)(q), incy, h);
        else B(rot)(n, IN(start)(p), incx, IN(start)(q), incy, c, s);
        for (int i = 0; i < n; i++) {
            const double u = x.at[i][0], v = y.at[i][0];
            x.at[i][0] = (double)c * u + (double)s * v, y.at[i][0] = (double)c * v - (double)s * u;
        }
        IN(compare)("rot", p, n, incx, &x, 2), IN(compare)("rot", q, n, incy, &y, 2);
    }
    T a = (T)number(), b = (T)number(), cos = 0, sin = 0;
    const double u = (double)a, v = (double)b;
    B(rotg)(&a, &b, &cos, &sin);
    IN(near)("rotg", (double)cos * u + (double)sin * v, (double)a, 4);
    IN(near)("rotg", (double)cos * v - (double)sin * u, 0, 4);
    T d1 = (T)(number() + 1.5), d2 = (T)(number() + 1.5), x1 = (T)(number() + 1.5), y1 = (T)number(), h[5] = {0};
    const double x0 = (double)x1, y0 = (double)y1;
    B(rotmg)(&d1, &d2, &x1, y1, h);
    const double h21 = h[0] == 1 ? -1 : (double)h[2], h22 = h[0] == 0 || h[0] == -2 ? 1 : (double)h[4];
    IN(near)("rotmg", (h[0] == -2 ? 0 : h21) * x0 + h22 * y0, 0, 8);
}

static void IN(meant)(const Shape * s, const T *a, Full *to) {
    to->m = s->m, to->n = s->n;
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++) {
            const int there = stored(s, i, j), mirrored = s->kind == SYMMETRIC && stored(s, j, i);
            const double value = there ? (double)a[at(s, i, j)] : mirrored ? (double)a[at(s, j, i)] : 0;
            to->at[i][j] = s->unit && i == j ? 1 : value;
        }
}

// A shape with random flags; its memory, new, with what is not stored as NaN, which nobody may read
static Shape IN(shaped)(IN(Memory) * a, int kind, int m, int n, int band, int as_packed) {
    Shape s = {.kind = kind, .rows = pick(0, 1), .upper = pick(0, 1), .unit = kind == TRIANGLE && pick(0, 1)};
    s.packed = as_packed, s.band = band, s.m = m, s.n = n;
    s.kl = below(4), s.ku = below(4);
    if (kind != DENSE) s.upper ? (s.kl = 0) : (s.ku = 0);
    const int least = band ? s.kl + s.ku + 1 : s.rows ? n : m;
    s.ld = (least > 1 ? least : 1) + below(3);
    IN(fresh)(a);
    if (kind != DENSE || band)
        for (int i = 0; i < ROOM; i++) a->is[i] = (T)NAN;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const int there = stored(&s, i, j) && !(s.unit && i == j);
            // of a triangle, what is off the diagonal adds up to less than one in a row: errors don't grow from row to row
            if (there) a->is[at(&s, i, j)] = (T)(number() / (kind == TRIANGLE ? n : 1) + (kind == TRIANGLE && i == j ? 2 : 0));
        }
    memcpy(a->was, a->is, sizeof a->is);
    return s;
}

static void IN(level2)(void) {
    static Full a, x, y, ax;
    IN(Memory) *const m = &IN(A), *const p = &IN(X), *const q = &IN(Y);
    const int incx = IN(step)(), incy = IN(step)(), transposing = pick(0, 1), n = below(MOST);
    const T alpha = (T)number(), scalars[] = {0, 1, (T)number()}, beta = scalars[below(3)];
    for (int form = 0; form < 5; form++) {  // gemv, gbmv, symv, sbmv, spmv: y := alpha op(A) x + beta y
        const int kind = form < 2 ? DENSE : SYMMETRIC, band = form == 1 || form == 3, rows = kind == DENSE ? below(MOST) : n;
        const Shape s = IN(shaped)(m, kind, rows, n, band, form == 4);
        IN(meant)(&s, m->was, &a);
        if (kind == DENSE && transposing) a = transposed(&a);
        IN(fresh)(p), IN(fresh)(q), IN(column)(p, a.n, incx, &x), IN(column)(q, a.m, incy, &y), times(&a, &x, &ax);
        if (beta == 0)
            for (int i = 0; i < a.m; i++) q->is[IN(place)(a.m, incy, i)] = (T)NAN;
        const int t = TRANS(transposing), k = s.upper ? s.ku : s.kl;
        if (form == 0) B(gemv)(LAYOUT(s), t, rows, n, alpha, m->is, s.ld, IN(start)(p), incx, beta, IN(start)(q), incy);
        if (form == 1)
            B(gbmv)(LAYOUT(s), t, rows, n, s.kl, s.ku, alpha, m->is, s.ld, IN(start)(p), incx, beta, IN(start)(q), incy);
        if (form == 2) B(symv)(LAYOUT(s), UPLO(s), n, alpha, m->is, s.ld, IN(start)(p), incx, beta, IN(start)(q), incy);
        if (form == 3) B(sbmv)(LAYOUT(s), UPLO(s), n, k, alpha, m->is, s.ld, IN(start)(p), incx, beta, IN(start)(q), incy);
        if (form == 4) B(spmv)(LAYOUT(s), UPLO(s), n, alpha, m->is, IN(start)(p), incx, beta, IN(start)(q), incy);
        // without rows or columns, nothing is done
        for (int i = 0; i < a.m && a.n; i++) y.at[i][0] = (double)alpha * ax.at[i][0] + (double)beta * y.at[i][0];
        if (a.n) IN(compare)("a product with a vector", q, a.m, incy, &y, a.n);
        IN(kept)("a product with a vector", m), IN(kept)("a product with a vector", p);
    }
    for (int form = 0; form < 6; form++) {  // trmv, tbmv, tpmv, trsv, tbsv, tpsv
        const Shape s = IN(shaped)(m, TRIANGLE, n, n, form % 3 == 1, form % 3 == 2);
        const int t = TRANS(transposing), k = s.upper ? s.ku : s.kl;
        IN(meant)(&s, m->was, &a);
        if (transposing) a = transposed(&a);
        IN(fresh)(p), IN(column)(p, n, incx, &x);
        if (form >= 3) {  // of op(A) x, x is to be found
            times(&a, &x, &y);
            for (int i = 0; i < n; i++) p->is[IN(place)(n, incx, i)] = (T)y.at[i][0];
        } else times(&a, &x, &ax), x = ax;
        if (form == 0) B(trmv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, s.ld, IN(start)(p), incx);
        if (form == 1) B(tbmv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, k, m->is, s.ld, IN(start)(p), incx);
        if (form == 2) B(tpmv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, IN(start)(p), incx);
        if (form == 3) B(trsv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, s.ld, IN(start)(p), incx);
        if (form == 4) B(tbsv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, k, m->is, s.ld, IN(start)(p), incx);
        if (form == 5) B(tpsv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, IN(start)(p), incx);
        IN(compare)("a triangle and a vector", p, n, incx, &x, 4.0 * (n + 1)), IN(kept)("a triangle and a vector", m);
    }
    for (int form = 0; form < 5; form++) {  // ger, syr, syr2, spr, spr2: A += alpha x y^T
        const int kind = form ? SYMMETRIC : DENSE, rows = form ? n : below(MOST);
        const Shape s = IN(shaped)(m, kind, rows, n, 0, form > 2);
        IN(fresh)(p), IN(fresh)(q), IN(column)(p, rows, incx, &x), IN(column)(q, n, incy, &y);
        if (form == 0) B(ger)(LAYOUT(s), rows, n, alpha, IN(start)(p), incx, IN(start)(q), incy, m->is, s.ld);
        if (form == 1) B(syr)(LAYOUT(s), UPLO(s), n, alpha, IN(start)(p), incx, m->is, s.ld);
        if (form == 2) B(syr2)(LAYOUT(s), UPLO(s), n, alpha, IN(start)(p), incx, IN(start)(q), incy, m->is, s.ld);
        if (form == 3) B(spr)(LAYOUT(s), UPLO(s), n, alpha, IN(start)(p), incx, m->is);
        if (form == 4) B(spr2)(LAYOUT(s), UPLO(s), n, alpha, IN(start)(p), incx, IN(start)(q), incy, m->is);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++) {
                if (!stored(&s, i, j)) continue;
                const double both = form == 0 || form == 2 || form == 4 ? x.at[i][0] * y.at[j][0] : x.at[i][0] * x.at[j][0];
                const double sum = both + (form == 2 || form == 4 ? y.at[i][0] * x.at[j][0] : 0);
                const long e = at(&s, i, j);
                IN(near)("an update", (double)m->is[e], (double)m->was[e] + (double)alpha * sum, 3), m->may[e] = 1;
            }
        IN(kept)("an update", m), IN(kept)("an update", p), IN(kept)("an update", q), calls++;
    }
}

static void IN(level3)(void) {
    static Full a, b, c, product, other;
    IN(Memory) *const p = &IN(A), *const q = &IN(X), *const r = &IN(Y);
    const int ta = pick(0, 1), tb = pick(0, 1), left = pick(0, 1), m = below(MOST), n = below(MOST), k = below(MOST);
    const T alpha = (T)number(), scalars[] = {0, 1, (T)number()}, beta = scalars[below(3)];
    for (int form = 0; form < 4; form++) {  // gemm, symm, syrk, syr2k: C := alpha (a product) + beta C
        const int order = left ? m : n, triangle = form > 1;
        Shape z = IN(shaped)(r, triangle ? SYMMETRIC : DENSE, triangle ? n : m, n, 0, 0), s, t;
        do s = form == 1 ? IN(shaped)(p, SYMMETRIC, order, order, 0, 0)
                         : triangle ? IN(shaped)(p, DENSE, ta ? k : n, ta ? n : k, 0, 0)
                                    : IN(shaped)(p, DENSE, ta ? k : m, ta ? m : k, 0, 0);
        while (s.rows != z.rows);
        do t = form == 1 ? IN(shaped)(q, DENSE, m, n, 0, 0)
                         : triangle ? IN(shaped)(q, DENSE, ta ? k : n, ta ? n : k, 0, 0)
                                    : IN(shaped)(q, DENSE, tb ? n : k, tb ? k : n, 0, 0);
        while (t.rows != z.rows);
        IN(meant)(&s, p->was, &a), IN(meant)(&t, q->was, &b);
        if (form != 1 && ta) a = transposed(&a);
        if (form == 0 ? tb : triangle && ta) b = transposed(&b);
        if (form == 0) times(&a, &b, &product);
        if (form == 1) left ? times(&a, &b, &product) : times(&b, &a, &product);
        if (form == 2) other = transposed(&a), times(&a, &other, &product);
        if (form == 3) {
            other = transposed(&b), times(&a, &other, &product);
            other = transposed(&product);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) product.at[i][j] += other.at[i][j];
        }
        if (beta == 0)
            for (int i = 0; i < z.m; i++)
                for (int j = 0; j < n; j++)
                    if (stored(&z, i, j)) r->is[at(&z, i, j)] = (T)NAN;
        const int side = left ? CblasLeft : CblasRight;
        if (form == 0) B(gemm)(LAYOUT(z), TRANS(ta), TRANS(tb), m, n, k, alpha, p->is, s.ld, q->is, t.ld, beta, r->is, z.ld);
        if (form == 1) B(symm)(LAYOUT(z), side, UPLO(s), m, n, alpha, p->is, s.ld, q->is, t.ld, beta, r->is, z.ld);
        if (form == 2) B(syrk)(LAYOUT(z), UPLO(z), TRANS(ta), n, k, alpha, p->is, s.ld, beta, r->is, z.ld);
        if (form == 3) B(syr2k)(LAYOUT(z), UPLO(z), TRANS(ta), n, k, alpha, p->is, s.ld, q->is, t.ld, beta, r->is, z.ld);
        for (int i = 0; i < z.m; i++)
            for (int j = 0; j < n; j++) {
                if (!stored(&z, i, j)) continue;
                const long e = at(&z, i, j);
                const double before = beta == 0 ? 0 : (double)beta * (double)r->was[e];
                IN(near)("a product", (double)r->is[e], (double)alpha * product.at[i][j] + before, 2.0 * (k + order));
                r->may[e] = 1;
            }
        IN(kept)("a product", p), IN(kept)("a product", q), IN(kept)("a product", r), calls++;
    }
    for (int form = 0; form < 2; form++) {  // trmm, trsm: B := alpha op(A) B, B := alpha op(A)^-1 B; or from the right
        const int order = left ? m : n;
        const Shape s = IN(shaped)(p, TRIANGLE, order, order, 0, 0);
        Shape z;
        do z = IN(shaped)(r, DENSE, m, n, 0, 0);
        while (z.rows != s.rows);
        IN(meant)(&s, p->was, &a), IN(meant)(&z, r->was, &c);
        if (ta) a = transposed(&a);
        left ? times(&a, &c, &product) : times(&c, &a, &product);
        for (int i = 0; i < m && form; i++)
            for (int j = 0; j < n; j++) r->is[at(&z, i, j)] = (T)product.at[i][j];
        const int side = left ? CblasLeft : CblasRight;
        if (form == 0) B(trmm)(LAYOUT(z), side, UPLO(s), TRANS(ta), DIAG(s), m, n, alpha, p->is, s.ld, r->is, z.ld);
        if (form == 1) B(trsm)(LAYOUT(z), side, UPLO(s), TRANS(ta), DIAG(s), m, n, alpha, p->is, s.ld, r->is, z.ld);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const long e = at(&z, i, j);
                const double wanted = (double)alpha * (form ? c.at[i][j] : product.at[i][j]);
                IN(near)("a triangle and a matrix", (double)r->is[e], wanted, 4.0 * (order + 1)), r->may[e] = 1;
            }
        IN(kept)("a triangle and a matrix", p), IN(kept)("a triangle and a matrix", r), calls++;
    }
}

static void IN(all)(void) {
    IN(level1)();
    IN(level2)();
    IN(level3)();
}

#undef IN
#undef B
#undef BEGIN
