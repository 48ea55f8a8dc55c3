"""The kernel's names that backends use, in one place."""

from __future__ import annotations

from typing import TypeAlias

from exo_strat import (
    DRAM,
    DRAM_STACK,
    DRAM_STATIC,
    Cache,
    Config,
    Control,
    ExternFn,
    Machine,
    Memory,
    Pipes,
    Proc,
    Processor,
    R,
    Scalar,
    Sym,
    Tensor,
    analysis,
    at,
    children,
    declarators,
    f32,
    f64,
    floordiv,
    get,
    is_control,
    mentions,
    names_at,
    nodes,
    print_expr,
    proc_from_source,
    render,
    replace,
    statements,
    tdiv,
    tmod,
    walk,
    with_room,
)

Alloc: TypeAlias = nodes.Alloc
Arg: TypeAlias = nodes.Arg
Assign: TypeAlias = nodes.Assign
Binary: TypeAlias = nodes.Binary
Block: TypeAlias = nodes.Block
Call: TypeAlias = nodes.Call
Cell: TypeAlias = nodes.Cell
Claim: TypeAlias = nodes.Claim
Const: TypeAlias = nodes.Const
Expr: TypeAlias = nodes.Expr
ExternCall: TypeAlias = nodes.ExternCall
For: TypeAlias = nodes.For
If: TypeAlias = nodes.If
Instr: TypeAlias = nodes.Instr
Interval: TypeAlias = nodes.Interval
Node: TypeAlias = nodes.Node
Pass: TypeAlias = nodes.Pass
Point: TypeAlias = nodes.Point
ProcDef: TypeAlias = nodes.ProcDef
Read: TypeAlias = nodes.Read
ReadConfig: TypeAlias = nodes.ReadConfig
Reduce: TypeAlias = nodes.Reduce
Select: TypeAlias = nodes.Select
Stmt: TypeAlias = nodes.Stmt
StrideExpr: TypeAlias = nodes.StrideExpr
Unary: TypeAlias = nodes.Unary
Var: TypeAlias = nodes.Var
ViewExpr: TypeAlias = nodes.ViewExpr
WindowDef: TypeAlias = nodes.WindowDef
WindowExpr: TypeAlias = nodes.WindowExpr
WriteConfig: TypeAlias = nodes.WriteConfig

Path: TypeAlias = tuple[tuple[str, int | None], ...]
"""The steps from a procedure's root down to a node."""

concrete, modular, size_of = analysis.concrete, analysis.modular, analysis.size_of
has_cells, indexing = analysis.has_cells, analysis.indexing
holds_everywhere, iterations_apart = analysis.holds_everywhere, analysis.iterations_apart

__all__ = [
    "Alloc",
    "Arg",
    "Assign",
    "Binary",
    "Block",
    "Cache",
    "Call",
    "Cell",
    "Claim",
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
    "Pipes",
    "Point",
    "Proc",
    "ProcDef",
    "Processor",
    "R",
    "Read",
    "ReadConfig",
    "Reduce",
    "Scalar",
    "Select",
    "Stmt",
    "StrideExpr",
    "Sym",
    "Tensor",
    "Unary",
    "Var",
    "ViewExpr",
    "WindowDef",
    "WindowExpr",
    "WriteConfig",
    "analysis",
    "at",
    "children",
    "concrete",
    "declarators",
    "f32",
    "f64",
    "floordiv",
    "get",
    "has_cells",
    "indexing",
    "holds_everywhere",
    "is_control",
    "mentions",
    "modular",
    "names_at",
    "iterations_apart",
    "print_expr",
    "proc_from_source",
    "render",
    "replace",
    "size_of",
    "statements",
    "tdiv",
    "tmod",
    "walk",
    "with_room",
]
