"""Made by `python -m exo_strat.testing.stubs`; do not edit. See `direct.py`."""

from collections.abc import Sequence as Sequence
from exo_strat.cursors.cursor import Cursor as Cursor
from exo_strat.cursors.cursor import NodeCursor as NodeCursor
from exo_strat.cursors.proc import InvalidCursorError as InvalidCursorError
from exo_strat.cursors.proc import Proc as Proc
from exo_strat.ir.config import Config as Config
from exo_strat.ir.memory import Memory as Memory
from exo_strat.ir.types import Scalar as Scalar
from exo_strat.ops.failure import SchedulingError as SchedulingError
from exo_strat.primitives.helpers.references import ExprLike as ExprLike

def add_assertion(p: Proc, /, condition: str) -> Proc:
    """`def foo(..): s  ~>  def foo(..): assert e; s`. Returns the root.

    `condition` is object code about the arguments. The new procedure may be called only where it holds, which is
    checked at each call; so it is not interchangeable with the original (`call_eqv`).

    Fails with `BadArgument` if no arguments meet the condition."""

def add_loop(p: Proc, ref: Cursor | str, /, name: str, hi: ExprLike, guard: bool = False) -> Proc:
    """`s  ~>  for i in (0, hi): s`, or with `guard` `for i in (0, hi): if i == 0: s`.

    The target is a statement or a block. `hi` is a positive integer control expression in scope before it that
    reads no config field. Unless `hi` is 1, or there is a guard, s must be idempotent: to run it twice changes
    nothing more than to run it once. Returns the loop.

    Fails with `NotApplicable` if s defines a name that later code uses, and with `Unsafe` if `hi` may be less than
    1, or if s accumulates or overwrites what it reads."""

def approximate(p: Proc, ref: Cursor | str, /, by: Proc) -> Proc:
    """`s[f(e1, e2)]  ~>  t: T; by(e1, e2, t); s[t]`, for an extern function f. Returns the call. Beyond the paper.

    `by` is a procedure that takes as many numbers as f, of the precision of these, and sets one more, its last
    argument. That it comes near f is not proved: how near is the affair of whoever wrote it, as with the C function
    that f stands for otherwise. So the result is not interchangeable with the original (`call_eqv`). Where f has a
    value, `by` may have none, if it calls functions that have none for some numbers. All else that could go wrong is
    looked at here: `by` changes nothing but its last argument, and that in any case; it reads nothing that it did not
    write or was handed, calls no procedure and asserts nothing.

    Fails with `BadArgument` if `by` is no such procedure; with `NotApplicable` on conversions, on a call that may be
    skipped (the second part of an `and` or `or`, a side of `a if c else b`), and on other precisions."""

def bind_config(p: Proc, ref: Cursor | str, /, config: Config, field: str) -> Proc:
    """`s  ~>  Cfg.f = e; s[e -> Cfg.f]`. Returns the write.

    `e` is a value of the field's kind (of its precision, if it is data) that the statement evaluates whenever it
    runs. Nothing may read the field afterwards before it is written again: in the statement itself, after it,
    in later iterations of the loops around it, in callees; unless the field is known to hold `e` anyway. If
    the value may last to the end of the procedure, the result is for `call_eqv` only where the caller does not
    read the field either.

    Fails with `NotApplicable` if the expression is no value of the field's kind, or need not fit it (a sum in
    `wrap_u8(..)`), and with `Unsafe` if the field
    is read, if iterations of a parallel loop would share it, or if with the field in place of `e` it cannot be
    shown that all is in bounds and callees get what they assert."""

def bind_expr(p: Proc, ref: Cursor | str, /, name: str, cse: bool = False) -> Proc:
    """`s  ~>  a: T; a = e; s[e -> a]`.

    `e` is a data value that the statement evaluates whenever it runs. With `cse`, every equal expression (of equal
    places; operands of sums and products in any order) in the statement is replaced, and in the statements after it
    until one may change what `e` reads. T is the precision of `e`; a literal's is that of its context. A call that
    takes another one is given `f32(a)` or the like. Returns the assignment.

    Fails with `NotApplicable` if the expression is control, stands for a buffer that a call may write, may be
    skipped (the second part of an `and` or `or`, a side of `a if c else b`), or need not fit T (a sum in
    `wrap_u8(..)`); with `Unsafe` if it may read what was never written."""

def call_eqv(p: Proc, ref: Cursor | str, /, other: Proc) -> Proc:
    """`foo(..)  ~>  bar(..)`, for two versions of one procedure that compute the same.

    Both descend from one original by rewrites that keep its values (not by one that changes a precision, or asserts
    more), and take the same arguments. What `bar` asserts is proved.

    A rewrite may drop a computation that fails, such as a read of memory that was never written, but never adds
    one. So if `bar` was not made from `foo`, the version that both were made from must surely run. Where the two
    may leave different values in a config field (`bind_config`, `delete_config`, `write_config`), nothing reads it
    after the call before it is written again. Where `bar` may read more of an argument before it writes it
    (`stage_mem`, `specialize`, `bind_expr`), that was surely written, or `foo` reads it, too; of an argument of the
    caller, the caller's caller is asked. Iterations of a parallel loop around the call still share nothing that
    they write. Returns the call.

    Fails with `NotApplicable` if the two are no such versions, or take other arguments; with `Unsafe` if one of the
    other conditions does not hold."""

def collapse_loops(p: Proc, ref: Cursor | str, /, name: str) -> Proc:
    """`for i in (lo, hi): for j in (l, l+m): s  ~>  for k in (0, (hi-lo)*m): s[i -> lo + k/m, j -> l + k%m]`.

    The target is the outer loop. The inner loop is all of its body. It runs m times in each iteration of the outer one,
    where m is a literal or made of control arguments, and at least 1 for all arguments that meet the assertions; l may
    depend on i. The new loop is parallel if both were. Returns the new loop.

    Fails with `NotApplicable` if the loops do not have this form, and with `Unsafe` if the inner loop may be empty or
    run a different number of times, or if lo or l reads a config field that the body may change."""

