// A functional model of Gemmini for the host, stricter than the hardware: what the hardware leaves
// undefined is a fault. Included by exo_gemmini.h.
//
// Loads, stores and products run one after the other. The estimate of cycles does not: loads, products and
// stores are three queues that run side by side, so the longest one counts. A load or store takes a cycle
// for each 16 bytes of each row, a product as many as A has rows, at least 4; a fence starts anew. There are
// no latencies, no conflicts and no DRAM: it is uncalibrated, good for comparing schedules only.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct exo_gemmini_operand {
    uint32_t local;
    int64_t cols, rows;
};

// Bytes of the host that an mvin reads or an mvout writes: `rows` runs of `width` bytes, `stride` apart.
struct exo_gemmini_transfer {
    uintptr_t first, stride, width, rows;
    uint32_t local;  // where an mvin puts them: from this row on, `local_rows` rows
    int64_t local_rows;
};

// The transfers of one kind since the last fence, and the bytes that they span.
struct exo_gemmini_transfers {
    struct exo_gemmini_transfer *all;
    size_t count, room;
    uintptr_t low, high;
};

static struct {
    int8_t sp[EXO_GEMMINI_SCRATCH_ROWS][EXO_GEMMINI_DIM];
    int32_t acc[EXO_GEMMINI_ACCUM_ROWS][EXO_GEMMINI_DIM];
    bool sp_known[EXO_GEMMINI_SCRATCH_ROWS][EXO_GEMMINI_DIM];
    bool acc_known[EXO_GEMMINI_ACCUM_ROWS][EXO_GEMMINI_DIM];
    struct {
        bool set, shrunk;
        int64_t stride, block;
        float scale;
    } ld[3];
    struct {
        bool set, act;
        int64_t stride;
        float scale;
    } st;
    struct {
        bool set, act, transpose_a, transpose_b;
        int64_t a_stride, c_stride;
    } ex;
    bool preloaded;
    struct exo_gemmini_operand b, c;
    struct exo_gemmini_transfers loads, stores;
    struct exo_gemmini_counts counts;
    int64_t queues[3];  // cycles of loads, products, stores since the last fence
    bool keep_going;
    char fault[256];
} exo_gemmini;

// Notes a fault; false, so that checks can be chained.
static bool exo_gemmini_fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(exo_gemmini.fault, sizeof exo_gemmini.fault, format, args);
    va_end(args);
    if (!exo_gemmini.keep_going) {
        fprintf(stderr, "gemmini: %s\n", exo_gemmini.fault);
        abort();
    }
    return false;
}

static bool exo_gemmini_stopped(void) { return exo_gemmini.fault[0] != 0; }

const char *exo_gemmini_fault(void) { return exo_gemmini.fault; }

void exo_gemmini_reset(bool keep_going) {
    free(exo_gemmini.loads.all);
    free(exo_gemmini.stores.all);
    memset(&exo_gemmini, 0, sizeof exo_gemmini);
    exo_gemmini.keep_going = keep_going;
}

static int64_t exo_gemmini_longest(void) {
    int64_t longest = 0;
    for (int q = 0; q < 3; q++)
        if (exo_gemmini.queues[q] > longest) longest = exo_gemmini.queues[q];
    return longest;
}

struct exo_gemmini_counts exo_gemmini_counts(void) {
    struct exo_gemmini_counts counts = exo_gemmini.counts;
    counts.cycles += exo_gemmini_longest();
    return counts;
}

// -- checks ---------------------------------------------------------------------------------------

static bool exo_gemmini_in_accum(uint32_t local) { return (local & EXO_GEMMINI_ACCUM) != 0; }

static int64_t exo_gemmini_row(uint32_t local) { return local & 0x1FFFFFFF; }

static bool exo_gemmini_check_size(const char *what, int64_t n, int64_t most) {
    return (n >= 1 && n <= most) || exo_gemmini_fail("%s: %lld, and 1 to %lld are possible", what, (long long)n, (long long)most);
}

