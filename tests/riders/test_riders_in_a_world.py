"""Riders as bodies of a world: on maps, in full and mixed; they keep their places, stop, are hit and fall."""

import numpy as np
import pytest

from swerve import load_body
from swerve.core.bodies import Bodies, PlainBody
from swerve.core.errors import BadInput
from swerve.core.way import Way
from swerve.core.world import World
from swerve.riders import load_map
from swerve.riders.maps.detail import Mixed
from swerve.riders.maps.glide import Glide
from swerve.riders.steering.decide import Navigator, Weights
from swerve.riders.steering.minds import HerdRiders, PathRiders
from swerve.riders.steering.tune import load_tuned

NAMES = ("x", "y", "yaw", "vx", "vy")


def block(x, y, vx=0.0, outline=(4.4, 1.8, 1.5), vy=0.0):
    def roll(rows, commands, dt):
        rows = rows.copy()
        rows[:, :2] += dt * rows[:, 3:5]
        return rows

    batch = PlainBody("car", outline, NAMES, (0.0,) * 5, roll, mass=1400.0).start(1)
    batch.rows[0] = x, y, np.arctan2(vy, vx), vx, vy
    return batch


def winding():
    s = np.arange(0.0, 500.0, 1.0)
    heading = 0.35 * np.sin(s / 40.0)
    points = np.column_stack([np.cumsum(np.cos(heading)), np.cumsum(np.sin(heading))])
    return Way.through(points, right=6.0, left=6.0)


def path_riders(map_, way, offsets, speed=11.0, places=None):
    return PathRiders(Navigator(map_, Weights(1.3, 0.4)), way, offsets, speed, places)


@pytest.mark.parametrize("make", ["map", "full", "mixed"])
def test_every_level_of_detail_is_a_batch_of_a_world(standin_body, standin_map, make):
    batch = {
        "map": lambda: Glide(standin_map, 4),
        "full": lambda: standin_body.start(4),
        "mixed": lambda: Mixed(standin_body, standin_map, 4, 2, lambda m: np.arange(4) < 2),
    }[make]()
    way = winding()
    assert isinstance(batch, Bodies) and batch.outline[0].tolist() == pytest.approx([1.8, 0.6, 1.7])
    places = 60.0 - 6.0 * np.arange(4)
    batch.put(*way.place(places, 1.0).T)
    world = World()
    mind = path_riders(standin_map, way, 1.0, places=places)
    world.add(batch, mind, watch=True)
    foreseen = world.foresee([1.0])
    recording = world.run(15.0)
    assert not world.contacts and not batch.motion().fell.any()
    assert np.mean(mind.errors[30:]) < 1.2 and np.max(mind.errors[30:]) < 2.5
    then = recording.where(recording["t"] == 1.0)
    straight = way.place(places + 11.5, 1.0)
    assert (
        np.hypot(*(foreseen[:, 0, :2] - straight[:, :2]).T).max() < 2.5
    )  # straight on at first: a bend away
    assert np.ptp(then["z"]) < 0.1 and abs(then["z"][0] - 0.85) < 0.1


def test_a_map_foresees_its_riders(standin_map):
    ride = Glide(standin_map, 6)
    ride.advance(np.linspace(-0.4, 0.4, 6), np.full(6, 12.0), 0.6)
    poses = ride.foresee(np.array([0.35, 1.0, 2.0]))
    ride.step(None, 1.0)
    now = ride.motion()
    assert np.hypot(now.x - poses[:, 1, 0], now.y - poses[:, 1, 1]).max() < 0.25
    ride.step(None, 1.0)
    now = ride.motion()
    assert np.hypot(now.x - poses[:, 2, 0], now.y - poses[:, 2, 1]).max() < 0.6


def test_a_rider_brakes_behind_a_parked_car_and_puts_a_foot_down(standin_map):
    way = Way.through([[0.0, 0.0], [400.0, 0.0]], right=4.0, left=4.0)
    ride = Glide(standin_map, 3)
    ride.put(np.array([0.0, 0.0, -9.0]), np.array([0.0, 3.0, 0.0]), np.zeros(3))
    world = World()
    world.add(ride, path_riders(standin_map, way, np.array([0.0, 3.0, 0.0])), watch=True)
    world.add(block(110.0, 0.0))
    world.run(25.0)
    motion = ride.motion()
    assert not world.contacts and not motion.fell.any()
    assert motion.speed[[0, 2]].tolist() == [0.0, 0.0] and motion.roll[0] == 0.0
    assert 100.0 < motion.x[0] < 107.0 and motion.x[2] < motion.x[0] - 1.8  # one behind the other
    assert motion.x[1] > 200  # the lane beside is free
    told = np.column_stack([np.zeros(3), np.full(3, 6.0)])
    for _ in range(30):
        ride.step(told, 0.1)
    assert (ride.motion().speed[[0, 2]] > 2.5).all()  # and off it goes


