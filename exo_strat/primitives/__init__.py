"""The primitive rewrites, one module a section of the paper's appendix A, or less.

Each is a function from its parameters to an `Op`; see `framework`. A new one goes into the module that it belongs to,
and into its `__all__`; what else is known of it is in its declaration.
"""

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    annotations,
    arithmetic,
    buffers,
    code,
    configs,
    dims,
    guards,
    inlining,
    loops,
    procs,
    recompute,
    resize,
    reuse,
    rotate,
    scopes,
    simplification,
    specialization,
    staging,
    stubs,
    subprocs,
    writes,
)
from .annotations import *
from .arithmetic import *
from .buffers import *
from .code import *
from .configs import *
from .dims import *
from .framework import Primitive, PrimitiveForm
from .guards import *
from .inlining import *
from .loops import *
from .procs import *
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

PRIMITIVES: Mapping[str, PrimitiveForm] = MappingProxyType(
    {name: form for name, form in sorted(vars().items()) if isinstance(form, PrimitiveForm)}
)
"""All primitives of this package, by name."""

__all__ = ["PRIMITIVES", "Primitive", "PrimitiveForm"]
__all__ += annotations.__all__
__all__ += arithmetic.__all__
__all__ += buffers.__all__
__all__ += code.__all__
__all__ += configs.__all__
__all__ += dims.__all__
__all__ += guards.__all__
__all__ += inlining.__all__
__all__ += loops.__all__
__all__ += procs.__all__
__all__ += recompute.__all__
__all__ += resize.__all__
__all__ += reuse.__all__
__all__ += rotate.__all__
__all__ += scopes.__all__
__all__ += simplification.__all__
__all__ += specialization.__all__
__all__ += staging.__all__
__all__ += stubs.__all__
__all__ += subprocs.__all__
__all__ += writes.__all__
