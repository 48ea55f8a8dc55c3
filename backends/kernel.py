"""The kernel's names that backends use, in one place. Imports the root of `exo_strat` only."""

from exo_strat.ir.config import Config
from exo_strat.ir.externs import ExternFn
from exo_strat.ir.memory import DRAM, DRAM_STACK, DRAM_STATIC, Memory
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Block,
    Call,
    Const,
    Expr,
    ExternCall,
    For,
    If,
    Instr,
    Interval,
    Node,
    Pass,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    Unary,
    Var,
    WindowDef,
    WindowExpr,
    WriteConfig,
)
from exo_strat.ir.types import Control, R, Scalar, Tensor, f32, bool_, index
from exo_strat.ir.walk import Path, is_control, walk
from exo_strat.logic.answers import Proved

try:
    from exo_strat.logic.context import holds
except ImportError:
    def holds(*a): return None

try:
    from exo_strat.machine import Machine
except ImportError:
    class Machine:
        def __init__(self, **k): self.__dict__.update(k)
__all__ = [n for n in dir() if not n.startswith("_")]

try:
    from exo_strat.ir.printing import render, print_expr
    from exo_strat.cursors.proc import Proc
except ImportError:
    def render(tree, path, note=""): return str(path)
    print_expr=None
    class Proc:
        def __init__(self, tree): self.tree=tree
        def name(self): return self.tree.name
from exo_strat.frontend.decorators import proc_from_source
try:
    from exo_strat.logic.safety import parallel
except ImportError:
    def parallel_safe(tree,path): return None
try:
    from exo_strat.machine import Machine
except ImportError:
    class Machine:
        def __init__(self, **k): self.__dict__.update(k)
__all__ = [n for n in dir() if not n.startswith("_")]
