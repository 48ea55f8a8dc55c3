// The checks that real and complex numbers share, in one precision. A number is PARTS of T, and OF says which of two
// names is meant: a Hermitian matrix of real numbers is a symmetric one.

// Memory of a matrix or a vector: as it must be, and as it is.
typedef struct {
    T was[ROOM * PARTS], is[ROOM * PARTS];
} IN(Memory);

static IN(Memory) IN(A), IN(X), IN(Y);

// What is not written afterwards is NaN, which shows if it is read, or a number, which shows if something is added.
static void IN(fresh)(IN(Memory) * a) {
    const T all = (T)rest();
    for (int i = 0; i < ROOM * PARTS; i++) a->is[i] = all;
}

static Number IN(read)(const T *a, long e) {
    return (Number){(double)a[e * PARTS], PARTS == 2 ? (double)a[e * PARTS + PARTS - 1] : 0};
}
static void IN(write)(T *a, long e, Number value) {
    a[e * PARTS] = (T)value.re;
    if (PARTS == 2) a[e * PARTS + PARTS - 1] = (T)value.im;
}

// Each part of a scalar is 0, 1 or anything
static void IN(scalar)(T *to) {
    for (int i = 0; i < PARTS; i++) {
        const double parts[] = {0, 1, number(), number()};
        to[i] = (T)parts[below(4)];
    }
}

// Whether what may change is near what is wanted, as far as rounding goes, and all is as it must be.
static void IN(near)(const char *routine, double found, double wanted, double size) {
    if (!(fabs(found - wanted) <= 8 * EPSILON * (1 + size))) wrong(routine, found, wanted);
}
static void IN(number_is)(const char *routine, Number found, Number wanted, double size) {
    IN(near)(routine, found.re, wanted.re, size), IN(near)(routine, found.im, wanted.im, size);
}
static void IN(kept)(const char *routine, const IN(Memory) * a) {
    if (!memcmp(a->is, a->was, sizeof a->is)) return;
    for (int i = 0; i < ROOM * PARTS; i++)
        if (memcmp(&a->is[i], &a->was[i], sizeof(T))) wrong(routine, (double)a->is[i], (double)a->was[i]);
}

static T *IN(start)(IN(Memory) * x) { return x->is + place(0, 1, 0) * PARTS; }

// A vector in new memory
static void IN(vector)(IN(Memory) * x, int n, int inc, Full *to) {
    IN(fresh)(x), to->m = n, to->n = 1;
    for (int i = 0; i < n; i++) {
        IN(write)(x->is, place(n, inc, i), any());
        to->at[i][0] = IN(read)(x->is, place(n, inc, i));
    }
    memcpy(x->was, x->is, sizeof x->is);
}

// y is `wanted` now, and nothing else changed
static void IN(vector_is)(const char *routine, IN(Memory) * y, int n, int inc, const Full *wanted, double size) {
    for (int i = 0; i < n; i++) {
        const long e = place(n, inc, i);
        const Number found = IN(read)(y->is, e);
        IN(number_is)(routine, found, wanted->at[i][0], size), IN(write)(y->was, e, found);
    }
    IN(kept)(routine, y), calls++;
}

// What a matrix has is `wanted` now, and nothing else changed; the diagonal of a Hermitian one is exactly real
static void IN(matrix_is)(const char *routine, IN(Memory) * a, const Shape *s, const Full *wanted, double size) {
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++) {
            if (!stored(s, i, j)) continue;
            const long e = at(s, i, j);
            const Number found = IN(read)(a->is, e);
            IN(number_is)(routine, found, wanted->at[i][j], size), IN(write)(a->was, e, found);
            if (s->kind == HERMITIAN && i == j && found.im != 0) wrong(routine, found.im, 0);
        }
    IN(kept)(routine, a), calls++;
}

static void IN(meant)(const Shape *s, const T *a, Full *to) {
    to->m = s->m, to->n = s->n;
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++) {
            const int there = stored(s, i, j), mirrored = !there && s->kind >= SYMMETRIC && stored(s, j, i);
            Number value = there ? IN(read)(a, at(s, i, j)) : mirrored ? IN(read)(a, at(s, j, i)) : real(0);
            if (s->kind == HERMITIAN) value = i == j ? real(value.re) : mirrored ? conjugate(value) : value;
            to->at[i][j] = s->unit && i == j ? real(1) : value;
        }
}

