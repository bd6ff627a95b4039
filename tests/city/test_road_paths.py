"""Paths of drivers: what lies ahead of them, zones, closed roads, ways round jams, one's own refiners."""

from itertools import pairwise

import numpy as np
import pytest

from swerve.city import WHEELED, Characters, Demand, Simulation, Traffic, grid
from swerve.city.characters.paths import LevelOfDetail, PathState
from swerve.city.roads.roads import LANE
from swerve.city.traffic.refiners import Closures, Detours, SlowZones
from swerve.core.errors import BadInput

TOWN = grid(4, 3, block=120.0)


def traffic(count=40, seed=3, town=TOWN):
    characters = Characters()
    characters.add(WHEELED, count)
    return Traffic(town, characters, seed)


def entries(cars, road, seconds, dt=0.1):
    """How often somebody came onto a road, and how many of them from lanes that lead elsewhere too."""
    roads = cars.town.roads
    lane = np.asarray(roads.kind) == LANE
    onto = np.array([np.isin(roads.road[roads.after[a:b]], road).all() and b > a
                     for a, b in zip(roads.after_first, roads.after_first[1:], strict=False)])  # fmt: skip
    came = strayed = 0
    last = cars.fleet.strip.copy()
    for _ in range(round(seconds / dt)):
        cars.advance(dt)
        now = cars.fleet.strip
        new = np.flatnonzero(
            lane[now] & (now != last) & (roads.road[now] == road) & (roads.road[last] != road)
        )
        came += len(new)
        for i in new:
            options = roads.after[roads.after_first[last[i]] : roads.after_first[last[i] + 1]]
            strayed += not onto[options].all()
        last = np.where(lane[now], now, last)
    return came, strayed


def busiest(cars, seconds=60.0):
    """The road that most vehicles come onto."""
    road, kind = np.asarray(cars.town.roads.road), np.asarray(cars.town.roads.kind)
    seen = np.zeros(road.max() + 1)
    before = road[cars.fleet.strip]
    for _ in range(round(seconds / 0.1)):
        cars.advance(0.1)
        now = np.where(kind[cars.fleet.strip] == LANE, road[cars.fleet.strip], before)
        np.add.at(seen, now[now != before], 1)
        before = now
    return int(seen.argmax()), int(seen.max())


def test_what_lies_ahead_leads_to_the_destination():
    cars = traffic()
    cars.paths.trace(cars.fleet, np.arange(len(cars)))
    paths, roads = cars.paths, cars.town.roads
    assert set(paths.state) <= {PathState.PARTIAL, PathState.ENDS_AT_TARGET}
    assert PathState.ENDS_AT_TARGET in paths.state
    for i in range(len(cars)):
        way = paths.strips[i, : paths.kept[i]]
        assert way[0] == cars.fleet.strip[i]
        for here, there in pairwise(way):
            assert there in roads.after[roads.after_first[here] : roads.after_first[here + 1]]
        if paths.state[i] == PathState.ENDS_AT_TARGET:
            assert roads.road[way[-1]] == paths.destinations[cars.fleet.destination[i]]
    # nodes: on the way, as far from each other along it as they should be
    node = paths.node[:, :2]
    apart = np.hypot(*(node[:, 1] - node[:, 0]).T)
    assert (paths.nodes >= 2).all() and apart.max() < 10.0 + 1e-6 and np.median(apart) > 9.9
    near = np.hypot(node[:, 0, 0] - cars.fleet.x, node[:, 0, 1] - cars.fleet.y)
    assert near.max() < 14.0


def test_nobody_comes_onto_a_closed_road_and_all_go_on():
    road, often = busiest(traffic(100))
    cars = traffic(100)
    cars.paths.close(road)
    cars.advance(0.1)
    entries(cars, road, 12.0)  # who already had leave to enter
    came, strayed = entries(cars, road, 60.0)
    print(came, strayed, often)
    assert came < 0.4 * often and strayed == 0
    assert cars.fleet.waiting.max() < 50.0  # a cycle of the lights
    cars.paths.close(road, False)
    assert entries(cars, road, 90.0)[1] > 0