static bool exo_gemmini_check_rows(const char *what, uint32_t local, int64_t rows) {
    const int64_t first = exo_gemmini_row(local);
    const int64_t all = exo_gemmini_in_accum(local) ? EXO_GEMMINI_ACCUM_ROWS : EXO_GEMMINI_SCRATCH_ROWS;
    return first + rows <= all
        || exo_gemmini_fail("%s: rows %lld to %lld, and the %s has %lld", what, (long long)first,
            (long long)(first + rows - 1), exo_gemmini_in_accum(local) ? "accumulator" : "scratchpad", (long long)all);
}

// Whether an instruction other than compute may come now.
static bool exo_gemmini_check_order(const char *what) {
    return !exo_gemmini.preloaded || exo_gemmini_fail("%s between preload and compute", what);
}

static bool exo_gemmini_check_element(const char *what, bool known, int64_t row, int64_t column) {
    return known
        || exo_gemmini_fail("%s: row %lld, column %lld was never written", what, (long long)row, (long long)column);
}

// -- configuration ----------------------------------------------------------------------------------

void exo_gemmini_config_ld(int id, int64_t stride, float scale, bool shrunk, int64_t block) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_order("config_ld")) return;
    if (id < 0 || id > 2) {
        exo_gemmini_fail("config_ld: there is no load register %d", id);
    } else if (stride < 0) {
        exo_gemmini_fail("config_ld: a negative stride of %lld bytes", (long long)stride);
    } else if (!isfinite(scale)) {
        exo_gemmini_fail("config_ld: the scale is not finite");
    } else if (exo_gemmini_check_size("config_ld: rows between tiles", block, 65535)) {
        exo_gemmini.ld[id].set = true;
        exo_gemmini.ld[id].stride = stride;
        exo_gemmini.ld[id].scale = scale;
        exo_gemmini.ld[id].shrunk = shrunk;
        exo_gemmini.ld[id].block = block;
        exo_gemmini.counts.config_ld++;
    }
}

void exo_gemmini_config_st(int64_t stride, bool act, float scale) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_order("config_st")) return;
    if (stride < 0 || stride > UINT32_MAX) {
        exo_gemmini_fail("config_st: a stride of %lld bytes does not fit 32 bits", (long long)stride);
    } else if (!isfinite(scale)) {
        exo_gemmini_fail("config_st: the scale is not finite");
    } else if (act && scale < 0) {
        exo_gemmini_fail("config_st: ReLU with a negative scale: the hardware applies ReLU first");
    } else {
        exo_gemmini.st.set = true;
        exo_gemmini.st.stride = stride;
        exo_gemmini.st.act = act;
        exo_gemmini.st.scale = scale;
        exo_gemmini.counts.config_st++;
    }
}

void exo_gemmini_config_ex(
    bool ws, bool act, int64_t shift, int64_t a_stride, int64_t c_stride, bool transpose_a, bool transpose_b) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_order("config_ex")) return;
    if (!ws) {
        exo_gemmini_fail("config_ex: the output-stationary dataflow is not in this model");
    } else if (shift != 0) {
        exo_gemmini_fail("config_ex: a shift means something output-stationary only");
    } else if (transpose_a && transpose_b) {
        exo_gemmini_fail("config_ex: both operands transposed");
    } else if (exo_gemmini_check_size("config_ex: rows between rows of A", a_stride, 65535)
        && exo_gemmini_check_size("config_ex: rows between rows of C", c_stride, 65535)) {
        exo_gemmini.ex.set = true;
        exo_gemmini.ex.act = act;
        exo_gemmini.ex.a_stride = a_stride;
        exo_gemmini.ex.c_stride = c_stride;
        exo_gemmini.ex.transpose_a = transpose_a;
        exo_gemmini.ex.transpose_b = transpose_b;
        exo_gemmini.counts.config_ex++;
    }
}

// -- loads and stores -------------------------------------------------------------------------------

// An integer times a scale as the hardware computes it: float32, to nearest even each time, clamped.
static int8_t exo_gemmini_scaled(int32_t x, float scale) {
    const volatile float rounded = (float)x;
    const volatile float product = rounded * scale;
    const float y = rintf(product);
    return (int8_t)(y < -128 ? -128 : y > 127 ? 127 : y);
}

static bool exo_gemmini_overlap(const struct exo_gemmini_transfer *t, uintptr_t first, uintptr_t width) {
    if (first + width <= t->first || first >= t->first + t->stride * (t->rows - 1) + t->width) return false;
    for (uintptr_t i = 0; i < t->rows; i++)
        if (first < t->first + i * t->stride + t->width && t->first + i * t->stride < first + width) return true;
    return false;
}

