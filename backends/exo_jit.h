// What Python wants of compiled code: what goes wrong ends the call, not the process. `runtime.py` puts this before
// the code of a procedure, its entry point after it, and links both with `exo_jit.c`.
//
// A failing allocation, or an operation without a value, goes on after the `setjmp` of the thread's innermost frame: that of the call, or, in a parallel
// loop, of an iteration. What the thread allocated since is released. The stack is measured before the call.
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { EXO_DONE, EXO_NO_MEMORY, EXO_NO_STACK, EXO_STOPPED, EXO_UNLIKE };

// Stands before a buffer; `below` is the buffer that the thread allocated before.
struct exo_block {
    struct exo_block *below;
};

struct exo_frame {
    jmp_buf start;
    struct exo_frame *outer;
    struct exo_block *blocks;
};

extern _Thread_local struct exo_frame *exo_frame;
extern _Thread_local struct exo_block *exo_blocks;

// Goes on where the frame begins; `bytes` could not be had.
__attribute__((noreturn)) void exo_give_up(size_t bytes);

// Goes on where the frame begins; `what` says why.
__attribute__((noreturn)) void exo_stop(const char *what);
#define EXO_STOP(what) exo_stop(what)

// How often one of these happened, in any thread, and what the last one was.
int64_t exo_failures(void);
int exo_failure(void);

// Whether each thread has so many bytes of stack, and the memory for its variables: EXO_DONE, or what it lacks.
int exo_fits(int64_t stack);

// What the code needs, as the compiler said.
extern int64_t exo_stack_needed;

#define EXO_OWN_HEAP
enum { EXO_LINE = 64 };

static inline void *exo_alloc(size_t bytes) {
    struct exo_block *block = NULL;
    if (bytes <= PTRDIFF_MAX - 2 * EXO_LINE)
        block = (struct exo_block *)aligned_alloc(EXO_LINE, EXO_LINE + (bytes + EXO_LINE - 1) / EXO_LINE * EXO_LINE);
    if (block == NULL) exo_give_up(bytes);
    block->below = exo_blocks;
    exo_blocks = block;
    return (char *)block + EXO_LINE;
}

static inline void exo_free(void *p) {
    struct exo_block *block = (struct exo_block *)((char *)p - EXO_LINE);
    exo_blocks = block->below;
    free(block);
}

static inline void exo_enter(struct exo_frame *frame) {
    frame->outer = exo_frame;
    frame->blocks = exo_blocks;
    exo_frame = frame;
}

static inline void exo_leave(struct exo_frame *frame) { exo_frame = frame->outer; }

// Around the statements of an iteration that may be stopped: no thread may jump out of a parallel loop.
#define EXO_ITERATION_BEGINS \
    { \
        struct exo_frame exo_here; \
        exo_enter(&exo_here); \
        if (_setjmp(exo_here.start) == 0) {
#define EXO_ITERATION_ENDS \
        } \
        exo_leave(&exo_here); \
    }

// What an entry point does, whose call takes so many bytes of the stack.
#define EXO_GUARDED(stack, call) \
    const int exo_fit = exo_fits(stack); \
    if (exo_fit != EXO_DONE) return exo_fit; \
    const int64_t exo_before = exo_failures(); \
    struct exo_frame exo_here; \
    exo_enter(&exo_here); \
    if (_setjmp(exo_here.start) == 0) call; \
    exo_leave(&exo_here); \
    return exo_failures() == exo_before ? EXO_DONE : exo_failure();

// Whether arrays look as `like` has it, and none that is written may share memory with another. `found` has what NumPy
// calls `__array_struct__` of each, and gets the addresses.
bool exo_alike(int count, const int64_t *like, void **found);

// The same of arguments as Python has them: an array, an integer that must be `known`, a number. They look into the
// objects, whose layout Python has found to be the expected one; else there is no `exo_like_last`.
bool exo_same_arrays(int count, const int64_t *like, void **found);
bool exo_same_integer(void *given, int64_t known);
bool exo_number(void *given, double *number);
void *exo_argument(void *arguments, int64_t at);
int64_t exo_arguments(void *arguments);

// Lets other Python threads run, until it is called with what it returned.
void *exo_release(void);
void exo_acquire(void *held);
