"""The peloton: sixteen riders hold their places among cars; blind, they would not."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.scenes import peloton


def test_the_field_holds_together_for_a_while_without_contact():
    world = peloton.build(7, seconds=20.0)
    recording = world.run(12.0)
    figures = {**world.figures(), **peloton.figures(world)}
    assert figures["bodies"] == {"car": 11, "cyclist": 16} and figures["in_full"] == 4
    assert (figures["contacts"], figures["falls"], figures["off_street"]) == (0, 0, 0)
    assert figures["position_error"] < 1.2 and figures["min_gap"] > 0.4
    parts = recording.where(recording["parent"] >= 0)
    assert len(np.unique(parts["parent"])) == 4 and "left shank" in set(parts["part"])


def test_one_who_stops_in_front_of_the_field_is_not_ridden_into():
    """The leader of the cars behind is put ahead of the riders and held there: they slow down for it."""
    world = peloton.build(3, seconds=20.0)
    cars = next(m for m in world.members if m.name == peloton.CARS)
    street = cars.chooser.way
    cars.bodies.rows[0, :3] = street.place(peloton.HEAD + 90.0, peloton.OUTER)
    cars.chooser.speeds[0] = 4.0
    cars.bodies.rows[0, 3:5] = 4.0 * np.array(
        [np.cos(cars.bodies.rows[0, 2]), np.sin(cars.bodies.rows[0, 2])]
    )
    world.run(12.0)
    on_maps = next(m for m in world.members if m.name == peloton.MAPS)
    assert on_maps.motion.speed.max() < 9.0
    assert not [c for c in world.contacts if "car" in c.kinds]


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
    world.run(0.2)
    assert peloton.figures(world)["off_street"] == 3


def test_a_field_without_riders_on_maps_is_refused():
    with pytest.raises(BadInput, match="full"):
        peloton.build(0, riders=4, full=4)
