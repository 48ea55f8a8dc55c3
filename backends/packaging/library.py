"""A shared library with code for several instruction sets: which is used is decided when it is loaded.

The code for each instruction set is a C file of its own, whose functions have names of their own. One more file has the
functions of the header and those that Python calls. They jump to the code that the constructor chose, by what the
processor says then; `__builtin_cpu_supports` has asked the operating system, too.

As a function on NumPy arrays must not end the process, each call is guarded as `jit` does it (`exo_jit.h`): what goes
wrong is a status, which Python makes an exception, and the functions of the header end the program with a message.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from ..arguments import entry
from ..c import CModule, compile
from ..c.bfloat import PRELUDE
from ..kernel import Machine, Proc
from ..native import FLAGS
from ..runtime import FLAGS as RUNTIME_FLAGS
from ..runtime import FOLDER, HEADER, stack_needed, stack_use
from ..toolchain import UnsupportedTargetError, build_object, link, stack_frames

_X86 = ("sse3", "ssse3", "sse4.1", "sse4.2", "avx", "avx2", "fma", "avx512f", "avx512vl", "avx512dq", "avx512bw")
TESTS: Final[Mapping[str, Mapping[str, str]]] = {
    "x86_64": {**{f: f'__builtin_cpu_supports("{f}")' for f in _X86}, "f16c": "exo_f16c()"},
    "aarch64": {"asimd": "1"},  # all of these have it
}
"""How C asks a processor for a feature, by architecture. Not all compilers know f16c by name."""

_F16C = """\
#include <cpuid.h>
static int exo_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1) && __builtin_cpu_supports("avx");
}
"""
_PROTOTYPE = re.compile(r"^(?P<about>(?://.*\n)*)(?P<result>void|bool) (?P<name>\w+)\((?P<params>.*)\);$", re.MULTILINE)
_VISIBLE = '__attribute__((visibility("default")))'
_STATE = ("exo_why", "exo_wanted", "exo_stack_found")
"""What Python reads after a call that failed."""


def architecture() -> str:
    """The processor at hand, in the spelling of `uname -m`."""
    machine = platform.machine()
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def obstacle(machine: Machine) -> str:
    """Why there can be no code for a machine in a library that is made here; "" if there can."""
    here = architecture()
    unknown = [f for f in machine.cpu_flags if f not in TESTS.get(here, {})]
    if not unknown:
        return ""
    what = f"a library for {here} can't ask a processor for when it is loaded"
    return f"{machine} needs {', '.join(unknown)}, which {what}"


@dataclass(frozen=True)
class Prototype:
    """A function of the header, with the comment above it."""

    about: str
    result: str
    name: str
    params: str

    @property
    def arguments(self) -> str:
        """The names of its parameters.

        >>> Prototype("", "void", "scale", "int64_t n, float *x, struct exo_win_1f32 y").arguments
        'n, x, y'
        """
        return "" if self.params == "void" else ", ".join(re.findall(r"\w+$", p)[0] for p in self.params.split(", "))


def prototypes(header: str) -> tuple[Prototype, ...]:
    """The functions that a header declares.

    >>> [(p.about, p.name) for p in prototypes("// requires n >= 1\\nvoid scale(int64_t n, float *x);\\n")]
    [('// requires n >= 1\\n', 'scale')]
    """
    return tuple(Prototype(m["about"], m["result"], m["name"], m["params"]) for m in _PROTOTYPE.finditer(header))


@dataclass(frozen=True)
class Version:
    """Procedures for a machine: their C, and that of the header, in which they have their own names."""

    machine: Machine
    number: int
    module: CModule
    plain: CModule

    @property
    def prefix(self) -> str:
        return _prefix(self.number)

    @cached_property
    def declared(self) -> tuple[Prototype, ...]:
        """What its header declares."""
        return prototypes(self.plain.header)

    @property
    def features(self) -> tuple[str, ...]:
        """What it asks of a processor."""
        return self.machine.cpu_flags


def _prefix(number: int) -> str:
    return f"exo_v{number}_"


def version(machine: Machine, number: int, procs: Sequence[Proc], name: str) -> Version:
    """The C of some procedures for a machine. Raises a `BackendError` for what can't be C, and
    `UnsupportedTargetError` for code that asks more of a processor than the machine does."""
    plain, module = compile(procs, name), compile(procs, name, prefix=_prefix(number))
    beyond = [f for f in module.cpu_flags if f not in machine.cpu_flags]
    if beyond:
        raise UnsupportedTargetError(_asks_more(procs, machine, name))
    return Version(machine, number, module, plain)


def _asks_more(procs: Sequence[Proc], machine: Machine, name: str) -> str:
    """Which of some procedures need what a machine has not, and what to do."""
    needs = {p.name(): [f for f in compile([p], name).cpu_flags if f not in machine.cpu_flags] for p in procs}
    what = ", ".join(f"{n} needs {', '.join(fs)}" for n, fs in needs.items() if fs)
    return (
        f"there is no code of this for {machine}: {what}; write a schedule, which makes a Proc for each target (a"
        " function of one parameter, annotated Machine), or choose the targets that have it with --target"
    )


# -- the header ---------------------------------------------------------------------------------------


def header(versions: Sequence[Version], name: str) -> str:
    """The header of all versions: what one of them requires, all do."""
    first, *others = versions
    text = first.plain.header
    for k, p in enumerate(first.declared):
        lines = dict.fromkeys(p.about.splitlines())
        for v in others:
            lines |= dict.fromkeys(v.declared[k].about.splitlines())
        declared = f"{p.result} {p.name}({p.params});\n"
        text = text.replace(f"{p.about}{declared}", "".join(f"{line}\n" for line in lines) + declared, 1)
    sets = ", ".join(v.machine.name for v in versions)
    more = f"// Which code is used, one of {sets}; NULL if there is none for this processor.\n"
    more += f"const char *{name}_isa(void);\n"
    start, end, rest = text.rpartition("\n#ifdef __cplusplus\n}\n#endif\n")
    return f"{start}\n{more}{end}{rest}"


# -- C ------------------------------------------------------------------------------------------------


def unit(v: Version) -> tuple[str, dict[str, str]]:
    """The C text for a machine, and of each function the text from the start to the call of it."""
    head = f"{(FOLDER / HEADER).read_text()}\n{_no_more_than(v.features)}{v.module.text}\n"
    calls, guards = dict[str, str](), list[str]()
    for p in v.declared:
        if p.result == "void":
            calls[p.name] = (
                f"static __attribute__((noinline)) void exo_call_{p.name}({p.params}) {{\n"
                f"    {v.prefix}{p.name}({p.arguments});\n}}\n"
            )
            guards.append(
                f"extern const int64_t exo_n{v.number}_{p.name};\n"
                f"int exo_g{v.number}_{p.name}({p.params});\nint exo_g{v.number}_{p.name}({p.params}) {{\n"
                f"    EXO_GUARDED(exo_n{v.number}_{p.name}, exo_call_{p.name}({p.arguments}))\n}}\n"
            )
    return "\n".join([head, *calls.values(), *guards]), {name: f"{head}\n{text}" for name, text in calls.items()}


def _no_more_than(features: Iterable[str]) -> str:
    """What stops a compiler that is told, as by `CC`, to use more than all processors have that may run the code."""
    known = {"avx512f": "__AVX512F__", "avx2": "__AVX2__"}
    banned = [] if "avx512f" in features else [known["avx512f"]]
    banned += [] if {"avx2", "avx512f"} & set(features) else [known["avx2"]]
    banned += [] if set(features) & {*_X86, "f16c"} else ["__SSE3__"]
    tests = " || ".join(f"defined({macro})" for macro in banned)
    message = "the C compiler is told to use instructions that not all processors have: take -m flags out of CC"
    return f"#if {tests}\n#error {message}\n#endif\n" if architecture() == "x86_64" and banned else ""


def dispatch(versions: Sequence[Version], name: str, stacks: Sequence[Mapping[str, int]]) -> str:
    """The C text of the functions of the header and of those for Python. `stacks` are the bytes of the stack that each
    function takes, for each version."""
    first = versions[0]
    kinds = ["int" if p.result == "void" else p.result for p in first.declared]
    both = list(zip(kinds, first.declared, strict=True))
    declared = [f"{kind} {_code(v, p)}({p.params});" for kind, p in both for v in versions]
    table = [f"    {kind} (*f{k})({p.params});" for k, (kind, p) in enumerate(both)]
    tested = any(v.features for v in versions)
    return "\n".join(
        (
            _no_more_than(()),
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>",
            _F16C if architecture() == "x86_64" and tested else "",
            header(versions, name),
            PRELUDE,
            *(f"extern {'const char *' if s == 'exo_why' else 'int64_t '}{s};" for s in _STATE),
            *declared,
            *("static struct {", *table, "} exo_table;"),
            "static const char *exo_isa;",
            _THREADS,
            _DIE.replace("NAME", name),
            *(_public(p, k) for k, p in enumerate(first.declared)),
            *_for_python(first),
            f"{_VISIBLE} const char *{name}_isa(void) {{ return exo_isa; }}\n",
            *(_stacks(v, taken) for v, taken in zip(versions, stacks, strict=True)),
            *map(_switch, versions),
            _constructor(versions, name, tested),
        )
    )


_THREADS = """\
// Threads of OpenMP are not there any more in a forked process, but its library would wait for them.
#ifdef _OPENMP
void omp_set_num_threads(int count);
#include <pthread.h>
static int exo_ran, exo_lost;
static void exo_forked(void) { exo_lost = exo_lost || exo_ran; }
#define EXO_THREADS { if (exo_lost) omp_set_num_threads(1); exo_ran = 1; }
#define EXO_AT_FORK pthread_atfork(NULL, NULL, exo_forked);
#else
#define EXO_THREADS
#define EXO_AT_FORK
#endif
"""
_DIE = """\
// Ends the program: a function of C has nobody to tell.
static __attribute__((noreturn)) void exo_die(const char *function, int status) {
    const long long bytes = exo_wanted;
    if (exo_isa == NULL) fprintf(stderr, "NAME: there is no code of %s for this processor\\n", function);
    else if (status == 1) fprintf(stderr, "%s: out of memory: no %lld bytes for a buffer\\n", function, bytes);
    else if (status == 2) fprintf(stderr, "%s: too little stack: %lld bytes are needed\\n", function, bytes);
    else fprintf(stderr, "%s: %s\\n", function, exo_why);
    abort();
}
"""


def _public(p: Prototype, k: int) -> str:
    """A function of the header."""
    none = f'if (exo_table.f{k} == NULL) exo_die("{p.name}", 0);'
    start = f"{_VISIBLE} {p.result} {p.name}({p.params}) {{\n    {none}"
    if p.result != "void":
        return f"{start}\n    return exo_table.f{k}({p.arguments});\n}}\n"
    return (
        f"{start}\n    EXO_THREADS\n"
        f"    const int exo_status = exo_table.f{k}({p.arguments});\n"
        f'    if (exo_status != 0) exo_die("{p.name}", exo_status);\n}}\n'
    )


def _for_python(v: Version) -> Iterable[str]:
    """The functions that Python calls, with numbers and addresses; they return a status."""
    places = {p.name: k for k, p in enumerate(v.declared)}
    for f in v.plain.functions:
        e = entry(f)
        params = ", ".join(map(str, e.params)) or "void"
        yield (
            f"{_VISIBLE} int exo_python_{f.name}({params}) {{\n    EXO_THREADS\n"
            f"    return exo_table.f{places[f.name]}({e.passed});\n}}\n"
        )


def _stacks(v: Version, taken: Mapping[str, int]) -> str:
    """The numbers that the guards of a version ask for."""
    return "".join(
        f"extern const int64_t exo_n{v.number}_{f};\nconst int64_t exo_n{v.number}_{f} = {stack_needed(n)};\n"
        for f, n in taken.items()
    )


def _switch(v: Version) -> str:
    lines = [f"    exo_table.f{k} = {_code(v, p)};" for k, p in enumerate(v.declared)]
    lines += [f'    exo_isa = "{v.machine.name}";']
    return "\n".join((f"static void exo_use_{v.number}(void) {{", *lines, "}\n"))


def _code(v: Version, p: Prototype) -> str:
    return f"exo_g{v.number}_{p.name}" if p.result == "void" else f"{v.prefix}{p.name}"


def _constructor(versions: Sequence[Version], name: str, tested: bool) -> str:
    """What is done when the library is loaded: the last version that the processor can run is taken, up to the one that
    the environment names."""
    variable, sets = f"{name.upper()}_ISA", [v.machine.name for v in versions]
    unknown = " && ".join(f'strcmp(limit, "{s}")' for s in sets)
    lines = [
        "__attribute__((constructor)) static void exo_choose(void) {",
        "    EXO_AT_FORK",
        f'    const char *limit = getenv("{variable}");',
        "    if (limit && !*limit) limit = NULL;",
        f"    if (limit && {unknown}) {{",
        f'        fprintf(stderr, "{variable} is %s, not one of {", ".join(sets)}: ignored\\n", limit);',
        "        limit = NULL;",
        "    }",
    ]
    lines += ["    __builtin_cpu_init();"] if tested and architecture() == "x86_64" else []
    for v in versions:
        has = " && ".join(TESTS[architecture()][f] for f in v.features) or "1"
        lines += [f"    if ({has}) exo_use_{v.number}();"]
        lines += [f'    if (limit && !strcmp(limit, "{v.machine.name}")) return;']
    return "\n".join((*lines, "}\n"))


# -- compiling ----------------------------------------------------------------------------------------


def build(versions: Sequence[Version], name: str, library: Path) -> None:
    """Write the shared library of some versions, the plainest first. Raises a `ToolchainError`."""
    omp = ("-fopenmp",) if any(v.module.parallel for v in versions) else ()
    plain = ("-march=x86-64",) if architecture() == "x86_64" else ()
    base = (*RUNTIME_FLAGS, *plain, *omp)
    runtime = (FOLDER / "exo_jit.c").read_text().replace(f'#include "{HEADER}"\n', (FOLDER / HEADER).read_text())
    objects, stacks = [build_object("exo_jit", runtime, base)], list[dict[str, int]]()
    for v in versions:
        text, calls = unit(v)
        flags = dict.fromkeys((*base, *FLAGS, *v.machine.cc_flags, *v.module.cc_flags))
        made = build_object(f"{name}_{v.machine.name}", text, tuple(flags))
        frames = stack_frames(made)
        stacks.append({f: _stack_of(f, call, frames) for f, call in calls.items()})
        objects.append(made)
    objects.append(build_object(f"{name}_dispatch", dispatch(versions, name, stacks), base))
    link(library, objects, (*_link_flags(versions, name, library), *omp))


def _stack_of(function: str, call: str, frames: Mapping[str, int]) -> int:
    """The bytes of the stack that a call takes; those of other functions of the header are none of its business."""
    own = f"exo_call_{function}"
    others = [f for f in frames if f != own and re.match(r"exo_(call|g\d+)_", f)]
    return stack_use(call, {f: size for f, size in frames.items() if f not in others})


def _link_flags(versions: Sequence[Version], name: str, library: Path) -> tuple[str, ...]:
    """Only what is for callers can be seen from outside. Threads of OpenMP wait for more in its code after a call: it
    must stay where it is when the library is closed."""
    if platform.system() != "Linux":
        return ()
    first = versions[0]
    shown = [*(p.name for p in first.declared), *(f"exo_python_{f.name}" for f in first.plain.functions)]
    script = library.with_suffix(".map")
    script.write_text(f"{{ global: {'; '.join([*shown, f'{name}_isa', *_STATE])}; local: *; }};\n")
    return (f"-Wl,--version-script={script}", f"-Wl,-soname,{library.name}", "-Wl,-z,nodelete")
