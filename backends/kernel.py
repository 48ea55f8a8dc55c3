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
from exo_strat.ir.types import Control, R, Scalar, Tensor, f32
from exo_strat.ir.walk import Path, is_control, walk
from exo_strat.logic.answers import Proved
from exo_strat.logic.context import holds

__all__ = [n for n in dir() if not n.startswith("_")]