def test_a_rider_gives_way_to_what_is_foreseen_to_cross(standin_map):
    """A car from the side, that the rider would meet: seen only in where it is predicted to be."""
    way = Way.through([[0.0, 0.0], [400.0, 0.0]], right=4.0, left=4.0)
    least = {}
    for looks in (True, False):
        ride = Glide(standin_map, 1)
        mind = path_riders(standin_map, way, 0.0)
        world = World()
        world.add(ride, mind if looks else None, watch=True)
        world.add(block(60.0, -45.0, 0.0, vy=9.0))
        world.run(7.0)
        least[looks] = (len(world.contacts), world.figures()["min_gap"])
    assert least[True][0] == 0 and least[True][1] > 0.3
    assert least[False][0] == 1


def test_who_is_hit_hard_falls_and_lies_there(standin_map):
    ride = Glide(standin_map, 2)
    ride.put(np.array([0.0, 0.0]), np.array([0.0, 50.0]), np.zeros(2))
    world = World()
    world.add(ride)
    world.add(block(24.0, -16.0, 0.0, vy=8.0))
    world.run(4.0)
    assert [c.kinds for c in world.contacts][:1] == [("standin", "car")]
    motion = ride.motion()
    assert motion.fell.tolist() == [True, False] and motion.speed[0] == 0.0
    assert abs(motion.roll[0]) > 1.3 and motion.z[0] < 0.5
    place = motion.x[0]
    world.run(1.0)
    assert ride.motion().x[0] == pytest.approx(place, abs=0.5)


def test_a_lorry_throws_a_rider_and_goes_on(standin_map):
    """Momentum is kept whatever the level of detail: 10 t at 25 m/s are hardly slower for a rider."""
    ride = Glide(standin_map, 1)
    ride.go_at(np.array([6.0]))
    lorry = block(-8.0, 0.0, 25.0, (9.0, 2.5, 3.0))
    lorry.body.mass = 10_000.0
    world = World()
    world.add(ride)
    world.add(lorry)
    world.run(0.6)
    assert world.contacts and ride.motion().fell[0] and ride.motion().speed[0] > 15.0
    lost = 10_000.0 * (25.0 - lorry.motion().speed[0])
    assert 0.0 < lost < 1.3 * ride.mass[0] * 20.0 * 2
    world.run(2.0)
    assert lorry.motion().speed[0] > 22.0


@pytest.mark.parametrize("mixed", [False, True])
def test_who_was_thrown_is_foreseen_to_slide(standin_body, standin_map, mixed):
    ride = Mixed(standin_body, standin_map, 1, 1, lambda m: m.x < -1e9) if mixed else Glide(standin_map, 1)
    assert ride.mass == pytest.approx(Glide(standin_map, 1).mass)
    world = World()
    world.add(ride)
    lorry = block(-8.0, 0.0, 25.0, (9.0, 2.5, 3.0))
    world.add(lorry)
    while not ride.motion().fell[0]:
        world.step()
    lorry.rows[0, :2] = 500.0, 500.0
    world.refresh()
    world.step()
    times = np.array([0.5, 1.0, 2.0])
    foreseen, there = world.foresee(times)[0, :, :2], []
    for k in range(20):
        world.step()
        if k in (4, 9, 19):
            there.append([ride.motion().x[0], ride.motion().y[0]])
    assert foreseen == pytest.approx(np.array(there), abs=0.5) and there[0][0] > 3.0


def test_riders_on_maps_weigh_what_they_weigh_in_full():
    for name in ("human", "alien"):
        assert load_map(name).mass == pytest.approx(load_body(name).start(1).mass[0], rel=0.01)


