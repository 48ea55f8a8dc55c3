"""Pictures for the command line: reading, writing, showing.

A picture keeps what Pillow gave: 8 or 16 bits or floats, and as many channels. A file is written whole or not at all.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.style import Style
from rich.text import Text

from .files import FileError

if TYPE_CHECKING:
    from PIL import Image

Plane: TypeAlias = NDArray[np.float32]

DIRECT: Final = ("L", "LA", "RGB", "RGBA", "F")
GAP: Final = 8
"""White pixels between two pictures side by side."""


@dataclass(frozen=True)
class Picture:
    """Pixels as rows, columns and, unless there is only one, channels; and the colour profile that came with them."""

    pixels: NDArray[Any]
    profile: bytes | None = None

    @property
    def channels(self) -> int:
        """How many values a pixel has."""
        return 1 if self.pixels.ndim == 2 else self.pixels.shape[2]

    def __str__(self) -> str:
        height, width = self.pixels.shape[:2]
        names = {1: "grey", 2: "grey and alpha", 3: "RGB", 4: "RGBA"}
        return f"{width} x {height}, {names[self.channels]}, {8 * self.pixels.itemsize} bits a channel"

    def planes(self) -> list[Plane]:
        """The channels, each as an array of its own."""
        channels = np.moveaxis(np.atleast_3d(self.pixels), 2, 0)
        return [np.ascontiguousarray(c, np.float32) for c in channels]

    def like(self, planes: Sequence[Plane]) -> Picture:
        """Channels as a picture of the same type as this one: rounded, and at the ends of the range cut off."""
        values = np.stack(planes, axis=2) if self.pixels.ndim == 3 else planes[0]
        kind = self.pixels.dtype
        if kind.kind == "u":
            values = np.clip(np.rint(values), 0, np.iinfo(kind).max)
        return replace(self, pixels=values.astype(kind))

    def inner(self, border: int) -> Picture:
        """The picture without so many pixels at each edge."""
        height, width = self.pixels.shape[:2]
        return replace(self, pixels=self.pixels[border : height - border, border : width - border])

    def middle(self, height: int, width: int) -> Picture:
        """The middle of the picture, no larger than this."""
        top, left = (max(0, (n - m) // 2) for n, m in zip(self.pixels.shape, (height, width), strict=False))
        return replace(self, pixels=self.pixels[top : top + height, left : left + width])

    def beside(self, other: Picture) -> Picture:
        """Two pictures of one height, the other one on the right."""
        white = np.iinfo(self.pixels.dtype).max if self.pixels.dtype.kind == "u" else self.pixels.max()
        gap = np.full((self.pixels.shape[0], GAP, *self.pixels.shape[2:]), white, self.pixels.dtype)
        return replace(self, pixels=np.concatenate([self.pixels, gap, other.pixels], axis=1))


def sample(height: int = 480, width: int = 640) -> Picture:
    """A colour picture with fine and coarse detail: rings that get narrower outwards, in squares."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    far = (y - height / 2) ** 2 + (x - width / 2) ** 2
    squares = (y // 8 + x // 8) % 2
    rings = [np.cos(far / scale) * 0.5 + 0.5 for scale in (300.0, 600.0, 1200.0)]
    return Picture(np.stack([np.rint(255 * (0.25 * squares + 0.75 * r)) for r in rings], axis=2).astype(np.uint8))


# -- files --------------------------------------------------------------------------------------------


def require_pillow() -> None:
    """Raises `FileError` if Pillow is not installed."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError as e:
        raise FileError(f"pictures need Pillow: pip install 'exo-strat[image]' ({e})") from e


def read_picture(path: Path) -> Picture:
    """The picture in a file, upright. Of an animation the first one; palettes and rare colour spaces become RGB."""
    require_pillow()
    from PIL import Image, ImageOps, UnidentifiedImageError

    if not path.is_file():
        raise FileError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}: expected an image")
    try:
        with Image.open(path) as opened:
            picture = Picture(_pixels(ImageOps.exif_transpose(opened)), opened.info.get("icc_profile"))
    except UnidentifiedImageError as e:
        raise FileError(f"{path} is no image that Pillow can read: try a PNG or JPEG file") from e
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, Image.DecompressionBombError) as e:
        raise FileError(f"{path} can't be read: {getattr(e, 'strerror', None) or e}") from e
    if not np.isfinite(picture.pixels).all():
        raise FileError(f"{path} has values that are no finite numbers: replace them first")
    return picture


def _pixels(image: Image.Image) -> NDArray[Any]:
    if image.mode.startswith("I"):  # 16 bits, or 32 of which most files use 16
        values = np.asarray(image)
        fits = values.min(initial=0) >= 0 and values.max(initial=0) <= np.iinfo(np.uint16).max
        return values.astype(np.uint16 if fits else np.float32)
    if image.mode == "1":
        image = image.convert("L")
    elif image.mode not in DIRECT:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    return np.array(image)


def encoded(picture: Picture, path: Path) -> bytes:
    """A picture as the content of a file, in the format that the file's name asks for."""
    require_pillow()
    from PIL import Image

    kind = Image.registered_extensions().get(path.suffix.lower())
    if kind is None or kind not in Image.SAVE:
        raise FileError(f"{path}: Pillow writes no {path.suffix or 'files without a suffix'}: choose .png")
    content = BytesIO()
    try:
        Image.fromarray(picture.pixels).save(content, format=kind, icc_profile=picture.profile)
    except (OSError, ValueError) as e:
        better = ".tiff" if picture.pixels.dtype.kind == "f" else ".png"
        raise FileError(f"{path}: {kind} can't hold this picture ({e}): choose {better}") from e
    return content.getvalue()


# -- on the terminal ----------------------------------------------------------------------------------


def side_by_side(before: Picture, after: Picture) -> Text:
    """Two small pictures of one size as characters, each of which shows two pixels, one above the other."""
    text, span = Text(no_wrap=True), _range(before)
    left, right = (_colours(p, span) for p in (before, after))
    for row in range(0, len(left) - 1, 2):
        for part in (left, right):
            for top, bottom in zip(part[row], part[row + 1], strict=True):
                text.append("▀", Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom)))
            text.append("  ")
        text.append("\n")
    return text


def _range(p: Picture) -> tuple[float, float]:
    """Black and white."""
    if p.pixels.dtype.kind == "u":
        return 0.0, float(np.iinfo(p.pixels.dtype).max)
    return float(p.pixels.min()), float(p.pixels.max())


def _colours(p: Picture, span: tuple[float, float]) -> list[list[list[int]]]:
    """Pixels as three numbers from 0 to 255; of the alpha channel nothing."""
    low, high = span
    values = np.atleast_3d(p.pixels).astype(np.float64)
    values = values[..., :3] if p.channels >= 3 else np.repeat(values[..., :1], 3, axis=2)
    scaled = np.nan_to_num((values - low) / ((high - low) or 1.0))
    found: list[list[list[int]]] = np.rint(np.clip(scaled, 0, 1) * 255).astype(int).tolist()
    return found
