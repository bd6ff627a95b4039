"""Ways across junctions: from a lane over one or several zones into the next lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..roads.curves import Curve, aim, evenly
from .corners import eased
from .pieces import Piece, Shape

MOST_ZONES = 24  # on one way
MOST_WAYS = 3000  # across one junction


@dataclass(frozen=True)
class Connector:
    """A way from lane `source` over the zones of `path` into lane `target`, all numbers of pieces; `eased`
    where it is one even turn that leaves them."""

    source: int
    target: int
    path: tuple[int, ...]
    shape: Shape
    limit: float
    eased: bool = False

    @property
    def curve(self) -> Curve:
        return self.shape.curve


def find_connectors(
    pieces: list[Piece],
    shapes: list[Shape],
    number: np.ndarray,
    notes: list[str],
    kept: Mapping[tuple[str, str], float],
) -> dict[int, list[Connector]]:
    """The connectors of every junction, by its number; their ends stay as they are for so far [m] as `kept`
    says of ends of roads."""
    where = {id(p): i for i, p in enumerate(pieces)}
    found: dict[int, list[Connector]] = {}
    for source, lane in enumerate(pieces):
        if lane.zone:
            continue
        for path, target in _ways(lane, []):
            steps = tuple(where[id(p)] for p in path)
            some = found.setdefault(int(number[steps[0]]), [])
            if len(some) == MOST_WAYS:
                notes.append(f"a junction of road {lane.thread.road.id} has more than {MOST_WAYS} ways")
            if len(some) > MOST_WAYS:
                continue
            end = where[id(target)]
            shape = _chained([shapes[k] for k in steps], shapes[source].curve, shapes[end].curve)
            left, entered = lane.thread.exit[:2], target.thread.entry[:2]
            even = eased(shape, (kept.get(left, 0.0), kept.get(entered, 0.0)))
            limit = min(pieces[k].limit for k in steps)
            some.append(Connector(source, end, steps, even, limit, even is not shape))
    return found


def _ways(lane: Piece, path: list[Piece]) -> list[tuple[list[Piece], Piece]]:
    """Every way from a lane over zones to a lane."""
    found: list[tuple[list[Piece], Piece]] = []
    last = path[-1] if path else lane
    for onward in last.after:
        if not onward.zone:
            if path:
                found.append((path, onward))
        elif len(path) < MOST_ZONES and onward not in path:
            found += _ways(lane, [*path, onward])
    return found


def _chained(shapes: list[Shape], source: Curve, target: Curve) -> Shape:
    """Shapes one after the other as one, from the very end of a lane to the very start of the next."""
    ends = (source.x[-1], source.y[-1], source.heading[-1])
    fitted = []
    for shape in shapes:
        curve = _begun_at(shape.curve, ends)
        fitted.append(replace(shape, curve=curve))
        ends = (curve.x[-1], curve.y[-1], curve.heading[-1])
    aimed = aim(fitted[-1].curve, (target.x[0], target.y[0], target.heading[0]))
    fitted[-1] = replace(fitted[-1], curve=aimed)
    if len(fitted) == 1:
        return fitted[0]
    x, y = (np.concatenate([f.curve[k] for f in fitted]) for k in (0, 1))
    turned = [fitted[0].curve.heading]
    for f in fitted[1:]:
        whole = np.round((turned[-1][-1] - f.curve.heading[0]) / (2 * np.pi)) * 2 * np.pi
        turned.append(f.curve.heading + whole)
    heading = np.concatenate(turned)
    curvature = np.concatenate([f.curve.curvature for f in fitted])
    rest = [np.concatenate([getattr(f, name) for f in fitted]) for name in ("height", "bank", "width")]
    keep = np.concatenate([[True], np.hypot(np.diff(x), np.diff(y)) > 1e-3])
    x, y, heading, curvature = (v[keep] for v in (x, y, heading, curvature))
    curve = evenly(x, y, heading, curvature)
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    at = np.linspace(0.0, gone[-1], len(curve.x))
    return Shape(curve, *(np.interp(at, gone, v[keep]) for v in rest))


def _begun_at(curve: Curve, start: tuple[float, float, float]) -> Curve:
    """The curve from another start on, what it missed spread over its length."""
    back = curve._replace(x=curve.x[::-1], y=curve.y[::-1], heading=curve.heading[::-1])
    back = aim(back, start)
    return curve._replace(x=back.x[::-1], y=back.y[::-1], heading=back.heading[::-1])
