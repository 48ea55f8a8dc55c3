"""What all primitives share: `@primitive`, references, arguments in object code.

A primitive is a function `(rw, target, *params)`: its condition (questions to `logic.questions.safety`, asked
with `require`) and its edit (atomic edits on `rw`). It returns the path, span or cursor to act on
next. `@primitive` makes two things of it: a function from `params` to an `Op`, and `.direct`, the
paper's form `(Proc, reference, *params) -> Proc` (see `exo_strat.direct`).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from importlib import import_module
from operator import attrgetter
from pickle import PicklingError
from types import MappingProxyType, UnionType
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    Literal,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
)

from returns.result import Failure as Err
from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, ProcCursor, at_path
from ..cursors.kinds import CallCursor, kind_name
from ..cursors.proc import InvalidCursorError, Proc
from ..cursors.rewrite import Rewrite
from ..frontend.check_arithmetic import check_symbolic, has_symbolic
from ..frontend.checks import check, two_things
from ..frontend.errors import CheckError, FrontendError
from ..ir.cells import has_cells, has_views, indexing, steadied
from ..ir.frozen import fast_init
from ..ir.outside import two_of_one_name
from ..ir.precisions import element
from ..ir.span import Span
from ..ir.walk import Path
from ..logic.questions import Clash, depends_on_fields, if_reached, new_race
from ..ops.failure import BadArgument, InvalidCursor, Refused, SchedulingError, invalid
from ..ops.strategy import Atomic, Outcome, coerce, first_line, freeze
from ..source import Pieces, call
from .helpers.arguments import Kind, about_argument, check_arguments, check_first, form_of, kinds_of, place_hint
from .helpers.references import find_target
from .helpers.refusing import applicable, argument, require
from .helpers.wellformed import well_formed

P = ParamSpec("P")
C = TypeVar("C", bound=Cursor)
Where: TypeAlias = Path | Span | Cursor | None

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
    "place": "to the new code at the old place of its node, though the node itself moved elsewhere",
    "gone": "nowhere, as its node is gone",
    "lost": "nowhere, though a copy of the expression now stands elsewhere, in the place of a variable",
}
"""Where a rewrite may take a cursor."""


def declared_ways(cursors: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    """A declaration, such as `{"target": "gone", "inside": "stay, gone"}`, in full. What it leaves out stays."""
    ways = {role: frozenset(words.split(", ")) for role, words in cursors.items()}
    unknown = (ways.keys() - ROLES.keys()) | (frozenset[str]().union(*ways.values()) - WAYS.keys())
    if unknown:
        known = f"the roles are {', '.join(ROLES)}, the ways {', '.join(WAYS)}"
        raise ValueError(f"no role or way of cursors: {', '.join(sorted(unknown))}; {known}")
    return {role: ways.get(role, frozenset({"stay"})) for role in ROLES}


@dataclass(frozen=True)
class Trial:
    """How the random tests (`testing.harness`) try a primitive. Nothing else reads it.

    `programs`: the shapes of random programs that suit it, often ones several times; any shape is drawn now and then.
    `after`: pairs of a primitive that is applied first, and in how many draws of 100. `undoes`: the inverse primitive,
    which is applied first to make a target. `at`: pairs of a kind of target that `testing.suitable` names, and how many
    draws in 100 take one; without it most refusals would be of the form only. `chains`: how often chains of rewrites
    draw it.
    """

    programs: str = ""
    after: tuple[tuple[str, int], ...] = ()
    undoes: str = ""
    at: tuple[tuple[str, int], ...] = ()
    chains: Literal["often", "seldom", "never"] = "often"


PLAIN: Final = Trial()


@fast_init
@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """A primitive's declaration: all that others know of it. See `primitive`, which makes it.

    It is equal to nothing but itself, so two primitives of one name don't meet.
    """

    name: str
    fn: Callable[..., Where]
    targets: tuple[type[Cursor], ...]
    signature: inspect.Signature
    hints: Mapping[str, Any]
    kinds: Mapping[str, Kind]
    section: str
    same_values: bool
    cursors: Mapping[str, frozenset[str]]
    by_form: bool
    total: bool
    again: bool
    grows: bool
    narrows: bool
    trial: Trial

    def __reduce__(self) -> tuple[Any, ...]:
        home, name = self.fn.__module__, self.fn.__qualname__
        try:
            known = _declaration(home, name)
        except (ImportError, AttributeError):
            known = None
        if known is not self:
            raise PicklingError(f"the primitive {name} can't be pickled: it is not what {home}.{name} means")
        return _declaration, (home, name)


def _declaration(module: str, name: str) -> Spec:
    spec: Spec = attrgetter(f"{name}.spec")(import_module(module))
    return spec


def _is_of_this_package(spec: Spec) -> bool:
    """Whether a declaration is the one that stands under its name in a module of this package: what somebody else made
    of one, or calls so, is not trusted."""
    home = spec.fn.__module__
    form = getattr(sys.modules.get(home), spec.name, None) if home.startswith(f"{__package__}.") else None
    return isinstance(form, PrimitiveForm) and form.spec is spec


@dataclass(frozen=True, repr=False)
class Primitive(Atomic):
    """A primitive with its arguments, in the order of its signature."""

    spec: Spec
    args: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The primitive's name."""
        return self.spec.name

    @property
    def total(self) -> bool:
        return self.spec.total

    @property
    def again(self) -> bool:
        return self.spec.again

    @property
    def grows(self) -> bool:
        return self.spec.grows

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        spec = self.spec
        rw = Rewrite(p)
        try:
            target = coerce(p.forward(c), spec.targets)
            check_arguments(spec.signature, spec.hints, self.args)
            pos, kws = _spread(spec.signature, self.args)
            where = spec.fn(rw, target, *pos, **kws)
            rw._fill_empty_bodies()
            _cells_renewed(rw)
            ours = _is_of_this_package(spec)
            if not ours:
                _valid(rw)
            _fields_still_known(rw)
            _cells_still_good(rw)
            _arithmetic_still_good(rw)
            q = rw._finish(self, target.place(), target, spec.same_values and ours)
            name = two_of_one_name(q.tree)
            argument(name is None, two_things(str(name), q.name()))
            return Success((q, _focus(q, target, where)))
        except Refused as r:
            return Err(r.failure.at(self, c))
        except InvalidCursorError as e:
            return Err(invalid(e).at(self, c))
        except FrontendError as e:
            return Err(BadArgument(about_argument(e, spec, self.args)).at(self, c))

    def source(self) -> Pieces:
        pos, kws = _spread(self.spec.signature, self.args, spare=True)
        return call(self.name, *pos, **kws)

    def in_short(self) -> str:
        return first_line(self.spec.fn)


