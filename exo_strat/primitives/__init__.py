"""The primitive rewrites, one module a section of the paper's appendix A, or less.

Each is a function from its parameters to an `Op`; see `framework`. A new one goes into the module that it belongs to,
and into its `__all__`; what else is known of it is in its declaration.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from .annotations import *
from .approximation import *
from .arithmetic import *
from .buffers import *
from .choices import *
from .code import *
from .collapse import *
from .configs import *
from .dims import *
from .framework import Primitive as Primitive
from .framework import PrimitiveForm as PrimitiveForm
from .guards import *
from .inlining import *
from .loops import *
from .procs import *
from .ranges import *
from .recompute import *
from .resize import *
from .reuse import *
from .rotate import *
from .scopes import *
from .simplification import *
from .specialization import *
from .staging import *
from .stubs import *
from .subprocs import *
from .writes import *

PRIMITIVES: Mapping[str, PrimitiveForm[...]] = MappingProxyType(
    {name: form for name, form in sorted(vars().items()) if isinstance(form, PrimitiveForm)}
)
"""All primitives of this package, by name."""

if not TYPE_CHECKING:  # type checkers follow the `*` themselves
    __all__ = ["PRIMITIVES", "Primitive", "PrimitiveForm", *PRIMITIVES]
