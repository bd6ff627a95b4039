"""The peloton: sixteen riders hold their places among cars; blind, they would not."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.scenes import load_scene, peloton
from swerve.scenes.lane_cars import LaneDrivers, lane_cars


def test_the_field_holds_together_for_a_while_without_contact():
    world = peloton.build(7, seconds=20.0)
    recording = world.run(6.0)
    figures = {**world.figures(), **peloton.figures(world)}
    assert figures["bodies"] == {"car": 11, "cyclist": 16} and figures["in_full"] == 4
    assert (figures["contacts"], figures["falls"], figures["off_street"]) == (0, 0, 0)
    assert figures["position_error"] < 1.2 and figures["min_gap"] > 0.4
    parts = recording.where(recording["parent"] >= 0)
    assert len(np.unique(parts["parent"])) == 4 and "left shank" in set(parts["part"])


def test_the_field_slows_down_behind_a_slow_car():
    world = peloton.build(3, riders=8, full=1, seconds=20.0)
    street = next(m for m in world.members if m.name == peloton.CARS).chooser.way
    station, offset, speed = (np.array([v]) for v in (peloton.HEAD + 30.0, peloton.OUTER, 8.0))
    world.add(lane_cars(street, station, offset, speed), LaneDrivers(street, offset, speed))
    world.run(12.0)
    riders = np.concatenate([m.motion.speed for m in world.members if m.name in (peloton.MAPS, peloton.FULL)])
    assert not world.contacts and np.median(riders) < 9.2 and riders.max() < 10.3 and riders.min() > 6.5
    assert peloton.figures(world)["falls"] == 0


def test_the_same_seed_gives_the_same_field():
    places = []
    for _ in range(2):
        world = peloton.build(5, riders=4, full=1, seconds=5.0)
        world.run(2.0)
        places.append(world.everyone.motion.x)
    assert (places[0] == places[1]).all()


def test_leaving_the_street_is_counted():
    world = peloton.build(2, riders=4, full=1, seconds=5.0)
    member = next(m for m in world.members if m.name == peloton.MAPS)
    x, y, yaw = member.motion.pose.T
    member.bodies.put(x, y + 40.0, yaw)
    world.refresh()
    world.run(0.2)
    assert peloton.figures(world)["off_street"] == 3


def test_a_field_without_riders_on_maps_is_refused():
    with pytest.raises(BadInput, match="full"):
        peloton.build(0, riders=4, full=4)


def test_the_street_is_as_long_as_the_ride_that_is_asked_for():
    usual, longer = load_scene("peloton", 3), load_scene("peloton", 3, seconds=150.0)
    ways = [scene.world.members[0].chooser.way.length for scene in (usual, longer)]
    assert longer.seconds == 150.0 and ways[1] > 260.0 + 15.0 * 150.0 > ways[0]
