"""RiMEA's tests with pass rules, judged from where people were, and the checks themselves."""

import numpy as np
import pytest

from swerve.studies import rimea


@pytest.mark.parametrize("dt", [1 / 60, 0.1])
def test_1_a_corridor_of_40_metres_takes_26_to_34_seconds(dt):
    assert 26.0 <= rimea.walk_alone(dt) <= 34.0


@pytest.fixture(scope="module")
def corner():
    return rimea.round_the_corner(seed=1)


def test_6_nobody_crosses_the_wall_at_a_corner_and_everybody_turns_it(corner):
    assert rimea.walls_crossed(corner) == 0
    assert rimea.wall_gap(corner) >= 0.0
    assert (corner.places[-1, :, 1] > 8.0).all()


def test_the_checks_would_see_a_wall_crossed(corner):
    places = corner.places.copy()
    places[20:, 19] = places[20, 19] + [0.0, 3.0]
    moved = rimea.Tracks(corner.times, places, corner.walls, corner.radius)
    assert rimea.walls_crossed(moved) > 0


def test_people_walk_slower_in_a_crowd():
    loose, dense = rimea.measure_density(0.5, seed=1), rimea.measure_density(2.5, seed=1)
    assert loose[1] > 1.2 and 0.1 < dense[1] < 0.6
    assert rimea.weidmann(5.4) == pytest.approx(0.0) and rimea.weidmann(0.2) > 1.3


def test_a_lattice_holds_as_many_as_asked_for_and_none_touch():
    places = rimea.lattice(3.0, 20.0, 4.0, np.random.default_rng(0))
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + 9 * np.eye(len(places))
    assert apart.min() > 0.5 and 0.75 < len(places) / 80 / 3.0 < 1.05
