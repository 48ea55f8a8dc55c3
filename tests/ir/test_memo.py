"""What is remembered of a node counts for that object, as long as it lives, until all is forgotten."""

from __future__ import annotations

import gc

from exo_strat.ir.memo import Remembers, forget, memo_by_identity
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Node, Var

X = Sym("x", 0)


def test_each_object_is_asked_once_also_if_another_is_equal() -> None:
    asked: list[int] = []

    @memo_by_identity
    def look(node: Var) -> int:
        asked.append(id(node))
        return len(asked)

    a, b = Var(X), Var(X)
    assert a == b and [look(a), look(b), look(a)] == [1, 2, 1]
    forget()
    assert look(a) == 3


def test_other_arguments_count_by_value() -> None:
    asked: list[str] = []

    @memo_by_identity
    def spelled(node: Var, mark: str) -> str:
        asked.append(mark)
        return f"{node.sym}{mark}"

    a = Var(X)
    assert [spelled(a, "!"), spelled(a, "?"), spelled(a, "!")] == ["x!", "x?", "x!"] and asked == ["!", "?"]


def test_a_result_that_mentions_its_node_does_not_keep_it_alive() -> None:
    class Big(Remembers):
        pass

    @memo_by_identity
    def same(x: Big) -> list[Big]:
        return [x]

    def alive() -> int:
        gc.collect()
        return sum(isinstance(o, Big) for o in gc.get_objects())

    x = Big()
    assert same(x) == [x] and alive() == 1
    del x
    assert alive() == 0


def test_what_is_remembered_is_no_part_of_the_value() -> None:
    @memo_by_identity
    def name(node: Node) -> str:
        return repr(node)

    a, b = Var(X), Var(X)
    assert name(a) == repr(b) and a == b and hash(a) == hash(b)
