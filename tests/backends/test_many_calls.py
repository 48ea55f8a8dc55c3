"""Programs in which calls share callees: time to compile grows with the program, not with the ways through it."""

from backends.c import compile
from backends.c.fences import starts_threads
from backends.c.inorder import _writes_memory
from backends.c.placement import _placed_in
from backends.c.program import link
from backends.c.statements import may_stop
from exo_strat import Proc, proc_from_source


def diamonds(n: int) -> Proc:
    """A procedure from which 2 ** n ways lead to the innermost one."""
    f = proc_from_source("def f0(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = x[i] + 1.0\n")
    for k in range(1, n):
        name = f"f{k - 1}"
        f = proc_from_source(f"def f{k}(x: f32[8]):\n    {name}(x)\n    {name}(x)\n", env={name: f})
    loop = "    for i in par(0, 8):\n        x[i] = 1.0\n"
    return proc_from_source(f"def g(x: f32[8]):\n    f{n - 1}(x)\n{loop}", env={f"f{n - 1}": f})


def test_compiling_does_not_follow_every_way_through_the_calls() -> None:
    assert "f0(" in str(compile([diamonds(40)]))


def test_no_question_about_a_call_follows_every_way() -> None:
    program = link([diamonds(40)])
    function = program.functions[-1]
    call = function.tree.body[0]
    assert not starts_threads(call)
    assert not may_stop(call, function, program)
    assert _writes_memory(call, function, program.by_tree)
    assert not _placed_in(program)
