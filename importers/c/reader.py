"""From pycparser's tree to ours. No other module looks at pycparser's, which has no types."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

try:
    from pycparser import c_parser
except ImportError as e:
    raise ImportError("C is read with pycparser: pip install 'exo-strat[import]'") from e

from ..names import spelled
from ..report import NOWHERE, ImportRefusedError, Place
from .constants import constant
from .jumps import left, without_jumps
from .literals import characters, read_number
from .members import Members, cast, is_plain
from .members import Path as Member
from .sometimes import with_branches
from .syntax import (
    Array,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Cast,
    Choice,
    Comma,
    Continue,
    Declare,
    Do,
    Expr,
    Function,
    Goto,
    If,
    Index,
    Label,
    Literal,
    Loop,
    Pointer,
    Return,
    SizeOf,
    Step,
    Stmt,
    Table,
    Type,
    Unary,
    Unit,
    Untaken,
    Use,
    Variable,
)
from .types import I32, Float, Int, Other, Void, basic, promoted
from .typing import number, type_of
from .walks import changed, expressions, statements

Node = Any
"""A node of pycparser's."""


def read(text: str, file: Path, ignore: Collection[str] = ()) -> Unit:
    """The functions and variables of a preprocessed file; calls of what is ignored are left out."""
    try:
        tree = c_parser.CParser().parse(text, str(file))
    except c_parser.ParseError as e:
        raise ImportRefusedError(f"this is no C that can be read: {e}") from e
    return _Reader(str(file), ignore).unit(tree)