def test_a_light_push_throws_nobody(standin_map):
    from swerve.core.contact import Touch

    ride = Glide(standin_map, 1)
    kick = np.array([[-0.3, 0.2, 0.0]])
    none = np.zeros((1, 3))
    touch = Touch(
        np.array([0]), np.array([1]), np.array(["car"]), none, none, np.ones(1), kick, np.array([[0.0, 0.1]])
    )
    ride.touched(touch)
    assert not ride.motion().fell[0] and ride.pace[0] == pytest.approx(11.7) and ride.pose[0, 1] == 0.1


def test_snapshots_repeat_the_future(standin_body, standin_map):
    for batch in (Glide(standin_map, 5), Mixed(standin_body, standin_map, 5, 2, lambda m: np.arange(5) > 2)):
        batch.put(np.zeros(5), 9.0 * np.arange(5), np.zeros(5))
        told = np.column_stack([np.linspace(-0.5, 0.5, 5), np.full(5, 11.0)])
        batch.step(told, 0.5)
        kept = batch.snapshot()
        batch.step(-told * [1, -1], 1.0)
        once = batch.motion()
        batch.restore(kept)
        batch.step(-told * [1, -1], 1.0)
        again = batch.motion()
        assert (once.pose == again.pose).all() and (once.roll == again.roll).all()


def test_a_herd_in_a_world_minds_others_too(standin_map):
    gaps = []
    for barrier in (False, True):
        ride = Glide(standin_map, 6)
        ride.put(
            np.array([0.0, 1.0, 6.0, 7.0, -6.0, -5.0]), np.array([0.0, 5.0, 0.0, 5.0, 0.0, 5.0]), np.zeros(6)
        )
        mind = HerdRiders(Navigator(standin_map, Weights(1.5, 0.3)), 12.0, 5.5)
        world = World()
        world.add(ride, mind, watch=True)
        if barrier:
            world.add(block(150.0, 2.5, outline=(1.0, 40.0, 1.0)))  # nobody can give way past its ends
        world.run(20.0)
        assert not world.contacts
        gaps.append(ride.motion().x.max())
        if not barrier:
            assert np.mean(mind.errors[-1]) < np.mean(mind.errors[0])
    assert gaps[0] > 220 and gaps[1] < 150


def test_commands_of_a_wrong_shape_or_time_are_refused(standin_map):
    ride = Glide(standin_map, 2)
    with pytest.raises(BadInput, match="commands"):
        ride.step(np.zeros(2), 0.1)
    with pytest.raises(BadInput, match="must be a multiple"):
        ride.step(np.zeros((2, 2)), 0.04)
    with pytest.raises(BadInput, match="snapshot"):
        ride.restore(np.zeros((2, 3)))
    with pytest.raises(BadInput, match=r"speed.*must be finite"):
        ride.advance(np.zeros(2), np.array([12.0, np.nan]), 0.1)


def test_a_cyclist_in_full_has_parts_and_can_be_knocked_over():
    from swerve.core.contact import Touch
    from swerve.riders import load_rider

    ride = load_rider("human").start(2)
    parts = ride.parts()
    assert {"left thigh", "rear wheel", "torso"} <= set(parts.names) and (
        parts.parent == np.repeat([0, 1], 17)
    ).all()
    torso = parts.names == "torso"
    assert (parts.motion.z[torso] > 1.1).all() and np.abs(parts.motion.x[torso]).max() < 0.3
    none = np.zeros((1, 3))
    kick = np.array([[0.0, 6.0, 0.0]])
    touch = Touch(
        np.array([0]), np.array([9]), np.array(["car"]), none, none, np.ones(1), kick, np.zeros((1, 2))
    )
    ride.touched(touch)
    ride.advance(np.zeros(2), np.full(2, 12.0), 3.0)
    assert ride.motion().fell.tolist() == [True, False]


def test_riders_beside_their_line_come_back_to_it_and_stay_there():
    """They swung about it for ever, further and further, up to nine metres to its sides."""
    map_ = load_map("human")
    batch, way = Glide(map_, 4), Way.through([[-5.0, 0.0], [400.0, 0.0]], left=6.0, right=6.0)
    batch.put(np.arange(4) * 15.0, np.array([0.6, -1.2, 2.0, -3.0]), np.zeros(4))
    mind = PathRiders(load_tuned("human").navigator(map_, "path"), way, 0.0, 6.5)
    world = World()
    world.add(batch, mind)
    world.run(15.0)
    late = np.array(mind.errors[-40:])
    assert late.max() < 0.4, late.max(axis=0)