// A matrix of this shape and random flags, in new memory; its op is m by n. Nobody may read what is not stored, nor the
// imaginary parts of a Hermitian diagonal.
static Shape IN(matrix)(IN(Memory) * a, Shape s, int trans, int m, int n, Full *to) {
    s.m = trans == CblasNoTrans ? m : n, s.n = trans == CblasNoTrans ? n : m;
    s.upper = pick(0, 1), s.unit = s.kind == TRIANGLE && pick(0, 1);
    s.kl = below(4), s.ku = below(4);
    if (s.kind != DENSE) s.upper ? (s.kl = 0) : (s.ku = 0);
    const int least = s.band ? s.kl + s.ku + 1 : s.rows ? s.n : s.m;
    s.ld = (least > 1 ? least : 1) + below(3);
    IN(fresh)(a);
    // of a triangle, what is off the diagonal adds up to less than one in a row: errors don't grow from row to row
    const double part = s.kind == TRIANGLE ? 1.0 / (PARTS * n) : 1;
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) {
            if (!stored(&s, i, j) || (s.unit && i == j)) continue;
            Number value = multiply(real(part), any());
            if (i == j && s.kind == TRIANGLE) value.re += 2;
            if (i == j && s.kind == HERMITIAN) value.im = rest();
            IN(write)(a->is, at(&s, i, j), value);
        }
    memcpy(a->was, a->is, sizeof a->is);
    IN(meant)(&s, a->was, to);
    *to = op(trans, to);
    return s;
}

static void IN(level1)(void) {
    static Full x, y;
    IN(Memory) *const p = &IN(X), *const q = &IN(Y);
    T *const u = IN(start)(p), *const v = IN(start)(q);
    const int n = below(MOST), incx = step(), incy = step(), positive = abs(incx);
    T alpha[PARTS];
    IN(scalar)(alpha);
    const Number factor = IN(read)(alpha, 0);
    double sum = 0, squares = 0, most = -1;
    int first = 0;
    IN(vector)(p, n, positive, &x);
    for (int i = 0; i < n; i++) {
        const Number each = x.at[i][0];
        const double size = fabs(each.re) + fabs(each.im);
        sum += size, squares += each.re * each.re + each.im * each.im;
        if ((double)(T)size > most) most = (double)(T)size, first = i;
    }
    IN(near)("asum", (double)TO_REAL(asum)(n, u, positive), sum, n);
    IN(near)("nrm2", (double)TO_REAL(nrm2)(n, u, positive), sqrt(squares), n);
    const CBLAS_INDEX found = JOIN(JOIN(cblas_i, LETTER), amax)(n, u, positive);
    if (n && (int)found != first) wrong("iamax", (double)found, first);
    IN(kept)("a sum", p);
    IN(vector)(p, n, incx, &x), IN(vector)(q, n, incy, &y);
    B(axpy)(n, BY(alpha), u, incx, v, incy);
    combine(real(1), &y, factor, &x);
    IN(vector_is)("axpy", q, n, incy, &y, 1), IN(kept)("axpy", p);
    IN(vector)(p, n, incx, &x), IN(vector)(q, n, incy, &y);
    B(copy)(n, u, incx, v, incy);
    IN(vector_is)("copy", q, n, incy, &x, 0), IN(kept)("copy", p);
    IN(vector)(p, n, incx, &x), IN(vector)(q, n, incy, &y);
    B(swap)(n, u, incx, v, incy);
    IN(vector_is)("swap", q, n, incy, &x, 0), IN(vector_is)("swap", p, n, incx, &y, 0);
    IN(vector)(p, n, positive, &x), scale(factor, &x);
    B(scal)(n, BY(alpha), u, positive);
    IN(vector_is)("scal", p, n, positive, &x, 1);
    IN(vector)(p, n, positive, &x), scale(real(factor.re), &x);
    WITH_REAL(scal)(n, *alpha, u, positive);
    IN(vector_is)("scal by a real number", p, n, positive, &x, 1);
    const T c = (T)0.6, s = (T)0.8;
    IN(vector)(p, n, incx, &x), IN(vector)(q, n, incy, &y), rotate(&x, &y, (double)c, (double)s);
    WITH_REAL(rot)(n, u, incx, v, incy, c, s);
    IN(vector_is)("rot", p, n, incx, &x, 2), IN(vector_is)("rot", q, n, incy, &y, 2);
}

