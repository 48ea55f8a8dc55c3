"""The library's entry points: which target's code runs is decided when it is loaded, and by which numbers it goes.

For each CBLAS function there is a pointer, first to the plain C version, and a function that jumps there. The
constructor looks at the processor, and at EXO_BLAS_ISA. `__builtin_cpu_supports` has asked the operating system too
(xgetbv): an instruction set whose registers aren't saved is none.

A jump takes as long as a call on a few numbers. So some functions for AVX2 are entry points themselves
(`entry_points`), and only ask whether to go another way: to the plain version, if there are no vectors, and for vectors
from so many bytes on to the version with longer registers, if there are some.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from backends.c.memory import ALIGNED
from backends.families import FAMILIES, Family

from .fortran import fortran
from .interface import FOLDER, header, parts
from .routines import Routine, routines
from .zeros import skipping

_VISIBLE = '__attribute__((visibility("default")))'
_HIDDEN = '__attribute__((visibility("hidden")))'
_PART = "__attribute__((always_inline))"


def dispatch(
    defined: Sequence[str],
    targets: Mapping[str, Sequence[str]],
    direct: Sequence[str] = (),
    *,
    second_cache: int,
    zeros: str = "",
) -> str:
    """The C source of the entry points of the functions that are defined, but for those that are `direct`, and of the
    Fortran names of all of them.

    `targets` are the processor features that each target needs, the plainest first; `second_cache` are the bytes of
    that cache, where the system doesn't tell. `zeros` are the letters of those that may leave out zeros as
    the reference does.
    """
    functions = [p for p in routines() if p.name in set(defined) - set(direct)]
    places = ((p, "exo_table." if p in functions else "exo_own_") for p in routines() if p.name in defined)
    ours = {p: f"{where}{p.name}" for p, where in places}
    plain, *better = targets
    known = {p.name: p for p in routines()}
    entered = [known[name] for name in direct]
    return "\n".join(
        (
            "\n".join(f"#include <{h}.h>" for h in ("ctype", "math", "stdarg", "stdio", "stdlib", "string", "unistd")),
            header(),
            *parts().values(),
            f"#define EXO_PUBLIC {_VISIBLE}\n",
            *(f"{p.result} {p.name}_{t}({p.params});" for p in functions for t in targets),
            *(f"{p.result} {p.name}_{t}({p.params});" for p in entered for t in targets if t != ENTERED),
            *(f"{_HIDDEN} {p.result} (*exo_other_{p.name})({p.params}) = {p.name}_{plain};" for p in entered),
            *(f"{_HIDDEN} {p.result} exo_own_{p.name}({p.params});" for p in entered),
            "",
            "static struct {",
            *(f"    {p.result} (*{p.name})({p.params});" for p in functions),
            "} exo_table = {",
            *(f"    {p.name}_{plain}," for p in functions),
            "};",
            "",
            *map(_entry, functions),
            fortran(ours),
            f'static const char *exo_isa = "{plain}";',
            f"{_HIDDEN} int64_t exo_wide = INT64_MIN;  // bytes of a vector from which on entry points go another way",
            "pid_t exo_process;  // the one that loaded the library\n",
            *(_switch(t, functions, entered) for t in better),
            skipping(p for p in functions if p.fortran[0] in zeros),
            _choose_isa(plain, {t: targets[t] for t in better}),
            f'#define EXO_SETS "{" ".join(SETS)}"',
            _numbers(second_cache),
            _REST,
        )
    )


SETS = ("c", "avx2", "avx512")
"""The instruction sets that a profile may be about; what it says of one that a library is without is passed over."""
ENTERED = "avx2"
"""The target whose functions may be entry points."""
NARROW = ("_sscal", "_dscal", "_csscal", "_zdscal")
"""Functions that don't gain by longer registers: a vector that is scaled again waits for the part of one at its end.
Without this line, `python -m benchmarks.blas --level 1 --only scal --isa avx512` showed 0.8 to 1.1 of the speed."""


def entry_points(defined: Sequence[str], target: str) -> tuple[str, str]:
    """What stands before and after functions for a target that are to be entry points themselves.

    >>> before, after = entry_points(["cblas_snrm2"], "avx2")
    >>> print(after.partition(" float ")[2].partition("extern")[0])
    exo_own_cblas_snrm2(CBLAS_INT n, const float *x, CBLAS_INT incx) {
        if (__builtin_expect(EXO_BYTES(n) >= exo_wide, 0)) return exo_other_cblas_snrm2(n, x, incx);
        else {
            return cblas_snrm2_avx2(n, x, incx);
        }
    }
    <BLANKLINE>

    The library calls it by that name: a program may have another `cblas_snrm2`, which calls `snrm2_`.

    The compiler must use no vector instruction on the way to the plain version: floating-point numbers are not to be
    moved before the question is answered.
    """
    functions = [p for p in routines() if p.name in set(defined)]
    before = [f"extern {_HIDDEN} int64_t exo_wide;", "#define EXO_BYTES(n) ((int64_t)(REALS * sizeof(T)) * (n))"]
    before += [f"extern {_HIDDEN} {p.result} (*exo_other_{p.name})({p.params});" for p in functions]
    before += [f"static inline {_PART} {p.result} {p.name}_{target}({p.params});" for p in functions]
    return "\n".join(before), "\n".join(_choice(p, target) for p in functions)


def _choice(p: Routine, target: str) -> str:
    numbers = re.findall(r"\b(?:float|double) (\w+)", p.params)
    bytes = "EXO_BYTES(n)" if "CBLAS_INT n" in p.params and not p.name.endswith(NARROW) else "0"
    lines = (
        f"__attribute__((flatten)) {_HIDDEN} {p.result} exo_own_{p.name}({p.params}) {{",
        f"    if (__builtin_expect({bytes} >= exo_wide, 0)) {_call(p, f'exo_other_{p.name}')}",
        "    else {",
        *(f'        __asm__ volatile("" : "+x"({x}));' for x in numbers),
        f"        {_call(p, f'{p.name}_{target}')}",
        "    }\n}",
        f'extern __attribute__((alias("exo_own_{p.name}"))) {_VISIBLE} {p.result} {p.name}({p.params});',
    )
    return "\n".join(lines)


def _call(p: Routine, function: str) -> str:
    return f"{'return ' * (p.result != 'void')}{function}({p.arguments});"


def _entry(p: Routine) -> str:
    return f"EXO_PUBLIC {p.result} {p.name}({p.params}) {{ {_call(p, f'exo_table.{p.name}')} }}"


def _switch(target: str, functions: Sequence[Routine], entered: Sequence[Routine]) -> str:
    lines = [f"    exo_table.{p.name} = {p.name}_{target};" for p in functions]
    if target != ENTERED:
        lines += [f"    exo_other_{p.name} = {p.name}_{target};" for p in entered]
    lines += [f'    exo_isa = "{target}";']
    return "\n".join((f"static void exo_use_{target}(void) {{", *lines, "}\n"))


def _choose_isa(plain: str, better: Mapping[str, Sequence[str]]) -> str:
    unknown = " && ".join(f'strcmp(limit, "{t}")' for t in (plain, *better))
    lines = [
        "static void exo_choose_isa(void) {",
        '    const char *limit = getenv("EXO_BLAS_ISA");',
        "    if (limit && !*limit) limit = NULL;",
        f"    if (limit && {unknown}) {{",
        f'        fprintf(stderr, "EXO_BLAS_ISA is %s, not one of {", ".join((plain, *better))}: ignored\\n", limit);',
        "        limit = NULL;",
        "    }",
        f'    if (limit && !strcmp(limit, "{plain}")) return;',
        *(["    __builtin_cpu_init();"] if better else []),
    ]
    for target, features in better.items():
        has = " && ".join(f'__builtin_cpu_supports("{f}")' for f in features)
        lines += [f"    if ({has}) exo_use_{target}();", f'    if (limit && !strcmp(limit, "{target}")) return;']
    return "\n".join((*lines, "}\n"))


def _numbers(second_cache: int) -> str:
    """The numbers of `choices.h`, and how they are chosen."""
    return "\n".join(
        (
            f"enum {{ EXO_L2 = {second_cache}, L2 = EXO_L2, WIDE = 0 }};",
            "#define EXO_START(name, model, least, most) model,",
            "// for who calls before the library is ready",
            "struct exo_choices exo_choices = {EXO_CHOICES(EXO_START)};\n",
            "static void exo_read_profile(const char *source, const char *text);",
            "static void exo_read_families(void);\n",
            (FOLDER / "profile.h").read_text(),
            families_read(),
        )
    )


def families_read() -> str:
    """The C function that reads the profile of the processor's family, if there is one in `cblas/profiles`."""
    profiles = sorted((FOLDER / "profiles").glob("*.profile"))
    return "\n".join(("static void exo_read_families(void) {", *map(_family_read, profiles), "}\n"))


