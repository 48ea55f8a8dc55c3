"""What all primitives share: `@primitive`, references, arguments in object code. Imports everything below.

A primitive is a function `(rw, target, *params)`: its condition (questions to `logic.safety`, asked
with `require`) and its edit (atomic edits on `rw`). It returns the path, span or cursor to act on
next. `@primitive` makes two things of it: a function from `params` to an `Op`, and `.direct`, the
paper's form `(Proc, reference, *params) -> Proc` (see `exo_strat.direct`).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import update_wrapper
from types import MappingProxyType, UnionType
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

from returns.result import Failure as Err
from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, ExprCursor, GapCursor, NodeCursor, ProcCursor, StmtCursor, at_path
from ..cursors.edits import Span
from ..cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    BinaryOpCursor,
    CallCursor,
    ExternCursor,
    ForCursor,
    IfCursor,
    PassCursor,
    ReadConfigCursor,
    ReadCursor,
    ReduceCursor,
    StrideExprCursor,
    UnaryCursor,
    WindowDefCursor,
    WindowExprCursor,
    WriteConfigCursor,
)
from ..cursors.proc import InvalidCursorError, Proc
from ..cursors.rewrite import Rewrite
from ..failure import (
    BadArgument,
    Failure,
    InvalidCursor,
    NotApplicable,
    Refused,
    SchedulingError,
    Unknown,
    invalid,
    unsafe,
)
from ..frontend.checks import check, two_things
from ..frontend.errors import CheckError, FrontendError
from ..frontend.exprs import parse_expr, parse_window, read_again
from ..frontend.scope import scope_at, types_at
from ..ir.build import num
from ..ir.frozen import fast_init
from ..ir.names import Sym, checked_name
from ..ir.nodes import Expr, Node, WinDim
from ..ir.numbers import is_integer
from ..ir.outside import two_of_one_name
from ..ir.walk import Path, is_control, mentions, walk
from ..logic.configs import depends_on_fields
from ..logic.races import race
from ..logic.safety import Blk, Clash, Verdict
from ..moves import Move, run_move
from ..source import Pieces, call
from ..strategy import Atomic, Outcome, freeze
from .arguments import check_arguments, check_first, form_of

Where: TypeAlias = Path | Span | Cursor | None
ExprLike: TypeAlias = str | int | Expr | NodeCursor
C = TypeVar("C", bound=Cursor)

KIND_NAMES: dict[type[Cursor], str] = {
    ForCursor: "a loop",
    IfCursor: "an `if`",
    AllocCursor: "an allocation",
    ArgCursor: "an argument",
    BlockCursor: "a block of statements",
    GapCursor: "a gap between statements",
    StmtCursor: "a statement",
    ProcCursor: "a procedure",
    ExprCursor: "an expression",
    AssignCursor: "an assignment",
    ReduceCursor: "a reduction",
    WindowDefCursor: "a window's definition",
    WriteConfigCursor: "a write to a config field",
    PassCursor: "a `pass`",
    WindowExprCursor: "a window",
    UnaryCursor: "a unary operation",
    BinaryOpCursor: "a binary operation",
    ExternCursor: "a call of an extern function",
    StrideExprCursor: "a stride",
    ReadConfigCursor: "a config field",
}


BY_NAME: dict[type[Cursor], str] = {CallCursor: "(_)", AssignCursor: " = _", WindowDefCursor: " = _"}
"""What a name means where one of these is wanted: the name with this pattern after it."""


def kind_name(kind: type[Cursor]) -> str:
    """A kind of cursor in words."""
    return KIND_NAMES.get(kind, f"a {kind.__name__.removesuffix('Cursor').lower()}")


# -- refusing -----------------------------------------------------------------------------------------


def refuse(failure: Failure) -> None:
    """End the primitive with a failure."""
    raise Refused(failure)


def require(verdict: Verdict, place: Cursor | None = None) -> None:
    """Go on if the verdict is `Safe`; otherwise end with its obligation and counterexample."""
    if isinstance(verdict, Clash):
        if verdict.unknown:
            raise Refused(Unknown(f"could not decide whether {verdict.obligation}", place=place))
        failure = unsafe(verdict.obligation, verdict.counterexample, verdict.details)
        raise Refused(replace(failure, place=place))


def applicable(condition: bool, message: str, place: Cursor | None = None) -> None:
    """Go on if the target has the form that the primitive needs."""
    if not condition:
        raise Refused(NotApplicable(message, place=place))


def argument(condition: bool, message: str) -> None:
    """Go on if an argument makes sense."""
    if not condition:
        raise Refused(BadArgument(message))


MOST_NODES = 100_000
"""How much code a rewrite may make of a piece of code by copies. Ten thousand statements take each later rewrite
seconds, and a C compiler minutes; what is more would end in memory that runs out, without a word."""


def not_too_many(node: Node, copies: int, instead: str, place: Cursor) -> None:
    """Go on if so many copies of a node are few enough. `instead` is what to do."""
    fits = copies <= MOST_NODES and copies * sum(1 for _ in walk(node)) <= MOST_NODES
    applicable(fits, f"{copies} copies would be more code than anybody can use: {instead}", place)


# -- references and arguments -------------------------------------------------------------------------


def coerce(c: Cursor, kinds: tuple[type[Cursor], ...]) -> Cursor:
    """`c` as one of the kinds wanted: a statement also serves as a block of one."""
    if isinstance(c, kinds):
        return c
    if BlockCursor in kinds and isinstance(c, StmtCursor):
        return c.as_block()
    if ProcCursor in kinds:
        return c.root()
    wanted = " or ".join(kind_name(k) for k in kinds)
    message = f"this acts on {wanted}, but the focus is {kind_name(type(c))}"
    if ArgCursor in kinds and isinstance(c, ReadCursor | WindowExprCursor):
        message += f"; moves.find_alloc_or_arg({c.name()!r}) goes to what it is of"
    raise Refused(NotApplicable(message, place=c))


def find_target(p: Proc, ref: object, kinds: tuple[type[Cursor], ...]) -> Cursor:
    """The cursor that a reference (cursor, pattern, name, move) means in `p`."""
    if isinstance(ref, Cursor):
        c = p.forward(ref)
        if not c.is_valid:
            raise InvalidCursorError("this cursor points to code that is gone")
        return coerce(c, kinds)
    if isinstance(ref, str):
        return coerce(_by_text(p, ref, kinds), kinds)
    if isinstance(ref, Move):
        moved = run_move(ref, p.root())
        if isinstance(moved, Success):
            return coerce(p.forward(moved.unwrap()), kinds)
        raise Refused(moved.failure())
    if isinstance(ref, Proc) and CallCursor in kinds:
        return _call_of(p, ref)
    raise Refused(BadArgument(f"a reference is a cursor, a pattern or a move, not {ref!r}"))


def _call_of(p: Proc, callee: Proc) -> Cursor:
    """The first call of a procedure, which the paper's `call_eqv(p, foo, bar)` and `inline(p, foo)` refer to by it."""
    for c in p.root().find_all("_(_)"):
        if isinstance(c, CallCursor) and c.subproc().tree == callee.tree:
            return c
    raise InvalidCursorError(f"nothing calls {callee.name()} in\n{p}")