static bool exo_gemmini_outside(const struct exo_gemmini_transfers *t, uintptr_t first, uintptr_t width) {
    return t->count == 0 || first >= t->high || first + width <= t->low;
}

static bool exo_gemmini_check_load_fenced(uintptr_t first, uintptr_t width) {
    const struct exo_gemmini_transfers *stores = &exo_gemmini.stores;
    if (exo_gemmini_outside(stores, first, width)) return true;
    for (size_t k = 0; k < stores->count; k++)
        if (exo_gemmini_overlap(&stores->all[k], first, width))
            return exo_gemmini_fail("mvin of bytes that an mvout wrote, without a fence between the two");
    return true;
}

// A store waits for a load that writes local rows which it reads, and for no other.
static bool exo_gemmini_check_store_fenced(uintptr_t first, uintptr_t width, uint32_t local, int64_t local_rows) {
    const struct exo_gemmini_transfers *loads = &exo_gemmini.loads;
    if (exo_gemmini_outside(loads, first, width)) return true;
    for (size_t k = 0; k < loads->count; k++) {
        const struct exo_gemmini_transfer *load = &loads->all[k];
        const int64_t apart = exo_gemmini_row(local) - exo_gemmini_row(load->local);
        const bool waits = exo_gemmini_in_accum(local) == exo_gemmini_in_accum(load->local)
            && apart < load->local_rows && -apart < local_rows;
        if (!waits && exo_gemmini_overlap(load, first, width))
            return exo_gemmini_fail("mvout to bytes that an mvin may still read, without a fence between the two");
    }
    return true;
}

static void exo_gemmini_note(struct exo_gemmini_transfers *t, struct exo_gemmini_transfer new) {
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->all = realloc(t->all, t->room * sizeof *t->all);
        if (t->all == NULL) {
            fprintf(stderr, "gemmini: out of memory\n");
            abort();
        }
    }
    const uintptr_t end = new.first + new.stride * (new.rows - 1) + new.width;
    if (t->count == 0 || new.first < t->low) t->low = new.first;
    if (t->count == 0 || end > t->high) t->high = end;
    t->all[t->count++] = new;
}

static bool exo_gemmini_load_element(int id, const char *from, uint32_t local, int64_t row, int64_t column) {
    const bool accum = exo_gemmini_in_accum(local), narrow = !accum || exo_gemmini.ld[id].shrunk;
    int32_t x = 0;
    if (from != NULL) {
        if (narrow) {
            x = exo_gemmini_scaled(*(const int8_t *)from, exo_gemmini.ld[id].scale);
        } else {
            memcpy(&x, from, sizeof x);
        }
    }
    if (!accum) {
        exo_gemmini.sp[row][column] = (int8_t)x;
        exo_gemmini.sp_known[row][column] = true;
        return true;
    }
    if (local & EXO_GEMMINI_ADD) {
        if (!exo_gemmini_check_element("mvin that adds", exo_gemmini.acc_known[row][column], row, column)) return false;
        x = (int32_t)((uint32_t)x + (uint32_t)exo_gemmini.acc[row][column]);
    }
    exo_gemmini.acc[row][column] = x;
    exo_gemmini.acc_known[row][column] = true;
    return true;
}

static bool exo_gemmini_check_load(int id, uint32_t local, int64_t cols, int64_t rows) {
    if (!exo_gemmini_check_order("mvin")) return false;
    if (id < 0 || id > 2) return exo_gemmini_fail("mvin: there is no load register %d", id);
    if (!exo_gemmini.ld[id].set) return exo_gemmini_fail("mvin: load register %d was never set", id);
    const bool accum = exo_gemmini_in_accum(local);
    if (!accum && (local & EXO_GEMMINI_ADD)) return exo_gemmini_fail("mvin: the scratchpad can't add");
    if (local & EXO_GEMMINI_FULL) return exo_gemmini_fail("mvin: bit 29 is for reads");
    if (accum && !exo_gemmini.ld[id].shrunk && exo_gemmini.ld[id].scale != 1)
        return exo_gemmini_fail("mvin: int32 can't be scaled");
    const int64_t widest = accum && !exo_gemmini.ld[id].shrunk ? 16 : 64, block = exo_gemmini.ld[id].block;
    const int64_t tiles = (cols + EXO_GEMMINI_DIM - 1) / EXO_GEMMINI_DIM;
    if (!exo_gemmini_check_size("mvin: rows", rows, EXO_GEMMINI_DIM)) return false;
    if (!exo_gemmini_check_size("mvin: columns", cols, widest)) return false;
    if (block < rows)
        return exo_gemmini_fail("mvin: %lld rows, and tiles begin every %lld", (long long)rows, (long long)block);
    return exo_gemmini_check_rows("mvin", local, (tiles - 1) * block + rows);
}

