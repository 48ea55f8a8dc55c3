"""`compile`: procedures to a C header and source.

The order of everything is that of the procedures and their text, so equal procedures give equal C.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..kernel import (
    Arg,
    Binary,
    Const,
    Control,
    Expr,
    Proc,
    ProcDef,
    Scalar,
    StrideExpr,
    Sym,
    Tensor,
    has_cells,
    names_at,
    print_expr,
    with_room,
)
from .admission import admission, admits_name
from .checks import check
from .errors import MemoryAccessError, NameClashError, Objection, marked
from .needs import Needs, control_type
from .ordering import check_order
from .origins import Origin, told
from .overflow import limited
from .placement import placed
from .program import Function, Program, calls_of, link
from .statements import Statements, indented
from .terms import Term, num, row_major
from .types import INT, MOST, c_type
from .views import Env, View, whole

MODULO = "-fwrapv"
"""What integers ask of the C compiler: they are numbers modulo 2^k, so a sum may overflow on the way. One that a
rewrite put in another order does so where it did not before."""

POWERS = ("-fno-builtin-pow", "-fno-builtin-powf")
"""What functions that call `pow` ask of the C compiler: in vectors gcc 12 takes the square root for `pow(x, 0.5)` if it
knows what `pow` is and errno is off, and that is another number for -0.0 and -inf."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_POWER = re.compile(r"\bpowf?\(")

MOST_PARTS = 1 << 17
"""Characters of functions that are made parts of their callers, as often as they are called. Of an embedded module with
more, only those with one caller are parts: C compilers take two seconds for so much, and longer by more than that for
more."""

PRIVATE = "exo__"
"""A prefix of names that nothing else has: neither other C, nor what is generated besides functions. Such functions are
static."""


@dataclass(frozen=True)
class CModule:
    """A C module: `header` declares the exported functions, `source` (which includes it as
    `name.h`) defines them."""

    name: str
    header: str
    source: str
    functions: tuple[Function, ...] = field(default=(), repr=False, compare=False)
    """The exported functions, for who calls them."""
    cc_flags: tuple[str, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    """What its memories and precisions ask of the C compiler, and its memories of the processor."""
    headers: tuple[Path, ...] = ()
    """Files that the source includes and no compiler brings."""
    architecture: str = ""
    """The processors that its memories are for, in the spelling of `uname -m`; "" for all."""
    origins: tuple[Origin | None, ...] = field(default=(), repr=False, compare=False)
    """From which statement each line of the source comes."""

    @property
    def parallel(self) -> bool:
        """Whether the module wants to be compiled with OpenMP."""
        return "#pragma omp parallel" in self.source

    def compile_command(
        self, source: Path, flags: Sequence[str] = (), compiler: Sequence[str] = ("cc",)
    ) -> tuple[str, ...]:
        """How the source is compiled to an object file, where `headers` lie beside it: by `compiler`, or where the code
        is for another processor, by a cross compiler. `flags` are added."""
        machine = platform.machine()
        here = self.architecture in ("", {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine))
        folders = {f"-I{path.parent}" for path in self.headers}
        openmp = "-fopenmp" if self.parallel else "-fopenmp-simd" if "#pragma omp" in self.source else ""
        wanted = (*flags, *(f for f in self.cc_flags if f not in folders), openmp)
        command = compiler if here else (f"{self.architecture}-linux-gnu-gcc",)
        # of some versions, which take several rows of a matrix at a time wrongly (`toolchain`)
        wanted += ("-fno-unroll-loops",) * ("clang" in Path(command[0]).name)
        return (*command, "-std=gnu11", "-O3", *dict.fromkeys(filter(None, wanted)), "-c", str(source))

    def link_flags(self) -> tuple[str, ...]:
        """What a program with the object file is linked with."""
        return ("-fopenmp",) * self.parallel + ("-lm",) * ("#include <math.h>" in self.source)

    @property
    def text(self) -> str:
        """Header and source as one file."""
        return self.header + self.source.replace(f'#include "{self.name}.h"\n', "", 1)


@with_room
def compile(procs: Sequence[Proc], name: str = "exo", embedded: bool = False, prefix: str = "") -> CModule:
    """The C11 module of `procs` and what they call; `name` names the header file. All functions have names that begin
    with `prefix`; with `PRIVATE`, no other C has such names, and procedures may be called as they like.

    `embedded`, its text is to be a part of a C file that calls `procs`: all functions are static. Of those that `procs`
    call, the ones that call no others are parts of their callers, unless that is too much (`MOST_PARTS`).

    Dense tensors are pointers, windows small structs with strides in elements, single values
    pointers, control values `int64_t` or `bool`. What a caller owes (assertions, and that no buffer
    which is written overlaps another argument) stands above each declaration.

    Raises a `BackendError`, whose subclass tells the rule that is broken, with the line marked.
    """
    if not name.isidentifier() or not name.isascii():
        raise NameClashError(f"{name!r} can't name a C module: use letters, digits and _")
    program = link(procs, prefix)
    check(program)
    program = limited(placed(program))
    check_order(program)
    needs, exported = Needs(), Needs()
    needs.includes.update({"#include <stdbool.h>": None, "#include <stddef.h>": None, "#include <stdint.h>": None})
    names = frozenset(f.name for f in program.functions)
    for f in program.functions:
        if _has_admission(f) and admits_name(f) in names:
            raise NameClashError(f"{admits_name(f)} tells whether {f.name} may be called: rename the procedure")
    entries = [(f, _entry(f, names)) for f in program.functions]
    texts = {f.name: _definition(f, env, program, needs) for f, env in entries}
    lengths = {f: len(told(text, needs.origins)[0]) for f, (_, text) in texts.items()} if embedded else {}
    parts = _parts(program, lengths) if embedded else set()
    storage = {f.name: _storage(f, embedded, f.name in parts) for f in program.functions}
    bodies = [before + storage[name] + text for name, (before, text) in texts.items()]
    prototypes = [
        f"{_contract(f, env)}{storage[f.name]}{_prototype(f, env, exported, '')};\n" for f, env in entries if f.exported
    ]
    for f, env in entries:
        if _has_admission(f):
            bodies.append(_admission(f, _entry(f, names, asserted=False), needs, embedded))
            start = _admission_storage(embedded)
            prototypes.append(f"{start}{_prototype(f, env, exported, '', 'bool', admits_name(f))};\n")
    source, origins = told(_source(name, needs, bodies), needs.origins)
    data = [d for f in program.functions for d in f.data.values()]
    memories, integers = [d.mem for d in data], any(not d.scalar.is_float for d in data)
    powers = any(map(_POWER.search, needs.helpers.values()))
    return CModule(
        name,
        _header(name, exported, prototypes),
        source,
        tuple(f for f in program.functions if f.exported),
        tuple(dict.fromkeys(flag for m in memories for flag in m.cc_flags)) + (MODULO,) * integers + POWERS * powers,
        tuple(dict.fromkeys(flag for m in memories for flag in m.cpu_flags)),
        tuple(dict.fromkeys(path for m in memories for path in m.headers)),
        next((m.architecture for m in memories if m.architecture), ""),
        origins,
    )


def _header(name: str, needs: Needs, prototypes: list[str]) -> str:
    guard = f"{name.upper()}_H"
    structs = "\n".join(text for _, text in sorted(needs.windows.items()))
    return (
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        "#ifndef EXO_RESTRICT\n#ifdef __cplusplus\n#define EXO_RESTRICT __restrict\n"
        "#else\n#define EXO_RESTRICT restrict\n#endif\n#endif\n\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        + (structs + "\n" if structs else "")
        + "\n".join(prototypes)
        + f"\n#ifdef __cplusplus\n}}\n#endif\n\n#endif  // {guard}\n"
    )


def _source(name: str, needs: Needs, bodies: list[str]) -> str:
    sections = [
        f'#include "{name}.h"\n' + "".join(f"{line}\n" for line in sorted(needs.includes)),
        *(text + "\n" for text in needs.texts),
        *(text for _, text in sorted(needs.windows.items())),
        *(needs.config_text(c) for _, c in sorted(needs.configs.items())),
        "".join(f"{text}\n" for _, text in sorted(needs.helpers.items())),
        *bodies,
    ]
    return "\n".join(s for s in sections if s)


def _has_admission(f: Function) -> bool:
    """Whether a function of C tells if a procedure may be called so. Python asks NumPy."""
    return f.exported and has_cells(f.tree) and not f.name.startswith(PRIVATE)


# -- functions ---------------------------------------------------------------------------------


def _entry(f: Function, names: frozenset[str], asserted: bool = True) -> Env:
    """The scope at the start of a function: what C calls its arguments. `names` are taken by functions. With `asserted`
    strides are what assertions say."""
    env = Env(taken=names | f.foreign)
    for i, a in enumerate(f.tree.args):
        name, env = env.spell(a.sym.name)
        if isinstance(a.type, Control):
            env = env.with_control(a.sym, Term(name))
            continue
        data = f.data[a.sym]
        const = i not in f.written
        if isinstance(a.type, Scalar):
            env = env.with_view(a.sym, View(name, data.scalar, data.mem, (), (), const, pointer=True))
        elif a.type.window:
            strides = list[Term]()
            for d in range(data.rank):
                text = f"{name}.strides[{d}]"
                if not f.exported:
                    text, env = env.constant(f"{name}_stride_{d}")
                strides.append(_stride(f.tree, a.sym, d, text) if asserted else Term(text))
            whose = f"{name}.data" if f.exported else name
            env = env.with_view(a.sym, whole(whose, data.scalar, data.mem, tuple(strides), const))
        else:
            # strides follow once the extents can be printed
            env = env.with_view(a.sym, whole(name, data.scalar, data.mem, (num(0),) * data.rank, const))
    return env


def _stride(tree: ProcDef, sym: Sym, dim: int, text: str) -> Term:
    """A stride, or its value if an assertion of the procedure gives one."""
    for p in tree.preds:
        match p:
            case Binary(op="==", lhs=StrideExpr(sym=s, dim=d), rhs=Const(value=v)) if (s, d) == (sym, dim):
                return num(int(v))
            case Binary(op="==", lhs=Const(value=v), rhs=StrideExpr(sym=s, dim=d)) if (s, d) == (sym, dim):
                return num(int(v))
            case _:
                pass
    return Term(text)


def _parameters(f: Function, env: Env, a: Arg, position: int, needs: Needs, restrict: str) -> list[str]:
    """How an argument is declared. A window is a struct for others to fill in; among our own functions it is an address
    and the strides that it asks for, which C compilers hand over in registers."""
    name = _c_argument(env, a)
    if isinstance(a.type, Control):
        return [f"{control_type(a.type.name)} {name}"]
    data, const = f.data[a.sym], position not in f.written
    if not data.mem.pointers:
        message = f"{a.sym} lives in {data.mem}, which only instructions take; inline the procedure"
        raise marked(MemoryAccessError, f.tree, (("args", position),), message)
    window = _is_window(a)
    if window and f.exported:
        return [f"{needs.window(data.scalar, data.rank, const)} {name}"]
    alone = "" if a.sym in f.overlapping else restrict
    pointer = f"{'const ' if const else ''}{c_type(data.scalar)} *{alone}{name}"
    strides = needs.strides[f.name, a.sym] if window else ()
    return [pointer, *(f"{INT} {env.views[a.sym].strides[d]}" for d in strides)]


def _prototype(
    f: Function, env: Env, needs: Needs, restrict: str, result: str = "void", name: str | None = None
) -> str:
    """The function's declaration. Arguments that are written never overlap others (the front end checks it for calls,
    the header asks it of C callers), so pointers are `restrict`: but not those that lead to one buffer at some call, as
    compilers that make it a part of a loop take that for true of all iterations."""
    params = [param for i, a in enumerate(f.tree.args) for param in _parameters(f, env, a, i, needs, restrict)]
    return f"{result} {name or f.name}({', '.join(params) or 'void'})"


def _parts(program: Program, lengths: Mapping[str, int]) -> set[str]:
    """The functions that are to be parts of their callers, by how long the text of each is."""
    calls, leaves = calls_of(program), [f.name for f in program.functions if f.is_leaf and not f.exported]
    few = sum(calls[name] * lengths[name] for name in leaves) <= MOST_PARTS
    return {name for name in leaves if few or calls[name] == 1}


def _storage(f: Function, embedded: bool, is_part: bool) -> str:
    """What stands before the declaration of a function, which may be a part of its callers. C compilers would decide by
    what is around, and have too few registers for the loops of a long function."""
    if f.exported or not embedded:
        return "static " * (embedded or not f.exported or f.name.startswith(PRIVATE))
    return f"static {'inline __attribute__((always_inline))' if is_part else '__attribute__((noinline))'} "


def _c_argument(env: Env, a: Arg) -> str:
    """What C calls an argument."""
    if isinstance(a.type, Control):
        return env.controls[a.sym].text
    return env.views[a.sym].name.removesuffix(".data")


def _is_window(a: Arg) -> bool:
    return isinstance(a.type, Tensor) and a.type.window


def _definition(f: Function, entry: Env, program: Program, needs: Needs) -> tuple[str, str]:
    """The functions that are made of its parallel loops, and its own text without what stands before."""
    printer = Statements(f, program, needs)
    for a in f.tree.args:
        if not isinstance(a.type, Control):
            needs.prelude("" if f.data[a.sym].mem.direct else f.data[a.sym].mem.prelude())
    lines, env = _with_strides(f, printer, entry)
    lines += printer.block(f.tree.body, env, (), "body")
    used = set(_WORD.findall("\n".join((*printer.outlined, *lines))))
    for a in f.tree.args:
        if _is_window(a):
            strides = entry.views[a.sym].strides
            needs.strides[f.name, a.sym] = tuple(d for d, stride in enumerate(strides) if str(stride) in used)
    opening = f"{_prototype(f, entry, needs, 'restrict ')} {{"
    return "".join(f"{text}\n" for text in printer.outlined), "\n".join((opening, *indented(lines), "}\n"))


def _admission(f: Function, entry: Env, needs: Needs, embedded: bool) -> str:
    """The function that tells whether a procedure may be called so."""
    env = _with_strides(f, Statements(f, Program((), {}), needs), entry)[1]
    opening = f"{_admission_storage(embedded)}{_prototype(f, entry, needs, '', 'bool', admits_name(f))} {{"
    return "\n".join((opening, *indented(admission(f, env, needs)), "}\n"))


def _admission_storage(embedded: bool) -> str:
    return "static inline " * embedded


def _with_strides(f: Function, printer: Statements, env: Env) -> tuple[list[str], Env]:
    """The scope with the strides of dense arguments, and the lines that come before."""
    lines = list[str]()
    for i, a in enumerate(f.tree.args):
        if isinstance(a.type, Tensor) and not a.type.window:
            fixed, shape, env = printer.shape(a.type, a.sym.name, env.at((("args", i),)))
            lines += fixed
            view = env.views[a.sym]
            env = env.with_view(a.sym, whole(view.name, view.scalar, view.mem, row_major(shape), view.const))
    return lines, env


def _contract(f: Function, env: Env) -> str:
    """The comment above a declaration: what a caller owes."""
    printer = Statements(f, Program((), {}), Needs())
    return "".join(f"// {line}\n" for line in _obligations(f, printer, env))


def _obligations(f: Function, printer: Statements, env: Env) -> Iterator[str]:
    def show(e: Expr) -> str:
        return str(printer.control(e, env))

    for a in f.tree.args:
        if isinstance(a.type, Tensor):
            extents = ", ".join(show(e) for e in a.type.shape)
            kind = "window" if a.type.window else "tensor"
            yield f"{_c_argument(env, a)}: {kind} of extents [{extents}]"
    sizes = [_c_argument(env, a) for a in f.tree.args if isinstance(a.type, Control) and a.type.name == "size"]
    if sizes:
        yield f"requires {', '.join(sizes)} >= 1"
    numbers = [_c_argument(env, a) for a in f.tree.args if isinstance(a.type, Control) and a.type.name != "bool"]
    if numbers and f.most < MOST:
        yield f"requires {', '.join(f'|{n}|' for n in numbers)} <= {f.most}: then no integer overflows"
    if _has_admission(f):
        yield f"{admits_name(f)}(..) with the same arguments tells whether all that is required holds"
    for p in f.tree.preds:
        try:
            yield f"requires {print_expr(p, names_at(f.tree)) if has_cells(f.tree) else show(p)}"
        except Objection as e:
            raise marked(MemoryAccessError, f.tree, (), str(e)) from e
    if f.written:
        names = ", ".join(_c_argument(env, f.tree.args[i]) for i in sorted(f.written))
        yield f"writes {names}; what is written must not overlap another argument"