def commute_expr(p: Proc, ref: Cursor | str, /) -> Proc:
    """`x + y  ~>  y + x` and `x * y  ~>  y * x`.

    Both hold for rounded numbers too, and operands have no effects, so there is nothing to prove. Returns the
    expression.

    Fails with `NotApplicable` on other operators."""

def cut_loop(p: Proc, ref: Cursor | str, /, cut: ExprLike) -> Proc:
    """`for i in (lo, hi): s  ~>  for i in (lo, e): s; for i in (e, hi): s`.

    `cut` is e, an integer control expression in scope before the loop that reads no config field, with `lo <= e <=
    hi`. Returns the first loop, where cursors to the old one point.

    Fails with `Unsafe` if e may lie outside of the range, or if the body changes `hi`."""

def delete_buffer(p: Proc, ref: Cursor | str, /) -> Proc:
    """`a: T; s  ~>  s`, if nothing reads the buffer but code that only writes to it, which goes too.

    What goes are assignments and reductions to the buffer, its windows, writes to those, and calls that write to
    nothing else. A question for the buffer's stride keeps it alive. Returns the statement around the allocation, or
    the procedure.

    Fails with `Unsafe` if other code uses the buffer."""

def delete_config(p: Proc, ref: Cursor | str, /) -> Proc:
    """`Cfg.f = e; s  ~>  s`. Returns what stands around the write: a statement, or the procedure.

    Nothing may read the field afterwards before it is written again: in the statements after it, in later
    iterations of the loops around it, in callees and what they assert; unless the field is known to hold `e`
    anyway, as when a write in a loop repeats one before the loop. If the missing value may show at the end of
    the procedure, the result is for `call_eqv` only where the caller does not read the field either. Fails with
    `Unsafe` if the field is read."""

def delete_pass(p: Proc, /) -> Proc:
    """Deletes every `pass` that no block needs: a loop or branch keeps one if it has nothing else.

    An else branch that does nothing goes. Exo's documentation. Returns the procedure. Never fails."""

def divide_dim(p: Proc, ref: Cursor | str, /, dim: int, c: int) -> Proc:
    """`a: T[_, n, _]; a[_, e, _]  ~>  a: T[_, n/c, c, _]; a[_, e/c, e%c, _]`, if c divides n.

    The extent n may be symbolic. A window along the dimension must stay within one block of c. Returns the
    allocation.

    Fails with `BadArgument` if there is no such dimension, and with `Unsafe` if c may not divide n, if a window may
    reach beyond one block, or if a stride that is asked for may change."""

def divide_loop(p: Proc, ref: Cursor | str, /, c: ExprLike, names: tuple[str, str], tail: str = 'guard', perfect: bool = False) -> Proc:
    """`for i in (lo, hi): s  ~>  for io in (0, n/c): for ii in (0, c): s[i -> lo + c*io + ii]`.

    `c` is a positive number or, as text, an expression made of control arguments that is at least 1 for all that meet
    the assertions; `names` are those of io and ii. `tail` says what becomes of the last `n % c` iterations: "perfect"
    (there are none; also `perfect=True`), "guard" (`n/c` is rounded up and the body guarded by `if`), "cut" (a loop
    over ii of their own after the main one), "cut_and_guard" (the same inside `if 0 < n % c`). The outer loop keeps the
    mode, the inner one is sequential. Returns the outer loop.

    Fails with `Unsafe` if with "perfect" c may not divide n, or if with a "cut" `lo <= hi` is not known: `n % c` is
    a floor operation, so that a tail of a loop with a negative range would run."""

def divide_with_recompute(p: Proc, ref: Cursor | str, /, n: ExprLike, c: int, names: tuple[str, str], width: ExprLike | None = None) -> Proc:
    """`for i in (lo, hi): s  ~>  for io in (0, N): for ii in (0, c + d): s[i -> lo + c*io + ii]`.

    N tiles that start `c` iterations apart, each but the first beginning with the d = (hi - lo) - N*c last
    iterations of the one before. `n` is N, an integer control expression in scope before the loop that reads no
    config field; `c` is a positive literal, `names` are those of io and ii. Unless the loop is empty there is a
    tile, and d is not negative or there is just one. Beyond the paper, `width` says how many iterations a tile has:
    it begins with the last `width - c` of the one before, the last tile may reach beyond the end, and the body is
    guarded by `if lo + c*io + ii < hi`. The inner loop keeps the mode; the outer one is sequential, as its iterations
    write the same places. Returns the outer loop.

    Fails with `Unsafe` if N*c may be too large or N too small, or the tiles leave gaps; if running the shared
    iterations a second time may change a result (they accumulate, or read what a later one of them overwrote); or if
    the body changes the bounds."""

def drop_guard(p: Proc, ref: Cursor | str, /, fill: float | None = None) -> Proc:
    """`if e: s  ~>  s`, where nobody reads what s does while e is false.

    With a number `fill`, `if e: x = a  ~>  if e: x = a else: x = fill`. So the lanes that are left over are
    computed like the others, and loaded as zeros. Beyond the paper. Returns s, or with `fill` the `if`.

    Right if four things hold while e is false. The code s (or the new assignment) writes only to buffers that are
    allocated in the procedure, and there only elements that no code reads as long as the buffer lives. What it
    reads of such buffers was surely written before. It is in bounds and surely runs to its end, with floating-point
    numbers only. Iterations of a parallel loop do not share what it writes.

    Fails with `NotApplicable` if there is an else branch, or if s is to be filled in and is not one assignment;
    with `Unsafe` if one of the four does not hold."""

