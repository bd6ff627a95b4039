"""Vehicles whose drivers are taken away while they drive come to stand, and nobody runs into them."""

import numpy as np

from swerve.city import WHEELED, Characters, Simulation, Traffic, grid
from swerve.city.roads.roads import CONNECTOR, LANE


def behind_each_other(speed=12.0):
    simulation = Simulation(grid(3, 3, block=400.0), 6, seed=1)
    traffic, roads = simulation.traffic, simulation.town.roads
    lane = int(np.flatnonzero((roads.kind == LANE) & (roads.length > 300))[0])
    traffic.place([0, 1], lane, np.array([90.0, 60.0]), speed)
    simulation.characters.set([0, 1], "keeps_lane", True)
    return simulation, lane


def test_who_loses_its_driver_stops_and_is_not_run_into():
    simulation, lane = behind_each_other()
    fleet, brakes = simulation.traffic.fleet, []
    for k in range(120):
        if k == 10:
            simulation.characters.set(0, "autonomous", False)
        before = fleet.speed[0]
        simulation.step()
        brakes.append(before - fleet.speed[0])
    assert fleet.speed[:2].tolist() == [0.0, 0.0] and not fleet.autonomous[0] and fleet.autonomous[1]
    assert max(brakes) < 0.1 * 4.0 and fleet.strip[0] == lane
    assert simulation.figures()["collisions"] == 0
    stood = float(fleet.station[0])
    simulation.characters.set(0, "autonomous", True)
    for _ in range(30):
        simulation.step()
    assert fleet.station[0] > stood + 3.0 and fleet.max_speed[0] > 10.0


def test_nobody_stops_inside_a_junction_for_want_of_a_driver():
    town = grid(3, 3, block=100.0, signals=False, pavements=False)
    characters = Characters()
    characters.add(WHEELED, 20)
    traffic = Traffic(town, characters, seed=3)
    for _ in range(80):
        traffic.advance(0.1)
    across = np.asarray(town.roads.kind)[traffic.fleet.strip] == CONNECTOR
    assert across.any()
    characters.set(traffic.ids, "autonomous", False)
    for _ in range(150):
        traffic.advance(0.1)
    assert (traffic.fleet.speed[across] == 0.0).all()
    assert (np.asarray(town.roads.kind)[traffic.fleet.strip[across]] == LANE).all()


def test_without_a_driver_from_the_start_nobody_seems_to_move():
    characters = Characters()
    characters.add(WHEELED, 12, autonomous=False)
    traffic = Traffic(grid(3, 3, pavements=False), characters, seed=3)
    before = traffic.fleet.x.copy()
    for _ in range(20):
        traffic.advance(0.1)
    assert (traffic.fleet.x == before).all() and (traffic.motion().speed == 0.0).all()


def test_who_is_placed_from_outside_stays_where_it_is_put():
    simulation, lane = behind_each_other()
    traffic = simulation.traffic
    simulation.characters.set(0, "autonomous", False)
    for k in range(20):
        traffic.place([0], lane, 92.0 + 1.2 * k, 12.0)
        simulation.step()
        assert traffic.fleet.station[0] + traffic.fleet.overhang[0] == 92.0 + 1.2 * k
        assert traffic.fleet.speed[0] == 12.0