static void IN(level2)(void) {
    static Full a, x, y, product;
    IN(Memory) *const m = &IN(A), *const p = &IN(X), *const q = &IN(Y);
    T *const u = IN(start)(p), *const v = IN(start)(q);
    const int incx = step(), incy = step(), n = below(MOST);
    T alpha[PARTS], beta[PARTS];
    IN(scalar)(alpha), IN(scalar)(beta);
    for (int form = 0; form < 5; form++) {  // gemv, gbmv, hemv, hbmv, hpmv: y := alpha op(A) x + beta y
        const int is_dense = form < 2, t = is_dense ? transposition() : CblasNoTrans;
        Shape s = {.kind = is_dense ? DENSE : HERMITIAN, .rows = pick(0, 1), .band = form % 2, .packed = form == 4};
        s = IN(matrix)(m, s, t, is_dense ? below(MOST) : n, n, &a);
        IN(vector)(p, a.n, incx, &x), IN(vector)(q, a.m, incy, &y);
        times(&a, &x, &product), combine(IN(read)(beta, 0), &y, IN(read)(alpha, 0), &product);
        if (is(IN(read)(beta, 0), 0))
            for (int i = 0; i < a.m; i++) IN(write)(q->is, place(a.m, incy, i), NOTHING);
        const int k = s.upper ? s.ku : s.kl;
        if (form == 0) B(gemv)(LAYOUT(s), t, s.m, s.n, BY(alpha), m->is, s.ld, u, incx, BY(beta), v, incy);
        if (form == 1)
            B(gbmv)(LAYOUT(s), t, s.m, s.n, s.kl, s.ku, BY(alpha), m->is, s.ld, u, incx, BY(beta), v, incy);
        if (form == 2) B(OF(symv, hemv))(LAYOUT(s), UPLO(s), n, BY(alpha), m->is, s.ld, u, incx, BY(beta), v, incy);
        if (form == 3) B(OF(sbmv, hbmv))(LAYOUT(s), UPLO(s), n, k, BY(alpha), m->is, s.ld, u, incx, BY(beta), v, incy);
        if (form == 4) B(OF(spmv, hpmv))(LAYOUT(s), UPLO(s), n, BY(alpha), m->is, u, incx, BY(beta), v, incy);
        // without rows or columns, nothing is done
        if (a.n) IN(vector_is)("a product with a vector", q, a.m, incy, &y, a.n);
        IN(kept)("a product with a vector", m), IN(kept)("a product with a vector", p);
    }
    for (int form = 0; form < 6; form++) {  // trmv, tbmv, tpmv, trsv, tbsv, tpsv
        const int t = transposition();
        Shape s = {.kind = TRIANGLE, .rows = pick(0, 1), .band = form % 3 == 1, .packed = form % 3 == 2};
        s = IN(matrix)(m, s, t, n, n, &a);
        IN(vector)(p, n, incx, &x), times(&a, &x, &product);
        const int k = s.upper ? s.ku : s.kl;
        if (form >= 3)  // of op(A) x, x is to be found
            for (int i = 0; i < n; i++) IN(write)(p->is, place(n, incx, i), product.at[i][0]);
        if (form == 0) B(trmv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, s.ld, u, incx);
        if (form == 1) B(tbmv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, k, m->is, s.ld, u, incx);
        if (form == 2) B(tpmv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, u, incx);
        if (form == 3) B(trsv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, s.ld, u, incx);
        if (form == 4) B(tbsv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, k, m->is, s.ld, u, incx);
        if (form == 5) B(tpsv)(LAYOUT(s), UPLO(s), t, DIAG(s), n, m->is, u, incx);
        IN(vector_is)("a triangle and a vector", p, n, incx, form >= 3 ? &x : &product, 4.0 * (n + 1));
        IN(kept)("a triangle and a vector", m);
    }
    // geru, gerc, her, hpr, her2, hpr2: A += alpha x y^T, or y^H; her2 and hpr2 add it transposed, too
    for (int form = 0; form < 6; form++) {
        const int is_dense = form < 2, rows = is_dense ? below(MOST) : n, is_one = form == 2 || form == 3;
        const Number factor = is_one ? real((double)*alpha) : IN(read)(alpha, 0);
        Shape s = {.kind = is_dense ? DENSE : HERMITIAN, .rows = pick(0, 1), .packed = form == 3 || form == 5};
        s = IN(matrix)(m, s, CblasNoTrans, rows, n, &a);
        IN(vector)(p, rows, incx, &x), IN(vector)(q, n, incy, &y);
        y = op(form ? CblasConjTrans : CblasTrans, is_one ? &x : &y);
        times(&x, &y, &product), scale(factor, &product), combine(real(1), &a, real(1), &product);
        if (form > 3) product = op(CblasConjTrans, &product), combine(real(1), &a, real(1), &product);
        if (form == 0) B(OF(ger, geru))(LAYOUT(s), rows, n, BY(alpha), u, incx, v, incy, m->is, s.ld);
        if (form == 1) B(OF(ger, gerc))(LAYOUT(s), rows, n, BY(alpha), u, incx, v, incy, m->is, s.ld);
        if (form == 2) B(OF(syr, her))(LAYOUT(s), UPLO(s), n, *alpha, u, incx, m->is, s.ld);
        if (form == 3) B(OF(spr, hpr))(LAYOUT(s), UPLO(s), n, *alpha, u, incx, m->is);
        if (form == 4) B(OF(syr2, her2))(LAYOUT(s), UPLO(s), n, BY(alpha), u, incx, v, incy, m->is, s.ld);
        if (form == 5) B(OF(spr2, hpr2))(LAYOUT(s), UPLO(s), n, BY(alpha), u, incx, v, incy, m->is);
        if (!is(factor, 0)) IN(matrix_is)("an update", m, &s, &a, 3);
        IN(kept)("an update", m), IN(kept)("an update", p), IN(kept)("an update", q);
    }
}

