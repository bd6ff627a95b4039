"""Walls of a world hold whoever runs into them, corners included."""

import numpy as np
import pytest

from swerve.core.bodies import PlainBody
from swerve.core.broadphase import WallMap
from swerve.core.errors import BadInput
from swerve.core.seeding import generator
from swerve.core.world import World

NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate")
WEDGE = np.array([[-20.0, 5.0], [-20.0, -5.0], [20.0, 0.0]])
SQUARE = np.array([[-20.0, 7.0], [-20.0, -7.0], [7.0, -7.0], [7.0, 7.0]])


def coast(rows, commands, dt):
    rows = rows.copy()
    rows[:, :3] += dt * rows[:, 3:]
    return rows


def boxes(count, size=(3.0, 1.5, 1.5)):
    return PlainBody("box", size, NAMES, (0.0,) * 6, coast, mass=1000.0).start(count)


def is_inside(ring, x, y):
    """By the sides of a convex ring that goes round to the left."""
    a, b = ring, np.roll(ring, -1, axis=0)
    return all(
        (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0 for p, q in zip(a, b, strict=True)
    )


@pytest.mark.parametrize("ring", [WEDGE, SQUARE], ids=["wedge of 14°", "square"])
def test_nobody_leaves_a_closed_room_however_it_is_thrown_about(ring):
    rng = generator(3, "thrown about")
    walls = WallMap(np.hstack([ring, np.roll(ring, -1, axis=0)]))
    for _ in range(12):
        thrown = boxes(1)
        thrown.put(np.array([-15.0]), np.zeros(1), rng.uniform(-np.pi, np.pi, 1))
        speed, course = rng.uniform(5, 20), rng.uniform(-0.4, 0.4)
        thrown.rows[0, 3:5] = speed * np.cos(course), speed * np.sin(course)
        world = World(dt=0.1, walls=walls, record=False)
        world.add(thrown, walls=True)
        energy = np.inf
        for _ in range(60):
            world.step()
            x, y, _, vx, vy, rate = thrown.rows[0]
            assert is_inside(ring, x, y)
            now = vx**2 + vy**2 + (3.0**2 + 1.5**2) / 12 * rate**2
            assert now <= energy + 1e-6
            energy = now


def test_a_box_in_a_funnel_is_stopped_by_both_walls_and_then_stands():
    box = boxes(1, (4.0, 2.0, 1.5))
    box.put(np.zeros(1), np.zeros(1), np.zeros(1), speed=15.0)
    world = World(dt=0.1, walls=WallMap(np.array([[0.0, 5.0, 40.0, 0.0], [0.0, -5.0, 40.0, 0.0]])))
    world.add(box, walls=True)
    for _ in range(60):
        world.step()
    assert 28.0 < box.rows[0, 0] < 32.0 and np.abs(box.rows[0, 3:]).max() < 0.1  # it fits up to x = 30 m


def test_it_slides_along_a_wall_that_it_grazes():
    box = boxes(1, (4.0, 2.0, 1.5))
    box.put(np.zeros(1), np.zeros(1), np.array([np.radians(5.0)]), speed=15.0)
    world = World(dt=0.1, walls=WallMap(np.array([[-10.0, 3.0, 200.0, 3.0]])))
    world.add(box, walls=True)
    for _ in range(60):
        world.step()
    assert box.rows[0, 0] > 75.0 and box.rows[0, 1] < 3.0 and box.rows[0, 3] > 13.0


def test_no_walls_at_all_are_refused_in_a_line():
    with pytest.raises(BadInput, match="walls: must be at least one segment"):
        WallMap(np.zeros((0, 4)))
