"""Ways that cross: who looks gives way to the right, who does not is brought down."""

import numpy as np
import pytest

from swerve.riders import Glide, load_map, load_tuned
from swerve.riders.steering.crossing import crossing, outcome


@pytest.fixture(scope="module")
def human():
    map_ = load_map("human")
    return map_, load_tuned("human").navigator(map_, "path")


@pytest.mark.parametrize("seed", range(6))
def test_two_who_look_do_not_touch_and_one_of_them_does_not_even_brake(human, seed):
    map_, steering = human
    world = crossing(lambda: Glide(map_, 1), map_.speed, steering, seed)
    recording = world.run(5.0)
    found = outcome(world)
    assert found["contacts"] == found["falls"] == 0 and found["least_gap"] > 1.0
    speed = np.hypot(recording["vx"], recording["vy"])
    slowest = [speed[recording["id"] == rider].min() for rider in (0, 1)]
    second = world.members[1].bodies.motion().yaw[0]
    waits = 0 if second > 0 else 1  # the second comes from the right of the first if it turns left from it
    assert slowest[waits] < 10.0 and slowest[1 - waits] > 11.0


def test_two_who_do_not_look_touch_and_fall_and_the_recording_tells(human):
    map_, steering = human
    world = crossing(lambda: Glide(map_, 1), map_.speed, steering, 1, careful=False)
    recording = world.run(6.0)
    found = outcome(world)
    assert found["contacts"] == 1 and found["falls"] == 2
    assert np.abs(recording["roll_angle"][-2:]).min() > 1.0