class _Reader:
    """Reads one file: what names mean, innermost scope last."""

    def __init__(self, file: str, ignore: Collection[str] = ()) -> None:
        self.file = file
        self.ignore = ignore
        self.members = Members()
        self.breaks = [""]
        """The label that a break goes to, innermost last; empty in a loop."""
        self.count = 0
        self.notes: list[str] = []
        self.exits: Place | None = None
        self.scopes: list[dict[str, Variable | int | Untaken]] = [{}]
        self.typedefs: dict[str, Type] = {}
        self.functions: dict[str, Function] = {}

    def place(self, node: Node) -> Place:
        at = getattr(node, "coord", None)
        if at is None:
            return NOWHERE
        return Place(at.line or 0, at.column or 0, "" if at.file == self.file else str(at.file))

    # -- the file ---------------------------------------------------------------------------------

    def unit(self, tree: Node) -> Unit:
        functions = self.functions
        variables: list[Variable] = []
        for node in tree.ext:
            match type(node).__name__:
                case "FuncDef":
                    functions[node.decl.name] = self.function(node)
                case "Typedef":
                    self.typedefs[node.name] = self.type(node.type)
                case "Decl" if type(node.type).__name__ == "FuncDecl":
                    pass
                case "Decl" if node.name is not None:
                    found = self.declare(node, "file")
                    variables += [] if found in variables else [found]
                case "Decl":
                    self.type(node.type)
        functions.update({name: self.with_loops_only(f) for name, f in functions.items()})
        return Unit(self.file, functions, tuple(variables))

    def function(self, node: Node) -> Function:
        self.scopes.append({})
        params = node.decl.type.args.params if node.decl.type.args else []
        named = [p for p in params if type(p).__name__ == "Decl"]
        self.members.arrays = self.arrays_of_structs(node)
        self.notes, self.exits = [], None
        args = tuple(self.declare(p, "argument") for p in named)
        untaken = self.untaken_arguments(node, params)
        body = self.block(node.body) if untaken is None else Block((untaken,))
        self.scopes.pop()
        notes = [*self.notes, *(["where C calls exit, the procedure just ends"] if self.exits else [])]
        result, at = self.type(node.decl.type.type), self.place(node.decl)
        f = Function(node.decl.name, result, args, body, at, tuple(dict.fromkeys(notes)), self.exits)
        return self.without_structs(self.without_ignored_results(f))

    def with_loops_only(self, f: Function) -> Function:
        """A function without jumps, and without changes behind `?:`, when all functions of the file are known."""
        f = with_branches(without_jumps(with_branches(f, self.functions)), self.functions)
        untaken_jumps = tuple(left(f))
        return replace(f, body=Block(untaken_jumps, f.body.place)) if untaken_jumps else f

    def arrays_of_structs(self, node: Node) -> frozenset[str]:
        """The structs of which a function has arrays: those that it takes elements of."""
        indexed = {n.name.name for n in _nodes(node, "ArrayRef") if type(n.name).__name__ == "ID"}
        steps = [n.expr for n in _nodes(node, "UnaryOp") if n.op in ("p++", "p--", "++", "--")]
        indexed |= {n.name for n in steps if type(n).__name__ == "ID"}
        found: set[str] = set()
        for d in _nodes(node, "Decl"):
            t = d.type
            while type(t).__name__ in ("PtrDecl", "ArrayDecl"):
                t = t.type
            if t is not d.type and d.name in indexed and type(t).__name__ == "TypeDecl":
                of = self.type(t)
                found |= {of.text} if isinstance(of, Other) else set()
        return frozenset(found)

    def without_ignored_results(self, f: Function) -> Function:
        """A function that returns what an ignored call returns has no result."""
        found = [s for s in statements(f.body) if isinstance(s, Return)]
        if isinstance(f.result, Void) or not found or any(s.value is not None for s in found):
            return f
        return replace(f, result=Void())

    def without_structs(self, f: Function) -> Function:
        """A function whose arguments are the members that it uses in the place of structs."""
        args: list[Variable] = []
        gone: list[Stmt] = []
        whole = {e.var for e in expressions(f.body) if isinstance(e, Use) and self.members.holds(e.var)}
        for v in f.args:
            if not self.members.holds(v):
                args.append(v)
                continue
            used = list(self.members.of(v))
            args += used
            for w in used:
                if w in changed(f.body) and (isinstance(v.type, Other) or isinstance(w.type, Pointer)):
                    why = "it is a copy that C throws away" if isinstance(v.type, Other) else "pointers have no place"
                    gone.append(Untaken(f"{w.c_name} is changed", why, "change a variable of its own", v.place))
            if v in whole:
                args.append(v)
        return replace(f, args=tuple(args), body=Block((*gone, *f.body.parts), f.body.place))

    def untaken_arguments(self, node: Node, params: list[Node]) -> Stmt | None:
        """What is said of a function whose arguments aren't all named and declared where they stand."""
        at = self.place(node.decl)
        kinds = [type(p).__name__ for p in params]
        if node.param_decls or "ID" in kinds:
            return Untaken("arguments that are declared after their names", "it is C before C89", "write f(int n)", at)
        if "EllipsisParam" in kinds:
            return Untaken("...", "a number of arguments that varies", "name them", at)
        if any(k == "Typename" and not isinstance(self.type(p), Void) for k, p in zip(kinds, params, strict=True)):
            return Untaken("an argument without a name", "arguments of the object language have names", "name it", at)
        return None

    def declare(self, node: Node, storage: str) -> Variable:
        """A variable, from here on in scope."""
        t = self.members.as_rows(self.type(node.type))
        before = self.scopes[0].get(node.name) if storage == "file" else None
        if isinstance(before, Variable):
            return self.declared_again(before, node, t)
        outer = {v.name for scope in self.scopes for v in scope.values() if isinstance(v, Variable)}
        if storage == "local" and "static" in node.storage:
            storage = "static"
        name = spelled(node.name, outer)
        const = "const" in node.quals or _innermost_is_const(node.type)
        var = Variable(name, node.name, t, storage, self.place(node), const, elsewhere="extern" in node.storage)
        self.members.note(var, self.type(node.type))
        self.scopes[-1][node.name] = var  # C has it in scope where it gets its first value
        if isinstance(t, Pointer) and node.init is not None and storage == "local":
            found = self.members.path(node.init, self.lookup, self.type)
            found = None if found is None else cast(found, t)
            if found is not None and self.members.holds(var):
                self.members.aliases[var] = found
                return var
            if found is not None:
                var.init = self.member(found, self.place(node))
                return var
        if node.init is not None:
            var.init = self.initial(node.init)
            if isinstance(var.init, Table) and isinstance(t, Pointer):
                t = var.type = Array(t.to, None)  # a pointer to a text is the text
            if isinstance(t, Array) and t.extent is None and isinstance(var.init, Table):
                count = Literal(len(var.init.parts), I32, str(len(var.init.parts)), var.place)
                var.type = Array(t.of, count)
        return var

    def declared_again(self, v: Variable, node: Node, t: Type) -> Variable:
        """A variable at file scope that was declared before, as one that another file has or with less said of it."""
        if not (isinstance(t, Array) and t.extent is None):
            v.type = t
        v.elsewhere = v.elsewhere and "extern" in node.storage
        v.init = self.initial(node.init) if node.init is not None else v.init
        return v

    def initial(self, node: Node) -> Expr | Table:
        if type(node).__name__ == "Constant" and node.type == "string":
            return self.text(node)
        if type(node).__name__ == "InitList":
            return Table(tuple(self.initial(n) for n in node.exprs or ()), self.place(node))
        if type(node).__name__ == "NamedInitializer":
            why = "values that name their place in a table aren't taken"
            return Untaken("an initializer", why, "write all values in their order", self.place(node.name[0]))
        return self.expr(node)

    def text(self, node: Node) -> Expr | Table:
        """A text as the table of its characters, with the zero at its end."""
        at = self.place(node)
        found = characters(node.value)
        if found is None:
            return Untaken(node.value, "it has characters that are not taken", "write a table of numbers", at)
        return Table(tuple(Literal(c, I32, str(c), at) for c in (*found, 0)), at)

    # -- types ------------------------------------------------------------------------------------

    def type(self, node: Node) -> Type:
        match type(node).__name__:
            case "TypeDecl" | "Typename":
                qualified = {"volatile", "_Atomic"} & set(node.quals or ())
                return Other(" ".join(sorted(qualified))) if qualified else self.type(node.type)
            case "IdentifierType":
                if len(node.names) == 1 and node.names[0] in self.typedefs:
                    return self.typedefs[node.names[0]]
                return basic(tuple(node.names))
            case "PtrDecl":
                return Pointer(self.type(node.type))
            case "ArrayDecl":
                extent = None if node.dim is None else self.expr(node.dim)
                return Array(self.type(node.type), extent)
            case "Enum":
                self.enumerate(node)
                return I32
            case "Struct":
                return self.members.declare(node, self.place(node), self.type)
            case "Union":
                return Other(f"union {node.name or ''}".strip())
            case _:
                return Other("a function")

    def enumerate(self, node: Node) -> None:
        """The constants of an enumeration."""
        at: int | None = 0
        for e in node.values.enumerators if node.values else ():
            at = constant(self.expr(e.value)) if e.value is not None else at
            known = at is not None and I32.range[0] <= at <= I32.range[1]
            why = "its value is none that is known, or not an int"
            unknown = Untaken(e.name, why, "write the number, or a #define", self.place(e))
            self.scopes[-1][e.name] = at if at is not None and known else unknown
            at = None if at is None else at + 1

    # -- statements -------------------------------------------------------------------------------

    def block(self, node: Node) -> Block:
        """A statement as a block in a scope of its own."""
        self.scopes.append({})
        items = (node.block_items or ()) if type(node).__name__ == "Compound" else (node,)
        found = Block(tuple(s for n in items if n is not None for s in self.stmt(n)), self.place(node))
        self.scopes.pop()
        return found

    def stmt(self, node: Node) -> Iterator[Stmt]:
        at, kind = self.place(node), type(node).__name__
        match kind:
            case "Compound":
                yield self.block(node)
            case "Decl" if node.name is None:
                self.type(node.type)
            case "Decl":
                yield from self.local(node, at)
            case "DeclList":
                for d in node.decls:
                    yield from self.stmt(d)
            case "EmptyStatement" | "Pragma":
                pass
            case "Typedef":
                self.typedefs[node.name] = self.type(node.type)
            case "If":
                no = self.block(node.iffalse) if node.iffalse is not None else Block(())
                yield If(self.expr(node.cond), self.block(node.iftrue), no, at)
            case "For" | "While":
                yield self.loop(node)
            case "DoWhile":
                yield from self.do_while(node)
            case "Switch":
                yield self.switch(node)
            case "Continue":
                yield Continue(at)
            case "Break":
                yield Goto(self.breaks[-1], at) if self.breaks[-1] else Break(at)
            case "Goto":
                yield Goto(node.name, at)
            case "Label":
                yield Label(node.name, at)
                yield from self.stmt(node.stmt)
            case "FuncCall" if self.is_ignored(node):
                self.notes.append(
                    f"calls of {node.name.name} are left out (--ignore): they change nothing that is read here"
                )
            case "FuncCall" if getattr(node.name, "name", None) in ("exit", "abort"):
                self.exits = self.exits or at
                yield Return(None, at)
            case "Return":
                gone = node.expr is None or self.is_ignored(node.expr)
                yield Return(None if gone else self.expr(node.expr), at)
            case _:
                yield Do(self.expr(node), at)

    def is_ignored(self, node: Node) -> bool:
        """Whether an expression is a call of a function that is ignored."""
        return type(node).__name__ == "FuncCall" and getattr(node.name, "name", None) in self.ignore

    def local(self, node: Node, at: Place) -> Iterator[Stmt]:
        """The declaration of a local variable; of a struct, those of its members."""
        v = self.declare(node, "local")
        if v in self.members.aliases:
            return
        if not self.members.holds(v) or isinstance(v.type, Pointer) or v.storage != "local":
            yield Declare(v, at)
            return
        if isinstance(v.init, Index):
            for k, p in enumerate(self.members.fields(v)):
                w = self.member(p, at)
                if isinstance(w, Use) and isinstance(w.var.type, Int | Float):
                    w.var.init = Index(v.init, Literal(k, I32, str(k), at), at)
                    yield Declare(w.var, at)
            return
        if v.init is not None and not isinstance(v.init, Table):
            yield Untaken(f"{v.c_name} as a whole", "structs are taken member by member", "copy its members", at)
            return
        given = v.init.parts if isinstance(v.init, Table) else ()
        for k, p in enumerate(self.members.fields(v)):
            w = self.member(p, at)
            if isinstance(w, Use) and is_plain(w.var.type):
                zero = Literal(0, I32, "0", at) if isinstance(w.var.type, Int | Float) else Table((), at)
                w.var.init = given[k] if k < len(given) else zero if v.init is not None else None
                yield Declare(w.var, at)

    def loop(self, node: Node) -> Loop:
        self.scopes.append({})
        is_for = type(node).__name__ == "For"
        first = tuple(self.stmt(node.init)) if is_for and node.init is not None else ()
        cond = self.expr(node.cond) if node.cond is not None else None
        step = self.expr(node.next) if is_for and node.next is not None else None
        self.breaks.append("")
        body = self.block(node.stmt)
        self.breaks.pop()
        self.scopes.pop()
        return Loop(Block(first), cond, step, body, self.place(node))

    def do_while(self, node: Node) -> Iterator[Stmt]:
        """The body once, and then a loop."""
        at, cond = self.place(node), self.expr(node.cond)
        found = next(_jumps(node.stmt), None)
        if found is not None:
            what = f"{type(found).__name__.lower()} in do .. while"
            why = "it ends this do-while, not a loop around it"
            yield Untaken(what, why, "write what follows it in the do-while under an if", self.place(found))
            return
        self.breaks.append("")
        yield self.block(node.stmt)
        if constant(cond) != 0:
            yield Loop(Block(()), cond, None, self.block(node.stmt), at)
        self.breaks.pop()

    def switch(self, node: Node) -> Stmt:
        """A switch as jumps: to the case that the value is, and at each break to the end."""
        at, value = self.place(node), self.expr(node.cond)
        self.count += 1
        end = f"end of switch {self.count}"
        out: list[Stmt] = []
        if not isinstance(value, Use | Literal):
            found = number(type_of(value, self.functions))
            t = Variable(spelled("switch_on"), "switch", promoted(found or I32), "local", at, init=value)
            out, value = [Declare(t, at)], Use(t, at)
        if type(node.stmt).__name__ != "Compound":
            return Untaken("switch", "it has no block", "write braces", at)
        self.scopes.append({})
        self.breaks.append(end)
        body: list[Stmt] = []
        chain: list[tuple[Expr, str]] = []
        other = end
        for item in node.stmt.block_items or ():
            kind = type(item).__name__
            while kind in ("Case", "Default"):
                label = f"case {len(body)} of {end}" if kind == "Case" else f"default of {end}"
                body.append(Label(label, self.place(item)))
                if len(body) > 1 and isinstance(body[-2], Label):
                    label = body[-2].name
                    body.pop()
                if kind == "Default":
                    other = label
                else:
                    test: Expr = Binary("==", value, self.expr(item.expr), self.place(item))
                    if chain and chain[-1][1] == label:
                        test = Binary("||", chain.pop()[0], test, self.place(item))
                    chain.append((test, label))
                inner = item.stmts or ()
                item = inner[0] if inner and type(inner[0]).__name__ in ("Case", "Default") else None
                kind = type(item).__name__
                body += [t for s in inner if s is not item for t in self.stmt(s)]
            if item is not None:
                body += list(self.stmt(item))
        self.breaks.pop()
        self.scopes.pop()
        first: Stmt = Goto(other, at)
        for test, label in reversed(chain):
            first = If(test, Block((Goto(label, at),)), Block((first,)), at)
        return Block((*out, first, *body, Label(end, at)), at)

    # -- expressions ------------------------------------------------------------------------------

    def expr(self, node: Node) -> Expr:
        at, kind = self.place(node), type(node).__name__
        if kind == "StructRef" and self.members.arrays:
            row = self.field(node, at)
            if row is not None:
                return row
        if kind in ("StructRef", "Cast", "UnaryOp"):
            found = self.members.path(node, self.lookup, self.type)
            if found is not None and found.fields and is_plain(found.type):
                return self.member(found, at)
        match kind:
            case "Constant":
                value = read_number(node.type, node.value, at)
                why = f"a {node.type} like this is no number that is taken: finite ones, and single characters, are"
                return value or Untaken(node.value, why, "", at)
            case "ID":
                return self.name(node.name, at)
            case "ArrayRef":
                return Index(self.expr(node.name), self.expr(node.subscript), at)
            case "UnaryOp":
                return self.unary(node, at)
            case "BinaryOp":
                return Binary(node.op, self.expr(node.left), self.expr(node.right), at)
            case "Assignment":
                return Assign(node.op[:-1], self.expr(node.lvalue), self.expr(node.rvalue), at)
            case "TernaryOp":
                return Choice(self.expr(node.cond), self.expr(node.iftrue), self.expr(node.iffalse), at)
            case "Cast":
                return Cast(self.type(node.to_type), self.expr(node.expr), at)
            case "FuncCall":
                if self.is_ignored(node):
                    why = "its value is used, and calls of it are left out"
                    return Untaken(f"{node.name.name}(..)", why, "take the call out", at)
                args = node.args.exprs if node.args else ()
                if type(node.name).__name__ == "ID" and not isinstance(self.lookup(node.name.name), Variable):
                    return Call(node.name.name, tuple(self.expr(a) for a in args), at)
                remedy = "call the function by its name, in a copy of this one for each"
                return Untaken("a call through a pointer", "which function it calls is not known", remedy, at)
            case "ExprList":
                return Comma(tuple(self.expr(e) for e in node.exprs), at)
            case "StructRef":
                why = (
                    "members are taken of structs, of pointers to one, and of arrays of those with members of one type"
                )
                return Untaken(f"{node.type}{node.field.name}", why, "pass the member as an argument of its own", at)
            case _:
                return Untaken(kind, "the importer knows no such expression", "write it in another way", at)

    def field(self, node: Node, at: Place) -> Expr | None:
        """A member of an element of an array of structs: a place in its row. None if it is none."""
        base = node.name
        while type(base).__name__ in ("ArrayRef", "UnaryOp", "BinaryOp"):
            base = base.left if type(base).__name__ == "BinaryOp" else base.expr if hasattr(base, "expr") else base.name
        v = self.lookup(base.name) if type(base).__name__ == "ID" else None
        text = self.members.rows.get(v) if isinstance(v, Variable) else None
        if text is None:
            return None
        found = self.members.offset(text, node.field.name)
        whole = self.expr(node.name)
        row = Unary("*", whole, at) if node.type == "->" else whole
        place = Literal(found[0], I32, str(found[0]), at)
        return Binary("+", row, place, at) if found[1] else Index(row, place, at)

    def lookup(self, name: str) -> Variable | int | Untaken | None:
        """What a name means here."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def name(self, name: str, at: Place) -> Expr:
        found = self.lookup(name)
        if isinstance(found, Variable):
            return Use(found, at)
        if isinstance(found, Untaken):
            return replace(found, place=at)
        if found is not None:
            return Literal(found, I32, name, at)
        return Untaken(name, "it isn't declared in this file", "declare it, or include its header", at)

    def member(self, p: Member, at: Place) -> Expr:
        """A member of a struct as a variable."""
        taken = {v.name for scope in self.scopes for v in scope.values() if isinstance(v, Variable)}
        found = self.members.variable(p, taken, at)
        return Use(found, at) if isinstance(found, Variable) else found

    def unary(self, node: Node, at: Place) -> Expr:
        if node.op == "sizeof":
            of = node.expr
            return SizeOf(self.type(of) if type(of).__name__ == "Typename" else self.expr(of), at)
        arg = self.expr(node.expr)
        if node.op in ("++", "p++", "--", "p--"):
            return Step(1 if "+" in node.op else -1, node.op[0] == "p", arg, at)
        return Unary(node.op, arg, at)


def _jumps(node: Node, kinds: tuple[str, ...] = ("Break", "Continue")) -> Iterator[Node]:
    """The breaks and continues in the body of a loop that are this loop's own."""
    kind = type(node).__name__
    if kind in kinds:
        yield node
    elif kind not in ("For", "While", "DoWhile"):
        kinds = ("Continue",) if kind == "Switch" else kinds
        for _, child in node.children():
            yield from _jumps(child, kinds)


def _innermost_is_const(node: Node) -> bool:
    """Whether the elements of an array or pointer type are const."""
    while type(node).__name__ in ("ArrayDecl", "PtrDecl"):
        node = node.type
    return "const" in (getattr(node, "quals", None) or ())


def _nodes(node: Node, kind: str) -> Iterator[Node]:
    """The nodes of a kind in another one."""
    if type(node).__name__ == kind:
        yield node
    for _, child in node.children():
        yield from _nodes(child, kind)
