// What updates of rank k of a symmetric matrix have in common: one triangle is written.

// C := beta C
static inline void scale_triangle(int lower, int64_t n, T beta, T *c, int64_t ldc) {
    for (int64_t i = 0; i < n && beta != 1; i++) {
        T *const row = lower ? c + i * ldc : c + i * ldc + i;
        exo_scale(lower ? i + 1 : n - i, beta, row, 1);
    }
}
