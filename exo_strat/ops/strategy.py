"""Ops: rewrites as values.

    Op = (Proc, Cursor) -> Result[(Proc, Cursor), Failure]

An Op is frozen data with a name and arguments: it can be compared, hashed, printed as the expression
that rebuilds it, walked and counted. `op(p)` starts at the procedure's root; `a >> b` is `seq(a, b)`,
`a | b` is `try_else(a, b)`. `@strategy` writes longer ones as generators.

There are two kinds. An `Atomic` Op (a primitive) computes its outcome itself. A `Composed` Op yields
the calls of other Ops that it wants made, and is sent their outcomes; one driver, `evaluate`, makes
those calls on a stack of its own, so no depth of nesting meets Python's recursion limit.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import cache, wraps
from importlib import import_module
from itertools import islice, takewhile
from pickle import PicklingError, UnpicklingError
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar, get_args

from returns.result import Failure as Err
from returns.result import Result, Success

from ..cursors.cursor import BlockCursor, Cursor, GapCursor, ProcCursor, StmtCursor
from ..cursors.kinds import ArgCursor, ReadCursor, WindowExprCursor, kind_name
from ..cursors.proc import InvalidCursorError, Proc
from ..ir.numbers import plain
from ..ir.pickled import LEVELS, check_functions, reduced
from ..ir.room import with_room
from ..source import Pieces, Text, brief, call, holds_lambda, layout, show
from .failure import Exhausted, Failure, InvalidCursor, NotApplicable, Refused, SchedulingError, invalid
from .holes import DEFAULTS, HOLDERS, Decision, Hole, Scope, held, put
from .html import op_html
from .moves import Move

State: TypeAlias = tuple[Proc, Cursor]
P = ParamSpec("P")
"""The parameters of a strategy."""
Outcome: TypeAlias = Result[State, Failure]


# -- Ops ----------------------------------------------------------------------------------------------


def check_op(value: object, needed: str) -> None:
    """Raise `TypeError` if a value is no Op; `needed` says where one is."""
    if isinstance(value, Op):
        return
    hint = ": call it" * (callable(value) and not isinstance(value, Move))
    if isinstance(value, Move):
        hint = ", which leads to a place: write at(move, op) or nav(move)"
    if isinstance(value, list | tuple) and value:
        hint = ": give them one by one, with a `*` before the list"
    raise TypeError(f"{needed}, not {brief(show(value))}{hint}")


@dataclass(frozen=True, repr=False)
class Op:
    """A rewrite as a value: an `Atomic` or a `Composed` one, each a frozen dataclass.

    Ops may be nested in each other to any depth: what is known of one is computed of its parts first, see `bottom_up`.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Keeps `dataclass` from making an `__eq__` and a `__hash__` of its own for a kind of Op, which recurse."""
        super().__init_subclass__(**kwargs)
        for name in ("__eq__", "__hash__"):
            if name not in vars(cls):
                setattr(cls, name, getattr(Op, name))

    def __eq__(self, other: object) -> bool:
        pairs: list[tuple[Any, Any]] = [(self, other)]
        while pairs:
            x, y = pairs.pop()
            if x is y:
                continue
            if type(x) is not type(y):
                if isinstance(x, Op) or isinstance(y, Op) or x != y:
                    return False
            elif isinstance(x, Op):
                pairs += [(getattr(x, f.name), getattr(y, f.name)) for f in fields(x) if f.compare]
            elif type(x) is tuple:
                if len(x) != len(y):
                    return False
                pairs += zip(x, y, strict=True)
            elif x != y:
                return False
        return True

    def __hash__(self) -> int:
        return _hash(self)

    def __post_init__(self) -> None:
        for name in _op_fields(type(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            for op in value if isinstance(value, tuple) else (value,):
                check_op(op, f"{type(self).__name__} is made of Ops")

    def __copy__(self) -> Op:
        return self

    def __deepcopy__(self, _: object) -> Op:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, f.name) for f in fields(self))
        check_functions(values, self)
        return reduced(_inside(self), _restored, type(self), values)

    def __call__(self, p: Proc, c: Cursor | None = None) -> Outcome:
        """Apply at `c`, carried forward to `p` first; at the root if no cursor is given."""
        if not isinstance(p, Proc):
            raise TypeError(
                f"an Op is applied to a procedure, not to {p!r}{'; write op(*pair)' if isinstance(p, tuple) else ''}"
            )
        return evaluate(self, p, p.root() if c is None else c)

    def __rshift__(self, other: Op) -> Op:
        from .combinators import seq

        return seq(self, other)

    def __or__(self, other: Op) -> Op:
        from .combinators import try_else

        return try_else(self, other)

    def fill(self, values: Mapping[str, Any]) -> Op:
        """This Op with values in its holes; those left over get their defaults. See `spaces.fill`."""
        from .spaces import fill

        return fill(self, values)

    def parts(self) -> tuple[Op, ...]:
        """The Ops that this one is made of."""
        values = [getattr(self, name) for name in _field_names(type(self))]  # type: ignore[arg-type]
        return tuple([op for x in values if isinstance(x, (Op, tuple)) for op in ops_in(x)])

    @property
    def shows_holes(self) -> bool:
        """Whether the holes of its parts are its own to fill; else they have names of their own."""
        return True

    def kept(self, value: Callable[[Hole], Any]) -> tuple[Op, ...]:
        """Those of its parts that stay when its holes have values."""
        return self.parts()

    def own_holes(self) -> tuple[Hole, ...]:
        """The holes among its arguments. Those of its parts are filled when these are applied."""
        values = [getattr(self, name) for name in _field_names(type(self))]  # type: ignore[arg-type]
        return tuple([h for x in values if isinstance(x, HOLDERS) for h in held(x)])

    def filled(self, value: Callable[[Hole], Any], part: Callable[[Op], Op]) -> Op:
        """This Op with values in place of its own holes, and others in place of its parts."""

        def put_all(x: Any) -> Any:
            if isinstance(x, Op):
                return part(x)
            return tuple(map(put_all, x)) if isinstance(x, tuple) else put(x, value)

        return replace(self, **{f.name: put_all(getattr(self, f.name)) for f in fields(self)})

    def scope(self, around: Scope) -> Scope:
        """The values of the holes in what it applies, given those around it."""
        return around

    def source(self) -> Pieces:
        """The pieces of the Python expression that rebuilds this Op: see `source.show`."""
        if type(self).__repr__ is not Op.__repr__:
            return (Text(repr(self)),)
        given = [(f, getattr(self, f.name)) for f in fields(self)]
        positional = [v for f, v in takewhile(lambda x: x[0].default is MISSING or _is_other_op(*x), given)]
        named = {f.name: v for f, v in given[len(positional) :] if v != f.default}
        return call(type(self).__name__, *positional, **named)

    def __repr__(self) -> str:
        """Python that evaluates to an equal Op, or says that it doesn't."""
        return show(self) + REBUILT * holds_lambda(self)

    def __str__(self) -> str:
        """The same, on several lines if it is long."""
        return layout(show(self))

    def in_short(self) -> str:
        """What it does, in one line, where its author says it: a primitive by an equation, mostly."""
        return ""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return op_html(self)


