"""What a body looks like in space: a shape, a colour and a size, by the words of its kind and its part.

>>> look_of(3, "pedestrian", (0.5, 0.5, 1.7)).shape, look_of(4, "sedan", (4.6, 1.8, 1.5)).shape
('person', 'vehicle')
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ..recording import LIGHT
from .figures import ACCENT, named_colour
from .relief import Relief, relief_of
from .view import AREA_COLOURS, KIND_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE, STATES, shape_of

BRAKE, LEFT, RIGHT, EMERGENCY, CONTACT = 2, 4, 8, 16, 32  # bits of flags; 1 is for being there
STATE_SHIFT = 8  # flags of a light hold its state from this bit on
PAINTS = ("#5b6f82", "#8c99a6", "#2f4858", "#b8bec4", "#7d6b5d", "#45645a", "#a5694f", "#394a6d")
SIREN = "#f4f6f8"
SKIN, CLOTH, METAL, TYRE = "#e0ac84", "#2e6f95", "#4a5158", "#23272b"
LIMBS = {
    "head": SKIN, "hand": SKIN, "forearm": SKIN, "neck": SKIN, "foot": TYRE, "wheel": TYRE,
    "frame": METAL, "fork": METAL, "handlebar": METAL, "crank": METAL, "pedal": METAL, "stem": METAL,
}  # fmt: skip
MOST_POINTS = 200_000  # of a scenery


class Look(NamedTuple):
    """`shape` is vehicle, person, cycle, disc, cube, block, box, wheel, limb, head or light; sizes [m]."""

    id: int
    kind: str
    part: str
    parent: int
    size: tuple[float, ...]
    shape: str
    colour: str

    def row(self) -> list[Any]:
        return [self.id, self.kind, self.part, self.parent, [round(s, 4) for s in self.size], *self[5:]]


def look_of(
    identity: int,
    kind: str,
    size: tuple[float, ...],
    part: str = "",
    parent: int = -1,
    ego: bool = False,
) -> Look:
    """The look of a body, or of a part of one."""
    if kind == LIGHT:
        return Look(identity, kind, part, -1, size, "light", "#33383d")
    if part:
        word = next((word for word in LIMBS if word in part), "")
        shape = word if word in ("wheel", "head") else "limb"
        return Look(identity, kind, part, parent, size, shape, LIMBS.get(word, CLOTH))
    shape = shape_of(kind, size[0], size[1])
    if ego:
        colour = ACCENT
    elif "ambulance" in kind or "emergency" in kind:
        colour = SIREN
    elif named := named_colour(kind):
        colour = named
    elif shape == "vehicle":
        colour = PAINTS[identity % len(PAINTS)]
    elif shape == "block":
        colour = "#aeb3b8"
    else:
        colour = KIND_COLOURS[crc32(kind.encode()) % len(KIND_COLOURS)]
    return Look(identity, kind, part, parent, size, shape, colour)


def flags_of(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """(n,) lamps, contacts and states of lights as bits."""
    flags = np.zeros(len(columns["id"]), np.int64)
    for name, bit in (("brake", BRAKE), ("emergency", EMERGENCY), ("contact", CONTACT)):
        if name in columns:
            flags |= np.where(np.nan_to_num(columns[name].astype(float)) > 0, bit, 0)
    if "indicator" in columns:
        side = columns["indicator"]
        flags |= np.where(side > 0, LEFT, 0) | np.where(side < 0, RIGHT, 0)
    if "state" in columns:
        words = columns["state"]
        for number, word in enumerate(STATES[1:], 1):
            flags |= np.where(words == word, number << STATE_SHIFT, 0)
    return flags


def scenery_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Areas and lines as [role, colour, [x, y, z, …]] and the relief, from the metadata of a recording. What
    has no height lies on the relief."""
    relief = relief_of(meta)
    areas = [_shape(entry, AREA_COLOURS, OTHER_AREA, relief) for entry in meta.get("areas") or ()]
    lines = [_shape(entry, LINE_COLOURS, OTHER_LINE, relief) for entry in meta.get("lines") or ()]
    return {"areas": areas, "lines": lines, "relief": None if relief is None else relief.row()}


def _shape(
    entry: Mapping[str, Any], colours: Mapping[str, str], other: str, relief: Relief | None
) -> list[Any]:
    points = np.asarray(entry["points"], dtype=float)[:MOST_POINTS]
    if points.shape[1] == 2:
        level = np.zeros(len(points)) if relief is None else relief.height(*points.T)
        points = np.column_stack([points, level])
    role = str(entry.get("role", ""))
    return [role, colours.get(role, other), np.round(points, 2).ravel().tolist()]
