"""A pilot in a world: a real car on its plan, around whoever is there, and on again after a push."""

import numpy as np
import pytest

from swerve.core.bodies import PlainBody
from swerve.core.world import World
from swerve.race import chooser as module
from swerve.race import load_tree
from swerve.race.body import SlidingCar
from swerve.race.chooser import PilotChooser
from swerve.race.journey import Journey
from swerve.race.pilot import Pilot
from swerve.race.route import SearchOptions

NAMES = ("x", "y", "yaw", "vx", "vy")


def roll(rows, commands, dt):
    rows = rows.copy()
    rows[:, :2] += dt * rows[:, 3:5]
    return rows


@pytest.fixture(scope="module")
def tree():
    return load_tree("large")


def street():
    """Straight, then a bend of 90° and straight on, as wide as two lanes."""
    a = np.linspace(-np.pi / 2, 0, 20)[1:]
    line = np.vstack(
        [
            np.column_stack([np.arange(0.0, 121.0, 5.0), np.zeros(25)]),
            np.column_stack([120 + 12 * np.cos(a), 12 + 12 * np.sin(a)]),
            np.column_stack([np.full(30, 132.0), 12 + np.arange(5.0, 151.0, 5.0)]),
        ]
    )
    return Journey("street", line, 1.75, 5.25)


def world_with(tree, *others):
    pilot = Pilot(tree, street(), options=SearchOptions(horizon=100, nodes=2000, weight=1.1))
    cars = SlidingCar().start(1).put(*pilot.pose[:, None])
    mind = PilotChooser(pilot)
    world = World(dt=0.1)
    for batch in others:
        world.add(batch)
    world.add(cars, mind, "car", watch=True)
    return world, pilot, cars, mind


def test_the_car_keeps_to_its_plan_through_a_bend(tree):
    world, pilot, cars, mind = world_with(tree)
    off = []
    while not pilot.arrived and world.time < 25:
        world.step()
        off.append(np.hypot(*(cars.state[0, :2] - mind._reference(world.time)[0][:2])))
    assert pilot.arrived and mind.lost == 0
    assert max(off) < 0.5
    assert cars.state[0, 3:5] @ [0.0, 1.0] > 10.0
    ahead = mind.foresee(np.array([0.0, 0.5]))
    assert ahead.shape == (1, 2, 3)


def traffic():
    """A slow bus in the lane ahead and a person who walks across the road."""
    bus = PlainBody("bus", (12.0, 2.5, 3.0), NAMES, (45.0, 0.0, 0.0, 4.0, 0.0), roll).start(1)
    walker = PlainBody("pedestrian", (0.5, 0.5, 1.8), NAMES, (128.0, 60.0, 0.0, 0.9, 0.0), roll, True).start(
        1
    )
    walker.rows[0, 0] -= 0.9 * 5.0
    return bus, walker


def test_it_passes_a_bus_and_spares_a_person_and_would_not_if_it_were_blind(tree, monkeypatch):
    world, pilot, _, _ = world_with(tree, *traffic())
    while not pilot.arrived and world.time < 40:
        world.step()
    assert pilot.arrived and not world.contacts
    assert world.figures()["min_gap"] > 0.05
    monkeypatch.setattr(module, "SEEN", 0.0)
    blind, pilot, _, _ = world_with(tree, *traffic())
    while not pilot.arrived and blind.time < 20:
        blind.step()
    assert blind.contacts


def test_a_bridge_over_the_road_is_no_crossing(tree):
    def still(rows, commands, dt):
        return rows

    start = (70.0, 0.0, 0.0, 0.0, 0.0, 8.0)
    deck = PlainBody("deck", (6.0, 30.0, 1.0), (*NAMES, "z"), start, still).start(1)
    world, pilot, _, _ = world_with(tree, deck)
    while not pilot.arrived and world.time < 25:
        world.step()
    assert pilot.arrived and not world.contacts


def test_pushed_off_its_plan_it_goes_on_from_where_it_is(tree):
    world, pilot, cars, mind = world_with(tree)
    for _ in range(40):
        world.step()
    cars.state[0, 1] += 2.5
    cars.state[0, 3] *= 0.6
    for _ in range(80):
        world.step()
    assert mind.lost >= 1 and not world.contacts
    assert pilot.progress > 100.0
    assert np.hypot(*cars.state[0, 3:5]) > 5.0
