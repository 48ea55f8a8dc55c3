"""The kernel's names that backends use, in one place. Imports the root of `exo_strat` only."""

from __future__ import annotations

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
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
from exo_strat.ir.printing import print_expr, render
from exo_strat.ir.types import Control, R, Scalar, Tensor, f32
from exo_strat.ir.walk import Path, is_control, walk
from exo_strat.logic.answers import Proved
from exo_strat.logic.context import holds
from exo_strat.logic.dependence import Clash, Safe
from exo_strat.logic.safety import parallel as parallel_safe
from exo_strat.machine import Machine

__all__ = [
    "Alloc",
    "Arg",
    "Assign",
    "Binary",
    "Block",
    "Call",
    "Clash",
    "Config",
    "Const",
    "Control",
    "DRAM",
    "DRAM_STACK",
    "DRAM_STATIC",
    "Expr",
    "ExternCall",
    "ExternFn",
    "For",
    "If",
    "Instr",
    "Interval",
    "Machine",
    "Memory",
    "Node",
    "Pass",
    "Path",
    "Point",
    "Proc",
    "ProcDef",
    "Proved",
    "R",
    "Read",
    "ReadConfig",
    "Reduce",
    "Safe",
    "Scalar",
    "Stmt",
    "StrideExpr",
    "Sym",
    "Tensor",
    "Unary",
    "Var",
    "WindowDef",
    "WindowExpr",
    "WriteConfig",
    "f32",
    "holds",
    "is_control",
    "parallel_safe",
    "print_expr",
    "proc_from_source",
    "render",
    "walk",
]