def profile_of(family: Family) -> Path:
    """The file with the profile of a family of processors, if it has one."""
    return FOLDER / "profiles" / f"{family.processor.name.lower().replace(' ', '-')}.profile"


def _family_read(profile: Path) -> str:
    """The statement for one family, as which the file is called: `zen-3`."""
    (family,) = (f for f in FAMILIES if profile_of(f) == profile)
    told = (line.partition("#")[0].strip() for line in profile.read_text().splitlines())
    # the remarks say how good it was where it was found: they are not part of the library
    text = "".join(f'\n        "{line}\\n"' for line in told if line)
    models = " || ".join(f"exo_cpu_model == {n}" for n in sorted(family.models))
    vendor = f'!strcmp((const char *)exo_cpu_vendor, "{family.vendor}")'
    is_one = f"{vendor} && exo_cpu_family == {family.family} && ({models})"
    return f'    if ({is_one}) exo_read_profile("{profile.stem}", {text});'


_REST = """\
#if defined(__TINYC__) && __TINYC__ < 928
#warning "this tcc runs no constructors: the library reads neither variables of the environment nor profiles"
#endif

__attribute__((constructor)) static void exo_choose(void) {
    exo_process = getpid();
    exo_choose_isa();
    exo_choose_numbers();
    if (strcmp(exo_isa, "c")) exo_wide = strcmp(exo_isa, "avx512") ? INT64_MAX : CHOICE(vector_wide);
    const char *const threads = getenv("EXO_NUM_THREADS");
    if (threads && *threads && (strtol(threads, NULL, 10) != exo_threads() || threads[strspn(threads, "0123456789")]))
        fprintf(stderr, "EXO_NUM_THREADS is %s, not a number from 1 to 1024: taken for %d\\n", threads, exo_threads());
    const char *const zeros = getenv("EXO_BLAS_ZEROS");
    if (zeros && !strcmp(zeros, "skip")) exo_skip_zeros();
    else if (zeros && *zeros) fprintf(stderr, "EXO_BLAS_ZEROS is %s, not skip: ignored\\n", zeros);
}

EXO_PUBLIC const char *exo_blas_isa(void) { return exo_isa; }

// The heap of kernels, which can't do without their copies.
static void *exo_given(void *p, size_t bytes) {
    if (p) return p;
    cblas_xerbla(0, "exo_blas", "exo_blas: out of memory, no %zu bytes for a copy\\n", bytes);
    abort();
}
void *exo_blas_vector(size_t bytes) { return exo_given(malloc(bytes), bytes); }
void *exo_blas_memory(size_t bytes) {
    const size_t whole = bytes > PTRDIFF_MAX - ALIGNED ? PTRDIFF_MAX : (bytes + LESS) / ALIGNED * ALIGNED;
    return exo_given(aligned_alloc(ALIGNED, whole), bytes);
}

EXO_PUBLIC __attribute__((weak)) void cblas_xerbla(CBLAS_INT position, const char *routine, const char *form, ...) {
    va_list arguments;
    va_start(arguments, form);
    if (position) fprintf(stderr, "Parameter %d to routine %s was incorrect\\n", (int)position, routine);
    vfprintf(stderr, form, arguments);
    va_end(arguments);
    exit(-1);
}
""".replace("ALIGNED", str(ALIGNED)).replace("LESS", str(ALIGNED - 1))
