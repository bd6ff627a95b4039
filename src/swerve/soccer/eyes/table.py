"""Which colour a pixel has: a table over coarse red, green and blue, made from pixels that somebody labelled.

Colours differ in chroma, the shares of red, green and blue, much more than in brightness, which changes
from the middle of a picture to its corners. So a cell of the table belongs to the colour whose labelled
pixels are nearest in chroma, in standard deviations, with brightness as a third and weaker coordinate: strong
enough to tell green paint from the carpet, whose chroma is nearly the same.

Light that falls off and drifts is taken out before the table is asked: the carpet is everywhere, so a
picture of the empty field says how bright each tile of it is (by how much green exceeds red and blue: where
the carpet mirrors a lamp, white is added to all three), and the mean levels of every later picture how the
lamps have changed. The carpet's own colour may have changed instead, by less than `OWN`: only what is beyond
that is taken for the lamps'. Both only alter the small tables that turn a level into a part of the index, and
cost nothing a pixel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.files import existing, replacing
from swerve.core.kernels import kernel
from swerve.core.untrusted import read_arrays

from .scene import BLANK, CARPET, COLOURS, DARK, GREEN, WHITE

BITS = 5  # of each channel
TILE = 60  # [pixels] on a side, within which light is taken to be even
FIRST, SAMPLED = 4, 12  # [pixels] the first, and from one to the next, of those that tell of the light
LEVELS = 16  # kinds of tiles by brightness
FAR = 4.5  # standard deviations beyond which a pixel has none of the known colours
CHROMA_FLOOR, BRIGHT_FLOOR = 0.04, 0.2  # least standard deviations: what labelled pixels did not show
OWN = 0.15  # share by which the carpet's colour may change while the lamps stay as they were


@dataclass(frozen=True)
class ColourTable:
    """`cells` (2^(3·bits),) of colours, 0 where none. `tiles` (rows, columns) of kinds of brightness, and
    `light` (LEVELS,) how bright each is; `carpet` (3,) mean levels of the empty field."""

    cells: np.ndarray
    bits: int
    tiles: np.ndarray
    light: np.ndarray
    carpet: np.ndarray

    def indices(self, sample: np.ndarray) -> np.ndarray:
        """Parts of the index (LEVELS, 3, 256) of every level of every channel, for the light of the picture
        that this is the `sample_of`."""
        return index_parts(self.bits, self.light, lamps_of(self.carpet, sample))

    def classify(self, picture: np.ndarray) -> np.ndarray:
        """The colour (height, width) of every pixel."""
        return _classify(picture, self.indices(sample_of(picture)), self.tiles, self.cells)

    @cached_property
    def markers(self) -> np.ndarray:
        """The cells with nothing but the colours of markers and ball."""
        return np.where((self.cells > BLANK) & (self.cells <= GREEN), self.cells, 0).astype(np.uint8)

    def save(self, path: str | Path) -> Path:
        with replacing(path) as draft, draft.open("wb") as stream:
            np.savez_compressed(
                stream,
                cells=self.cells,
                bits=self.bits,
                tiles=self.tiles,
                light=self.light,
                carpet=self.carpet,
            )
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> ColourTable:
        path = existing(path, "colour table")
        try:
            kept = read_arrays(path)
            bits = int(kept["bits"])
            table = cls(
                kept["cells"].astype(np.uint8),
                bits,
                kept["tiles"].astype(np.uint8),
                kept["light"].astype(float),
                kept["carpet"].astype(float),
            )
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise BadInput(f"colour table {path}", None, f"is not one ({error})") from error
        whole = (
            bits in (4, 5, 6)
            and table.cells.shape == (1 << 3 * bits,)
            and int(table.cells.max()) < len(COLOURS)
            and table.tiles.ndim == 2
            and table.tiles.size > 0
            and table.light.shape == (LEVELS,)
            and int(table.tiles.max()) < LEVELS
            and table.carpet.shape == (3,)
            and bool((table.light > 0).all() and np.isfinite(table.light).all())
            and bool((table.carpet > 0).all() and np.isfinite(table.carpet).all())
        )
        require(whole, f"colour table {path}", None, "holds arrays that do not fit together")
        return table


def build_table(levels: np.ndarray, labels: np.ndarray, empty: np.ndarray, bits: int = BITS) -> ColourTable:
    """From labelled pixels, their `levels` (n, 3) and `labels` (n,), and a picture of the empty field.

    The labelled pixels are taken to be of average light: see `level_light`.
    """
    require(bits in (4, 5, 6), "bits", bits, "must be 4, 5 or 6")
    missing = [COLOURS[c] for c in range(1, len(COLOURS)) if np.count_nonzero(labels == c) < 20]
    require(not missing, "labelled pixels", missing, "have fewer than 20 of")
    side = 1 << bits
    axis = (np.arange(side) + 0.5) * (256 / side)
    cells = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    features = _features(cells)
    nearest, found = np.full(len(cells), FAR), np.zeros(len(cells), dtype=np.uint8)
    for colour in range(1, len(COLOURS)):
        pixels = _features(levels[labels == colour].astype(float))
        middle = pixels.mean(axis=0)
        floor = np.diag([CHROMA_FLOOR, CHROMA_FLOOR, BRIGHT_FLOOR]) ** 2
        spread = np.cov(pixels.T) + floor
        away = features - middle
        distance = np.sqrt(np.einsum("ni,ij,nj->n", away, np.linalg.inv(spread), away))
        better = distance < nearest
        nearest[better], found[better] = distance[better], colour
    dark = cells.sum(axis=1) < 0.5 * levels[labels == CARPET].astype(float).sum(axis=1).mean()
    found[dark & np.isin(found, (WHITE, CARPET))] = DARK
    tiles, light = tiles_of(empty)
    return ColourTable(found, bits, tiles, light, carpet_of(sample_of(empty)))


def tiles_of(empty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinds of brightness of the tiles of a picture of the empty field, and how bright each kind is (mean
    1)."""
    height, width = empty.shape[:2]
    rows, columns = -(-height // TILE), -(-width // TILE)
    bright = np.full((rows, columns), np.nan)
    for i in range(rows):
        for j in range(columns):
            tile = empty[i * TILE : (i + 1) * TILE, j * TILE : (j + 1) * TILE].reshape(-1, 3).astype(float)
            carpet = tile[(tile[:, 1] > 1.15 * tile[:, 0]) & (tile[:, 1] > 1.15 * tile[:, 2])]
            if len(carpet) > 0.1 * len(tile):
                red, green, blue = np.median(carpet, axis=0)
                bright[i, j] = green - 0.5 * (red + blue)
    known = np.argwhere(np.isfinite(bright))
    require(len(known) > 0, "picture of the empty field", None, "shows no green carpet")
    for i, j in np.argwhere(~np.isfinite(bright)):  # outside the carpet: as the nearest of it
        bright[i, j] = bright[tuple(known[np.argmin(((known - [i, j]) ** 2).sum(axis=1))])]
    bright /= bright.mean()
    bright = np.clip(bright, 0.3, 1.6)
    edges = np.linspace(bright.min() - 1e-6, bright.max() + 1e-6, LEVELS + 1)
    kinds = np.clip(np.digitize(bright, edges) - 1, 0, LEVELS - 1)
    return kinds.astype(np.uint8), (edges[1:] + edges[:-1]) / 2


def level_light(table_tiles: np.ndarray, light: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """A picture (height, width, 3) with the fall-off of its light taken out, as numbers."""
    height, width = picture.shape[:2]
    bright = np.kron(light[table_tiles], np.ones((TILE, TILE)))[:height, :width]
    return picture / bright[..., None]


def sample_of(picture: np.ndarray) -> np.ndarray:
    """The pixels of a picture that tell of the light, as a picture."""
    return np.ascontiguousarray(picture[FIRST::SAMPLED, FIRST::SAMPLED])


def lamps_of(carpet: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Factors (3,) that take out of the picture that this is the `sample_of` how the lamps have changed since
    the empty `carpet` (3,)."""
    changed = np.log(carpet / carpet_of(sample))
    lamps: np.ndarray = np.exp(np.sign(changed) * np.maximum(np.abs(changed) - OWN, 0.0))
    return lamps


@kernel
def carpet_of(sample: np.ndarray) -> np.ndarray:
    """Mean red, green and blue of pixels in which green is strongest."""
    red, green, blue, count = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for v in range(sample.shape[0]):
        for u in range(sample.shape[1]):
            r, g, b = np.int64(sample[v, u, 0]), np.int64(sample[v, u, 1]), np.int64(sample[v, u, 2])
            if g > 1.15 * r and g > 1.15 * b:
                red, green, blue, count = red + r, green + g, blue + b, count + 1
    return np.maximum(np.array([red, green, blue]) / max(count, 1), 1.0)


@kernel
def index_parts(bits: int, light: np.ndarray, gains: np.ndarray) -> np.ndarray:
    parts = np.empty((len(light), 3, 256), dtype=np.uint32)
    most = (1 << bits) - 1
    for k in range(len(light)):
        for c in range(3):
            factor = gains[c] / light[k] * (1 << bits) / 256
            for level in range(256):
                cell = min(int((level + 0.5) * factor), most)
                parts[k, c, level] = cell << bits * (2 - c)
    return parts


@kernel
def _classify(picture: np.ndarray, parts: np.ndarray, tiles: np.ndarray, cells: np.ndarray) -> np.ndarray:
    height, width = picture.shape[:2]
    found = np.empty((height, width), dtype=np.uint8)
    for v in range(height):
        for u in range(width):
            part = parts[tiles[v // TILE, u // TILE]]
            cell = part[0, picture[v, u, 0]] | part[1, picture[v, u, 1]] | part[2, picture[v, u, 2]]
            found[v, u] = cells[cell]
    return found


def _features(levels: np.ndarray) -> np.ndarray:
    """Two chromas and the logarithm of brightness (n, 3)."""
    total = levels.sum(axis=1) + 3.0
    return np.column_stack([levels[:, 0] / total, levels[:, 1] / total, np.log(total)])
