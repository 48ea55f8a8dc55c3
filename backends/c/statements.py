"""Statements in C.

A block is printed front to back with an `Env` of what is in scope; a buffer is released at the end
of its block, so after the last use of any window of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..kernel import (
    Alloc,
    Assign,
    Block,
    Call,
    Cell,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Node,
    Pass,
    Path,
    ReadConfig,
    Reduce,
    Scalar,
    Stmt,
    Sym,
    Tensor,
    ViewExpr,
    WindowDef,
    WriteConfig,
    concrete,
    walk,
)
from .calls import Calls
from .errors import AllocationError, MemoryAccessError, Objection, marked
from .fences import earlier, ends_thread, fences, starts_threads
from .inorder import PRELUDE, STATEMENT, in_order
from .leaving import left_by, opposite
from .memory import HeapMemory, PlacedMemory
from .needs import ITERATION, Needs, divides
from .ordering import waits_at_end
from .origins import of_statement
from .outlining import definition, parameters
from .precision import SHIFTS
from .program import Function, Program, with_callees
from .terms import Term, binary, num, row_major
from .threads import is_uneven, side_by_side
from .types import INT, c_type
from .views import Env, whole

SHARED, SHARED_IN_TURNS = "#pragma omp parallel for", "#pragma omp parallel for schedule(static, 1)"
IN_LANES = "#pragma omp simd"


def reads_state(e: Node) -> bool:
    """Whether a control expression reads memory, so that it may change while its variables don't."""
    return any(isinstance(n, ReadConfig | Cell) for _, n in walk(e))


def may_stop(s: Node, f: Function, program: Program) -> bool:
    """Whether code of a function, or what it calls, may be stopped when it runs: it asks for memory, divides integers,
    or writes a config field that grows."""

    def stops(n: Node, g: Function) -> bool:
        match n:
            case ExternCall(f=fn, args=args):
                return divides(fn) or (fn.operator in SHIFTS and not isinstance(args[1], Const))
            case WriteConfig(config=c, field=field):
                return (c.name, field) in program.checked
            case Alloc(sym=sym, type=t):
                return isinstance(t, Tensor) and isinstance(g.data[sym].mem, HeapMemory)
            case _:
                return False

    return any(stops(n, g) for n, g in with_callees(s, f, program.by_tree))


def indented(lines: Iterable[str]) -> Iterator[str]:
    """The lines one level deeper."""
    return (f"    {line}" for line in lines)


