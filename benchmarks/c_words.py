"""Names that C, its headers, its library, POSIX or the generated code have, and names close to them: what a program's
own names must be kept from. Imports the backend's lists of names.
"""

from __future__ import annotations

from keyword import iskeyword

from backends.c.names import EXTERNAL, KEYWORDS, LIBRARY, MACROS
from exo_strat.testing.choices import Choices

_GENERATED = """
    a0 a1 x1 y0 exo exo_1 exo_entry exo_wanted exo_alloc exo_free exo_call exo_frame exo_enter exo_give_up exo_failures
    exo_again exo_look exo_alike exo_run
        exo__step exo__a0 exo_min_f32 exo_cfg_Cfg exo_win_1f32 exo_win_1f32c EXO_RESTRICT EXO_H exo_mask8 exo_plus data
    strides x_data x_stride_0 n_int entry omp_get_thread_num __m256 _mm256_loadu_ps _mm256_set1_ps float32_t
"""
"""What generated code, the driver and instructions call things, or nearly so."""
_NEAR = """
    int_ int__ double_ double__1 v_int v__x _ __ _x __x x_ x_1 x_1_1 step_ step_1 main_ errno_ int_1 f32_t u3b1 A B I
    _Bool _Complex _I _Float16 _Generic __func__ __LINE__ __FILE__ __builtin_fmaf __restrict INT_MAX SIZE_MAX INT64_C
    M_PI I_ complex_I bool_ size_t ptrdiff_t int64_t uint8_t va_list FILE NULL_ true_ TRUE FALSE offsetof unix linux
    i386 near far small signbit sinf sinl expf fminf fmaxf sqrtf roundf truncf y1f gammaf asm_
    \N{GREEK SMALL LETTER ALPHA} \N{LATIN SMALL LETTER E WITH ACUTE} x\N{GREEK SMALL LETTER ALPHA}
"""
_OFTEN = """
    step advance times accept sync send wait access bind read close write pipe signal kill getline index select main
    errno malloc free memcpy memset printf exit abort time clock environ
"""

GROUPS = tuple(
    tuple(sorted(w for w in set(words) if w.isidentifier() and not iskeyword(w)))
    for words in (_OFTEN.split(), KEYWORDS, LIBRARY, MACROS, EXTERNAL, _GENERATED.split(), _NEAR.split())
)
"""Names by what has them; a word of Python is no name of a program."""


def c_word(ch: Choices) -> str:
    """One of all these names.

    >>> c_word(Choices.replayed([]))
    'abort'
    """
    return ch.pick(ch.pick(GROUPS))


__all__ = ["GROUPS", "c_word"]