static void IN(level3)(void) {
    static Full a, b, c, product, other;
    IN(Memory) *const p = &IN(A), *const q = &IN(X), *const r = &IN(Y);
    const int left = pick(0, 1), side = left ? CblasLeft : CblasRight;
    const int m = below(MOST), n = below(MOST), k = below(MOST), size = left ? m : n;
    T alpha[PARTS], beta[PARTS];
    IN(scalar)(alpha), IN(scalar)(beta);
    // gemm, hemm, symm, herk, syrk, her2k, syr2k: C := alpha (a product) + beta C; the last two add it transposed, too
    for (int form = 0; form < 7; form++) {
        const int is_half = form > 2, is_hermitian = form % 2, rows = pick(0, 1);
        const int kind = is_hermitian ? HERMITIAN : SYMMETRIC, turned = is_hermitian ? CblasConjTrans : CblasTrans;
        const Shape any = {.kind = DENSE, .rows = rows}, half = {.kind = kind, .rows = rows};
        const Shape z = IN(matrix)(r, is_half ? half : any, CblasNoTrans, is_half ? n : m, n, &c);
        const int ta = form == 0 ? transposition() : is_half ? pick(CblasNoTrans, turned) : CblasNoTrans;
        const int tb = form == 0 ? transposition() : ta;
        Shape s, t;
        if (form == 0) {
            s = IN(matrix)(p, any, ta, m, k, &a), t = IN(matrix)(q, any, tb, k, n, &b);
            times(&a, &b, &product);
        } else if (!is_half) {
            s = IN(matrix)(p, half, ta, size, size, &a), t = IN(matrix)(q, any, ta, m, n, &b);
            left ? times(&a, &b, &product) : times(&b, &a, &product);
        } else {
            s = IN(matrix)(p, any, ta, n, k, &a), t = IN(matrix)(q, any, tb, n, k, &b);
            other = op(turned, form < 5 ? &a : &b), times(&a, &other, &product);
        }
        const Number factor = form == 3 ? real((double)*alpha) : IN(read)(alpha, 0);
        const Number before = form == 3 || form == 5 ? real((double)*beta) : IN(read)(beta, 0);
        scale(factor, &product), combine(before, &c, real(1), &product);
        if (form > 4) product = op(turned, &product), combine(real(1), &c, real(1), &product);
        for (int i = 0; i < z.m; i++)
            for (int j = 0; j < n; j++)
                if (is(before, 0) && stored(&z, i, j)) IN(write)(r->is, at(&z, i, j), NOTHING);
        if (form == 0)
            B(gemm)(LAYOUT(z), ta, tb, m, n, k, BY(alpha), p->is, s.ld, q->is, t.ld, BY(beta), r->is, z.ld);
        if (form == 1)
            B(OF(symm, hemm))
            (LAYOUT(z), side, UPLO(s), m, n, BY(alpha), p->is, s.ld, q->is, t.ld, BY(beta), r->is, z.ld);
        if (form == 2)
            B(symm)(LAYOUT(z), side, UPLO(s), m, n, BY(alpha), p->is, s.ld, q->is, t.ld, BY(beta), r->is, z.ld);
        if (form == 3) B(OF(syrk, herk))(LAYOUT(z), UPLO(z), ta, n, k, *alpha, p->is, s.ld, *beta, r->is, z.ld);
        if (form == 4) B(syrk)(LAYOUT(z), UPLO(z), ta, n, k, BY(alpha), p->is, s.ld, BY(beta), r->is, z.ld);
        if (form == 5)
            B(OF(syr2k, her2k))(LAYOUT(z), UPLO(z), ta, n, k, BY(alpha), p->is, s.ld, q->is, t.ld, *beta, r->is, z.ld);
        if (form == 6)
            B(syr2k)(LAYOUT(z), UPLO(z), ta, n, k, BY(alpha), p->is, s.ld, q->is, t.ld, BY(beta), r->is, z.ld);
        // where there is nothing to add and to scale, not even the diagonal changes
        const int idle = is_half && (is(factor, 0) || k == 0) && is(before, 1);
        if (!idle) IN(matrix_is)("a product", r, &z, &c, 2.0 * (k + size));
        IN(kept)("a product", p), IN(kept)("a product", q), IN(kept)("a product", r);
    }
    for (int form = 0; form < 2; form++) {  // trmm, trsm: B := alpha op(A) B, B := alpha op(A)^-1 B; or from the right
        const int rows = pick(0, 1), t = transposition();
        const Shape s = IN(matrix)(p, (Shape){.kind = TRIANGLE, .rows = rows}, t, size, size, &a);
        const Shape z = IN(matrix)(r, (Shape){.kind = DENSE, .rows = rows}, CblasNoTrans, m, n, &b);
        left ? times(&a, &b, &product) : times(&b, &a, &product);
        for (int i = 0; i < m && form; i++)
            for (int j = 0; j < n; j++) IN(write)(r->is, at(&z, i, j), product.at[i][j]);
        if (form == 0) B(trmm)(LAYOUT(z), side, UPLO(s), t, DIAG(s), m, n, BY(alpha), p->is, s.ld, r->is, z.ld);
        if (form == 1) B(trsm)(LAYOUT(z), side, UPLO(s), t, DIAG(s), m, n, BY(alpha), p->is, s.ld, r->is, z.ld);
        Full *const wanted = form ? &b : &product;
        scale(IN(read)(alpha, 0), wanted);
        IN(matrix_is)("a triangle and a matrix", r, &z, wanted, 4.0 * (size + 1));
        IN(kept)("a triangle and a matrix", p);
    }
}