void exo_gemmini_mvin(int id, const void *dram, uint32_t local, int64_t cols, int64_t rows) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_load(id, local, cols, rows)) return;
    const int64_t size = exo_gemmini_in_accum(local) && !exo_gemmini.ld[id].shrunk ? 4 : 1;
    for (int64_t i = 0; i < rows; i++) {
        const char *from = dram == NULL ? NULL : (const char *)dram + i * exo_gemmini.ld[id].stride;
        if (from != NULL && !exo_gemmini_check_load_fenced((uintptr_t)from, (uintptr_t)(cols * size))) return;
        for (int64_t j = 0; j < cols; j++) {
            const int64_t row = exo_gemmini_row(local) + i + j / EXO_GEMMINI_DIM * exo_gemmini.ld[id].block;
            if (!exo_gemmini_load_element(id, from ? from + j * size : NULL, local, row, j % EXO_GEMMINI_DIM)) return;
        }
    }
    exo_gemmini.counts.mvin[id]++;
    if (dram != NULL) {
        const int64_t tiles = (cols + EXO_GEMMINI_DIM - 1) / EXO_GEMMINI_DIM;
        const int64_t local_rows = (tiles - 1) * exo_gemmini.ld[id].block + rows;
        exo_gemmini_note(&exo_gemmini.loads, (struct exo_gemmini_transfer){(uintptr_t)dram,
            (uintptr_t)exo_gemmini.ld[id].stride, (uintptr_t)(cols * size), (uintptr_t)rows, local, local_rows});
        exo_gemmini.counts.bytes_in += rows * cols * size;
    }
    exo_gemmini.queues[0] += rows * ((cols * size + 15) / 16);
}

static bool exo_gemmini_check_mvout(uint32_t local, int64_t cols, int64_t rows) {
    if (!exo_gemmini_check_order("mvout")) return false;
    if (!exo_gemmini.st.set) return exo_gemmini_fail("mvout: the store register was never set");
    const bool full = (local & EXO_GEMMINI_FULL) != 0;
    if (local & EXO_GEMMINI_ADD) return exo_gemmini_fail("mvout: bit 30 is for writes");
    if (full && !exo_gemmini_in_accum(local)) return exo_gemmini_fail("mvout: the scratchpad has no int32");
    const int64_t tiles = (cols + EXO_GEMMINI_DIM - 1) / EXO_GEMMINI_DIM;
    return exo_gemmini_check_size("mvout: rows", rows, EXO_GEMMINI_DIM)
        && exo_gemmini_check_size("mvout: columns", cols, full ? 16 : 64)
        && exo_gemmini_check_rows("mvout", local, (tiles - 1) * EXO_GEMMINI_DIM + rows);
}

static bool exo_gemmini_store_element(char *to, uint32_t local, int64_t row, int64_t column) {
    if (!exo_gemmini_in_accum(local)) {
        *(int8_t *)to = exo_gemmini.sp[row][column];
        return exo_gemmini_check_element("mvout", exo_gemmini.sp_known[row][column], row, column);
    }
    const int32_t x = exo_gemmini.acc[row][column];
    if (local & EXO_GEMMINI_FULL) {
        memcpy(to, &x, sizeof x);
    } else {
        const int8_t y = exo_gemmini_scaled(x, exo_gemmini.st.scale);
        *(int8_t *)to = exo_gemmini.st.act && y < 0 ? 0 : y;
    }
    return exo_gemmini_check_element("mvout", exo_gemmini.acc_known[row][column], row, column);
}

