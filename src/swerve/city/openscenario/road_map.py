"""Roads by their own coordinates: where station s and offset t of an OpenDRIVE road lie, and what comes next.

Scenarios speak of roads and lanes of the file, so its lines are used as they are, not the strips of a town.
"""

from __future__ import annotations

import bisect
import heapq
import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput
from swerve.core.geometry import wrap

from ..opendrive.lanes import DRIVING, lane_borders
from ..opendrive.lines import Line, evaluate
from ..opendrive.records import OpenDrive, RoadRecord
from ..opendrive.surface import LEVEL, Lift, Spine, beside, lift, spine

STEP = 0.25  # [m] between tabulated points of a reference line
COARSE = 8  # tabulated points from one to the next that is searched for a place
FURTHEST = 5_000.0  # [m] along roads between two places


class Spot(NamedTuple):
    """A place on a road: station [m], offset [m] to the left of the reference line, the lane there."""

    road: str
    s: float
    t: float
    lane: int


class Pose(NamedTuple):
    """x, y, z [m] and heading [rad] of the road along its s; slope and bank of the ground there."""

    x: float
    y: float
    z: float
    heading: float
    slope: float = 0.0
    bank: float = 0.0


class RoadMap:
    """The roads of a file."""

    def __init__(self, drive: OpenDrive):
        self.drive = drive
        self._tables: dict[str, np.ndarray] = {}
        self._middles: dict[tuple[str, int, int], np.ndarray] = {}
        self._starts = {n: [one.start for one in r.sections] for n, r in drive.roads.items()}

    def road(self, name: str, where: str = "road") -> RoadRecord:
        if name not in self.drive.roads:
            raise BadInput(where, name, "is not a road of the file")
        return self.drive.roads[name]

    def pose(self, road: str, s: float, t: float) -> Pose:
        """Where a place lies; the heading is that of the road along s."""
        row = np.array(self._read(self._table(road), self.road(road).length, s))
        record, over = self.road(road), LEVEL
        if not record.profile.straight:
            over = Lift(*(one[0] for one in lift(record, np.array([s]), np.array([t]))))
        found = beside(Spine(Line(*row[:4]), *row[4:]), np.asarray(t), np.asarray(0.0), over)
        x, y, z, heading, slope, bank = (float(one) for one in found)
        return Pose(x, y, z, wrap(heading), slope, bank)

    def section(self, road: str, s: float) -> int:
        return max(0, bisect.bisect_right(self._starts[self.road(road).id], s + 1e-9) - 1)

    def middle(self, road: str, lane: int, s: float) -> float:
        """Offset t [m] of a lane's middle; of one that is not there the nearest lane's."""
        record, k = self.road(road), self.section(road, s)
        lanes = record.sections[k].lanes
        if lane not in lanes:
            same = [n for n in lanes if n * lane > 0]
            lane = max(same, key=abs) if same else 0
        key = (road, k, lane)
        if key not in self._middles:
            section = record.sections[k]
            at = np.linspace(section.start, section.end, _count(section.end - section.start))
            inner, outer = (
                (evaluate(record.offset, at),) * 2 if lane == 0 else lane_borders(record, k, lane, at)
            )
            self._middles[key] = ((inner + outer) / 2)[:, None]
        begin, end = record.sections[k].start, record.sections[k].end
        return self._read(self._middles[key], end - begin, s - begin)[0]

    def lane_at(self, road: str, s: float, t: float) -> int:
        """The lane under a place; beyond the edge the outermost."""
        record, k = self.road(road), self.section(road, s)
        zero = float(evaluate(record.offset, np.array([s]))[0])
        sign = 1 if t > zero else -1
        names = sorted((n for n in record.sections[k].lanes if n * sign > 0), key=abs)
        for name in names:
            outer = lane_borders(record, k, name, np.array([s]))[1]
            if abs(t - zero) <= abs(float(outer[0]) - zero) + 1e-9:
                return name
        return names[-1] if names else 0

    def edges(self, road: str, s: float, driving: bool = True) -> tuple[float, float]:
        """Offsets t [m] of the right and left edge of what is driven on, or of the whole road."""
        record, k = self.road(road), self.section(road, s)
        found = [float(evaluate(record.offset, np.array([s]))[0])]
        for name, lane in record.sections[k].lanes.items():
            if name and (not driving or lane.type in DRIVING):
                found += [float(b[0]) for b in lane_borders(record, k, name, np.array([s]))]
        return min(found), max(found)

    def locate(self, x: float, y: float, hint: str = "") -> Spot:
        """The place on a road; of several the one on `hint`, then the one nearest to a middle."""
        tree, owner, station = self._index
        _, near = tree.query([x, y], k=min(24, len(station)))
        best, score = None, np.inf
        for k in np.atleast_1d(near):
            road = str(owner[k])
            if best is not None and road == best.road:
                continue
            s, t = self._project(road, float(station[k]), x, y)
            right, left = self.edges(road, s, driving=False)
            flat = self.pose(road, s, 0.0)
            beyond = abs((x - flat.x) * math.cos(flat.heading) + (y - flat.y) * math.sin(flat.heading))
            off = 10.0 * (max(right - t, t - left, 0.0) + beyond) - 1.0 * (road == hint)
            off += 0.5 * (self.road(road).junction != "-1")
            off += abs(t - self.middle(road, self.lane_at(road, s, t), s))
            if off < score:
                best, score = Spot(road, s, t, self.lane_at(road, s, t)), off
        assert best is not None
        return best

    def beyond(self, road: str, lane: int, forward: bool) -> list[tuple[str, int, bool]]:
        """Roads, lanes and directions into which a lane leads at the end of its road."""
        record = self.road(road)
        link = record.after if forward else record.before
        section = record.sections[-1 if forward else 0]
        if link is None:
            return []
        known = section.lanes.get(lane)
        linked = None if known is None else known.after if forward else known.before
        if link.type == "road":
            if link.id not in self.drive.roads:
                return []
            onward = link.contact == "start"
            guess = lane if onward == forward else -lane
            return [(link.id, guess if linked is None else linked, onward)]
        found = []
        junction = self.drive.junctions.get(link.id)
        for one in junction.connections if junction is not None else ():
            if one.incoming == road and one.connecting in self.drive.roads:
                found += [(one.connecting, to, one.contact == "start") for at, to in one.lanes if at == lane]
        return found

    def ways(self, road: str, forward: bool) -> list[tuple[str, bool]]:
        """Roads and directions into which a road leads, whatever the lane."""
        record = self.road(road)
        link = record.after if forward else record.before
        if link is None:
            return []
        if link.type == "road":
            return [(link.id, link.contact == "start")] if link.id in self.drive.roads else []
        junction = self.drive.junctions.get(link.id)
        if junction is None:
            return []
        ours = [c for c in junction.connections if c.incoming == road and c.connecting in self.drive.roads]
        return list(dict.fromkeys((one.connecting, one.contact == "start") for one in ours))

    def distance(self, road: str, s: float, forward: bool, goal: str, goal_s: float) -> float | None:
        """[m] along the roads to a place ahead (negative: behind on the same road), if one gets there."""
        if road == goal:
            return goal_s - s if forward else s - goal_s
        found = self.route(road, s, forward, goal)
        if found is None:
            return None
        roads, way = found
        return way + (goal_s if roads[-1][1] else self.road(goal).length - goal_s)

    def route(
        self, road: str, s: float, forward: bool, goal: str
    ) -> tuple[list[tuple[str, bool]], float] | None:
        """The shortest row of roads from a place to a road, and the way [m] to where that begins."""
        start = (road, forward)
        first = self.road(road).length - s if forward else s
        heap: list[tuple[float, tuple[str, bool], tuple]] = [(first, start, (start,))]
        seen: set[tuple[str, bool]] = set()
        while heap:
            way, at, path = heapq.heappop(heap)
            if at[0] == goal and at != start:
                return list(path), way - self.road(goal).length
            if at in seen or way > FURTHEST:
                continue
            seen.add(at)
            for onward in self.ways(*at):
                heapq.heappush(heap, (way + self.road(onward[0]).length, onward, (*path, onward)))
        return None

    def _table(self, road: str) -> np.ndarray:
        """The road's `Spine` (k, 9) at even stations, x to curvature first."""
        if road not in self._tables:
            record = self.road(road)
            line, *rest = spine(record, np.linspace(0.0, record.length, _count(record.length)))
            self._tables[road] = np.stack([*line, *rest], axis=1)
        return self._tables[road]

    @staticmethod
    def _read(table: np.ndarray, length: float, s: float) -> list[float]:
        """A row of a table of even stations, between its rows."""
        last = len(table) - 1
        at = min(max(s, 0.0), length) / max(length, 1e-9) * last
        i = min(int(at), last - 1)
        row: list[float] = (table[i] + (at - i) * (table[i + 1] - table[i])).tolist()
        return row

    @cached_property
    def _index(self) -> tuple[cKDTree, np.ndarray, np.ndarray]:
        points, owners, stations = [], [], []
        for name, record in self.drive.roads.items():
            table = self._table(name)
            pick = np.unique(np.append(np.arange(0, len(table), COARSE), len(table) - 1))
            points.append(table[pick, :2])
            owners += [name] * len(pick)
            stations.append(pick / (len(table) - 1) * record.length)
        return cKDTree(np.concatenate(points)), np.array(owners, object), np.concatenate(stations)

    def _project(self, road: str, s: float, x: float, y: float) -> tuple[float, float]:
        length, t = self.road(road).length, 0.0
        for _ in range(6):
            at = self.pose(road, s, t)
            dx, dy = x - at.x, y - at.y
            along, c, n = s, math.cos(at.heading), math.sin(at.heading)
            s = min(max(s + dx * c + dy * n, 0.0), length)
            t += (dy * c - dx * n) / math.cos(at.bank)
            if abs(s - along) < 1e-4:
                break
        return s, t


def _count(length: float) -> int:
    """How many points of a table so long [m]."""
    return max(2, int(length / STEP) + 1)