// gemm_batch_strided: what as many products do, with the same A for all now and then. All numbers are integers, as a
// batch may round otherwise.
static void IN(batch)(void) {
    static T a[3 * 64 * PARTS], b[3 * 64 * PARTS], c[3 * 64 * PARTS], d[3 * 64 * PARTS];
    const int ta = transposition(), tb = transposition(), m = below(8), n = below(8), k = below(8), batch = below(4);
    const int layout = pick(CblasRowMajor, CblasColMajor), apart = pick(0, 64);
    T alpha[PARTS], beta[PARTS];
    for (int i = 0; i < PARTS; i++) alpha[i] = below(5) - 2, beta[i] = below(5) - 2;
    for (int i = 0; i < 3 * 64 * PARTS; i++) a[i] = below(9) - 4, b[i] = below(9) - 4, c[i] = d[i] = below(9) - 4;
    B(gemm_batch_strided)
    (layout, ta, tb, m, n, k, BY(alpha), a, 8, apart, b, 8, 64, BY(beta), c, 8, 64, batch);
    for (int l = 0; l < batch; l++)
        B(gemm)(layout, ta, tb, m, n, k, BY(alpha), a + l * apart * PARTS, 8, b + l * 64 * PARTS, 8, BY(beta),
            d + l * 64 * PARTS, 8);
    for (int i = 0; i < 3 * 64 * PARTS; i++)
        if (memcmp(&c[i], &d[i], sizeof(T))) wrong("gemm_batch_strided", (double)c[i], (double)d[i]);
}

static void IN(own)(void);

static void IN(check)(void) {
    IN(level1)();
    IN(own)();
    IN(level2)();
    IN(level3)();
    IN(batch)();
}
