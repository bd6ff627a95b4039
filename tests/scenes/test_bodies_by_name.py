"""Bodies by name, from any wing: one interface, one world; and what a search can drive on."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.steered import Steerable
from swerve.core.world import World
from swerve.race import SearchOptions, Setting, load_track
from swerve.race.drive import drive
from swerve.scenes.bodies import load_body, load_moves

NAMES = ["human", pytest.param("alien", marks=pytest.mark.long), "car"]  # tests/riders ride aliens, too


@pytest.mark.parametrize("name", NAMES)
def test_every_body_is_told_a_heading_and_a_speed(name):
    body = load_body(name)
    assert isinstance(body, Steerable) and body.name == name
    batch = body.start(2)
    batch.put(np.array([0.0, 0.0]), np.array([0.0, 20.0]), np.array([0.0, 1.0]))
    world = World()
    world.add(batch)
    for _ in range(20):
        batch.step(np.array([[0.15, body.speed], [1.0, body.speed]]), 0.1)
    motion = batch.motion()
    assert 0.02 < motion.yaw[0] < 0.25 and motion.yaw[1] == pytest.approx(1.0, abs=0.05)
    assert motion.speed == pytest.approx(body.speed, rel=0.1) and not motion.fell.any()
    assert motion.z == pytest.approx(body.outline[2] / 2, abs=0.05)  # the middle of the outline
    assert (name == "car") == ("slip" in motion.extras)
    if name == "car":
        assert (motion.roll == 0).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("yaw", [np.pi / 2, 3.0])
def test_a_body_that_is_told_nothing_goes_on_as_it_was_put(name, yaw):
    batch = load_body(name).start(1)
    batch.put(np.array([5.0]), np.array([-3.0]), np.array([yaw]))
    world = World()
    world.add(batch)
    foreseen = world.foresee([3.0])[0, 0]
    world.run(3.0)
    motion = world.everyone.motion
    assert not motion.fell.any() and motion.yaw == pytest.approx(yaw, abs=0.05)
    assert np.hypot(foreseen[0] - motion.x[0], foreseen[1] - motion.y[0]) < 1.5


def test_unknown_bodies_are_named():
    with pytest.raises(BadInput, match="human, alien, car"):
        load_body("tram")


def test_a_route_search_drives_a_cyclist_by_its_map():
    moves = load_moves("human")
    assert moves.dt == pytest.approx(0.1) and moves.meta["outline"][1] == pytest.approx(0.6)
    setting = Setting(SearchOptions(horizon=80, nodes=3000, weight=1.1), seconds=120.0, cars=0)
    done = drive(load_track("cornered"), moves, setting, 0)
    assert done.finished and not done.crashed
    speed = np.hypot(*done.states[:, 3:5].T)
    assert speed.max() < 12.6 and speed.min() > 11.0  # a bicycle's, all along


def test_moves_of_a_short_map_are_refused():
    from swerve.riders import load_map

    human = load_map("human")
    with pytest.raises(BadInput, match="seconds"):
        human.library(seconds=7.0)
    few = human.library(seconds=0.6, states=20)
    assert len(few.clips) == 20 * human.actions and few.target.max() < 20 and few.clips[0].frames == 6