void exo_gemmini_mvout(void *dram, uint32_t local, int64_t cols, int64_t rows) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_mvout(local, cols, rows)) return;
    const int64_t size = local & EXO_GEMMINI_FULL ? 4 : 1;
    if (exo_gemmini.st.stride < cols * size && rows > 1) {
        exo_gemmini_fail("mvout: rows of %lld bytes overlap, %lld apart", (long long)(cols * size),
            (long long)exo_gemmini.st.stride);
        return;
    }
    const int64_t tiles = (cols + EXO_GEMMINI_DIM - 1) / EXO_GEMMINI_DIM, local_rows = (tiles - 1) * EXO_GEMMINI_DIM + rows;
    for (int64_t i = 0; i < rows; i++) {
        const uintptr_t first = (uintptr_t)dram + (uintptr_t)(i * exo_gemmini.st.stride);
        if (!exo_gemmini_check_store_fenced(first, (uintptr_t)(cols * size), local, local_rows)) return;
        for (int64_t j = 0; j < cols; j++) {
            char *to = (char *)dram + i * exo_gemmini.st.stride + j * size;
            const int64_t row = exo_gemmini_row(local) + i + j / EXO_GEMMINI_DIM * EXO_GEMMINI_DIM;
            if (!exo_gemmini_store_element(to, local, row, j % EXO_GEMMINI_DIM)) return;
        }
    }
    exo_gemmini_note(&exo_gemmini.stores, (struct exo_gemmini_transfer){(uintptr_t)dram,
        (uintptr_t)exo_gemmini.st.stride, (uintptr_t)(cols * size), (uintptr_t)rows, local, local_rows});
    exo_gemmini.counts.mvout++;
    exo_gemmini.counts.bytes_out += rows * cols * size;
    exo_gemmini.queues[2] += rows * ((cols * size + 15) / 16);
}

// -- products ---------------------------------------------------------------------------------------

static bool exo_gemmini_check_operand(const char *what, struct exo_gemmini_operand t, int64_t stride, bool scratch) {
    if (scratch && (exo_gemmini_in_accum(t.local) || (t.local & (EXO_GEMMINI_ADD | EXO_GEMMINI_FULL))))
        return exo_gemmini_fail("%s: the operand is not in the scratchpad", what);
    return exo_gemmini_check_size(what, t.rows, EXO_GEMMINI_DIM) && exo_gemmini_check_size(what, t.cols, EXO_GEMMINI_DIM)
        && exo_gemmini_check_rows(what, t.local, (t.rows - 1) * stride + 1);
}

void exo_gemmini_preload(uint32_t b, uint32_t c, int64_t b_cols, int64_t b_rows, int64_t c_cols, int64_t c_rows) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_order("preload")) return;
    exo_gemmini.b = (struct exo_gemmini_operand){b, b_cols, b_rows};
    exo_gemmini.c = (struct exo_gemmini_operand){c, c_cols, c_rows};
    if (!exo_gemmini.ex.set) {
        exo_gemmini_fail("preload: the execution register was never set");
    } else if (b == EXO_GEMMINI_NONE || c == EXO_GEMMINI_NONE) {
        exo_gemmini_fail("preload: an operand is missing");
    } else if (!exo_gemmini_in_accum(c) && (c & EXO_GEMMINI_ADD)) {
        exo_gemmini_fail("preload: the scratchpad can't add");
    } else if (exo_gemmini_check_operand("preload: B", exo_gemmini.b, 1, true)
        && exo_gemmini_check_operand("preload: C", exo_gemmini.c, exo_gemmini.ex.c_stride, false)) {
        exo_gemmini.preloaded = true;
        exo_gemmini.counts.preload++;
    }
}

// An element of an operand in the scratchpad, 0 outside.
static bool exo_gemmini_element(
    const char *what, struct exo_gemmini_operand t, int64_t stride, int64_t i, int64_t j, int32_t *x) {
    *x = 0;
    if (t.local == EXO_GEMMINI_NONE || i >= t.rows || j >= t.cols) return true;
    const int64_t row = exo_gemmini_row(t.local) + i * stride;
    *x = exo_gemmini.sp[row][j];
    return exo_gemmini_check_element(what, exo_gemmini.sp_known[row][j], row, j);
}

