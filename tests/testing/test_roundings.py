"""The precisions at which results are rounded."""

from __future__ import annotations

import pytest

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.interp import Array
from exo_strat.testing import Inputs
from exo_strat.testing.roundings import is_of_several_precisions, roundings

HEAD = "def foo(i: i32, h: f16, x: f32, y: f64, z: f64):\n    "


def rounded(lines: str) -> str:
    """The precisions at which what `z` holds at the end was rounded."""
    p = proc_from_source(HEAD + lines)
    given = Inputs({name: Array([3], 0, (), ()) for name in "ihxyz"}, {})
    found = roundings(p.tree, given).outputs["z"]
    assert isinstance(found, str) and is_of_several_precisions(p.tree)
    return found


@pytest.mark.parametrize(
    ("lines", "precisions"),
    [
        ("z = y", "f64"), ("z = x", "f32"), ("z = x * x", "f32"), ("z = f64(x) * f64(x)", "f32, f64"),
        ("z = f64(f32(y)) + 1.0", "f32, f64"), ("x = y\n    z = x", "f32, f64"), ("z = f64(h) * y", "f16, f64"),
        ("z = f64(bf16(x))", "bf16, f32"), ("z = f64(bf16(f32(bf16(h))))", "bf16, f16"),
    ],
)  # fmt: skip
def test_a_value_is_rounded_where_it_is_computed_and_where_it_is_held(lines: str, precisions: str) -> None:
    assert rounded(lines) == precisions


@pytest.mark.parametrize(
    ("lines", "precisions"),
    [
        ("z = 0.5", "none"), ("z = 0.1", "none"), ("z = f32(0.1)", "f32"), ("z = 2.0 * 0.5", "none"),
        ("z = 0.0 * y", "none"), ("z = x + 0.0", "f32"), ("z = f64(x) + 0.0", "f32"), ("z = f64(x) * 1.0", "f32"),
        ("z = f64(x) + 0.5", "f32, f64"), ("z = -f64(x)", "f32"), ("z = 0.0\n    z += f64(x)", "f32"),
    ],
)  # fmt: skip
def test_what_is_made_with_literals_is_rounded_where_it_must_be(lines: str, precisions: str) -> None:
    assert rounded(lines) == precisions


@pytest.mark.parametrize(
    ("lines", "precisions"),
    [
        ("z = i * i", "none"), ("z = f64(i) * f64(i)", "none"), ("z = f64(f32(i))", "f32"), ("z = f64(i32(y))", "f64"),
        ("z = f32(i8(i)) * f32(i8(i))", "none"), ("z = f64(i) * 0.5", "f64"), ("z = -f32(i)", "f32"),
        ("z = f32(u8(i))\n    z += 3.0", "none"), ("z = 2.0 * f64(i) * 4.0", "none"),
    ],
)  # fmt: skip
def test_integers_are_exact_until_a_float_holds_them(lines: str, precisions: str) -> None:
    assert rounded(lines) == precisions


@pytest.mark.parametrize("function", ["max", "min"])
def test_the_least_and_the_greatest_are_operands_as_they_are(function: str) -> None:
    assert rounded(f"z = f{function}(f64(i), f64(i8(i)))") == "none"
    assert rounded(f"z = 0.0\n    z = f{function}(z, 2.0)") == "none"
    for operand in ("i", "x", "0.5"):
        both = f"z = f64({operand})\n    z = "
        assert rounded(f"{both}f{function}(z, f64(x))") == rounded(f"{both}{function}(z, f64(x))")


def test_the_order_of_a_sum_makes_no_difference() -> None:
    assert rounded("z = f64(x) + y + 0.1") == rounded("z = 0.1 + (y + f64(x))")
    assert rounded("z = min(z, f64(x))") == rounded("z = f64(x)\n    z = min(z, y)")