def _valid(rw: Rewrite) -> None:
    """Owed by every rewrite of a primitive that is defined elsewhere, whatever its own condition: the result passes the
    checks of a procedure, and no parallel loop has got a race. That it computes the same is left to the condition."""
    well_formed(rw)
    loop = new_race(rw.proc.tree, rw.tree)
    if loop is not None:
        require(Clash(f"no two iterations of {loop.iter} touch one location that either writes"))


def _fields_still_known(rw: Rewrite) -> None:
    """Owed by every rewrite of a procedure whose checks rest on config fields: enough is still known of them."""
    if not (rw.edits and depends_on_fields(rw.tree)):
        return
    try:
        check(rw.tree)
    except CheckError as e:
        require(Clash(f"it is still known of config fields what the code relies on: {e.message}"))
    loop = new_race(rw.proc.tree, rw.tree, of_fields=True)
    if loop is not None:
        require(Clash(f"it is still known of config fields what keeps the iterations of {loop.iter} apart"))


def _cells_renewed(rw: Rewrite) -> None:
    """An argument that indices are taken from is written by nothing, so its cells are steady, also new ones."""
    if rw.edits and has_cells(rw.tree):
        rw.tree = steadied(rw.tree)


def _cells_still_good(rw: Rewrite) -> None:
    """Owed by every rewrite of a procedure that takes indices from buffers, or has buffers with other extents: cells
    are in bounds wherever they are evaluated now, nothing names a buffer while one with its elements is used, and
    nothing writes the arguments that indices are taken from, which are no more than before and of the same precision
    and memory."""
    if not rw.edits or not (has_cells(rw.tree) or has_views(rw.tree)):
        return
    old, new = rw.proc.tree, rw.tree
    before = {a.sym.id: a for a in old.args if a.sym in indexing(old)}
    for a in new.args:
        if a.sym in indexing(new):
            was = before.get(a.sym.id)
            applicable(was is not None, f"{a.sym} would come to be one of the arguments that indices are taken from")
            same = was is not None and (was.mem, element(was.type)) == (a.mem, element(a.type))
            applicable(same, f"indices are taken from {a.sym}: its precision and memory stay")
    _still_provable(rw)