def eliminate_dead_code(p: Proc, ref: Cursor | str, /) -> Proc:
    """A loop that never runs becomes `pass`; an `if` whose condition is known becomes its branch, and `a if c else b`
    its side.

    What is known are the assertions, and the loop ranges and conditions around the place; a condition on data is
    known only in a branch of an `if` with that condition, where nothing writes what it reads. Returns what stands
    in its place.

    Fails with `Unsafe` and values for which the loop runs, or the condition is false."""

def evaluate_both(p: Proc, ref: Cursor | str, /) -> Proc:
    """`a if x < y else b  ~>  select(x, y, a, b)`: both sides are evaluated, whatever the condition says.

    So is an `if` that holds one statement, and in its else branch another one like it, or nothing: `if x < y: s += a
    ~>  s += select(x, y, a, 0.0)`, and `*` with `1.0`; `if x < y: z = a  ~>  z = select(x, y, a, z)`, and so `z =
    max(z, a)  ~>  z = max(z, select(x, y, a, z))`; `if x < y: z = a else: z = b  ~>  z = select(x, y, a, b)`. More
    statements are put into an `if` of their own first (`fission`).

    Vector instructions choose between two values that are both there. The condition compares data; `>` exchanges its
    operands, `>=` and `<=` exchange a and b, and `==`, `!=`, `not`, `and` and `or` make a call within a call. It is
    numbers that are compared: with a NaN, which is none, `<=` and `>=` choose the other side than in C. Returns the
    call, or the statement.

    Fails with `NotApplicable` if the condition asks for control values, if what is compared has another precision than
    the sides, if an `if` has another form, or if integers are computed, which may overflow where they are not wanted;
    with `Unsafe` if a side may divide by zero, or read what was never written or lies out of bounds, where it is not
    chosen, or if another iteration of a parallel loop may write what it reads."""

def expand_dim(p: Proc, ref: Cursor | str, /, size: ExprLike, index: ExprLike) -> Proc:
    """`a: T[_]; s  ~>  a: T[size, _]; s[a[_] -> a[index, _]]`.

    `size` is an expression at the allocation and positive there. `index` means the same at every access, and `0 <=
    index < size` there. Where the index varies while the buffer lives, each read must still find what was written
    at the same index before it. Returns the allocation.

    Fails with `NotApplicable` if the index is not in scope at an access, or means something else there; with
    `Unsafe` if the size may not be positive, if the index may lie outside, or if a read may not find its value."""

def extract_subproc(p: Proc, ref: Cursor | str, /, name: str, include_asserts: bool = True) -> tuple[Proc, Proc]:
    """`s  ~>  foo(..)`, where foo is a new procedure whose body is s. Returns the call.

    The paper's form returns the new version and foo. The new procedure takes what s uses, in the order in which it
    comes into scope: control variables, whole buffers, windows. It asserts what is known of its arguments in the
    place of s: the assertions around, the ranges of loops and conditions of branches, fields that its callees ask
    for; with `include_asserts=False` only what it takes to be well-formed by itself. Windows of a buffer that is
    passed too are defined inside.

    Fails with `NotApplicable` if a name defined in the block is used after it, or if the block never runs and so
    foo could never be called; with `Unsafe` if it cannot be shown that foo is well-formed by itself, or that the
    call is."""

def fission(p: Proc, ref: Cursor | str, /, n_lifts: int = 1) -> Proc:
    """`for i: s1; s2  ~>  for i: s1; for i: s2`, at a gap. Also through `if`s.

    `n_lifts` enclosing scopes are split, from the inside out; each part keeps its loop's mode. The other branch of
    an `if` stays with the first part: `if e: s1; s2 else: s3  ~>  if e: s1 else: s3; if e: s2`. Returns the second
    of the two outermost parts; cursors to a scope point to its first part.

    Fails with `NotApplicable` if s2 uses what s1 defines, and with `Unsafe` if some s1 touches the data of an
    s2 of an earlier iteration, or changes the bounds or the condition. An s2 may read what a later s1 writes if
    that is computed again: an s1 before has surely written the same value (see `logic.effects.determined`)."""

def fold_into_reduce(p: Proc, ref: Cursor | str, /) -> Proc:
    """`x = x + e  ~>  x += e`, and `x = e + x`; the same with `*`, `fmin` and `fmax`. Exo's documentation.

    A difference is a sum: `x = x - e  ~>  x += -e`. In floating point a quotient is a product: `x = x / e  ~>  x *=
    1.0 / e`. There may be several operands: `x = a + x + b  ~>  x += a + b`. The operand must be the location that
    is written, by its own name. Returns the reduction.

    Fails with `NotApplicable` if no operand is an element of the same buffer, and with `Unsafe` if it may be
    another element."""

def fuse(p: Proc, ref: Cursor | str, /, second: object) -> Proc:
    """`for i: s1; for j: s2  ~>  for i: s1; s2[j -> i]`, and `if e: s1; if e: s2  ~>  if e: s1; s2`.

    `second` (a cursor, pattern or name) is the statement right after the first and has the same range or
    condition; else branches are fused too. The fused loop is parallel if both were. Returns the fused scope,
    where cursors to the first point; cursors into the second follow its statements.

    Fails with `NotApplicable` if the two are not neighbours of one kind, and with `Unsafe` if bounds or
    conditions may differ, if s1 changes them, if some s2 touches the data of an s1 of a later iteration, or,
    in parallel loops, of any other iteration. An s2 may read an element that a later s1
    writes, if an earlier s1 wrote the same value there, as overlapping tiles do (see `logic.effects.determined`)."""

