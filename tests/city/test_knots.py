"""Knots of small junctions: no way across comes near a lane that it has nothing to do with, and ways that
part from one lane share its order only while they lie side by side."""

import numpy as np
import pytest

from swerve.city import Simulation
from swerve.city.nets.osm import Segment, Streets
from swerve.city.nets.osm_streets import network_of
from swerve.city.nets.plain import Edge, NetLane, PlainNet, Turn, records_of
from swerve.city.opendrive.load import build_records
from swerve.city.roads.roads import CONNECTOR, LANE
from swerve.city.traffic import net as net_of_traffic
from swerve.city.traffic.net import build_net

APART = 1.6  # [m] between the middles of a way and of a lane


def staggered(seed):
    """Two junctions a few car lengths apart; a main road leads in at one of them and out at the other."""
    rng = np.random.default_rng(seed)
    place = {"A": (0.0, 0.0), "B": (float(rng.uniform(-15, 5)), float(rng.uniform(-42, -26)))}
    arms = {"A": (-15, 60, 165), "B": (160, 255)}
    for node, angles in arms.items():
        for k, angle in enumerate(angles):
            way = np.radians(angle + rng.uniform(-12, 12))
            x, y = place[node]
            place[f"{node}{k}"] = (x + 120 * np.cos(way), y + 120 * np.sin(way))
    ends = [("A", "B"), *((name[0], name) for name in place if len(name) > 1)]
    segments = [Segment((str(k),) * 2, pair, 1, 1, 10.0, 10.0, 1) for k, pair in enumerate(ends)]
    return build_records(records_of(network_of(Streets("knot", place, {}, segments))))


def points_of(roads, strip, every=0.5):
    station = np.linspace(0, roads.length[strip], max(2, int(roads.length[strip] / every)))
    x, y, _ = roads.place(np.full(len(station), strip), station)
    return np.stack([x, y], -1)


@pytest.mark.parametrize("seed", range(3))
def test_ways_keep_away_from_lanes_of_others(seed):
    roads = staggered(seed).roads
    lanes = np.flatnonzero(roads.kind == LANE)
    for way in np.flatnonzero(roads.kind == CONNECTOR):
        own = {roads.before[roads.before_first[way]], roads.after[roads.after_first[way]]}
        mine = points_of(roads, way)
        for lane in set(lanes.tolist()) - own:
            apart = np.linalg.norm(mine[:, None] - points_of(roads, lane)[None], axis=-1).min()
            assert apart > APART, (int(way), lane)


def off_abreast(roads):
    """By how much [m], at most, places beside each other differ along ways that share their lane's order."""
    net, worst = build_net(roads), 0.0
    own = np.repeat(np.arange(len(roads.length)), np.diff(roads.conflict_first))
    for k in np.flatnonzero(net.conflicts["parting"]):
        one, other = (points_of(roads, strip, 0.25) for strip in (own[k], net.conflicts["other"][k]))
        last = int(net.conflicts["end"][k] / 0.25)
        nearest = np.linalg.norm(one[:last, None] - other[None], axis=-1).argmin(axis=1)
        worst = max(worst, 0.25 * np.abs(nearest - np.arange(len(nearest))).max())
    return worst


def test_ways_that_part_share_the_order_of_their_lane_only_while_they_are_abreast(monkeypatch):
    roads = [staggered(seed).roads for seed in range(4)]
    assert max(map(off_abreast, roads)) < 3.0
    monkeypatch.setattr(net_of_traffic, "ABREAST", np.inf)
    assert max(map(off_abreast, roads)) > 4.0  # who trusted the order there ran into the car ahead


def test_nobody_touches_in_a_knot():
    simulation = Simulation(staggered(3), vehicles=16, seed=2)
    for _ in range(400):
        simulation.step()
    assert simulation.figures()["collisions"] == 0


def corner_of(turned, start, lane=3.2, shape=None):
    """Two streets of one lane with a turn between them, by so many degrees to the left; the first ends at
    (0, 0) and the second begins at `start` [m]."""
    way = np.radians(turned)
    one = np.array([[-150.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    other = np.append(start, 0.0) + np.outer([0.0, 150.0], [np.cos(way), np.sin(way), 0.0])
    lanes = (NetLane(lane, 13.9),)
    edges = {"a": Edge("a", "W", "C", one, lanes), "b": Edge("b", "C", "E", other, lanes)}
    turns = [Turn("a to b", "a", 0, "b", 0, shape)]
    return build_records(records_of(PlainNet("corner", edges, turns)))


def sharpest(roads):
    """[1/m] of all ways across, by the directions of their points."""
    worst = 0.0
    for way in np.flatnonzero(roads.kind == CONNECTOR):
        legs = np.diff(points_of(roads, way, 2.0), axis=0)
        heading = np.unwrap(np.arctan2(legs[:, 1], legs[:, 0]))
        worst = max(worst, np.abs(np.diff(heading)).max(initial=0.0) / 2.0)
    return worst


def test_a_sharp_corner_becomes_a_turn_that_cars_can_steer():
    """Even if that leaves the corner far behind: who cannot follow its way is in that of others."""
    roads = corner_of(-135.0, (2.3, -5.6)).roads
    assert (roads.kind == CONNECTOR).any() and sharpest(roads) < 1 / 4.8


def test_a_turn_back_to_a_lane_that_begins_behind_is_left_out():
    """With the line of a file or without; it was driven straight back, and cars flew off the map."""
    for shape in (None, np.array([[0.0, 0.0, 0.0], [-17.0, 10.0, 0.0]])):
        town = corner_of(131.0, (-20.0, 3.0), shape=shape)
        assert not (town.roads.kind == CONNECTOR).any() or sharpest(town.roads) < 1 / 4.8
        assert "not used: turns too tight for a car (1)" in town.notes