def _by_text(p: Proc, text: str, kinds: tuple[type[Cursor], ...]) -> Cursor:
    words = text.partition("#")[0].split()
    names = all(w.isidentifier() and w != "_" for w in words)
    if names and len(words) == 2 and ForCursor in kinds:
        return _nest(p, *words)
    if names and len(words) == 1:
        if ForCursor in kinds:
            return _only(p.find_loop(text))
        for kind, pattern in BY_NAME.items():
            if kind in kinds:
                name, sharp, number = text.partition("#")
                return _only(p.find(f"{name.strip()}{pattern} {sharp}{number}"))
        if BlockCursor in kinds or StmtCursor in kinds:
            return _statement(p, text)
        if ArgCursor in kinds:
            return p.find_alloc_or_arg(text)
        if AllocCursor in kinds:
            return p.find_alloc(text)
    return _only(p.find(text))


def _statement(p: Proc, text: str) -> Cursor:
    """The loop or, if there is none, the allocation that a name means where a statement is wanted."""
    for find in (p.find_loop, p.find_alloc):
        try:
            return _only(find(text))
        except InvalidCursorError:
            continue
    return _only(p.find(text))


def _nest(p: Proc, outer: str, inner: str) -> Cursor:
    for c in p.root().find_all(f"for {outer} in _: _"):
        if isinstance(c, ForCursor) and isinstance(c.body()[0], ForCursor) and c.body()[0].name() == inner:  # type: ignore[attr-defined]
            return c
    raise InvalidCursorError(f"no loop {outer} has a loop {inner} directly inside it in\n{p}")


def _only(found: Cursor | list[Cursor]) -> Cursor:
    assert isinstance(found, Cursor)
    return found


def ref(rw: Rewrite, value: object, kind: type[C]) -> C:
    """A further reference argument, resolved in the version that is being rewritten."""
    c = find_target(rw.proc, value, (kind,))
    assert isinstance(c, kind)
    return c