def guard_first(p: Proc, ref: Cursor | str, /, loop: object = None) -> Proc:
    """`for i in (lo, hi): .. s ..  ~>  for i in (lo, hi): .. if i == lo: s ..`, if s then does nothing new.

    The target is a statement or a block in a sequential loop, with any loops and `if`s between. `loop` (a cursor,
    pattern or name) is the loop; without it, the innermost one around s. So a tile that stays the same is loaded
    once. Beyond the paper. Returns the `if`.

    Right if s does not depend on i and runs in the first iteration if it does in a later one; if repeating s right
    away changes nothing; and if no other code of the loop, nor s in another iteration of the loops between, writes
    what s reads or writes in the meantime.

    Fails with `NotApplicable` if there is no such loop, or s defines what later code uses; with `Unsafe` if one of
    these does not hold."""

def inline(p: Proc, ref: Cursor | str, /) -> Proc:
    """`foo(e, x)  ~>  the body of foo, with e and x put in`. Returns the block.

    A call evaluates its arguments once. So nothing in the callee may change what the values that are passed depend
    on, nor where the buffers that are passed lie (through config fields). What the callee introduces gets new
    names.

    Fails with `Unsafe` if the callee may change one of these."""

def inline_assign(p: Proc, ref: Cursor | str, /) -> Proc:
    """`x = e; s  ~>  s[x -> e]`. Returns the statements that may see the value, or the scope.

    The location x is an element of a buffer of which no window is made. The statements are those after the
    assignment in its block, up to one that surely overwrites the element. They must not write it otherwise, nor
    change what `e` reads before the last place where it is put in. Unless the element is overwritten, nobody else
    may see it: the buffer is local, and what is after the block, or a later iteration, does not read it. Where the
    buffer has another precision than `e`, the assignment converts, and so does what is put in: `f64(e)`.

    Fails with `NotApplicable` if x is an argument that is not overwritten, or seen through windows or by reference;
    with `Unsafe` if one of the other conditions does not hold."""

def inline_window(p: Proc, ref: Cursor | str, /) -> Proc:
    """`w = a[..]; s  ~>  s[w -> a[..]]`. Returns the statements after the definition, or their scope.

    A window stays where it was defined: if its offsets read config fields, nothing after it may change those.
    Windows of the window, calls that get it and strides go through to the buffer.

    Fails with `Unsafe` if the code after it changes what the offsets read."""

def insert_noop_call(p: Proc, ref: Cursor | str, /, instr: Proc, args: Sequence[str | int | NodeCursor]) -> Proc:
    """`s1; s2  ~>  s1; foo(args); s2`, for a procedure or instruction that changes nothing, such as a prefetch.

    Here `args` are object code, numbers or cursors, one for each argument of the callee. The callee must not write
    an argument or config field, and must surely run to its end. What it asserts is proved, and windows must lie in
    their buffers. Exo's documentation. Returns the call.

    Fails with `BadArgument` if the arguments do not fit, and with `Unsafe` if one of the other conditions does not
    hold."""

def insert_pass(p: Proc, ref: Cursor | str, /) -> Proc:
    """`s1; s2  ~>  s1; pass; s2`. Exo's documentation. Returns the `pass`. Never fails."""

def join_loops(p: Proc, ref: Cursor | str, /, second: object) -> Proc:
    """`for i in (l, m): s; for j in (m, h): s[i -> j]  ~>  for i in (l, h): s`.

    The inverse of `cut_loop`. `second` (a cursor, pattern or name) is the loop right after the first. The bodies
    are equal up to names, and up to control expressions that are equal in the second loop. The joined loop is
    parallel if both were and no iteration of one touches what one of the other writes. Returns the joined
    loop; cursors to the second one are gone.

    Fails with `NotApplicable` if the loops are not neighbours; with `Unsafe` if the second need not start where
    the first ends, if one of the ranges may be negative (`h < m` or `m < l`), if the first loop changes the
    second one's bounds, or if the bodies may differ."""

def left_reassociate_expr(p: Proc, ref: Cursor | str, /) -> Proc:
    """`a + (b + c)  ~>  (a + b) + c`, and the same with `*`. Exo's documentation. Returns the expression.

    There is nothing to prove: values are numbers, and all three operands are evaluated anyway.

    Fails with `NotApplicable` on other forms."""

def lift_alloc(p: Proc, ref: Cursor | str, /, n_lifts: int = 1) -> Proc:
    """`for i: s0; a: T; s  ~>  a: T; for i: s0; s`, also out of an `if`, `n_lifts` times.

    The extents use only names that are in scope outside, and are the same and positive there, even if the loop runs
    zero times or the condition is false. Values carried between iterations need no proof: a program that would notice
    reads uninitialised memory. Iterations of a parallel loop must not share what they write. Returns the
    allocation.

    Fails with `NotApplicable` if there is no scope around the allocation, or the extents depend on what the scope
    defines; with `Unsafe` if the extents may change or not be positive, or if parallel iterations would share the
    buffer."""

def lift_reduce_constant(p: Proc, ref: Cursor | str, /) -> Proc:
    """`x = 0.0; for i: x += c * e  ~>  x = 0.0; for i: x += e; x = c * x`, or
    for a divisor `x = 0.0; for i: x += e / c  ~>  x = 0.0; for i: x += e; x = x / c`.

    Exo's documentation. The target is the block of these two statements. The loop may hold other code and several
    sums into x, at any depth; each of these sums has the factor c, or of floating-point numbers the sign. Nothing else
    in the loop reads or writes x, under any name. The factor uses no variable of the loop, and nothing in the loop
    changes what it reads.

    The new assignment evaluates c even where the loop runs no sum. So at least one sum surely runs, or what c reads
    was surely written before. Returns the new assignment.

    Fails with `NotApplicable` if the block has another form, if the sums have no common factor, or if they are computed
    at another precision than that of x (an integer precision whose values x can hold is allowed); with `Unsafe` if the
    loop may change the factor or does more with x."""