class Statements(Calls):
    """Prints the statements of one function. `outlined` are functions that it calls, to stand before it."""

    def __init__(self, function: Function, program: Program, needs: Needs) -> None:
        super().__init__(function, program, needs)
        self.outlined: list[str] = []

    def block(self, stmts: Block, env: Env, path: Path, label: str) -> Iterator[str]:
        """The lines of a block: its statements, then what its buffers need to be released."""
        release: list[str] = []
        for i, s in enumerate(stmts):
            env = env.at((*path, (label, i)))
            try:
                lines, env = self._declare(s, env, release) if isinstance(s, Alloc | WindowDef) else (None, env)
                number = self.needs.origin(self.function.tree, env.path)
                yield from of_statement(number, self._statement(s, env) if lines is None else lines)
            except Objection as e:
                error = AllocationError if isinstance(s, Alloc) else MemoryAccessError
                raise marked(error, self.function.tree, env.path, str(e)) from e
        if waits_at_end(stmts, path, self.function.data):
            yield from self._epilogues()
        if release or ends_thread(self.function.tree, path):
            yield from fences(stmts)
        yield from reversed(release)

    def _epilogues(self) -> Iterator[str]:
        """What ends the work of the function's memories."""
        ends = (d.mem.epilogue() for d in self.function.data.values())
        yield from dict.fromkeys(filter(None, ends))

    # -- declarations ---------------------------------------------------------------------------

    def _declare(self, s: Alloc | WindowDef, env: Env, release: list[str]) -> tuple[list[str], Env]:
        if isinstance(s, WindowDef):
            return self._window(s, env)
        mem = self.function.data[s.sym].mem
        self.needs.prelude(mem.prelude())
        lines, shape, env = self.shape(s.type, s.sym.name, env)
        name, env = env.spell(s.sym.name)
        scalar = concrete(s.type.base if isinstance(s.type, Tensor) else s.type)
        by_address = s.sym in self.function.shared and mem.pointers and (mem.per_thread or not shape)
        cells, env = env.spell(f"{s.sym.name}_cell{'s' * bool(shape)}") if by_address else (name, env)
        if isinstance(mem, PlacedMemory):
            lines.append(mem.place(name, self.program.places[self.function.name, env.path]))
        else:
            lines.append(mem.alloc(cells, scalar, shape))
        if by_address:
            lines.append(f"{c_type(scalar)} *const {name} = {'' if shape else '&'}{cells};")
        if end := mem.free(cells, scalar, shape):
            release.append(end)
        view = whole(name, scalar, mem, row_major(shape) if shape else ())
        return lines, env.with_view(s.sym, replace(view, pointer=by_address))

    def shape(self, t: Scalar | Tensor, name: str, env: Env) -> tuple[list[str], tuple[Term, ...], Env]:
        """The extents of a buffer; one that a config write may change later is given a name first."""
        lines: list[str] = []
        extents: list[Term] = []
        for d, e in enumerate(t.shape if isinstance(t, Tensor) else ()):
            text, env = self._fixed(e, f"{name}_dim{d}", lines, env)
            never = text.value is not None and text.value < 1  # only code that never runs has such extents, C none
            extents.append(num(1) if never else text)
        return lines, tuple(extents), env

    def _fixed(self, e: Expr, name: str, lines: list[str], env: Env) -> tuple[Term, Env]:
        """A control expression whose value stays; what memory holds is read now, into a constant."""
        text = self.control(e, env)
        if not reads_state(e):
            return text, env
        spelled, env = env.constant(name)
        lines.append(f"const {INT} {spelled} = {text};")
        return Term(spelled), env

    def _window(self, s: WindowDef, env: Env) -> tuple[list[str], Env]:
        """A pointer to the window's first element; where pointers can't reach, only a fact of the printer."""
        if isinstance(s.rhs, ViewExpr):
            return self._reshaped(s.sym, s.rhs, env)
        view = self.view(s.rhs, env)
        if not view.mem.pointers:
            if reads_state(s.rhs):
                raise Objection(f"a window of {view.mem} can't start where memory says; pass it a variable")
            return [], env.with_view(s.sym, view)
        name, env = env.spell(s.sym.name)
        const = "const " if view.const else ""
        line = f"{const}{c_type(view.scalar)} *const {name} = {view.address()};"
        pointed = whole(name, view.scalar, view.mem, view.kept_strides(), view.const)
        return [line], env.with_view(s.sym, pointed)

    def _reshaped(self, sym: Sym, e: ViewExpr, env: Env) -> tuple[list[str], Env]:
        """A pointer to the same elements, with strides of its own."""
        view = env.views[e.sym]
        if not (view.mem.pointers and view.mem.direct and view.mem.is_dense):
            raise Objection(f"a buffer in {view.mem} does not lie row by row, so it has no other extents")
        name, env = env.spell(sym.name)
        const = "const " if view.const else ""
        line = f"{const}{c_type(view.scalar)} *const {name} = {view.address()};"
        strides = row_major(tuple(self.control(n, env) for n in e.shape))
        return [line], env.with_view(sym, whole(name, view.scalar, view.mem, strides, view.const))

    # -- the others -----------------------------------------------------------------------------

    def _statement(self, s: Stmt, env: Env) -> Iterator[str]:
        if starts_threads(s):
            yield from fences(earlier(self.function.tree, env.path))
        match s:
            case Assign():
                target = self.target(s, env)
                yield f"{target} = {self.assigned(s.rhs, env.views[s.sym].scalar, env)};"
            case Reduce():
                yield self._reduce(s, env)
            case For():
                yield from self._loop(s, env)
            case If():
                yield f"if ({self.control(s.cond, env)}) {{"
                yield from indented(self.block(s.body, env, env.path, "body"))
                if s.orelse:
                    yield "} else {"
                    yield from indented(self.block(s.orelse, env, env.path, "orelse"))
                yield "}"
            case Call():
                yield from self.call(s, env)
            case WriteConfig(config=c, field=f):
                t = c.fields[f]
                value = self.converted(s.rhs, concrete(t), env) if isinstance(t, Scalar) else self.control(s.rhs, env)
                if (c.name, f) in self.program.checked:
                    value = self.needs.within(value, self.function.most)
                yield f"{self.needs.register(c, f)} = {value};"
            case Pass():
                yield ";"
            case _:
                raise AssertionError(f"not a statement: {s}")

    def target(self, s: Assign | Reduce, env: Env) -> Term:
        """The lvalue that a statement writes."""
        return env.views[s.sym].element([self.control(i, env) for i in s.idx])

    def _reduce(self, s: Reduce, env: Env) -> str:
        target, scalar = self.target(s, env), env.views[s.sym].scalar
        value = self.converted(s.rhs, scalar, env)
        if s.op in ("min", "max"):
            return f"{target} = {self.needs.choice(s.op, scalar)}({target}, {value});"
        return f"{target} {s.op}= {value};"

    def _loop(self, s: For, env: Env) -> Iterator[str]:
        """A counted loop. Its bounds are read once, as they are in the object language: both of them before a parallel
        loop, as each thread reads them, maybe when an iteration of another one has changed them."""
        fixed: list[str] = []
        if s.mode == "par":
            lo, env = self._fixed(s.lo, f"{s.iter.name}_start", fixed, env)
        else:
            lo = self.control(s.lo, env)
        hi, env = self._fixed(s.hi, f"{s.iter.name}_end", fixed, env)
        loop = self._counted(s, lo, hi, env)
        if not fixed:
            yield from loop
            return
        yield "{"
        yield from indented((*fixed, *loop))
        yield "}"

    def _counted(self, s: For, lo: Term, hi: Term, env: Env) -> Iterator[str]:
        name, inner = env.spell(s.iter.name)
        inner = inner.with_control(s.iter, Term(name))
        branch = left_by(s, self.function, self.program.by_tree)
        body = list(self.block(s.body, inner, env.path, "body") if branch is None else self._left(branch, inner))
        if in_order(s, env.path, self.function, self.program.by_tree):
            self.needs.prelude(PRELUDE)
            body.insert(0, STATEMENT)
        if s.mode == "par":
            yield SHARED_IN_TURNS if is_uneven(s) else SHARED
        elif s.mode == "vec" and side_by_side(s, self.function.data, self.program.by_tree):
            yield IN_LANES
        yield f"for ({INT} {name} = {lo}; {binary('<', Term(name), hi)}; {name}++) {{"
        yield from indented(self._iteration(s, self._outlined(name, body, inner)) if s.mode == "par" else body)
        yield "}"

    def _left(self, s: If, env: Env) -> Iterator[str]:
        """The branch that a loop consists of, which ends where its condition is false."""
        env = env.at((*env.path, ("body", 0)))
        yield f"if ({self.control(opposite(s.cond), env)}) break;"
        yield from self.block(s.body, env, env.path, "body")

    def _iteration(self, s: For, body: list[str]) -> list[str]:
        """An iteration of a parallel loop, which alone can be stopped: its thread must come to its end."""
        if not may_stop(s, self.function, self.program):
            return body
        self.needs.prelude(ITERATION)
        return ["EXO_ITERATION_BEGINS", *body, "EXO_ITERATION_ENDS"]

    def _outlined(self, loop: str, body: list[str], env: Env) -> list[str]:
        """The call of a function with this body, where there can be one."""
        params = parameters(body, self.function, env, self.needs)
        if params is None:
            return body
        name = self.needs.unique(f"exo_par_{self.function.name}_{loop}", "_body")
        self.outlined.append(definition(name, params, body))
        return [f"{name}({', '.join(p.name for p in params)});"]