def _is_other_op(f: Field[Any], value: object) -> bool:
    return isinstance(value, Op) and value != f.default


@cache
def _field_names(kind: type[Op]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


@cache
def _op_fields(kind: type[Op]) -> tuple[str, ...]:
    """The fields of a kind of Op that are declared to be Ops."""
    return tuple(f.name for f in fields(kind) if f.type in ("Op", "tuple[Op, ...]"))


def ops_in(value: object) -> Iterator[Op]:
    """The Ops that are a value, or are in a tuple or in tuples inside it."""
    if isinstance(value, Op):
        yield value
    elif isinstance(value, tuple):
        for v in value:
            if isinstance(v, Op):
                yield v
            elif isinstance(v, tuple):
                yield from ops_in(v)


T = TypeVar("T")

REBUILT: Final = "  # not equal when it is evaluated again: it holds a lambda"
"""What the text of an Op says that can't be printed back."""


def inner_first(op: Op, into: Callable[[Op], bool]) -> Iterator[Op]:
    """The Ops that an Op consists of, each once and after its parts; only those for which `into` holds."""
    stack, seen = [(op, False)], set[int]()
    while stack:
        here, done = stack.pop()
        if done:
            yield here
        elif id(here) not in seen and into(here):
            seen.add(id(here))
            stack.append((here, True))
            stack.extend((part, False) for part in reversed(here.parts()))


def bottom_up(f: Callable[[Op], T]) -> Callable[[Op], T]:
    """`f`, remembered for each Op, and computed for its parts first: if it asks itself for those, it recurses no
    deeper, however deep the Op is."""
    name = f"_{f.__name__}"

    @wraps(f)
    def remembered(op: Op) -> T:
        known = vars(op)
        if name not in known:
            ready = all(name in vars(part) for part in op.parts())  # as they are, mostly
            for here in (op,) if ready else inner_first(op, lambda o: name not in vars(o)):
                object.__setattr__(here, name, f(here))
        value: T = known[name]
        return value

    return remembered


@bottom_up
def _hash(op: Op) -> int:
    return hash((type(op).__qualname__, *[getattr(op, f.name) for f in fields(op) if f.compare]))


@bottom_up
def _height(op: Op) -> int:
    return 1 + max(map(_height, op.parts()), default=0)


@bottom_up
def _inside(op: Op) -> tuple[Op, ...]:
    """Some of the Ops deep inside an Op, inner ones first: see `ir.pickled`."""
    found: dict[int, Op] = {}
    for part in op.parts():
        found |= {id(o): o for o in _inside(part)}
        if _height(part) % LEVELS == 0:
            found[id(part)] = part
    return tuple(found.values())


def _restored(kind: type[Op], values: tuple[Any, ...]) -> Op:
    op = object.__new__(kind)
    for f, value in zip(fields(kind), values, strict=True):
        object.__setattr__(op, f.name, value)
    return op


@bottom_up
def has_holes(op: Op) -> bool:
    """Whether an Op, or one that it is made of, has a hole that `fill` sees: what functions make is not looked into."""
    return bool(op.own_holes()) or (op.shows_holes and any(map(has_holes, op.parts())))


def fill_holes(op: Op, value: Callable[[Hole], Any]) -> Op:
    """An Op with values in place of all holes that `has_holes` means; the same object if it has none."""
    new: dict[int, Op] = {}
    stack = [(op, False)]
    while stack:
        here, done = stack.pop()
        if done:
            new[id(here)] = here.filled(value, lambda part: new.get(id(part), part))
        elif id(here) not in new and has_holes(here):
            stack.append((here, True))
            stack.extend((part, False) for part in here.kept(value))
    return new.get(id(op), op)


def opened(op: Op, value: Callable[[Hole], Any]) -> Op:
    """An Op that is about to be applied, with values in place of its own holes. A function gets no argument with holes;
    the parts of others are filled when they are applied."""
    while has_holes(op):
        if isinstance(op, Called):
            return fill_holes(op, value)
        if not op.own_holes():
            break
        op = op.filled(value, lambda part: part)
    return op


@dataclass(frozen=True, repr=False)
class Atomic(Op):
    """An Op that computes its outcome itself. `prospects` and `lint` ask what its kind declares of it."""

    @property
    def total(self) -> bool:
        """Whether it never fails."""
        return False

    @property
    def again(self) -> bool:
        """Whether it applies again at the place to which it leads, so that repeating it never ends: what it does is
        there already, or is undone, or can be done once more."""
        return False

    @property
    def grows(self) -> bool:
        """Whether it puts a scope, to which it applies again, inside the place to which it leads."""
        return False

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        """The outcome at `c`, a valid cursor of `p`."""
        raise TypeError(f"{type(self).__name__} does not define apply")


Request: TypeAlias = tuple[Op, Proc, Cursor]
Steps: TypeAlias = Generator[Request | Hole, Outcome, Outcome]
"""The calls that a composed Op wants made; it is sent their outcomes, and for a hole that it yields the value."""


@dataclass(frozen=True, repr=False)
class Composed(Op):
    """An Op that is made of others."""

    def steps(self, p: Proc, c: Cursor) -> Steps:
        """Yields the calls `(op, p, c)` to make, is sent their outcomes, returns its own."""
        raise TypeError(f"{type(self).__name__} does not define steps")

    def ended(self, outcome: Outcome, within: Scope) -> Outcome:
        """What is made of its outcome, given the scope of the holes in what it applied."""
        return outcome


@dataclass(frozen=True, repr=False)
class Fail(Atomic):
    """Always fails, and says why."""

    message: str

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        return Err(NotApplicable(self.message, self, c))

    def source(self) -> Pieces:
        return call("fail", self.message)


def blame(failure: Failure, inner: Op, outer: Op) -> Failure:
    """A failure of `outer` by its Op `inner`: said of `outer` if no alternative of `inner` applies, or by a `fail`."""
    is_own = isinstance(failure.op, Fail) or (failure.causes and failure.op is inner)
    return replace(failure, op=outer) if is_own else failure


def _enter(op: Op, p: Proc, c: Cursor) -> tuple[Cursor, Outcome | None]:
    """The focus in `p`; the root and the failure if it is not there any more."""
    try:
        here = p.forward(c)
    except InvalidCursorError as e:
        return p.root(), Err(invalid(e).at(op, p.root()))
    if not here.is_valid:
        return p.root(), Err(InvalidCursor("the focus points to code that is gone").at(op, p.root()))
    return here, None


@with_room
def _applied(op: Atomic, p: Proc, c: Cursor) -> Outcome:
    return op.apply(p, c)


class Observer(Protocol):
    """Who sees each Op tried: `enter` before, `leave` after, properly nested; and what holes are `decided` to be."""

    def enter(self, op: Op, place: Cursor) -> None: ...
    def leave(self, outcome: Outcome) -> None: ...
    def decided(self, decision: Decision) -> None: ...


DEPTH = 20_000
"""How many Ops may be under way in each other. Schedules get to some dozens."""


@dataclass(frozen=True)
class _Frame:
    """An Op that is under way: its place, what it does, the scope of the holes in what it applies."""

    op: Composed
    place: Cursor
    steps: Steps
    scope: Scope

    def send(self, answer: Any) -> Request | Hole:
        """What it wants next, given the answer to what it wanted before."""
        return next(self.steps) if answer is None else self.steps.send(answer)


def evaluate(op: Op, p: Proc, c: Cursor, observer: Observer | None = None, scope: Scope = DEFAULTS) -> Outcome:
    """`op` at `c`, carried forward to `p`, seen by an observer if there is one. Holes have the values of `scope`. What
    is raised gets a note that says in which function."""
    stack: list[_Frame] = []
    try:
        return _evaluated(op, p, c, observer, scope, stack)
    except Exception as e:
        _note(e, op, stack)
        raise


NOTE: Final = "in the strategy "
"""How the note begins that says in which function something was raised."""


def _note(e: Exception, op: Op, stack: list[_Frame]) -> None:
    """Say where an exception was raised: in the innermost function under way, and in the outermost one, which the user
    may know better; in the whole Op, if there is none."""
    if any(note.startswith(NOTE) for note in getattr(e, "__notes__", ())):
        return
    under_way = [frame.op for frame in stack if isinstance(frame.op, Called)]
    if not under_way:
        e.add_note(f"{NOTE}{brief(show(op))}")
    for made in dict.fromkeys((*under_way[-1:], *under_way[:1])):
        code = getattr(inspect.unwrap(made.fn), "__code__", None)
        if code is not None:
            e.add_note(f"{NOTE}{made.name}, {code.co_filename}, line {code.co_firstlineno}")


def _evaluated(op: Op, p: Proc, c: Cursor, observer: Observer | None, scope: Scope, stack: list[_Frame]) -> Outcome:
    """What `evaluate` gives, with the Ops that are under way in a list of the caller."""

    def decide(hole: Hole) -> Any:
        decision = (stack[-1].scope if stack else scope).decide(hole)
        if observer is not None:
            observer.decided(decision)
        return decision.checked()

    while True:
        here, outcome = _enter(op, p, c)
        if has_holes(op):
            try:
                op = opened(op, decide)
            except Refused as r:
                outcome = Err(r.failure.at(op, here))
        if observer is not None:
            observer.enter(op, here)
        if outcome is None:
            if isinstance(op, Composed) and len(stack) >= DEPTH:
                endless = Exhausted(f"{DEPTH} Ops are under way in each other: a recursion without end")
                outcome = Err(endless.at(op, here))
            elif isinstance(op, Composed):
                within = op.scope(stack[-1].scope if stack else scope)
                stack.append(_Frame(op, here, op.steps(p, here), within))
            elif isinstance(op, Atomic):
                outcome = _applied(op, p, here)
            else:
                check_op(op, "an Op is needed here")
                raise TypeError(f"{type(op).__name__} is neither Atomic nor Composed: derive it from one of these")
        if outcome is not None and observer is not None:
            observer.leave(outcome)
        while True:
            if not stack:
                assert outcome is not None
                return outcome
            top = stack[-1]
            try:
                request = top.send(outcome)
                while isinstance(request, Hole):
                    request = top.send(decide(request))
                op, p, c = request
                break
            except StopIteration as end:
                outcome = top.op.ended(end.value, top.scope)
            except Refused as r:
                top.steps.close()
                outcome = Err(r.failure.at(top.op, top.place))
            stack.pop()
            if observer is not None:
                observer.leave(outcome)


def schedule(op: Op, p: Proc, c: Cursor | None = None) -> Proc:
    """The procedure that `op` makes of `p`. Raises `SchedulingError` if it fails.

    Python looks for no garbage meanwhile.
    """
    if not isinstance(op, Op):
        raise TypeError(f"schedule(op, p) takes the Op first, then the procedure; {op!r} is no Op")
    with _no_collection():
        outcome = op(p, c)
    if isinstance(outcome, Success):
        q: Proc = outcome.unwrap()[0]
        return q
    raise SchedulingError(outcome.failure())


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the search for cycles: trees and what is known of them have none, and are so many objects that to go
    through them again and again takes a third of the time. What is left counts as old, else the search would go through
    all of it at the end."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():  # nothing that somebody else set aside would come back
                gc.freeze()
                gc.unfreeze()
            gc.enable()


# -- functions that make Ops --------------------------------------------------------------------------

Script: TypeAlias = Generator[Any, Any, Any]
"""A strategy's steps, Ops and holes, and the cursor that it returns, if any. What kind of cursor an Op leaves is known
to its author, not to the type checker."""


@dataclass(frozen=True, repr=False)
class Called(Composed):
    """An Op that a user's function makes of arguments, by whose name it is printed."""

    fn: Callable[..., Any]
    args: tuple[object, ...]
    kwargs: tuple[tuple[str, object], ...]

    def source(self) -> Pieces:
        return call(self.fn, *self.args, **dict(self.kwargs))

    @property
    def name(self) -> str:
        """The function's name."""
        return _name(self.fn)

    def in_short(self) -> str:
        return first_line(self.fn)

    def scope(self, around: Scope) -> Scope:
        return around.inside(self.name, self)

    def __reduce__(self) -> tuple[Any, ...]:
        check_functions((self.fn, self.args, self.kwargs), self)
        home, name = self.fn.__module__, self.fn.__qualname__
        depth = next((k for k, f in enumerate(_wrapped(home, name)) if f is self.fn), None)
        if depth is None:
            raise PicklingError(f"{self!r} can't be pickled: {home}.{name} is something else than its definition")
        return reduced(_inside(self), _called, type(self), home, name, depth, self.args, self.kwargs)


def _wrapped(module: str, name: str) -> Iterator[Any]:
    """What a module's name means, and what decorators wrapped in it, from the outside in."""
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    while found is not None:
        yield found
        found = getattr(found, "__wrapped__", None)


def _called(kind: type[Called], module: str, name: str, depth: int, args: Any, kwargs: Any) -> Op:
    fn = next(islice(_wrapped(module, name), depth, None), None)
    if fn is None:
        raise UnpicklingError(f"{module}.{name} is another function than when this was pickled")
    return kind(fn, args, kwargs)


def first_line(fn: Callable[..., Any]) -> str:
    """The first line of a function's documentation."""
    return next(iter(inspect.cleandoc(fn.__doc__ or "").splitlines()), "")


def _name(fn: Callable[..., Any]) -> str:
    return str(getattr(fn, "__name__", fn))


ACTS_ON: Final = "this acts on"
"""How the message begins that an Op acts at another kind of cursor than the focus."""


def coerce(c: Cursor, kinds: tuple[type[Cursor], ...]) -> Cursor:
    """`c` as one of the kinds wanted: a statement also serves as a block of one, any cursor as its procedure.

    Raises `Refused` if it can't serve. Primitives and strategies ask it of their focus.
    """
    if isinstance(c, kinds):
        return c
    if BlockCursor in kinds and isinstance(c, StmtCursor):
        return c.as_block()
    if ProcCursor in kinds:
        return c.root()
    wanted = " or ".join(kind_name(k) for k in kinds)
    message = f"{ACTS_ON} {wanted}, but the focus is {kind_name(type(c))}"
    if kinds == (GapCursor,) and isinstance(c, StmtCursor | BlockCursor):
        message += "; moves.after goes to the one after it, moves.before to the one before"
    if ArgCursor in kinds and isinstance(c, ReadCursor | WindowExprCursor):
        message += f"; moves.find_alloc_or_arg({c.name()!r}) goes to what it is of"
    raise Refused(NotApplicable(message, place=c))


@cache
def focus_kinds(fn: Callable[..., Any]) -> tuple[type[Cursor], ...]:
    """The kinds of cursor that annotate the second parameter of a function; any `Cursor` if none do.

    Raises `TypeError` if the annotation is a name that means nothing when the program runs.
    """
    hints = [p.annotation for p in inspect.signature(fn).parameters.values()][1:2]
    hint = hints[0] if hints else Cursor
    if isinstance(hint, str):
        try:
            hint = eval(hint, getattr(inspect.unwrap(fn), "__globals__", {}))
        except NameError as e:
            what = f"@strategy {_name(fn)} looks up which kind of focus it takes when it runs"
            raise TypeError(f"{what}, but {e}: import it outside `if TYPE_CHECKING`") from None
    kinds = get_args(hint) or (hint,)
    return kinds if all(isinstance(k, type) and issubclass(k, Cursor) for k in kinds) else (Cursor,)


@dataclass(frozen=True, repr=False)
class Scripted(Called):
    """An Op written as a generator; see `strategy`."""

    def steps(self, p: Proc, c: Cursor) -> Steps:
        try:
            c = coerce(c, focus_kinds(self.fn))
        except Refused as r:
            return Err(r.failure.at(self, c))
        made: object = self.fn(p, c, *self.args, **dict(self.kwargs))
        if not isinstance(made, Generator):
            what = f"{_name(self.fn)} is a @strategy, but has no `yield`: `p, c = yield op` applies an Op"
            raise TypeError(f"{what}; a function that only returns an Op is @named")
        script: Script = made
        try:
            op = next(script)
            while True:
                if isinstance(op, Hole):
                    op = script.send((yield op))
                    continue
                try:
                    check_op(op, f"@strategy {_name(self.fn)} yields Ops")
                except TypeError as e:
                    script.throw(e.with_traceback(None))  # so that it is told with the line that yields it
                    raise
                outcome = yield op, p, c
                if not isinstance(outcome, Success):
                    script.close()
                    return Err(blame(outcome.failure(), op, self))
                p, c = outcome.unwrap()
                op = script.send((p, c))
        except StopIteration as end:
            if not isinstance(end.value, Cursor | None):
                what = f"@strategy {_name(self.fn)} returns the cursor to act on next, or nothing"
                raise TypeError(f"{what}, not {brief(show(end.value))}") from None
            return Success((p, c if end.value is None else p.forward(end.value)))
        except InvalidCursorError as e:
            return Err(invalid(e).at(self, p.root()))


@dataclass(frozen=True, repr=False)
class Named(Called):
    """An Op that keeps the name of its equation; see `named`."""

    def definition(self) -> Op:
        """The Op that the name stands for."""
        op: Op = self.fn(*self.args, **dict(self.kwargs))
        check_op(op, f"@named {_name(self.fn)} returns an Op")
        return op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        definition = self.definition()
        outcome = yield definition, p, c
        return outcome if isinstance(outcome, Success) else Err(blame(outcome.failure(), definition, self))


def strategy(fn: Callable[Concatenate[Proc, Any, P], Script]) -> Callable[P, Op]:
    """Turns a generator function `(p, c, *args)` into a function `(*args)` that returns an Op.

    Inside, `p, c = yield op` applies `op` at the current state and goes on from the new one, or ends
    the whole with its failure; `rows = yield hole("rows", (4, 6, 8))` draws the value of a hole. What is returned, if
    anything, is the resulting cursor.

    The annotation of `c` says at which kinds of cursor it acts. At others the Op fails, in the words of primitives;
    as with these, a statement serves as a block. Without an annotation, or with `Cursor`, it acts anywhere.

    >>> from exo_strat import ForCursor, proc_from_source, unroll_loop
    >>> @strategy
    ... def unroll(p: Proc, c: ForCursor) -> Script:
    ...     p, c = yield unroll_loop()
    ...     return c
    >>> unroll()(proc_from_source("def foo(x: f32): x = 0.0")).failure().message
    'this acts on a loop, but the focus is a procedure'

    Raises `TypeError` if the first two parameters are not the procedure and the cursor: if their annotations say that
    they are something else, or there are not two.
    """
    first = [*inspect.signature(fn).parameters.values()][:2]
    told = [x.annotation if isinstance(x.annotation, str) else getattr(x.annotation, "__name__", "") for x in first]
    if len(first) < 2 or told[0].rsplit(".")[-1] not in ("Proc", "Any", "_empty") or told[1].rsplit(".")[-1] == "Proc":
        raise TypeError(
            "the first two parameters of a @strategy are the procedure and a cursor, and its own come after them, "
            f"as in `def {fn.__name__}(p: Proc, c: ForCursor, ..)`"
        )
    return _maker(fn, Scripted, implicit=2)


def named(fn: Callable[P, Op]) -> Callable[P, Op]:
    """Lets the Ops that a function returns keep its name: they are printed, compared and traced as the call.

    >>> from exo_strat import fail, rename, try_else
    >>> @named
    ... def rename_somehow(first, second):
    ...     return try_else(rename(first), rename(second))
    >>> rename_somehow("a", second="b") | fail()
    try_else(rename_somehow('a', second='b'), fail('this strategy always fails'))
    """
    return _maker(fn, Named, implicit=0)


def _maker(fn: Callable[..., Any], kind: type[Called], implicit: int) -> Callable[..., Op]:
    """A function to the Ops of a kind from the parameters of `fn`, but for the first ones."""
    signature = inspect.signature(fn)
    outer = signature.replace(parameters=list(signature.parameters.values())[implicit:], return_annotation="Op")

    @wraps(fn)
    def build(*args: Any, **kwargs: Any) -> Op:
        try:
            outer.bind(*args, **kwargs)
        except TypeError as e:
            raise TypeError(f"{fn.__name__}{outer.replace(return_annotation=inspect.Signature.empty)}: {e}") from None
        return kind(fn, freeze(args), tuple(sorted((k, freeze(v)) for k, v in kwargs.items())))

    build.__signature__ = outer  # type: ignore[attr-defined]
    return build


def freeze(value: Any) -> Any:
    """Lists and arrays as tuples, NumPy's numbers as Python's: so arguments can be compared, hashed and printed."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else plain(value)
