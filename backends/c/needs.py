"""What a C file needs besides its functions: includes, helpers, structs, registers.

`Needs` is filled while functions are printed, in the order of printing, so it is deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ..kernel import Config, ExternFn, Path, ProcDef, Scalar, Sym, concrete, floordiv, size_of, tdiv, tmod
from .names import field_name, spelled
from .origins import Origin
from .terms import ATOM, Term
from .types import INT, c_type, window_definition, window_struct

FLOOR_DIV = f"""\
// Quotient and remainder of the floor division by b >= 1 (C truncates).
static inline {INT} exo_floor_div({INT} a, {INT} b) {{ return a / b - (a % b < 0); }}
static inline {INT} exo_floor_mod({INT} a, {INT} b) {{ return a % b < 0 ? a % b + b : a % b; }}"""

EXTREMA = f"""\
static inline {INT} exo_min({INT} a, {INT} b) {{ return a < b ? a : b; }}
static inline {INT} exo_max({INT} a, {INT} b) {{ return a > b ? a : b; }}"""

ARITHMETIC_SHIFT = """\
_Static_assert(-3 >> 1 == -2, "a number below zero is shifted to the right as a floor division by two");"""

STOP = """\
#include <stdio.h>
#include <stdlib.h>
#ifndef EXO_STOP  // a program may have another way to end
#define EXO_STOP(what) (fprintf(stderr, "%s\\n", what), abort())
#endif"""

ITERATION = """\
#ifndef EXO_ITERATION_BEGINS
// What is done around an iteration of a parallel loop that may be stopped.
#define EXO_ITERATION_BEGINS
#define EXO_ITERATION_ENDS
#endif"""

WITHIN = f"""\
// A value of a config field that grows from call to call; ends the program before it overflows.
static inline {INT} exo_within({INT} value, {INT} most) {{
    if (value < -most || value > most) EXO_STOP("a config field has grown too large for 64 bits");
    return value;
}}"""

CONTROL_TYPES = {"bool": "bool"}
_BEFORE, _AFTER = re.compile(r"(^|[(,;={])\s*\Z"), re.compile(r"\s*([),;]|=[^=])")
"""What stands around an argument, or around a side of an assignment."""
_HOLE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def fill(template: str, value: Callable[[str], Term]) -> str:
    """A template with each `{name}` replaced by `value(name)`; `{{` and `}}` stand for braces.

    What is no single operand is parenthesised, unless it stands alone: `/` before `*x` would begin a comment.

    >>> fill("{x} = f({y}); {{ }}", lambda hole: Term(hole.upper()))
    'X = f(Y); { }'
    >>> fill("{x} = f({x}, {y})/{x}", lambda hole: Term(f"*{hole}", 90))
    '*x = f(*x, *y)/(*x)'
    """

    def filled(m: re.Match[str]) -> str:
        if m[1] is None:
            return m[0][0]
        found, alone = value(m[1]), _BEFORE.search(template[: m.start()]) and _AFTER.match(template[m.end() :])
        return found.text if alone else found.within(ATOM)

    return _HOLE.sub(filled, template)


def divides(f: ExternFn) -> bool:
    """Whether an extern function divides integers, and so has no value for a divisor of zero."""
    return f in (floordiv, tdiv, tmod) or f.operator == "%"


def control_type(name: str) -> str:
    """The C type of a control value."""
    return CONTROL_TYPES.get(name, INT)