def expr_arg(rw: Rewrite, value: ExprLike, at: Path, products: bool = False) -> Expr:
    """A control expression argument: a number, object code in the scope at `at`, which may name the configs of the
    procedure, or a cursor. With `products`, sizes may be multiplied."""
    if is_integer(value):
        return num(value)  # type: ignore[arg-type]
    if isinstance(value, str):
        return parse_expr(value, scope_at(rw.proc.tree, at), products)
    given = value
    if isinstance(value, NodeCursor):
        found = rw.proc.forward(value)
        if not found.is_valid:
            raise InvalidCursorError("this cursor points to code that is gone")
        assert isinstance(found, NodeCursor)
        value = found.node  # type: ignore[assignment]
    argument(isinstance(value, Expr) and is_control(value), f"{given!r} is no control expression")
    in_scope_at(rw, value, at, given)  # type: ignore[arg-type]
    return read_again(value, rw.proc.tree, at, products)  # type: ignore[arg-type]


def in_scope_at(rw: Rewrite, e: Expr, at: Path, given: object) -> None:
    """Go on if all that an expression mentions, which an argument is or points to, is in scope at a place."""
    unknown = sorted(mentions(e) - types_at(rw.proc.tree, at).keys())
    argument(not unknown, f"{', '.join(map(str, unknown))} is not in scope where {given!r} is needed")


def window_arg(rw: Rewrite, text: str, at: Path) -> tuple[Sym, tuple[WinDim, ...]]:
    """A window argument in object code, such as `"x[0:n, j]"`."""
    sym, dims = parse_window(text, scope_at(rw.proc.tree, at))
    return sym, tuple(dims)


def positive(value: int, what: str) -> int:
    """An integer of at least 1."""
    argument(value >= 1, f"{what} must be a positive integer, not {value}")
    return value


def name_arg(value: object) -> str:
    """A new name, which must be an identifier."""
    try:
        return checked_name(value)
    except ValueError as e:
        raise Refused(BadArgument(str(e))) from None


def blk(c: BlockCursor) -> Blk:
    """A block cursor's range, as `logic` takes it."""
    return Blk(*c.span)


# -- primitives ---------------------------------------------------------------------------------------

ROLES: Mapping[str, str] = {
    "target": "the target, or the statements of a block that is one",
    "inside": "statements in it",
    "elsewhere": "all other statements, and arguments",
    "values inside": "expressions in the target",
    "values elsewhere": "all other expressions",
}
"""What a cursor of the old version is to a rewrite."""

WAYS: Mapping[str, str] = {
    "stay": "with its node, wherever that is moved and whatever is changed in it",
    "first copy": "to the first of several copies of it",
    "last copy": "to the last of them",
    "replaced": "to what was put in the place of its node, which is gone",
    "place": "to what was put in the place of its node, which now stands elsewhere",
    "gone": "nowhere, as its node is gone",
    "lost": "nowhere, though the expression was put in elsewhere for a variable",
}
"""Where a rewrite may take a cursor."""


