"""The radar: four kinds of collision, two methods, and bodies that never overlap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from swerve.city import PERSON, WHEELED, Characters, People, PeopleOptions, Traffic, grid
from swerve.city.characters.avoidance import INCOMING, OUTGOING, SIDESWIPE, STATIONARY, collision_kind
from swerve.city.ground import Mesh
from swerve.city.people.behaviours import SeekTo
from swerve.city.people.footing import empty_crowd, make_discs, make_ground, walk
from swerve.city.people.standing import spread_out
from swerve.city.roads.roads import LANE
from swerve.core.errors import BadInput

HALL = Mesh.from_polygon([(0, 0), (40, 0), (40, 12), (0, 12)])


def people(places, targets, methods="usual", seed=1, spread=0.0):
    characters = Characters()
    characters.add(PERSON, len(places), avoidance=methods)
    seek = SeekTo(target=np.array(targets, float))
    return People(
        HALL,
        characters,
        seed,
        [seek],
        positions=np.array(places, float),
        options=PeopleOptions(spread=spread),
    )


def run(crowd, seconds, dt=0.1, **options):
    """Steps, and the least distance between two bodies on the way."""
    least = np.inf
    for _ in range(round(seconds / dt)):
        crowd.advance(dt, **options)
        if len(crowd) > 1:
            apart = cKDTree(np.stack([crowd.x, crowd.y], -1)).query(np.stack([crowd.x, crowd.y], -1), 2)[0]
            least = min(least, apart[:, 1].min() - 2 * crowd.radius.max())
    return least


def test_four_kinds_of_collision():
    assert collision_kind(1.0, 0.0, 0.0, 0.05) == STATIONARY
    assert collision_kind(1.0, 0.0, -1.0, 0.2) == INCOMING
    assert collision_kind(1.0, 0.0, 0.8, -0.1) == OUTGOING
    assert collision_kind(1.0, 0.0, 0.1, 1.2) == SIDESWIPE


def test_two_who_meet_go_round_each_other():
    crowd = people([(5, 6), (25, 6)], [(25, 6), (5, 6)])
    assert run(crowd, 25.0) >= 0.0
    assert crowd.x[0] > 24 and crowd.x[1] < 6


def test_the_seeds_pedestrians_queue_and_get_stuck_face_to_face():
    """Figure 3.16: with queuing alone, two who meet wait for each other."""
    crowd = people([(5, 6), (25, 6)], [(25, 6), (5, 6)], methods="seed")
    assert run(crowd, 25.0) >= 0.0
    assert crowd.x[0] < 16 and crowd.x[1] > 14
    assert 0.0 < crowd.x[1] - crowd.x[0] - 0.5 < 0.6


def test_a_faster_one_overtakes_a_slower_one_or_queues_behind():
    for methods, passes in (("usual", True), ("patient", False)):
        crowd = people([(2, 6), (5, 6)], [(38, 6), (38, 6)], methods=methods)
        crowd.walking_speed[1] = 0.5
        assert run(crowd, 20.0) >= 0.0
        assert bool(crowd.x[0] > crowd.x[1] + 0.5) == passes
        if not passes:
            assert crowd.speed[0] == pytest.approx(0.5, abs=0.1) and crowd.y[0] == pytest.approx(6.0, abs=0.1)


@pytest.mark.parametrize("dt", [1 / 60, 0.25])
def test_streams_that_cross_never_overlap(dt):
    rng = np.random.default_rng(4)
    west = np.stack(np.meshgrid(np.linspace(1, 9, 8), np.linspace(1, 11, 8)), -1).reshape(-1, 2)
    east = west + np.array([30.0, 0.0])
    places = np.vstack([west, east]) + rng.uniform(-0.1, 0.1, (128, 2))
    targets = np.column_stack([40.0 - places[:, 0], 12.0 - places[:, 1]])
    crowd = people(places, targets, spread=0.15)
    assert run(crowd, 16.0 if dt < 0.1 else 60.0, dt) >= 0.0
    assert (HALL.locate(crowd.x, crowd.y) >= 0).all()
    if dt > 0.1:
        assert (np.sign(crowd.x - 20) == np.sign(targets[:, 0] - 20)).mean() > 0.9


@given(st.integers(0, 10_000), st.sampled_from([1 / 60, 0.1, 0.25]))
@settings(max_examples=25)
def test_whatever_they_wish_bodies_neither_overlap_nor_cross_walls(seed, dt):
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    outline = (rng.uniform(3.0, 8.0, 14) * np.array([np.cos(angle), np.sin(angle)])).T
    mesh = Mesh.from_polygon(outline)
    everywhere = np.ones(len(mesh), bool)
    ground = make_ground(mesh, everywhere)
    crowd = empty_crowd(30)
    crowd.radius[:] = 0.25
    crowd.x[:], crowd.y[:] = spread_out(mesh, everywhere, ground.wall, crowd.radius, rng).T
    crowd.cell[:] = mesh.locate(crowd.x, crowd.y)
    a, d = ground.wall[None, :, :2], ground.wall[None, :, 2:] - ground.wall[None, :, :2]
    for k in range(60):
        crowd.move_x[:], crowd.move_y[:] = rng.uniform(-6.0, 6.0, (2, 30)) + 3 * rng.standard_normal((2, 1))
        walk(mesh.arrays, ground, crowd, make_discs(crowd), dt, k % 2 == 1)
        places = np.stack([crowd.x, crowd.y], -1)
        assert not cKDTree(places).query_pairs(0.5)
        assert (mesh.locate(crowd.x, crowd.y) >= 0).all()
        to = places[:, None] - a
        along = np.clip((to * d).sum(-1) / (d * d).sum(-1), 0, 1)[..., None]
        assert np.hypot(*np.moveaxis(to - along * d, -1, 0)).min() >= 0.25


def test_people_keep_off_vehicles():
    car = np.array([[20.0, 6.0, 0.3, 4.6, 1.8, 0.0]])
    crowd = people([(10, 6), (10, 7)], [(30, 6), (30, 5)])
    c, s = np.cos(0.3), np.sin(0.3)
    for _ in range(250):
        crowd.advance(0.1, vehicles=car)
        dx, dy = crowd.x - 20.0, crowd.y - 6.0
        out = np.hypot(
            np.maximum(np.abs(c * dx + s * dy) - 2.3, 0), np.maximum(np.abs(c * dy - s * dx) - 0.9, 0)
        )
        assert (out > crowd.radius).all()
    assert (crowd.x > 28).all()


def test_unknown_methods_are_named():
    with pytest.raises(BadInput, match="avoidance"):
        people([(5, 6)], [(25, 6)], methods="rude")


def test_the_way_of_avoiding_may_be_changed_while_they_walk():
    """Two who meet and queue stand for ever; told to go round each other they get past."""
    crowd = people([(5, 6), (25, 6)], [(25, 6), (5, 6)], methods="seed")
    run(crowd, 25.0)
    assert crowd.x[0] < 20 and crowd.speed.max() < 0.05
    crowd.characters.set(crowd.ids, "avoidance", "usual")
    run(crowd, 25.0)
    assert crowd.x[0] > 24 and crowd.x[1] < 6


def test_drivers_pass_or_queue_as_they_are_told():
    """Behind a slow car on a road of two lanes: the usual driver passes it, the others wait behind it."""
    town = grid(3, 2, block=400.0)
    roads = town.roads
    lanes = np.flatnonzero((roads.kind == LANE) & (roads.inner >= 0) & (roads.length > 300))[:12].tolist()

    def passed(way, pace):
        characters = Characters()
        characters.add(WHEELED, len(lanes), max_speed=pace)
        characters.add(WHEELED, len(lanes), avoidance=way, driver_type="slow")
        cars = Traffic(town, characters, 1)
        first, second = np.arange(len(lanes)), len(lanes) + np.arange(len(lanes))
        cars.place(first, lanes, np.full(len(lanes), 120.0), pace)
        cars.place(second, lanes, np.full(len(lanes), 80.0), 6.0)
        inner = np.zeros(len(lanes), bool)
        for _ in range(80):
            cars.advance(0.1)
            inner |= cars.fleet.strip[second] == roads.inner[lanes]
        return int(inner.sum())

    slow = {way: passed(way, 3.0) for way in ("usual", "patient", "seed")}
    stands = {way: passed(way, 0.0) for way in ("usual", "patient", "seed")}
    print(slow, stands)
    assert slow["usual"] > slow["patient"] == slow["seed"]
    assert stands["usual"] == stands["patient"] > stands["seed"]