def _arithmetic_still_good(rw: Rewrite) -> None:
    """Owed by every rewrite of a procedure that multiplies or divides by sizes: all divisors are still made of control
    arguments and at least 1, products have a factor of these, and what holds of them is not too hard to show."""
    if not rw.edits or not has_symbolic(rw.tree):
        return
    try:
        check_symbolic(rw.tree)
    except CheckError as e:
        applicable(False, e.message)
    _still_provable(rw)


def _still_provable(rw: Rewrite) -> None:
    """Owed where what holds of the old code may not be known of the new: it passes the checks of a procedure, and no
    parallel loop has got a race."""
    try:
        check(rw.tree)
    except CheckError as e:
        require(if_reached(rw.tree, e.path, Clash(e.message, e.counterexample)))
    loop = new_race(rw.proc.tree, rw.tree)
    if loop is not None:
        require(Clash(f"no two iterations of {loop.iter} touch one location that either writes"))


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


class PrimitiveForm(Generic[P]):
    """A primitive as users call it: `f(*params)` is the Op, `f.direct(p, ref, *params)` the paper's form.

    It is filled in when it is made (`__new__`): an `__init__` could be called again, with another declaration.
    """

    direct: Callable[..., Any]
    __signature__: inspect.Signature
    _spec: Spec
    _defaults: tuple[Any, ...] | None

    def __new__(cls, spec: Spec) -> Self:
        self = super().__new__(cls)
        self._spec = spec
        update_wrapper(self, spec.fn)
        self.__signature__ = spec.signature.replace(return_annotation="Op")
        params = spec.signature.parameters.values()
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in params)
        self._defaults = tuple(p.default for p in params) if plain else None
        self.direct = self._direct()
        return self

    @property
    def spec(self) -> Spec:
        """Its declaration."""
        return self._spec

    @property
    def takes_reference(self) -> bool:
        """Whether the direct form takes a reference to the target."""
        return self.spec.targets != (ProcCursor,)

    def __reduce__(self) -> str:
        return self.spec.fn.__qualname__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Primitive:
        if args and isinstance(args[0], Proc | Cursor):
            check_first(self.spec, args, kwargs)
        return self._op(args, kwargs)

    def _op(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Primitive:
        return Primitive(self.spec, freeze(self._values(args, kwargs)))

    def _values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments, one a parameter."""
        if self._defaults is not None and not kwargs:  # the common case, which takes `bind` long
            rest = self._defaults[len(args) :]
            if len(args) <= len(self._defaults) and inspect.Parameter.empty not in rest:
                return (*args, *rest)
        try:
            bound = self.spec.signature.bind(*args, **kwargs)
        except TypeError as e:
            raise TypeError(f"{form_of(self.spec)}: {e}{place_hint(self.spec, args)}") from None
        bound.apply_defaults()
        return tuple([tuple(sorted(a.items())) if isinstance(a, dict) else a for a in bound.arguments.values()])

    def _direct(self) -> Callable[..., Any]:
        """The paper's form: takes the target by reference, returns the new procedure.

        Raises `SchedulingError` where the Op fails, `InvalidCursorError` where the reference leads nowhere.
        """

        def direct(p: Proc, *args: Any, **kwargs: Any) -> Any:
            return self.result(*self.applied(p, args, kwargs))

        fn, first, kind = self.spec.fn, inspect.Parameter, inspect.Parameter.POSITIONAL_ONLY
        refs = [first("ref", kind, annotation="Cursor | str")] * self.takes_reference
        params = [first("p", kind, annotation="Proc"), *refs, *self.spec.signature.parameters.values()]
        signature = inspect.Signature(params, return_annotation=self.returns)
        vars(direct).update(__signature__=signature, takes_reference=self.takes_reference)
        direct.__module__, direct.__doc__, direct.__qualname__ = fn.__module__, fn.__doc__, f"{fn.__qualname__}.direct"
        direct.__name__ = self.spec.name
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


class CalleeForm(PrimitiveForm[P]):
    """A primitive that makes a call of a new procedure. The paper's form returns that procedure, too."""

    returns = "tuple[Proc, Proc]"

    def result(self, made: Proc, focus: Cursor) -> Any:
        """The new version, and the procedure that it calls."""
        return made, cast(CallCursor, focus).subproc()


def with_callee(form: PrimitiveForm[P]) -> CalleeForm[P]:
    """A primitive whose direct form returns the new procedure that is called, too."""
    return CalleeForm(form.spec)


def primitive(
    section: str = "",
    *,
    same_values: bool = False,
    cursors: Mapping[str, str] = MappingProxyType({}),
    by_form: bool = False,
    total: bool = False,
    again: bool = False,
    grows: bool = False,
    narrows: bool = False,
    trial: Trial = PLAIN,
) -> Callable[[Callable[Concatenate[Rewrite, C, P], Where]], PrimitiveForm[P]]:
    """Defines a primitive. The kinds of target come from the annotation of the second parameter.

    `section`: where it stands in the paper's appendix, such as `"A.1"`; empty if it is not there.

    `same_values`: the result may take the place of the original in a call (see `call_eqv`). Only primitives of this
    package can say so, as only they are trusted to prove it; what others make is a procedure of its own.

    `cursors` says where cursors go that don't stay: by role the ways, as `{"target": "gone"}` (see `ROLES`, `WAYS`).

    `by_form`: the form of the code and the arguments decide whether it applies. There is nothing to prove of values, so
    it is never refused with `Unsafe`; but where the checks of a procedure rest on config fields, every rewrite must
    leave enough known of them.

    `total`: it never fails. `again`: where it succeeds it applies again, at least if the loop there is not empty, so
    repeating it never ends. `grows`: it puts a scope, to which it applies, inside the place to which it leads. `lint`
    asks for these. `narrows`: the new procedure may admit fewer inputs.

    `trial`: how random tests try it.

    Raises `TypeError` where another module says `same_values`, and where the parentheses are left out.
    """
    if not isinstance(section, str):
        raise TypeError(f"write @primitive() above {getattr(section, '__name__', section)}, with parentheses")

    def define(fn: Callable[Concatenate[Rewrite, C, P], Where]) -> PrimitiveForm[P]:
        module = _home(fn)
        if same_values and not f"{module}.".startswith(f"{__package__}."):
            raise TypeError(
                f"{fn.__name__} is defined in {module}: only primitives of {__package__} are trusted to leave "
                "the same values. Define it without same_values; what it makes is then a procedure of its own."
            )
        signature = inspect.signature(fn)
        params = list(signature.parameters.values())
        hints = get_type_hints(fn)
        hint = hints.get(params[1].name) if len(params) > 1 else None
        targets = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        if not all(isinstance(kind, type) and issubclass(kind, Cursor) for kind in targets):
            raise TypeError(
                f"{fn.__name__} does not say what it acts on: its second parameter is annotated with a kind of cursor, "
                "or several, such as `loop: ForCursor`"
            )
        return PrimitiveForm(
            Spec(
                name=fn.__name__,
                fn=fn,
                targets=targets,
                signature=signature.replace(parameters=params[2:]),
                hints=hints,
                kinds=kinds_of(get_type_hints(fn, include_extras=True)),
                section=section,
                same_values=same_values,
                cursors=declared_ways(cursors),
                by_form=by_form,
                total=total,
                again=again,
                grows=grows,
                narrows=narrows,
                trial=trial,
            )
        )

    return define


def _home(fn: Callable[..., Where]) -> str:
    """The module in which a function stands. What the function says of that itself could be set."""
    scope = getattr(fn, "__globals__", {})
    name = str(scope.get("__name__"))
    module = sys.modules.get(name)
    return name if module is not None and vars(module) is scope else "a text"