def test_who_wants_to_a_closed_road_is_led_near_it():
    cars = traffic(10)
    lanes = np.flatnonzero(TOWN.roads.kind == LANE)
    road = int(TOWN.roads.road[lanes[len(lanes) // 2]])
    cars.paths.send(cars.fleet, np.arange(10), cars.paths.rows_of(np.full(10, road)))
    cars.paths.close(road)
    cars.advance(0.1)
    assert (cars.paths.destinations[cars.fleet.destination] != road).all()
    with pytest.raises(BadInput, match=r"road: .* got 9999"):
        cars.paths.close(9999)


def test_a_zone_is_driven_slowly_and_reached_slowly():
    cars = traffic(20)
    x, y = cars.fleet.x.mean(), cars.fleet.y.mean()
    cars.paths.refiners = [SlowZones([(x, y, 150.0, 5.0)])]
    fastest, outside = 0.0, 0.0
    for k in range(500):
        cars.advance(0.1)
        inside = np.hypot(cars.fleet.x - x, cars.fleet.y - y) < 148.0
        if k > 60:
            fastest = max(fastest, cars.fleet.speed[inside].max(initial=0.0))
            outside = max(outside, cars.fleet.speed[~inside].max(initial=0.0))
        assert cars.fleet.accel.min() > -6.0
    assert fastest < 5.3 and outside > 8.0
    cars.paths.refiners = []
    for _ in range(300):
        cars.advance(0.1)
    assert cars.fleet.max_speed.min() > 20.0
    with pytest.raises(BadInput, match="zones"):
        SlowZones([(0.0, 0.0, -1.0, 5.0)])


def test_jams_are_gone_round():
    """One lane of a street is held up by somebody who stands: those who know take other streets."""

    def held(refiners):
        cars = traffic(60)
        road, _ = busiest(traffic(60))
        lanes = np.flatnonzero((TOWN.roads.road == road) & (TOWN.roads.kind == LANE))
        for k, lane in enumerate(lanes):
            cars.place([k], [int(lane)], [0.9 * float(TOWN.roads.length[lane])])
            cars.characters.set(cars.ids[k], "max_speed", 0.0)
        cars.paths.refiners = refiners
        for _ in range(1500):
            cars.advance(0.1)
        return int((cars.fleet.waiting > 50.0).sum()) - len(lanes), cars.fleet.odometer.sum()

    (knowing, far), (blind, less) = held([Detours(10.0)]), held([])
    assert knowing < blind and far > 1.03 * less


def test_a_demand_tells_of_closures_zones_and_jams():
    there = {"strip": int(np.flatnonzero(TOWN.roads.kind == LANE)[5])}
    road = int(TOWN.roads.road[there["strip"]])
    demand = Demand(
        closures=[{"at": there, "begin": 1.0, "end": 3.0}],
        zones=[{"at": {"x": 0, "y": 0}, "radius": 30, "limit": 4}],
        reroute=30,
    )
    town = Simulation(TOWN, 10, seed=1, demand=demand)
    paths = town.traffic.paths
    assert [type(one) for one in paths.refiners] == [SlowZones, Closures, Detours]
    shut = []
    for _ in range(50):
        town.step()
        shut.append(bool(paths.closed[TOWN.roads.road == road].any()))
    assert not shut[5] and shut[15] and shut[25] and not shut[40]
    with pytest.raises(BadInput, match="closure, end"):
        Simulation(TOWN, 5, demand=Demand(closures=[{"at": there, "begin": 9, "end": 3}]))


def test_a_refiner_of_ones_own_acts_and_detail_follows_the_viewer():
    class Crawl:
        def refine(self, paths, fleet, rows):
            paths.speed[rows] = np.minimum(paths.speed[rows], 2.0)

    cars = traffic(20)
    cars.paths.refiners = [LevelOfDetail(near=100.0, pieces=(12, 3)), Crawl()]
    cars.paths.seen_from(lambda: (0.0, 0.0))
    for _ in range(120):
        cars.advance(0.1)
    lanes = cars.town.roads.kind[cars.fleet.strip] == LANE
    assert cars.fleet.speed[lanes & (cars.fleet.granted < 0)].max() < 2.3
    far = np.hypot(cars.fleet.x, cars.fleet.y) > 130.0
    assert far.any() and (cars.paths.kept[far] <= 3).all() and cars.paths.interval[far].max() == 0.6


def test_closures_are_the_same_for_the_same_seed():
    def run():
        cars = traffic(30)
        cars.paths.refiners = [Closures([(int(cars.paths.destinations[4]), 2.0, 20.0)]), Detours(5.0)]
        for _ in range(250):
            cars.advance(0.1)
        return cars.fleet.x.copy(), cars.fleet.destination.copy()

    first, second = run(), run()
    assert (first[0] == second[0]).all() and (first[1] == second[1]).all()
