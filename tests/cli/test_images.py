"""`exo-strat demo blur`: images of all kinds go in, come out blurred, or one readable message says why not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner, Result

from examples.halide.blur import blur as example
from exo_strat import Machine, Op, Proc, plugins
from exo_strat.cli.commands import app
from exo_strat.cli.files import FileError, write_whole
from exo_strat.cli.images import Asked, Places
from exo_strat.cli.pictures import Picture, encoded, read_picture, sample, side_by_side
from strategies.blur import tiles
from strategies.programs import blur


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Nothing is compiled into the user's cache, and the same C once only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["demo", "blur", "--target", "c", *map(str, args)])


def stops(result: Result, *words: str) -> None:
    """The command stops with 2 and one message that holds these words."""
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def noise(*shape: int, kind: type = np.uint8, high: int = 256) -> Any:
    return np.random.default_rng(0).integers(0, high, shape).astype(kind)


def mean(pixels: Any) -> Any:
    """The mean of the 3x3 around each pixel, channel by channel, in double precision."""
    height, width = (n - 2 for n in pixels.shape[:2])
    parts = [pixels[y : y + height, x : x + width].astype(float) for y in range(3) for x in range(3)]
    return np.mean(parts, axis=0)


# -- images -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pixels", "mode"),
    [
        (noise(40, 301), "L"),
        (noise(33, 17, 2), "LA"),
        (noise(3, 3, 3), "RGB"),
        (noise(66, 259, 4), "RGBA"),
        (noise(35, 34, kind=np.uint16, high=65536), "I;16"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_every_channel_of_an_image_is_blurred(pixels: Any, mode: str, tmp_path: Path) -> None:
    Image.fromarray(pixels).save(tmp_path / "in.png")
    done = run("--image", tmp_path / "in.png", "--out", tmp_path / "out.png", "--compare", tmp_path / "both.png")
    assert done.exit_code == 0, done.output
    with Image.open(tmp_path / "out.png") as found:
        assert found.mode == mode
        assert np.max(np.abs(np.asarray(found) - mean(pixels))) <= 0.5 + 0.01
        with Image.open(tmp_path / "both.png") as both:
            assert both.mode == mode
            height, width = np.asarray(found).shape[:2]
            assert np.asarray(both).shape[:2] == (height, 2 * width + 8)
            assert np.array_equal(np.asarray(both)[:, :width], pixels[1:-1, 1:-1])
            assert np.array_equal(np.asarray(both)[:, -width:], np.asarray(found))


def test_an_image_of_floats_keeps_them(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).normal(size=(9, 21)).astype(np.float32)
    Image.fromarray(pixels).save(tmp_path / "in.tiff")
    assert run("--image", tmp_path / "in.tiff", "--out", tmp_path / "out.tiff").exit_code == 0
    with Image.open(tmp_path / "out.tiff") as found:
        np.testing.assert_allclose(np.asarray(found), mean(pixels), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("mode", "kept"), [("1", "L"), ("P", "RGB"), ("CMYK", "RGB"), ("I", "I;16")])
def test_other_modes_become_the_nearest_one(mode: str, kept: str, tmp_path: Path) -> None:
    Image.fromarray(noise(8, 9)).convert(mode).save(tmp_path / "in.tiff")
    assert run("--image", tmp_path / "in.tiff", "--out", tmp_path / "out.png").exit_code == 0
    with Image.open(tmp_path / "out.png") as found:
        assert (found.mode, found.size) == (kept, (7, 6))


def test_a_photograph_is_turned_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn
    Image.fromarray(noise(8, 20)).save(tmp_path / "in.jpg", exif=exif)
    assert read_picture(tmp_path / "in.jpg").pixels.shape == (20, 8)


# -- what is printed and written ----------------------------------------------------------------------


def test_without_an_image_one_is_generated_and_the_report_says_where_files_are(tmp_path: Path) -> None:
    done = run("--out", tmp_path)
    assert done.exit_code == 0, done.output
    for words in ("rewrites applied", "schedule time", "generated: 640 x 480, RGB", "NumPy", "times as fast"):
        assert words in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["blur.c", "blur.h", "blur.html", "blur.png"]
    for path in tmp_path.iterdir():
        assert str(path) in done.stdout
    assert "\x1b" not in done.stdout, "no colours into a pipe"


def test_where_files_go() -> None:
    def places(out: str | None) -> Places:
        return Places.of("blur", Asked(None, Path(out) if out else None, None, Path("cache")))

    assert places("a.png") == Places(None, Path("a.png"), None, Path("cache"))
    assert places("a") == Places(None, Path("a/blur.png"), None, Path("a"))
    assert places(None) == Places(None, Path("cache/blur.png"), None, Path("cache"))


def test_a_terminal_shows_two_pixels_in_each_character() -> None:
    black, white = (Picture(np.full((2, 2), v, np.uint8)) for v in (0, 255))
    assert side_by_side(black, white).plain == "▀▀  ▀▀  \n"
    console = Console(force_terminal=True, color_system="truecolor", width=80)
    with console.capture() as printed:
        console.print(side_by_side(black, white))
    assert "38;2;0;0;0;48;2;0;0;0m▀" in printed.get()
    assert "38;2;255;255;255;48;2;255;255;255m▀" in printed.get()


def test_values_are_rounded_and_cut_off_at_the_ends_of_the_range() -> None:
    values = np.array([[-1.0, 0.4, 0.6, 300.0]], np.float32)
    assert Picture(np.zeros((1, 4), np.uint8)).like([values]).pixels.tolist() == [[0, 0, 1, 255]]


def test_the_generated_picture_is_the_same_every_time() -> None:
    assert np.array_equal(sample(20, 30).pixels, sample(20, 30).pixels)


# -- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.png", None, ["missing.png does not exist"]),
        ("text.png", b"no image", ["text.png is no image that Pillow can read"]),
        ("cut.png", encoded(sample(64, 64), Path("x.png"))[:900], ["cut.png can't be read"]),
        ("small.png", encoded(sample(2, 64), Path("x.png")), ["64 x 2", "at least 3 x 3"]),
        (
            "nan.tiff",
            encoded(Picture(np.full((4, 4), np.nan, np.float32)), Path("x.tiff")),
            ["nan.tiff", "no finite numbers"],
        ),
    ],
)
def test_what_is_no_image_is_explained(name: str, content: bytes | None, words: list[str], tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    stops(run("--image", tmp_path / name, "--out", tmp_path / "out.png"), *words)
    stops(run("--image", tmp_path, "--out", tmp_path / "out.png"), "is a folder")
    assert sorted(tmp_path.iterdir()) == before


def test_what_cannot_be_written_is_explained_and_leaves_nothing(tmp_path: Path) -> None:
    Image.fromarray(noise(8, 9, 4)).save(tmp_path / "in.png")
    given = ("--image", tmp_path / "in.png", "--out")
    stops(run(*given, tmp_path / "out.jpg"), "JPEG can't hold", "choose .png")
    stops(run(*given, tmp_path / "out.xyz"), "Pillow writes no .xyz", "choose .png")
    stops(run(*given, tmp_path / "no" / "out.png"), "out.png can't be written")
    stops(run(*given, tmp_path / "in.png" / "out.png"), "out.png can't be written")
    stops(run(*given, tmp_path / "out.png", "--compare", tmp_path / "no" / "both.png"), "both.png can't be written")
    assert [p.name for p in tmp_path.iterdir()] == ["in.png"]


def test_a_file_that_was_there_stays_if_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    with pytest.raises(FileError, match="can't be written"):
        write_whole({tmp_path / "old": b"new", tmp_path / "no" / "file": b"new"})
    assert (tmp_path / "old").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["old"]


def test_a_missing_pillow_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    stops(run("--out", tmp_path / "out.png"), "pip install 'exo-strat[image]'")


def test_other_demos_take_no_image(tmp_path: Path) -> None:
    wrong = CliRunner().invoke(app, ["demo", "axpy", "--image", "in.png"])
    stops(wrong, "axpy takes no image")
    stops(run("blur", "--out", tmp_path / "out.png"), "the same image")


@dataclass(frozen=True)
class Wrong:
    """A demo whose reference is something else."""

    name: str = "wrong"
    doc: str = "blur, and compare it with nothing"
    border: int = 1
    rounding: float = 1e-6
    program: Proc = blur

    def plan(self, machine: Machine) -> Op:
        return tiles(machine)

    def reference(self, plane: Any) -> Any:
        return np.zeros_like(plane[1:-1, 1:-1])


def test_a_wrong_result_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = plugins.load
    monkeypatch.setattr(plugins, "load", lambda group, name: Wrong() if name == "wrong" else load(group, name))
    shown = CliRunner().invoke(app, ["demo", "wrong", "--target", "c", "--out", str(tmp_path / "out.png")])
    assert shown.exit_code == 1
    assert "differs from NumPy" in shown.stderr
    assert not list(tmp_path.iterdir())


# -- the wheel's program ------------------------------------------------------------------------------


def test_the_demo_and_the_example_start_from_the_same_program() -> None:
    assert str(blur) == str(example)


def test_pillow_is_not_loaded_before_an_image_is() -> None:
    code = "import sys, exo_strat.cli.images; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