@dataclass
class Needs:
    """A file's includes, helper functions, window structs and configuration registers; and the statements printed."""

    includes: dict[str, None] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)
    windows: dict[str, str] = field(default_factory=dict)
    configs: dict[str, Config] = field(default_factory=dict)
    functions: dict[str, None] = field(default_factory=dict)
    strides: dict[tuple[str, Sym], tuple[int, ...]] = field(default_factory=dict)
    """Which strides of its windows a function that isn't exported uses. It is printed before who calls it."""
    origins: list[Origin] = field(default_factory=list)

    def origin(self, tree: ProcDef, path: Path) -> int:
        """The number by which lines tell that they come from a statement."""
        self.origins.append((tree, path))
        return len(self.origins) - 1

    def unique(self, stem: str, end: str) -> str:
        """A function's name, numbered before its end if another has it."""
        candidate, n = stem + end, 0
        while candidate in self.functions:
            n += 1
            candidate = f"{stem}_{n}{end}"
        self.functions[candidate] = None
        return candidate

    def prelude(self, text: str) -> None:
        """C text wanted once a file; its #include lines are gathered at the top."""
        rest: list[str] = []
        for line in text.splitlines():
            if line.startswith("#include"):
                self.includes[line.strip()] = None
            else:
                rest.append(line)
        if "".join(rest).strip():
            self.texts["\n".join(rest).strip()] = None

    def window(self, t: Scalar, rank: int, const: bool) -> str:
        """The struct that passes such a window."""
        name = window_struct(t, rank, const)
        self.windows[name] = window_definition(t, rank, const)
        return f"struct {name}"

    def extern(self, f: ExternFn, t: Scalar) -> str:
        """A function that computes an extern once its arguments have values: a template may mention
        them several times, in any precision that C promotes to."""
        self.includes["#include <math.h>"] = None
        ctype = c_type(t)
        values = {"s": "f" if concrete(t).name in ("f16", "f32") else "", "t": ctype}
        body = fill(f.c, lambda hole: Term(values.get(hole, f"a{hole}")))
        params = ", ".join(f"{ctype} a{i}" for i in range(f.arity))
        first = self._divisible(t, f) if divides(f) else ""
        return self._helper(f"exo_fn_{spelled(f.name)}_{concrete(t)}", ctype, params, f"({ctype})({body})", first)

    def _divisible(self, t: Scalar, f: ExternFn) -> str:
        """What comes before a quotient of integers or a remainder, as processors fault where there is none."""
        self.prelude(STOP)
        stop = 'if (a1 == 0) EXO_STOP("an integer is divided by zero"); '
        if concrete(t).name.startswith("u"):
            return stop
        value = f"({c_type(t)})-(u{c_type(t)})a0" if f in (floordiv, tdiv) else "0"
        return f"{stop}if (a1 == -1) return {value}; "

    def amount(self, value: Term, t: Scalar) -> Term:
        """By how much a number is shifted; the program ends where it has no such bits."""
        self.prelude(STOP)
        ctype, below = c_type(t), "" if concrete(t).name.startswith("u") else "a < 0 || "
        first = f'if ({below}a >= {8 * size_of(t)}) EXO_STOP("an integer is shifted by more bits than it has"); '
        return Term(f"{self._helper(f'exo_amount_{concrete(t)}', ctype, f'{ctype} a', 'a', first)}({value})")

    def choice(self, op: str, t: Scalar) -> str:
        """The function that a `min=` or `max=` reduction applies."""
        ctype, test = c_type(t), "<" if op == "min" else ">"
        return self._helper(f"exo_{op}_{concrete(t)}", ctype, f"{ctype} a, {ctype} b", f"b {test} a ? b : a")

    def within(self, value: Term, most: int) -> Term:
        """A value that is compared with a bound; beyond it, the program ends."""
        self.prelude(STOP)
        self.prelude(WITHIN)
        return Term(f"exo_within({value}, {most})")

    def _helper(self, name: str, ctype: str, params: str, value: str, first: str = "") -> str:
        """The name of a function that returns a value. Another value has another name, as an extern has its own."""
        self.helpers[name] = f"static inline {ctype} {name}({params}) {{ {first}return {value}; }}"
        return name

    def register(self, config: Config, name: str) -> str:
        """The C lvalue of a config field."""
        self.configs[config.name] = config
        return f"exo_cfg_{spelled(config.name)}.{field_name(name)}"

    def config_text(self, config: Config) -> str:
        """The definition of a config's registers. Sizes start at 1: no code that was checked expects less."""
        fields, sizes = "", []
        for name, t in sorted(config.fields.items()):
            fields += f"    {c_type(t) if isinstance(t, Scalar) else control_type(t.name)} {field_name(name)};\n"
            if str(t) == "size":
                sizes.append(f".{field_name(name)} = 1")
        start = f" = {{{', '.join(sizes)}}}" if sizes else ""
        return f"static struct {{\n{fields}}} exo_cfg_{spelled(config.name)}{start};\n"
