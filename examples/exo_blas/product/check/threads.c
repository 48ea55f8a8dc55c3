// Large calls by several threads each, alone and from many threads of a program at once: results have the same bits as those
// of one thread. Ends with 1 if some differ. Under ThreadSanitizer, it shows whether threads get in each other's way.
#include "exo_blas.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 260, COUNT = 300000, MATRIX = 520 * 520, TOGETHER = 4 };

// What a thread works on: each call writes x, y, c, or a number, and leaves the others.
typedef struct {
    float *a, *b, *c, *x, *y, number;
    uint64_t sum;
} Data;

static float filled(float *x, int n, uint32_t seed) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (1 << 23) - 1;
    }
    return 0;
}

static void fill(Data *d) {
    filled(d->a, MATRIX, 1), filled(d->b, MATRIX, 2), filled(d->c, MATRIX, 3);
    filled(d->x, COUNT, 4), filled(d->y, COUNT, 5);
    for (int i = 0; i < ROWS; i++) d->a[i * (ROWS + 1)] = 9;  // triangles are not near singular
    d->number = 0;
}

#define N CblasNoTrans
#define ROW CblasRowMajor
static const float half[2] = {0.5f, 0.25f};

static void gemm(Data *d) { cblas_sgemm(ROW, N, N, ROWS, ROWS, ROWS, 1, d->a, ROWS, d->b, ROWS, 0.5f, d->c, ROWS); }
static void gemm_turned(Data *d) {
    cblas_sgemm(ROW, CblasTrans, CblasTrans, ROWS, ROWS, ROWS, 1, d->a, ROWS, d->b, ROWS, 0, d->c, ROWS);
}
static void batch(Data *d) {
    cblas_sgemm_batch_strided(ROW, N, N, 16, 16, 16, 1, d->a, 16, 256, d->b, 16, 256, 0, d->c, 16, 256, 900);
}
static void complex_batch(Data *d) {
    cblas_cgemm_batch_strided(ROW, N, N, 16, 16, 16, half, d->a, 16, 256, d->b, 16, 256, half, d->c, 16, 256, 300);
}
static void complex_gemm(Data *d) {
    cblas_cgemm(ROW, N, CblasConjTrans, 180, 180, 180, half, d->a, 180, d->b, 180, half, d->c, 180);
}
static void gemv(Data *d) { cblas_sgemv(ROW, N, 520, 520, 1, d->a, 520, d->x, 1, 0.5f, d->y, 1); }
static void gemv_turned(Data *d) { cblas_sgemv(ROW, CblasTrans, 520, 520, 1, d->a, 520, d->x, 1, 0.5f, d->y, 1); }
static void symm(Data *d) {
    cblas_ssymm(ROW, CblasLeft, CblasLower, ROWS, ROWS, 1, d->a, ROWS, d->b, ROWS, 0.5f, d->c, ROWS);
}
static void syrk(Data *d) { cblas_ssyrk(ROW, CblasLower, N, ROWS, ROWS, 1, d->a, ROWS, 0.5f, d->c, ROWS); }
static void trmm(Data *d) {
    cblas_strmm(ROW, CblasLeft, CblasLower, N, CblasNonUnit, ROWS, 1000, 1, d->a, ROWS, d->c, 1000);
}
static void trsm(Data *d) {
    cblas_strsm(ROW, CblasRight, CblasUpper, N, CblasNonUnit, 1000, ROWS, 1, d->a, ROWS, d->c, ROWS);
}
static void axpy(Data *d) { cblas_saxpy(COUNT, 0.5f, d->x, 1, d->y, 1); }
static void scal(Data *d) { cblas_sscal(COUNT, 0.5f, d->x, 1); }
static void copy(Data *d) { cblas_scopy(COUNT, d->x, 1, d->y, 1); }
static void swap(Data *d) { cblas_sswap(COUNT, d->x, 1, d->y, 1); }
static void rot(Data *d) { cblas_srot(COUNT, d->x, 1, d->y, 1, 0.6f, 0.8f); }
static void dot(Data *d) { d->number = cblas_sdot(COUNT, d->x, 1, d->y, 1); }
static void asum(Data *d) { d->number = cblas_sasum(COUNT, d->x, 1); }
static void nrm2(Data *d) { d->number = cblas_snrm2(COUNT, d->x, 1); }
static void iamax(Data *d) { d->number = (float)cblas_isamax(COUNT, d->x, 1); }
static void dotc(Data *d) { cblas_cdotc_sub(COUNT / 2, d->x, 1, d->y, 1, d->c); }

typedef void Call(Data *);
static const struct { const char *name; Call *call; } all[] = {
    {"gemm", gemm}, {"gemm, transposed", gemm_turned}, {"gemm_batch_strided", batch},
    {"gemm_batch_strided, complex", complex_batch}, {"gemm, complex", complex_gemm}, {"gemv", gemv},
    {"gemv, transposed", gemv_turned}, {"symm", symm}, {"syrk", syrk}, {"trmm", trmm}, {"trsm", trsm}, {"axpy", axpy},
    {"scal", scal}, {"copy", copy}, {"swap", swap}, {"rot", rot}, {"dot", dot}, {"asum", asum}, {"nrm2", nrm2},
    {"iamax", iamax}, {"dotc", dotc},
};

static uint64_t hashed(uint64_t sum, const void *at, size_t bytes) {
    const unsigned char *byte = at;
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ byte[i]) * 1099511628211u;
    return sum;
}

// What a call leaves, as one number
static uint64_t result(Call *call, Data *d) {
    fill(d);
    call(d);
    uint64_t sum = hashed(14695981039346656037u, d->c, MATRIX * sizeof(float));
    sum = hashed(hashed(sum, d->x, COUNT * sizeof(float)), d->y, COUNT * sizeof(float));
    return hashed(sum, &d->number, sizeof d->number);
}

typedef struct { Call *call; Data data; uint64_t sum; } Job;

static void *run(void *given) {
    Job *const job = given;
    job->sum = result(job->call, &job->data);
    return NULL;
}

static float *room(int n) {
    float *const found = malloc(n * sizeof(float));
    if (!found) exit(2);
    return found;
}

int main(void) {
    Job jobs[TOGETHER];
    int faults = 0;
    for (int i = 0; i < TOGETHER; i++)
        jobs[i].data = (Data){room(MATRIX), room(MATRIX), room(MATRIX), room(COUNT), room(COUNT), 0, 0};
    for (size_t r = 0; r < sizeof all / sizeof all[0]; r++) {
        setenv("EXO_NUM_THREADS", "1", 1);
        const uint64_t want = result(all[r].call, &jobs[0].data);
        setenv("EXO_NUM_THREADS", "3", 1);
        int wrong = result(all[r].call, &jobs[0].data) != want;
        pthread_t threads[TOGETHER];
        for (int i = 0; i < TOGETHER; i++) {
            jobs[i].call = all[r].call;
            if (pthread_create(&threads[i], NULL, run, &jobs[i])) exit(2);
        }
        for (int i = 0; i < TOGETHER; i++) pthread_join(threads[i], NULL), wrong |= jobs[i].sum != want;
        if (wrong) printf("%s: not what one thread computes\n", all[r].name);
        faults += wrong;
    }
    printf("%s, threads: %d wrong results\n", exo_blas_isa(), faults);
    return faults != 0;
}
