"""Which spellings C leaves to a program."""

from __future__ import annotations

import re
from pathlib import Path

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
    typeof alignas alignof bool complex imaginary noreturn static_assert thread_local true false nullptr constexpr
    and and_eq bitand bitor catch class compl const_cast delete dynamic_cast explicit export friend mutable
    namespace new not not_eq operator or or_eq private protected public reinterpret_cast static_cast template this
    throw try typeid typename using virtual wchar_t xor xor_eq
    concept consteval constinit co_await co_return co_yield decltype noexcept requires typeof_unqual offsetof
"""
KEYWORDS = frozenset(_KEYWORDS.split())
"""Keywords of C and C++ (a header may be included in either)."""

_LIBRARY = """
    abort abs labs llabs atexit atof atoi atol bsearch calloc div exit free getenv malloc qsort rand realloc srand
    strtod strtol system aligned_alloc main printf fprintf sprintf snprintf scanf puts putchar getchar fopen fclose
    fread fwrite remove rename stdin stdout stderr errno assert memcpy memmove memset memcmp strlen strcpy strcmp
    acos asin atan atan2 cos sin tan cosh sinh tanh acosh asinh atanh exp exp2 expm1 log log10 log1p log2 logb modf
    ldexp frexp ilogb scalbn cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint
    round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma j0 j1 jn
    y0 y1 yn gamma significand drem finite signgam exp10 pow10 sincos isnan isinf isfinite isnormal signbit
    fpclassify read write open close link unlink index rindex bcopy bzero bcmp time clock signal raise select random
    srandom linux unix i386 NULL EOF NAN INFINITY HUGE_VAL RAND_MAX BUFSIZ EXIT_SUCCESS EXIT_FAILURE
"""
LIBRARY = frozenset(_LIBRARY.split())
"""Functions and macros of the C library (and macros that compilers predefine) that a program's own
names must not meet."""

MACROS = frozenset(Path(__file__).with_name("macros.txt").read_text().split())
"""Macros of the headers that programs include, of which no other rule tells."""

EXTERNAL = frozenset(Path(__file__).with_name("libc.txt").read_text().split())
"""What the C library of Linux (glibc, with its mathematics) has to be linked with: a program's function of such a name
takes the place of the library's, for all that is in the process, or the library's takes its place."""

_TYPES = "va_list FILE u_char u_short u_int u_long ulong ushort uint fd_set fd_mask jmp_buf sigjmp_buf"
DECLARED = frozenset((*_TYPES.split(), "at_quick_exit", "h_nerr", "lockf64", "sys_nerr"))
"""What headers that programs include declare, or the C library has, besides."""

_SIZED = re.compile(r"f(32|64)x?(add|sub|mul|div|fma|sqrt)f(32x|64x?|128)\Z|(?P<of>\w+?)f(32|64|128)x?\Z")
"""Functions on types of a given size, such as `expf32`, `strtof64` and `f32addf64x`."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def is_reserved(name: str) -> bool:
    """Whether C, its library or the generated helpers own this spelling.

    >>> [is_reserved(n) for n in ("x", "double", "int64_t", "exo_alloc", "sinf", "_mm_add", "INT_MAX")]
    [False, True, True, True, True, True, True]
    """
    return (
        name in KEYWORDS
        or name in LIBRARY
        or name in MACROS
        or (name[-1:] in "fl" and name[:-1] in LIBRARY)
        or name.startswith(("_", "exo_", "EXO_", "M_"))
        or name.endswith(("_t", "_MAX", "_MIN", "_C", "_H"))
    )


def function_name(name: str) -> str:
    """`c_name(name)`, for a function.

    >>> [function_name(n) for n in ("accept", "va_list", "expf32", "axpy", "axpy_f32", "addf32")]
    ['accept_', 'va_list_', 'expf32_', 'axpy', 'axpy_f32', 'addf32']
    """
    spelled = c_name(name)
    return f"{spelled}_" if spelled in EXTERNAL or spelled in DECLARED or _is_sized(spelled) else spelled


def _is_sized(name: str) -> bool:
    """Whether the library has a function, as of `float` and `long double`, for a type of a given size."""
    found = _SIZED.match(name)
    stem = found and found["of"]
    return bool(found) and (stem is None or all(f"{stem}{c}" in EXTERNAL for c in "fl"))


def c_name(name: str) -> str:
    """A legal C spelling that resembles `name`; itself if C leaves it free.

    >>> c_name("x"), c_name("restrict"), c_name("_i"), c_name("\N{GREEK SMALL LETTER ALPHA}")
    ('x', 'restrict_', 'v_i', 'u3b1')
    """
    ascii_name = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)
    if not _PLAIN.match(ascii_name) or ascii_name.startswith(("exo_", "EXO_", "M_")):
        ascii_name = f"v{'' if ascii_name.startswith('_') else '_'}{ascii_name}"
    return f"{ascii_name}_" if is_reserved(ascii_name) else ascii_name


def fresh(name: str, taken: frozenset[str], prefix: str = "") -> str:
    """`c_name(name)`, numbered if that is taken; of a function, with a prefix."""
    base = prefix + c_name(name)
    if base not in taken:
        return base
    n = 1
    while f"{base.rstrip('_')}_{n}" in taken:
        n += 1
    return f"{base.rstrip('_')}_{n}"


def spelled(name: str) -> str:
    """What stands for a name after a prefix of the printer's own: another for each name.

    >>> spelled("x"), spelled("int"), spelled("\N{GREEK SMALL LETTER ALPHA}")
    ('x', 'int', '0ceb1')
    """
    return name if name.isascii() else f"0{name.encode().hex()}"  # no name begins with a digit


def field_name(name: str) -> str:
    """The member of a struct for a config field: another for each name, and none that C, or a macro, owns.

    >>> [field_name(n) for n in ("x", "int", "int_", "x_")]
    ['x', 'int_', 'int__', 'x_']
    """
    if not name.isascii():
        return f"exo_{name.encode().hex()}"
    return f"{name}_" if is_reserved(name.rstrip("_") or name) else name
