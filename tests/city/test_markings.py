"""Lines on the road lie where lanes meet, whichever side one drives on."""

import numpy as np
import pytest

from swerve.city import grid
from swerve.city.record import markings, scenery
from swerve.city.roads.roads import LANE


@pytest.mark.parametrize("left_hand", [False, True])
def test_lines_lie_between_the_lanes(left_hand):
    roads = grid(3, 3, left_hand=left_hand).roads
    lines = markings(roads)
    lanes = np.flatnonzero(roads.kind == LANE)
    for role, neighbour in (("centre", roads.inner), ("median", roads.opposite)):
        own = lanes[neighbour[lanes] >= 0]
        if role == "median":
            own = own[roads.inner[own] < 0]
        middle = roads.length[own] / 2
        x, y, _ = roads.place(own, middle)
        beside = neighbour[own]
        station = roads.length[beside] / 2
        other = roads.place(beside, station)
        between = np.stack([(x + other[0]) / 2, (y + other[1]) / 2], -1)
        assert len(own)
        for k in range(0, len(own), 7):  # the line's own distance to the place between the two
            best = min(
                _distance(between[k], line["points"])
                for line in lines
                if line["role"] == role and len(line["points"]) > 1
            )
            assert best < 0.3, (role, own[k])


def test_where_lanes_end_at_a_light_a_line_is_drawn_across():
    town = grid(3, 3)
    lanes = np.flatnonzero((town.roads.kind == LANE) & (town.roads.junction >= 0))
    across = [line["points"] for line in scenery(town)["lines"] if len(line["points"]) == 2]
    ends = np.array([line.mean(axis=0) for line in across])
    x, y, _ = town.roads.place(lanes, town.roads.length[lanes])
    nearest = np.hypot(x[:, None] - ends[:, 0], y[:, None] - ends[:, 1]).min(axis=1)
    assert (nearest < 0.1).mean() > 0.5


def _distance(point: np.ndarray, line: np.ndarray) -> float:
    a, b = line[:-1], line[1:]
    along = ((point - a) * (b - a)).sum(-1) / ((b - a) ** 2).sum(-1).clip(1e-9)
    foot = a + along.clip(0, 1)[:, None] * (b - a)
    return float(np.hypot(*(point - foot).T).min())
