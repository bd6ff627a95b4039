"""Roundabouts of others go on moving: the last place of a ring stays free, and nobody goes round for ever."""

import numpy as np
import pytest

from swerve.city import Simulation, grid, load_town
from swerve.city.traffic.net import build_net


def roundabout(folder, radius, arms=4):
    """An OpenStreetMap file: a ring that is driven one way, with streets of 150 m to it."""
    rows, ring = ["<osm version='0.6'>"], []

    def node(number, x, y):
        lat, lon = 48.0 + y / 111_190.0, 11.0 + x / 74_600.0
        rows.append(f"<node id='{number}' lat='{lat:.8f}' lon='{lon:.8f}'/>")

    for k in range(4 * arms):
        angle = 2 * np.pi * k / (4 * arms)
        node(k + 1, radius * np.cos(angle), radius * np.sin(angle))
        ring.append(k + 1)
    for k in range(arms):
        angle = 2 * np.pi * k / arms
        node(100 + k, (radius + 150) * np.cos(angle), (radius + 150) * np.sin(angle))
    ways = [([*ring, 1], "<tag k='junction' v='roundabout'/>")]
    ways += [([100 + k, 4 * k + 1], "") for k in range(arms)]
    for number, (nodes, more) in enumerate(ways):
        refs = "".join(f"<nd ref='{n}'/>" for n in nodes)
        rows.append(f"<way id='{200 + number}'>{refs}<tag k='highway' v='residential'/>{more}</way>")
    path = folder / "ring.osm"
    path.write_text("\n".join([*rows, "</osm>"]))
    return load_town(path)


@pytest.mark.parametrize("radius, vehicles", [(18.0, 14), (30.0, 24)])
def test_a_roundabout_does_not_lock(tmp_path, radius, vehicles):
    town = roundabout(tmp_path, radius)
    simulation = Simulation(town, vehicles, seed=5)
    ring = simulation.traffic.net.strips["ring"][:-1]
    assert (ring >= 0).sum() == 4 and sorted(ring[ring >= 0]) == sorted(np.flatnonzero(ring >= 0))
    assert (ring[simulation.traffic.fleet.strip] < 0).all()  # it begins empty
    late = np.zeros(vehicles)
    for k in range(1500):
        simulation.step()
        if k >= 900:
            late += simulation.traffic.fleet.speed
    figures = simulation.figures()
    assert figures["collisions"] == 0 and figures["longest_stand"] < 110.0
    assert late.mean() * 0.1 / 60.0 > 1.0  # [m/s] in the last minute


@pytest.mark.parametrize("radius", [12.0, 16.0])
def test_ways_lead_round_the_island_of_a_small_roundabout(tmp_path, radius):
    """Its stretches are too short for lanes of their own, and the corners at its arms too tight for cars."""
    roads = roundabout(tmp_path, radius).roads
    middle = [(roads.x.min() + roads.x.max()) / 2, (roads.y.min() + roads.y.max()) / 2]
    away = np.hypot(roads.x - middle[0], roads.y - middle[1])
    assert radius - 5.0 < away.min() < radius + 1.0
    assert np.abs(roads.curvature).max() < 1 / 3.5


def test_blocks_of_a_town_are_no_rings():
    assert (build_net(grid(3, 3, block=90.0).roads).strips["ring"][:-1] < 0).all()


def test_nobody_wants_to_where_no_way_leads(tmp_path):
    """Streets that only lead in are no destinations, and whoever is lost is led elsewhere."""
    simulation = Simulation(roundabout(tmp_path, 30.0), 20, seed=1)
    traffic, roads = simulation.traffic, simulation.town.roads
    for _ in range(100):
        simulation.step()
    here = (traffic.fleet.strip >= 0) & ~traffic.net.strips["open"][traffic.fleet.strip]
    seconds = traffic.paths.field[traffic.fleet.destination[here], traffic.fleet.strip[here]]
    assert np.isfinite(seconds).all()
    reached = np.diff(roads.before_first) > 0
    assert np.isin(traffic.paths.destinations, roads.road[reached]).all()
