// Gemmini's instructions as C functions, for code that exo_strat generates.
//
// On RISC-V each function is one RoCC instruction (custom-3). Elsewhere, or where EXO_GEMMINI_MODEL is
// defined, it is a call of the functional model in exo_gemmini_model.h, which one C file of the program
// brings in by defining EXO_GEMMINI_MODEL_HERE before it includes this header.
//
// The array is 16 by 16. Scratchpad: 16384 rows of 16 int8. Accumulator: 1024 rows of 16 int32.
// A local address counts rows; bit 31 tells the accumulator, see below for others.
#ifndef EXO_GEMMINI_H
#define EXO_GEMMINI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXO_GEMMINI_DIM 16
#define EXO_GEMMINI_SCRATCH_ROWS 16384
#define EXO_GEMMINI_ACCUM_ROWS 1024

#define EXO_GEMMINI_ACCUM (UINT32_C(1) << 31)  // an accumulator row
#define EXO_GEMMINI_ADD (UINT32_C(1) << 30)    // a write adds to the accumulator
#define EXO_GEMMINI_FULL (UINT32_C(1) << 29)   // a read of the accumulator gives int32
#define EXO_GEMMINI_NONE UINT32_C(0xFFFFFFFF)  // no operand

// What the functions take.
//   config_ld    load register 0, 1 or 2; bytes between rows in DRAM; scale; accumulator rows come from
//                int8; local rows between tiles of 16 columns
//   config_st    bytes between rows in DRAM; ReLU; scale of accumulator values
//   config_ex    weight-stationary; ReLU to the scratchpad; right shift; rows between rows of A, of C;
//                transpose A, B
//   mvin         load register; DRAM address, or NULL for zeros; local row; columns; rows
//   mvout        DRAM address; local row; columns; rows
//   preload      local rows of B and C; columns and rows of B; columns and rows of C
//   compute      local rows of A and D; columns and rows of A; columns and rows of D
//   flush        empties the address translations
//   fence        waits until all work is done

#if defined(__riscv) && !defined(EXO_GEMMINI_MODEL)

#ifndef EXO_GEMMINI_ISSUE
#define EXO_GEMMINI_ISSUE(funct, rs1, rs2) \
    __asm__ volatile(".insn r 0x7b, 3, " #funct ", x0, %0, %1" : : "r"((uint64_t)(rs1)), "r"((uint64_t)(rs2)) : "memory")
#endif

static inline uint64_t exo_gemmini_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline uint64_t exo_gemmini_tile(uint32_t local, int64_t cols, int64_t rows) {
    return (uint64_t)rows << 48 | (uint64_t)cols << 32 | local;
}

static inline void exo_gemmini_config_ld(int id, int64_t stride, float scale, bool shrunk, int64_t block) {
    const uint64_t pixel_repeats = 1;
    EXO_GEMMINI_ISSUE(0,
        exo_gemmini_bits(scale) << 32 | (uint64_t)block << 16 | pixel_repeats << 8 | (uint64_t)id << 3
            | (uint64_t)shrunk << 2 | 1,
        stride);
}

static inline void exo_gemmini_config_st(int64_t stride, bool act, float scale) {
    EXO_GEMMINI_ISSUE(0, (uint64_t)act << 2 | 2, exo_gemmini_bits(scale) << 32 | (uint32_t)stride);
}

static inline void exo_gemmini_config_ex(
    bool ws, bool act, int64_t shift, int64_t a_stride, int64_t c_stride, bool transpose_a, bool transpose_b) {
    EXO_GEMMINI_ISSUE(0,
        exo_gemmini_bits(1.0f) << 32 | (uint64_t)a_stride << 16 | (uint64_t)transpose_b << 9
            | (uint64_t)transpose_a << 8 | (uint64_t)act << 3 | (uint64_t)ws << 2,
        (uint64_t)c_stride << 48 | (uint32_t)shift);
}

// The function code is part of the instruction, so `id` is a literal and one branch remains.
static inline void exo_gemmini_mvin(int id, const void *dram, uint32_t local, int64_t cols, int64_t rows) {
    const uint64_t to = exo_gemmini_tile(local, cols, rows);
    switch (id) {
        case 0: EXO_GEMMINI_ISSUE(2, (uintptr_t)dram, to); break;
        case 1: EXO_GEMMINI_ISSUE(1, (uintptr_t)dram, to); break;
        default: EXO_GEMMINI_ISSUE(14, (uintptr_t)dram, to); break;
    }
}

static inline void exo_gemmini_mvout(void *dram, uint32_t local, int64_t cols, int64_t rows) {
    EXO_GEMMINI_ISSUE(3, (uintptr_t)dram, exo_gemmini_tile(local, cols, rows));
}

static inline void exo_gemmini_preload(
    uint32_t b, uint32_t c, int64_t b_cols, int64_t b_rows, int64_t c_cols, int64_t c_rows) {
    EXO_GEMMINI_ISSUE(6, exo_gemmini_tile(b, b_cols, b_rows), exo_gemmini_tile(c, c_cols, c_rows));
}

static inline void exo_gemmini_compute(
    uint32_t a, uint32_t d, int64_t a_cols, int64_t a_rows, int64_t d_cols, int64_t d_rows) {
    EXO_GEMMINI_ISSUE(4, exo_gemmini_tile(a, a_cols, a_rows), exo_gemmini_tile(d, d_cols, d_rows));
}

static inline void exo_gemmini_flush(void) { EXO_GEMMINI_ISSUE(7, 0, 0); }

static inline void exo_gemmini_fence(void) { __asm__ volatile("fence" : : : "memory"); }

#else

void exo_gemmini_config_ld(int id, int64_t stride, float scale, bool shrunk, int64_t block);
void exo_gemmini_config_st(int64_t stride, bool act, float scale);
void exo_gemmini_config_ex(
    bool ws, bool act, int64_t shift, int64_t a_stride, int64_t c_stride, bool transpose_a, bool transpose_b);
void exo_gemmini_mvin(int id, const void *dram, uint32_t local, int64_t cols, int64_t rows);
void exo_gemmini_mvout(void *dram, uint32_t local, int64_t cols, int64_t rows);
void exo_gemmini_preload(uint32_t b, uint32_t c, int64_t b_cols, int64_t b_rows, int64_t c_cols, int64_t c_rows);
void exo_gemmini_compute(uint32_t a, uint32_t d, int64_t a_cols, int64_t a_rows, int64_t d_cols, int64_t d_rows);
void exo_gemmini_flush(void);
void exo_gemmini_fence(void);

// What ran since the last reset.
struct exo_gemmini_counts {
    int64_t config_ld, config_st, config_ex;
    int64_t mvin[3];
    int64_t mvout, preload, compute, flush, fence;
    int64_t bytes_in, bytes_out;
    int64_t products;  // of two numbers
    int64_t cycles;    // a coarse estimate, see the model
};

struct exo_gemmini_counts exo_gemmini_counts(void);
// Forgets everything: memories, registers, counts. With `keep_going`, a fault does not end the program;
// it stops the model, and exo_gemmini_fault says what it was.
void exo_gemmini_reset(bool keep_going);
// The first fault since the last reset, or "".
const char *exo_gemmini_fault(void);

#ifdef EXO_GEMMINI_MODEL_HERE
#include "exo_gemmini_model.h"
#endif

#endif

#endif  // EXO_GEMMINI_H