def declared_ways(cursors: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    """A declaration, such as `{"target": "gone", "inside": "stay, gone"}`, in full. What it leaves out stays."""
    ways = {role: frozenset(words.split(", ")) for role, words in cursors.items()}
    unknown = (ways.keys() - ROLES.keys()) | (frozenset[str]().union(*ways.values()) - WAYS.keys())
    if unknown:
        raise ValueError(f"no role or way of cursors: {', '.join(sorted(unknown))}")
    return {role: ways.get(role, frozenset({"stay"})) for role in ROLES}


@fast_init
@dataclass(frozen=True, slots=True)
class Spec:
    """A primitive's definition. `same_values`: what it makes may take the place of the original (see `call_eqv`);
    `cursors`: which ways cursors of each role may go (see `ROLES`, `WAYS`); `by_form`: there is nothing to prove."""

    name: str
    fn: Callable[..., Where]
    targets: tuple[type[Cursor], ...]
    signature: inspect.Signature
    hints: Mapping[str, Any]
    same_values: bool
    cursors: Mapping[str, frozenset[str]]
    by_form: bool


@dataclass(frozen=True, repr=False)
class Primitive(Atomic):
    """A primitive with its arguments, in the order of its signature."""

    name: str
    args: tuple[Any, ...]

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        spec = PRIMITIVES[self.name]
        rw = Rewrite(p)
        try:
            target = coerce(p.forward(c), spec.targets)
            check_arguments(spec.signature, spec.hints, self.args)
            pos, kws = _spread(spec.signature, self.args)
            where = spec.fn(rw, target, *pos, **kws)
            _fields_still_known(rw)
            q = rw._finish(self, target.place(), target, spec.same_values)
            name = two_of_one_name(q.tree)
            argument(name is None, two_things(str(name), q.name()))
            return Success((q, _focus(q, target, where)))
        except Refused as r:
            return Err(r.failure.at(self, c))
        except InvalidCursorError as e:
            return Err(invalid(e).at(self, c))
        except FrontendError as e:
            return Err(BadArgument(str(e)).at(self, c))

    def source(self) -> Pieces:
        pos, kws = _spread(PRIMITIVES[self.name].signature, self.args, spare=True)
        return call(self.name, *pos, **kws)


def _fields_still_known(rw: Rewrite) -> None:
    """Owed by every rewrite of a procedure whose checks rest on config fields: enough is still known of them."""
    if not (rw.edits and depends_on_fields(rw.tree)):
        return
    try:
        check(rw.tree)
    except CheckError as e:
        require(Clash(f"it is still known of config fields what the code relies on: {e.message}"))
    loop = race(rw.tree, of_fields=True)
    if loop is not None and race(rw.proc.tree, of_fields=True) is None:
        require(Clash(f"it is still known of config fields what keeps the iterations of {loop.iter} apart"))


def _spread(signature: inspect.Signature, args: Sequence[Any], spare: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """Arguments, one a parameter, as they are written at a call; with `spare` by name, and no defaults."""
    pos: list[Any] = []
    kws: dict[str, Any] = {}
    for prm, a in zip(signature.parameters.values(), args, strict=True):
        if prm.kind is prm.VAR_POSITIONAL:
            pos += a
        elif prm.kind is prm.VAR_KEYWORD:
            kws |= dict(a)
        elif not spare or prm.default is prm.empty:
            pos.append(a)
        elif a != prm.default:
            kws[prm.name] = a
    return pos, kws


_DEFINED: dict[str, Spec] = {}  # filled when modules with primitives are imported

PRIMITIVES: Mapping[str, Spec] = MappingProxyType(_DEFINED)
"""All primitives, by name."""


def _focus(q: Proc, target: Cursor, where: Where) -> Cursor:
    if isinstance(where, Span):
        return BlockCursor(q, where)
    if isinstance(where, Cursor):
        found = q.forward(where)
        return found if found.is_valid else q.root()
    if where is not None:
        return at_path(q, where)
    found = q.forward(target)
    return found if found.is_valid else q.root()


class PrimitiveForm:
    """A primitive as users call it: `f(*params)` is the Op, `f.direct(p, ref, *params)` the paper's form."""

    direct: Callable[..., Proc]

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        update_wrapper(self, spec.fn)
        self.__signature__ = spec.signature.replace(return_annotation="Op")
        params = spec.signature.parameters.values()
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in params)
        self._defaults = tuple(p.default for p in params) if plain else None
        self.direct = self._direct()

    def __reduce__(self) -> str:
        return self.spec.fn.__qualname__

    def __call__(self, *args: Any, **kwargs: Any) -> Primitive:
        if args and isinstance(args[0], Proc | Cursor):
            check_first(self.spec, args, kwargs)
        return self._op(args, kwargs)

    def _op(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Primitive:
        return Primitive(self.spec.name, freeze(self._values(args, kwargs)))

    def _values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments, one a parameter."""
        if self._defaults is not None and not kwargs:  # the common case, which takes `bind` long
            rest = self._defaults[len(args) :]
            if len(args) <= len(self._defaults) and inspect.Parameter.empty not in rest:
                return (*args, *rest)
        try:
            bound = self.spec.signature.bind(*args, **kwargs)
        except TypeError as e:
            raise TypeError(f"{form_of(self.spec)}: {e}") from None
        bound.apply_defaults()
        return tuple([tuple(sorted(a.items())) if isinstance(a, dict) else a for a in bound.arguments.values()])

    def _direct(self) -> Callable[..., Any]:
        """The paper's form: takes the target by reference, returns the new procedure.

        Raises `SchedulingError` where the Op fails, `InvalidCursorError` where the reference leads nowhere.
        """

        def direct(p: Proc, *args: Any, **kwargs: Any) -> Any:
            return self.result(*self.applied(p, args, kwargs))

        fn, first, kind = self.spec.fn, inspect.Parameter, inspect.Parameter.POSITIONAL_ONLY
        refs = [first("ref", kind, annotation="Cursor | str")] * (self.spec.targets != (ProcCursor,))
        params = [first("p", kind, annotation="Proc"), *refs, *self.spec.signature.parameters.values()]
        direct.__signature__ = inspect.Signature(params, return_annotation=self.returns)  # type: ignore[attr-defined]
        direct.__module__, direct.__doc__, direct.__qualname__ = fn.__module__, fn.__doc__, f"{fn.__qualname__}.direct"
        direct.__name__ = self.spec.name
        direct.takes_reference = bool(refs)  # type: ignore[attr-defined]
        return direct

    returns = "Proc"

    def result(self, made: Proc, focus: Cursor) -> Any:
        """What the direct form returns."""
        return made

    def applied(self, p: Proc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Proc, Cursor]:
        """The direct form's work: the new procedure, and the cursor that the Op returns. Raises what `direct` does."""
        if not isinstance(p, Proc):
            raise TypeError(f"the first argument of {self.spec.name} is a procedure, not {p!r}")
        on_proc = ProcCursor in self.spec.targets
        if not args and not on_proc:
            wanted = " or ".join(map(kind_name, self.spec.targets))
            raise TypeError(f"{self.spec.name} needs a reference to {wanted} after the procedure")
        try:
            if not args or self.spec.targets == (ProcCursor,):
                target: Cursor = p.root()
            else:
                target, args = find_target(p, args[0], self.spec.targets), args[1:]
        except Refused as r:
            raise SchedulingError(r.failure) from None
        except FrontendError as e:
            raise SchedulingError(BadArgument(str(e))) from None
        try:
            op = self._op(args, kwargs)
        except ValueError as e:
            raise SchedulingError(BadArgument(f"{self.spec.name}: {e}")) from None
        outcome = op(p, target)
        if isinstance(outcome, Success):
            made: tuple[Proc, Cursor] = outcome.unwrap()
            return made
        failure = outcome.failure()
        if isinstance(failure, InvalidCursor):
            raise InvalidCursorError(str(failure))
        raise SchedulingError(failure)

    def __repr__(self) -> str:
        return f"<primitive {self.spec.name}{self.spec.signature}>"


class CalleeForm(PrimitiveForm):
    """A primitive that makes a call of a new procedure. The paper's form returns that procedure, too."""

    def __init__(self, form: PrimitiveForm) -> None:
        super().__init__(form.spec)

    direct: Callable[..., tuple[Proc, Proc]]  # type: ignore[assignment]
    returns = "tuple[Proc, Proc]"

    def result(self, made: Proc, focus: Cursor) -> Any:
        """The new version, and the procedure that it calls."""
        assert isinstance(focus, CallCursor)
        return made, focus.subproc()


def primitive(
    same_values: bool = False, cursors: Mapping[str, str] = MappingProxyType({}), by_form: bool = False
) -> Callable[[Callable[..., Where]], PrimitiveForm]:
    """Defines a primitive. The kinds of target come from the annotation of the second parameter.

    `same_values`: the result may take the place of the original in a call (see `call_eqv`). Only primitives of this
    package can say so, as only they are trusted to prove it; what others make is a procedure of its own.

    `cursors` says where cursors go that don't stay: by role the ways, as `{"target": "gone"}` (see `ROLES`, `WAYS`).

    `by_form`: the form of the code and the arguments decide whether it applies. There is nothing to prove of values, so
    it is never refused with `Unsafe`; but where the checks of a procedure rest on config fields, every rewrite must
    leave enough known of them.

    Raises `TypeError` where another module says so, and `ValueError` if it takes a name that is in use.
    """

    def define(fn: Callable[..., Where]) -> PrimitiveForm:
        module = _home(fn)
        if same_values and not f"{module}.".startswith(f"{__package__}."):
            raise TypeError(
                f"{fn.__name__} is defined in {module}: only primitives of {__package__} are trusted to leave "
                "the same values. Define it without same_values; what it makes is then a procedure of its own."
            )
        known = _DEFINED.get(fn.__name__)
        if known is not None and _home(known.fn) != module:
            raise ValueError(f"there is a primitive {fn.__name__} in {_home(known.fn)}: choose another name")
        signature = inspect.signature(fn)
        params = list(signature.parameters.values())
        hints = get_type_hints(fn)
        hint = hints[params[1].name]
        targets = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        outer = signature.replace(parameters=params[2:])
        spec = Spec(fn.__name__, fn, targets, outer, hints, same_values, declared_ways(cursors), by_form)
        _DEFINED[spec.name] = spec
        return PrimitiveForm(spec)

    return define


def _home(fn: Callable[..., Where]) -> str:
    """The module in which a function stands. What the function says of that itself could be set."""
    scope = getattr(fn, "__globals__", {})
    name = str(scope.get("__name__"))
    module = sys.modules.get(name)
    return name if module is not None and vars(module) is scope else "a text"