def lift_scope(p: Proc, ref: Cursor | str, /) -> Proc:
    """Exchanges a loop or `if` with the loop or `if` around it, of which it is all.

    The target is the inner scope. `for i: if e: s else: s2  ~>  if e: (for i: s) else: (for i: s2)` if e does
    not change in the loop; `if e: for i: s  ~>  for i: if e: s`; `if e: (if e2: s else: s2) else: s3  ~>
    if e2: (if e: s else: s3) else: (if e: s2 else: s3)`; two loops as in `reorder_loops`. Returns the scope,
    which is now outside. Cursors into s3 and to the loop point to the first of two copies.

    Fails with `NotApplicable` if the scope is not all of a loop or branch, or if e depends on i; with `Unsafe` if s
    changes e, or if a condition or bound that reads data or config fields would be evaluated where it was not (the
    loop may be empty, the other condition false) and need not have a value there."""

def make_instr(p: Proc, /, c_template: str, c_global: str = '', c_fence: str = '') -> Proc:
    """Makes the procedure an instruction: its body stays the meaning, `c_template` is its C text.

    In the text `{x}` stands for an argument, `{x_data}` for the first element of a buffer. `c_global` is C text
    that a file needs once, `c_fence` what must follow before another thread may see what the instruction wrote.
    Nothing is proved: that the text does what the body says is the author's word, as with `@instr`. Returns the root.

    Fails with `BadArgument` if the C text is empty."""

def merge_recompute(p: Proc, ref: Cursor | str, /, name: str) -> Proc:
    """`for io in (l, h): for ii in (a, e): s(c*io + ii)  ~>  for i in (c*l + a, c*(h - 1) + e): s(i)`.

    The inverse of `divide_with_recompute`: tiles that overlap, or just touch, become one pass. The target is the
    outer loop; the inner one is all of its body, with bounds that do not depend on io, and its body depends on
    the iterators by `c*io + ii` alone. The new loop has the inner one's mode if no two iterations of it share
    what they write; else it is sequential. Returns the new loop.

    Fails with `NotApplicable` if the loops do not have this form; with `Unsafe` if there may be gaps between
    tiles, or if running the shared iterations only once may change a result."""

def merge_writes(p: Proc, ref: Cursor | str, /, second: object = None) -> Proc:
    """Two neighbouring writes to one location become one.

    `x = e1; x = e2  ~>  x = e2` and `x += e1; x = e2  ~>  x = e2`; `x = e1; x += e2  ~>  x = e1 + e2`; `x += e1; x
    += e2  ~>  x += e1 + e2`; and so with `*`, and with `min` and `max`, which take the extern functions `fmin` and
    `fmax` for the value. What each write converts still is converted: `x = i32(e1) + i32(e2)`. The target is the
    block of both, or the first with the second as argument. Both must write the same location, each under any name,
    and e2 must not read it. Returns the statement that is left: the second if that is an assignment, else the
    first.

    Fails with `NotApplicable` if the two are not neighbouring writes to one buffer, or accumulate by different
    operators; with `Unsafe` if the locations may differ, or if e2 may read the location."""

def mult_dim(p: Proc, ref: Cursor | str, /, hi_dim: int, lo_dim: int) -> Proc:
    """`a: T[n, _, c]; a[i, _, j]  ~>  a: T[c*n, _]; a[c*i + j, _]`, the inverse of `divide_dim`.

    Object code multiplies by literals only: c is a literal, or else every index i is one. A window may keep
    `lo_dim` if it has one index along `hi_dim` and its dimensions stay in order; the other way round only if c is
    1. A stride that is asked for must stay the same. Returns the allocation.

    Fails with `BadArgument` if the two are no dimensions of the buffer, with `NotApplicable` if an index or a
    window cannot be written so, and with `Unsafe` if a stride may change."""

def mult_loops(p: Proc, ref: Cursor | str, /, name: str) -> Proc:
    """`for i: for j in (l, l+c): s  ~>  for k in (0, n*c): s[i -> lo + k/c, j -> l + k%c]`.

    The target is the outer loop. The inner loop is all of its body and runs a constant number c >= 1 of times; l
    may depend on i. The new loop is parallel if both were. Returns the new loop.

    Fails with `NotApplicable` if the loops do not have this form, and with `Unsafe` if lo or l reads a config field
    that the body may change."""

def parallelize_loop(p: Proc, ref: Cursor | str, /, mode: str = 'par') -> Proc:
    """`for i in seq(..)  ~>  for i in par(..)`, if no iteration touches what another writes.

    `mode` may also be "vec", under the same condition, or "seq", the way back, which is always right. Returns the
    loop.

    Fails with `Unsafe` if two iterations may touch one location that either writes; that includes accumulations
    into one location, and config fields."""

def partial_eval(p: Proc, /, *values: int | bool, **named: int | bool) -> Proc:
    """`def foo(n, x): s  ~>  def foo(x): s[n -> 8]`: fixes control arguments to literals. Returns the root.

    `values` are those of the first arguments, `named` those of others by name. Assertions that are then always true
    are dropped.

    Fails with `BadArgument` if an argument is no control argument, or does not take such a value, or if an
    assertion is then false; with `NotApplicable` on an instruction, which keeps its arguments."""

