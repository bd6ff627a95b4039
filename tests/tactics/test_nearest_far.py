"""BK-RRT where it samples places much further away than the tree has been."""

import numpy as np
import pytest

from swerve.tactics import Chance, Search, load_domain
from swerve.tactics.arrival import time_to_reach
from swerve.tactics.chance import Places

SPEED, ACCELERATION = 2.0, 3.0


@pytest.fixture(scope="module")
def navigation():
    return load_domain("navigation")


def driven(dx, dy, vx, vy, dt=4e-3):
    """Least seconds that a body needs which shares its limits out between the axes, driven step by step: on
    each it brakes if it would stop too late or is faster than its share, else it speeds up to that."""
    split = np.linspace(0.02, np.pi / 2 - 0.02, 41)
    shares, signs = np.stack([np.cos(split), np.sin(split)], axis=1), np.sign([dx, dy])
    left, v = np.tile(np.abs([dx, dy]), (41, 1)), np.tile([vx, vy] * signs, (41, 1))
    taken, push = np.full(41, np.inf), ACCELERATION * shares
    for k in range(int(30 / dt)):
        there = ((np.abs(left) < 0.02) & (np.abs(v) < 0.1)).all(axis=1)
        taken[there] = np.minimum(taken[there], k * dt)
        wanted = np.sign(left) * np.minimum(SPEED * shares, np.sqrt(2 * push * np.abs(left)))
        v += np.clip(wanted - v, -push * dt, push * dt)
        left -= v * dt
    return taken.min()


@pytest.mark.parametrize(
    ("dx", "dy", "vx", "vy"),
    [(-43.3, 1.0, -1.98, 0.29), (6.0, 5.0, 1.6, 1.2), (3.0, 0.5, 2.0, 0.0), (-8.0, 2.0, 1.9, 0.2)],
)
def test_a_body_that_is_fast_already_keeps_to_its_speed(dx, dy, vx, vy):
    """One that goes on along an axis faster than its share was said to speed up without end: 7 s for 43 m at
    2 m/s."""
    said = time_to_reach(dx, dy, vx, vy, SPEED, ACCELERATION, np.inf)
    assert said >= np.hypot(dx, dy) / SPEED
    assert said == pytest.approx(driven(dx, dy, vx, vy), rel=0.05, abs=0.1)


def test_places_far_beyond_the_tree_are_looked_up_at_once(navigation):
    """Cells are counted from the grid on, not from the place."""
    search = Search(navigation, "rrt", seed=1)
    far = Places((-1e9, -1e9, 1e9, 1e9))
    search.selection.sampler, search.selection.boxes, search.selection.share = far, far.boxes, far.share
    assert search.grow(iterations=200).effort.iterations >= 200


def test_the_nearest_of_far_places_is_the_nearest(navigation):
    """As all nodes one by one say."""
    search = Search(navigation, "rrt", seed=3).grow(iterations=400)
    nearest, slot, tree = search.selection, navigation.world.slot("robot"), search.tree
    nearest.reach[:], rows = np.inf, search.tree.rows[: search.tree.count]
    for x, y in ([-40.0, 3.0], [60.0, -50.0], [2.0, 400.0], [900.0, 1.0]):
        nearest.sampler = lambda chance, at=(x, y): np.tile(at, (len(chance.expansions), 1))
        nearest.growing[:], nearest._aimed[0] = 0, 0
        (node,), _ = nearest.pick(tree, 1, Chance(1, np.array([5])))
        ways = np.array([x, y]) - rows[:, slot.qpos : slot.qpos + 2] - slot.base[:2]
        velocities = rows[:, slot.qvel : slot.qvel + 2]
        needed = np.array(
            [
                time_to_reach(*way, *v, SPEED, ACCELERATION, np.inf)
                for way, v in zip(ways, velocities, strict=True)
            ]
        )
        assert needed[node] == needed[tree.open[: tree.count]].min()