static bool exo_gemmini_sum(struct exo_gemmini_operand a, struct exo_gemmini_operand d, int64_t i, int64_t j, int32_t *sum) {
    const bool ta = exo_gemmini.ex.transpose_a, tb = exo_gemmini.ex.transpose_b;
    if (!exo_gemmini_element("compute: D", d, 1, i, j, sum)) return false;
    for (int64_t k = 0; k < EXO_GEMMINI_DIM; k++) {
        int32_t x, y;
        if (!exo_gemmini_element("compute: A", a, exo_gemmini.ex.a_stride, ta ? k : i, ta ? i : k, &x)) return false;
        if (!exo_gemmini_element("compute: B", exo_gemmini.b, 1, tb ? j : k, tb ? k : j, &y)) return false;
        *sum += x * y;
    }
    return true;
}

static bool exo_gemmini_write(int64_t i, int64_t j, int32_t sum) {
    const struct exo_gemmini_operand c = exo_gemmini.c;
    const int64_t row = exo_gemmini_row(c.local) + i * exo_gemmini.ex.c_stride;
    if (!exo_gemmini_in_accum(c.local)) {
        const int8_t y = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);
        exo_gemmini.sp[row][j] = exo_gemmini.ex.act && y < 0 ? 0 : y;
        exo_gemmini.sp_known[row][j] = true;
        return true;
    }
    if (c.local & EXO_GEMMINI_ADD) {
        if (!exo_gemmini_check_element("compute that adds", exo_gemmini.acc_known[row][j], row, j)) return false;
        sum = (int32_t)((uint32_t)sum + (uint32_t)exo_gemmini.acc[row][j]);
    }
    exo_gemmini.acc[row][j] = sum;
    exo_gemmini.acc_known[row][j] = true;
    return true;
}

static bool exo_gemmini_check_compute(struct exo_gemmini_operand a, struct exo_gemmini_operand d) {
    if (!exo_gemmini.preloaded) return exo_gemmini_fail("compute without a preload before it");
    if (a.local == EXO_GEMMINI_NONE) return exo_gemmini_fail("compute: operand A is missing");
    if (!exo_gemmini_check_operand("compute: A", a, exo_gemmini.ex.a_stride, true)) return false;
    if (d.local != EXO_GEMMINI_NONE && !exo_gemmini_check_operand("compute: D", d, 1, true)) return false;
    const int64_t rows = a.rows < 4 ? 4 : a.rows;
    return exo_gemmini.c.rows <= rows
        || exo_gemmini_fail("compute: C has %lld rows, A %lld", (long long)exo_gemmini.c.rows, (long long)a.rows);
}

void exo_gemmini_compute(uint32_t a, uint32_t d, int64_t a_cols, int64_t a_rows, int64_t d_cols, int64_t d_rows) {
    const struct exo_gemmini_operand left = {a, a_cols, a_rows}, start = {d, d_cols, d_rows}, c = exo_gemmini.c;
    if (exo_gemmini_stopped() || !exo_gemmini_check_compute(left, start)) return;
    exo_gemmini.preloaded = false;
    int32_t sums[EXO_GEMMINI_DIM][EXO_GEMMINI_DIM];
    for (int64_t i = 0; i < c.rows; i++)
        for (int64_t j = 0; j < c.cols; j++)
            if (!exo_gemmini_sum(left, start, i, j, &sums[i][j])) return;
    for (int64_t i = 0; i < c.rows; i++)
        for (int64_t j = 0; j < c.cols; j++)
            if (!exo_gemmini_write(i, j, sums[i][j])) return;
    exo_gemmini.counts.compute++;
    exo_gemmini.counts.products += c.rows * c.cols * a_cols;
    exo_gemmini.queues[1] += a_rows < 4 ? 4 : a_rows;
}

// -- the others -------------------------------------------------------------------------------------

void exo_gemmini_flush(void) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_order("flush")) return;
    exo_gemmini.counts.flush++;
}

void exo_gemmini_fence(void) {
    if (exo_gemmini_stopped() || !exo_gemmini_check_order("fence")) return;
    exo_gemmini.loads.count = exo_gemmini.stores.count = 0;
    exo_gemmini.counts.cycles += exo_gemmini_longest();
    memset(exo_gemmini.queues, 0, sizeof exo_gemmini.queues);
    exo_gemmini.counts.fence++;
}
