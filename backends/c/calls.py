"""Calls in C: of functions, and of instructions, which are filled templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..kernel import Arg, Call, Control, Expr, Instr, Read, Scalar, Tensor, WindowExpr, concrete
from .errors import InstructionError, Objection, marked
from .expressions import Expressions
from .needs import Needs, fill
from .program import Function, Program
from .terms import ATOM, UNARY, Term
from .types import c_type
from .views import Env, View


class Calls(Expressions):
    """Prints the calls of one function."""

    def __init__(self, function: Function, program: Program, needs: Needs) -> None:
        super().__init__(function, needs)
        self.program = program

    def call(self, s: Call, env: Env) -> Iterator[str]:
        """A call of a function, or the text of an instruction."""
        callee = self.program.by_tree[id(s.f.tree)]
        if callee.tree.instr is not None:
            yield from self._instruction(s, callee.tree.instr, env)
            return
        pairs = zip(callee.tree.args, s.args, strict=True)
        passed = [self._arguments(callee, *pair, i in callee.written, env) for i, pair in enumerate(pairs)]
        yield from _invocation(callee.name, [text for texts in passed for text in texts])

    def _arguments(self, callee: Function, formal: Arg, actual: Expr, written: bool, env: Env) -> list[str]:
        if isinstance(formal.type, Control):
            return [str(self.control(actual, env))]
        if not isinstance(actual, Read | WindowExpr):
            assert isinstance(formal.type, Scalar)
            scalar = concrete(formal.type)
            return [f"&({c_type(scalar)}){{{self.converted(actual, scalar, env)}}}"]
        view, window = self.view(actual, env), isinstance(formal.type, Tensor) and formal.type.window
        if window and callee.exported:
            return [self._struct(view, not written)]
        if not window:
            return [str(view.address())]
        strides = view.kept_strides()
        return [str(view.address()), *(str(strides[d]) for d in self.needs.strides[callee.name, formal.sym])]

    def _struct(self, view: View, const: bool) -> str:
        strides = view.kept_strides()
        struct = self.needs.window(view.scalar, len(strides), const)
        return f"({struct}){{ {view.address()}, {{ {', '.join(map(str, strides))} }} }}"

    # -- instructions ---------------------------------------------------------------------------

    def _instruction(self, s: Call, instr: Instr, env: Env) -> Iterator[str]:
        """The template with its holes filled: `{x}` a value, or the address of a buffer; `{x_data}`
        the lvalue of a buffer's first element; `{x_stride_0}` a stride; `{n_int}` a literal."""
        self.needs.prelude(instr.c_global)
        holes: dict[str, Callable[[], Term]] = {}
        for formal, actual in zip(s.f.tree.args, s.args, strict=True):
            holes.update(self._holes(formal, actual, env))
        try:
            text = fill(instr.c, lambda hole: _lookup(holes, hole))
        except _UnknownHole as e:
            known = ", ".join(f"{{{h}}}" for h in sorted(holes))
            message = f"the template of {s.f.tree.name} mentions {{{e}}}; it may mention {known}"
            raise marked(InstructionError, self.function.tree, env.path, message) from e
        except Objection as e:
            message = f"{s.f.tree.name}: {e}"
            raise marked(InstructionError, self.function.tree, env.path, message) from e
        yield from text.splitlines()

    def _holes(self, formal: Arg, actual: Expr, env: Env) -> Mapping[str, Callable[[], Term]]:
        name = formal.sym.name
        if isinstance(formal.type, Control):
            value = self.control(actual, env)
            return {name: lambda: Term(value.within(ATOM)), f"{name}_int": lambda: _literal(name, value)}
        if not isinstance(actual, Read | WindowExpr):
            assert isinstance(formal.type, Scalar)
            scalar = concrete(formal.type)
            data = self.converted(actual, scalar, env)
            temporary = Term(f"*&({c_type(scalar)}){{{data}}}", UNARY)
            return {name: lambda: Term(data.within(ATOM)), f"{name}_data": lambda: temporary}
        view = self.view(actual, env)
        whole = {name: view.address if isinstance(formal.type, Tensor) else view.first, f"{name}_data": view.first}
        strides = {f"{name}_stride_{d}": _constantly(t) for d, t in enumerate(view.kept_strides())}
        return {**whole, **strides}


def _invocation(name: str, args: list[str]) -> Iterator[str]:
    """A call as a statement, on several lines if it is long."""
    line = f"{name}({', '.join(args)});"
    if len(line) <= 100:
        yield line
        return
    yield f"{name}("
    yield from (f"    {a}," for a in args[:-1])
    yield f"    {args[-1]}"
    yield ");"


class _UnknownHole(Exception):
    """A template mentions what is no argument."""


def _lookup(holes: Mapping[str, Callable[[], Term]], hole: str) -> Term:
    if hole not in holes:
        raise _UnknownHole(hole)
    return holes[hole]()


def _constantly(t: Term) -> Callable[[], Term]:
    return lambda: Term(t.within(ATOM))


def _literal(name: str, value: Term) -> Term:
    if value.value is None:
        raise Objection(f"{name} must be a literal, as it becomes part of the instruction; it is `{value}`")
    return value