def rearrange_dim(p: Proc, ref: Cursor | str, /, perm: Sequence[int]) -> Proc:
    """`a: T[n0, n1, n2]  ~>  a: T[n_perm[0], n_perm[1], n_perm[2]]`, with its accesses.

    A window of the buffer must keep its dimensions in order, and a stride that is asked for must stay the same.
    Returns the allocation.

    Fails with `BadArgument` if `perm` is no permutation of the dimensions, with `NotApplicable` if a window would
    have other dimensions, and with `Unsafe` if a stride may change."""

def remove_loop(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i: s  ~>  s`, if s does not use i, is idempotent, and the loop runs at least once.

    If the loop runs exactly once, s need not be idempotent. Returns the block.

    Fails with `NotApplicable` if s uses i, and with `Unsafe` if the loop may be empty, if s accumulates, or if s
    overwrites what it reads."""

def rename(p: Proc, /, name: str) -> Proc:
    """Gives the procedure another name. Returns its root.

    Fails with `BadArgument` if the name is no identifier."""

def rename_variable(p: Proc, ref: Cursor | str, /, name: str) -> Proc:
    """`for i: s  ~>  for j: s[i -> j]`, `a: T; s  ~>  b: T; s[a -> b]` or `w = a[..]; s  ~>  v = a[..]; s[w -> v]`.

    `name` is an identifier. It may be the name of another variable in scope, and each read still means the variable
    that it meant before. Where two variables in scope have one name, the inner one prints with a number, as `k_1`.
    Returns the loop, allocation or window.

    Fails with `BadArgument` if the name is no identifier."""

def reorder_loops(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i: for j: s  ~>  for j: for i: s`.

    The target is the outer loop. The inner loop is all of its body. If its bounds depend on i, as those of a triangle
    or of a skewed loop do, both loops get new bounds, which are proved to have the same iterations. Each loop keeps
    its mode. In the paper's form the target may be given as `"i j"`. Returns the loop that is now outside.

    Fails with `NotApplicable` if the loops do not have this form, or if bounds that depend on i are no sums with maxima
    at the start and minima at the end. Fails with `Unsafe` if iterations (i, j) and (i', j') that change places touch
    the same data, if a parallel inner loop would have races outside, or if the inner bounds read config fields and
    the outer loop may be empty."""

def reorder_stmts(p: Proc, ref: Cursor | str, /, second: object = None) -> Proc:
    """`s1; s2  ~>  s2; s1`, if they commute.

    The target is the block of both, or a statement or block with the statement after it as `second` (a
    cursor, pattern or name). Returns the statement that was second and is now first; cursors follow their
    statements. Fails with `NotApplicable` if the two are not neighbours, and with `Unsafe` if one defines
    what the other uses, or writes what the other touches."""

def replace(p: Proc, ref: Cursor | str, /, callee: Proc) -> Proc:
    """`s  ~>  foo(..)`, if s is the body of foo for some arguments. Returns the call.

    The arguments are found by unification: integers from linear equations, windows from the accesses. Where
    a window could show either of two dimensions, the last is tried first. Scalars may be any element, scalar
    or literal. Loops match up to a shift of their iterators, operands of `+` and `*` in either order, calls if
    they are of the same procedure.

    Fails with `NotApplicable` if there are no such arguments, or only in other memories or precisions, and
    with `Unsafe` if what the call owes is not true here: what foo asserts, positive sizes, strides, windows
    that lie in their buffers, no overlap of an argument that is written with another one."""

def resize_dim(p: Proc, ref: Cursor | str, /, dim: int, size: ExprLike, offset: ExprLike, fold: bool = False) -> Proc:
    """`a: T[_, n, _]; a[_, e, _]  ~>  a: T[_, size, _]; a[_, e - offset, _]`, or with `fold`
    `a[_, (e - offset) % size, _]`.

    `size` is the new extent of dimension `dim`, and `offset` the old index that becomes 0. Both are expressions in
    scope at the allocation. The size is positive. Every index along the dimension, and every window, lies within
    `offset` and `offset + size`. If code asks for a stride of the buffer, that stride stays the same.

    With `fold`, the dimension becomes a ring buffer, as by Halide's storage folding. The size is then a literal, and
    indices may lie anywhere: the old elements `e`, `e + size`, `e + 2 * size` and so on share one new element. Every
    read must still find the value of its own old element: no other one that shares its place is written between that
    element's last write and the read. No window along the dimension wraps around the end of the ring. Iterations of a
    parallel loop share no new element that one of them writes, and no call gets such an element through two of its
    arguments. Returns the allocation.

    Fails with `BadArgument` if there is no such dimension, or with `fold` the size is no literal, and with `Unsafe`
    if one of the conditions does not hold."""

def reuse_buffer(p: Proc, ref: Cursor | str, /, b: object) -> Proc:
    """`a: T; s0; b: T; s  ~>  a: T; s0; s[b -> a]`.

    `b`, a cursor or name, is an allocation in the scope of `a`, of the same precision, memory and extents. Wherever
    one of the two is read, its own value must still be there: written after any write to the same place of the
    other. So `a` may be used again after `b` if it is written anew. Iterations of a parallel loop must not come to
    share what they write, nor may a call get one buffer by two arguments if it writes it. Returns the allocation
    `a`.

    Fails with `NotApplicable` if the two allocations are not alike, or `b` is not in the scope of `a`; with
    `Unsafe` if a value may be overwritten before it is read, or if something comes to be shared."""

def reverse_loop(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i in (lo, hi): s  ~>  for i in (lo, hi): s[i -> lo + hi - 1 - i]`: the last iteration runs first.

    Returns the loop, which keeps its mode.

    Fails with `Unsafe` if an iteration touches what an earlier one writes, or if lo or hi reads a config field that the
    body may change. Accumulations commute, and so do writes of a value that is the same in all iterations."""

def rewrite_expr(p: Proc, ref: Cursor | str, /, new: ExprLike | float) -> Proc:
    """`e  ~>  e'`, for expressions that are equal where `e` stands. Returns the expression.

    A config field equals what it is known to hold. Data is equal if it is the same operations on equal places;
    operands of sums and products may come in another order. The signature and the assertions stay as they are: they
    are what the equality may rest on.

    Fails with `NotApplicable` on windows, and on what a call gets by reference; with `BadArgument` if `new` is of
    another kind; with `Unsafe` if the two may differ, or `new` may read what `e` does not."""

def rotate_buffer(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i in seq(lo, hi): s0; for k in seq(0, w): t[k] = f(i + k); s  ~>`
    `for k in seq(0, w - 1): t[k + 1] = f(lo + k)`;
    `for i in seq(lo, hi): s0; for k in seq(0, w - 1): t[k] = t[k + 1]; t[w - 1] = f(i + w - 1); s`.

    The target is the loop over k, a statement of the loop over i; its bounds may be any that do not change. The
    code before the loop over i is put under `if lo < hi` unless that is known. Returns the loop over i.

    Right if an iteration leaves the same values in t as before, also after the loop. So what the loop over k does
    depends on i and k by their sum only, apart from the index k of one dimension of t, the only buffer that it
    writes. It writes every cell of t at that index, w is positive, and what it reads besides is not written in the
    loop over i. The code s0 does not touch t, and s does not write it.

    Fails with `NotApplicable` if the loops do not have this form, and with `Unsafe` if the window may be empty or
    filled in part, or if the loop over i may change what it is filled from."""

def set_memory(p: Proc, ref: Cursor | str, /, memory: Memory) -> Proc:
    """`a @ MEM  ~>  a @ MEM'`. Returns the declaration.

    Memories do not change what is computed, so there is nothing to prove: the backend checks that accesses obey the
    memory's rules, and that callers and callees agree. Fails with `NotApplicable` on control arguments, and in
    instructions."""

def set_precision(p: Proc, ref: Cursor | str, /, precision: str | Scalar) -> Proc:
    """`a: T  ~>  a: T'`. Returns the declaration.

    `precision` is a name such as "f32", or a type. The backend checks that operands, callers and callees
    agree. Rounding differs, so the result is not interchangeable with the original (`call_eqv`). Fails with
    `NotApplicable` on control arguments, in instructions, and where a number would have fewer bits than it may be
    shifted by."""

def set_window(p: Proc, ref: Cursor | str, /, is_window: bool = True) -> Proc:
    """`a: T[_]  ~>  a: [T][_]`, or back with `is_window=False`. Returns the argument.

    A caller may pass more for a window than for a dense tensor, and versions of the procedure may differ on that:
    the result is not interchangeable with the original (`call_eqv`).

    Fails with `Unsafe` if a call in the procedure relies on strides that a window need not have, or if iterations
    of a parallel loop may then touch what another writes; with `NotApplicable` on scalars and control arguments,
    and in instructions."""

def shift_loop(p: Proc, ref: Cursor | str, /, start: ExprLike) -> Proc:
    """`for i in (lo, hi): s  ~>  for i in (e, hi + e - lo): s[i -> i + lo - e]`.

    `start` is e, an integer control expression in scope before the loop that reads no config field; it may be
    negative. Returns the loop.

    Fails with `Unsafe` if lo reads a config field that the body may change."""

def simplify(p: Proc, ref: Cursor | str, /) -> Proc:
    """Control expressions in normal form, decided branches and empty loops resolved, `0` and `1` dropped from data.

    Acts on the whole procedure, or on the statement in focus. What is decided is decided by the assertions,
    loop ranges and conditions around the place; so is `a if c else b`. Loops and branches that do nothing
    go. Data values are numbers: `0.0 * e` is `0.0`, and what is not needed is not evaluated. A value that is
    passed to a call is not turned into a variable, which would be passed by reference. An assignment converts, so
    `x = f64(e)` of an f64 is `x = e`. Idempotent. Never fails.
    Returns the target, or the procedure if that is gone."""

def sink_alloc(p: Proc, ref: Cursor | str, /) -> Proc:
    """`a: T; s0; for i: s  ~>  s0; for i: a: T; s`, also into an `if`.

    One loop or `if` must be the only statement that uses the buffer. Into a loop: no iteration may read what an
    earlier one left. Into an `if`: a branch that does not use the buffer gets none; if both use it, each gets its
    own. Returns the (first) allocation.

    Fails with `NotApplicable` if several statements use the buffer, or if the loop's bounds or the condition do;
    with `Unsafe` if an iteration may read what an earlier one left, or if code before changes the extents."""

def specialize(p: Proc, ref: Cursor | str, /, conds: ExprLike | Sequence[ExprLike]) -> Proc:
    """`s  ~>  if c0: s else: if c1: s ... else: s`, for conditions c0, c1, ... in scope before s.

    The target is a statement or a block; `conds` is one condition or several, in object code. Each copy binds
    variables of its own. Returns the outer `if`; cursors into s point into the first copy.

    A condition on sizes or iterators can always be asked. One that reads data or config fields must have a value:
    all that it reads is in bounds, and surely written before or read by s itself; in a parallel loop, no other
    iteration may write it.

    Fails with `Unsafe` if that is not known, with `BadArgument` if a condition is none, and with `NotApplicable` if
    s defines what later code uses."""

def split_write(p: Proc, ref: Cursor | str, /) -> Proc:
    """`x = a + b  ~>  x = a; x += b`, and `x += a + b  ~>  x += a; x += b`. Exo's documentation.

    The same holds for `*`, and for `min` and `max`, where the value is made by `fmin` or `fmax`; a reduction is
    split only by its own operator. A difference is a sum: `x = a - b  ~>  x = a; x += -b`. So is a floating-point
    product with a sum in it: `x += c * (a + b)  ~>  x += c * a; x += c * b`. The second operand must not read the
    location that is written, under any name. Returns the block of both writes.

    Fails with `NotApplicable` if the value is not made by such an operator, or computed at another precision than
    x's, unless at an integer one that x holds; with `Unsafe` if b may read x."""

def stage_mem(p: Proc, ref: Cursor | str, /, window: str, name: str, accum: bool = False) -> Proc:
    """`s  ~>  tmp: T[..]; tmp = a[w]; s[a -> tmp]; a[w] = tmp`, or with `accum`
    `s  ~>  tmp: T[..]; tmp = 0.0; s[a -> tmp]; a[w] += tmp`.

    `window` is the window `a[w]` as object code, such as `"a[0:n, j]"`; intervals are half-open. `name` is the name of
    `tmp`, which has a dimension for each interval. The window is not empty and lies within the buffer. Every access
    and window of the block lies wholly inside the window or wholly outside of it, and the block uses the buffer's own
    name, or only that of a view of it, which is staged as a buffer is. An access outside of the window stays as it is.

    The load `tmp = a[w]` is left out if the block writes the whole window before it reads any of it. The store
    `a[w] = tmp` is left out if the block writes nothing of the window. What is loaded of a local buffer must have been
    written before.

    With `accum`, nothing is loaded: the block computes a partial result, which is accumulated into the window at the
    end. All that the block may do with the window is to accumulate into it, by one operator. For `+`, `tmp` starts at
    0, for `*` at 1. For `min` and `max` there is no such number: `tmp` starts at the value to which the whole buffer
    was set before, and since then the buffer was only accumulated into. Returns the block, without the copies.

    Fails with `NotApplicable` if the block uses the buffer under another name, or with `accum` does more than
    accumulate; with `Unsafe` if one of the other conditions does not hold."""

def tighten_loop(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i in (lo, hi): if l <= i and i < h: s  ~>  for i in (max(lo, l), min(hi, h)): s`.

    The inverse of `widen_loop`. The body of the loop is an `if` without an else branch. All parts of its condition that
    bound i become bounds of the loop; the others, such as those on data, stay. Bounds that are known to be smaller or
    larger than others are left out. Returns the loop.

    Fails with `NotApplicable` if no part of the condition bounds i. It is proved that the new range has the iterations
    for which the condition holds."""

def transpose(p: Proc, ref: Cursor | str, /) -> Proc:
    """`def foo(x: T[n, m]): s  ~>  def foo(x: T[m, n]): s[x[i, j] -> x[j, i]]`. Returns the argument.

    The caller passes the buffer the other way round, so the result is not interchangeable with the original.
    Windows that keep both dimensions are turned too.

    Fails with `NotApplicable` if the argument has not two dimensions, or a callee takes both; with `Unsafe` if a
    stride of a dense buffer that somebody asks for may change."""

def unroll_buffer(p: Proc, ref: Cursor | str, /, dim: int) -> Proc:
    """`a: T[c, _]  ~>  a_0: T[_]; a_1: T[_] ...`, a buffer for each index along a dimension.

    The extent is a literal, and so is every index along the dimension. No window keeps the dimension, and nobody
    asks for its stride. Other strides that are asked for must stay the same. Returns the allocations.

    Fails with `NotApplicable` if the extent or an index is no literal, or a window keeps the dimension, and with
    `Unsafe` if a stride may change."""

def unroll_loop(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i in (lo, lo+n): s  ~>  s[i -> lo]; ..; s[i -> lo+n-1]`, for a constant n.

    The start lo may be symbolic. So may n, if the assertions, ranges and conditions around leave it one value. A
    loop that never runs becomes `pass`. Returns the block of all copies; cursors into the body point into the
    first.

    Fails with `NotApplicable` if n has no such value, or if the copies would have more than 100,000 nodes, and with
    `Unsafe` if lo reads a config field that the body may change."""

def vectorize_loop(p: Proc, ref: Cursor | str, /) -> Proc:
    """`for i in seq(..)  ~>  for i in vec(..)`, if no iteration touches what another writes. Beyond the paper.

    The mode says that the iterations may run side by side in one instruction. The condition is that of
    `parallelize_loop`, which with the mode "seq" is also the way back. Returns the loop.

    Fails with `Unsafe` if two iterations may touch one location that either writes; that includes accumulations
    into one location, and config fields."""

def widen_loop(p: Proc, ref: Cursor | str, /, lo: ExprLike, hi: ExprLike) -> Proc:
    """`for i in (l, h): s  ~>  for i in (lo, hi): if l <= i and i < h: s`.

    `lo` and `hi` are integer control expressions in scope before the loop that read no config field, with
    `lo <= l` and `h <= hi` unless the loop has no iteration. Loops of one range can be fused and tiled together.
    Returns the loop, which keeps its mode.

    Fails with `Unsafe` if an iteration may lie outside of the new range, or if the body changes l or h."""

def write_config(p: Proc, ref: Cursor | str, /, config: Config, field: str, value: ExprLike | float | bool) -> Proc:
    """`s1; s2  ~>  s1; Cfg.f = e; s2`. Returns the write.

    `value` is a number, a cursor, or object code in scope at the gap. The data that it reads was written before the
    gap, or is read by the code after the gap anyway. No code after the gap reads the field before it is written again,
    as for `delete_config`, unless the field is known to hold this value already.

    If nothing in the procedure writes the field again, it may keep the new value when the procedure ends. Then
    `call_eqv` takes the result only where the caller does not read the field either.

    Fails with `BadArgument` if the value is not of the field's kind, and with `Unsafe` if the field's old value is
    read, if iterations of a parallel loop would write one field, or if data that `value` reads may not be written yet."""
