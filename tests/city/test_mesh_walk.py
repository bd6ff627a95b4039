"""Ground from any triangles: nothing leads through what stands on the floor, stairs are climbed, clearance is
kept."""

from itertools import pairwise

import numpy as np
import pytest

from swerve.city import PERSON, Characters, People
from swerve.city.ground import Walker, find_path, read_obj, walkable_mesh
from swerve.city.ground.mesh_arrays import heights_of
from swerve.city.people.behaviours import SeekTo
from swerve.core.errors import BadInput

WALKER = Walker(step=0.2, clearance=0.3, column=0.25)
FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


def box(x0, y0, z0, x1, y1, z1):
    """Triangles (12, 3, 3) of a box."""
    corners = np.array([(x, y, z) for z in (z0, z1) for y in (y0, y1) for x in (x0, x1)], float)
    return np.array([corners[[a, *bc]] for a, b, c, d in FACES for bc in ((b, c), (c, d))])


def ground(*boxes):
    corners = np.concatenate([box(*one) for one in boxes])
    return walkable_mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), WALKER)


def samples(way):
    return np.concatenate([p + np.linspace(0, 1, 60)[:, None] * (q - p) for p, q in pairwise(way.points)])


def test_no_path_leads_through_a_hut_or_too_near_to_it():
    mesh = ground((0, 0, -0.2, 20, 20, 0), (8, 8, 0, 12, 12, 3))
    rng = np.random.default_rng(3)
    spots = rng.uniform(0.8, 19.2, (120, 2))
    away = np.maximum(np.abs(spots - 10) - 2, 0)
    spots = spots[np.hypot(*away.T) > 0.8]
    for a, b in zip(spots[:40], spots[40:80], strict=True):
        way = find_path(mesh, (*a, 0.0), (*b, 0.0))
        assert way is not None
        apart = np.maximum(np.abs(samples(way) - 10) - 2, 0)
        assert np.hypot(*apart.T).min() >= WALKER.clearance - 1e-6
    assert find_path(mesh, (10, 10, 0.0), (1, 1, 0.0)) is None or mesh.locate([10], [10], [0])[0] >= 0


def test_stairs_of_eighteen_centimetres_are_climbed_and_walls_are_not():
    steps = [(4 + 0.3 * k, 2, 0, 4 + 0.3 * (k + 1), 5, 0.18 * (k + 1)) for k in range(10)]
    top = (7, 0, 0, 12, 7, 1.8)
    mesh = ground((0, 0, -0.2, 7, 7, 0), top, *steps)
    way = find_path(mesh, (1, 1, 0.0), (11, 6, 1.8))
    assert way is not None
    x, y = samples(way).T
    assert ((y > 2) & (y < 5))[(x > 4.5) & (x < 6.9)].all()
    assert find_path(ground((0, 0, -0.2, 7, 7, 0), top), (1, 1, 0.0), (11, 6, 1.8)) is None


def test_a_doorway_must_be_high_and_wide_enough():
    def room(width, height):
        left, right = 5 - width / 2, 5 + width / 2
        return ground(
            (0, 0, -0.2, 10, 10, 0), (0, 5, 0, left, 5.3, 3), (right, 5, 0, 10, 5.3, 3),
            (left, 5, height, right, 5.3, 3),
        )  # fmt: skip

    ends = (5, 1, 0.0), (5, 9, 0.0)
    assert find_path(room(2.0, 2.2), *ends) is not None
    assert find_path(room(2.0, 1.5), *ends) is None and find_path(room(0.5, 2.2), *ends) is None


def hit(triangles, starts, ends):
    """Whether a segment (k,) meets any triangle (t, 3, 3)."""
    o, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    d = (ends - starts)[:, None]
    h = np.cross(d, v)
    det = np.sum(u * h, -1)
    f = 1 / np.where(np.abs(det) < 1e-12, np.inf, det)
    s = starts[:, None] - o
    a, q = f * np.sum(s * h, -1), np.cross(s, u)
    b, t = f * np.sum(d * q, -1), f * np.sum(v * q, -1)
    return ((f != 0) & (a >= 0) & (b >= 0) & (a + b <= 1) & (t >= 0) & (t <= 1)).any(axis=1)


def test_an_end_is_on_its_own_floor_or_there_is_no_way():
    """A start on a roof that is too small to stand on is not taken for the ground below it."""
    floor, roof = (0, 0, -0.2, 12, 12, 0), (5, 5, 2.6, 6.0, 6.0, 2.8)
    mesh = ground(floor, roof)
    assert find_path(mesh, (5.5, 5.5, 0.0), (1, 1, 0.0)) is not None
    assert find_path(mesh, (5.5, 5.5, 2.8), (1, 1, 0.0)) is None
    wide = ground(floor, (3, 3, 2.6, 9, 9, 2.8))
    assert find_path(wide, (5.5, 5.5, 2.8), (8, 8, 2.8)) is not None
    assert find_path(wide, (5.5, 5.5, 2.8), (1, 1, 0.0)) is None


def test_an_end_beside_the_mesh_is_drawn_to_it():
    mesh = ground((0, 0, -0.2, 20, 20, 0), (8, 8, 0, 12, 12, 3))
    way = find_path(mesh, (7.9, 10, 0.0), (19.9, 10, 0.0))
    assert way is not None
    assert mesh.locate(*way.points[[0, -1]].T).min() >= 0
    assert np.hypot(*(way.points[0] - (7.9, 10))) < 0.6
    assert find_path(mesh, (10, 10, 0.0), (1, 1, 0.0)) is None


def test_heights_along_a_way_follow_the_slope_it_goes_up():
    ramp = np.array([[(2, 0, 0), (8, 0, 3), (8, 4, 3)], [(2, 0, 0), (8, 4, 3), (2, 4, 0)]], float)
    corners = np.concatenate([box(-4, 0, -0.2, 2, 4, 0), ramp, box(8, 0, 2.8, 14, 4, 3)])
    walker = Walker(step=0.2, clearance=0.3, column=0.25)
    mesh = walkable_mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), walker)
    way = find_path(mesh, (-3, 2, 0.0), (13, 2, 3.0))
    x, _, z = way.over(mesh).T
    assert np.abs(z - np.interp(x, [2, 8], [0, 3])).max() < 0.2
    characters = Characters()
    characters.add(PERSON, 1)
    people = People(mesh, characters, positions=way.points[:1], behaviours=[SeekTo(target=(13, 2))])
    for _ in range(130):
        people.advance(0.1)
        motion = people.motion()
        feet = float(motion.z[0]) - people.height[0] / 2
        assert feet == pytest.approx(np.interp(motion.x[0], [2, 8], [0, 3]), abs=0.2)
    assert motion.x[0] > 9.0
    assert int(mesh.locate(5, 2, 1.5, within=0.3)[0]) >= 0 > int(mesh.locate(5, 2, 3.0, within=0.3)[0])


def test_ways_over_a_model_of_somebody_else_hit_nothing(shared_data):
    path = shared_data / "meshes" / "nav_test.obj"
    if not path.exists():
        pytest.skip("no mesh")
    walker = Walker(step=0.4, column=0.5, clearance=0.5)
    mesh = read_obj(path, walker=walker)
    rows = [line.split() for line in path.read_text().splitlines()]
    points = np.array([row[1:4] for row in rows if row[:1] == ["v"]], float)[:, [0, 2, 1]] * (1, -1, 1)
    solid = points[[[int(word.split("/")[0]) - 1 for word in row[1:4]] for row in rows if row[:1] == ["f"]]]
    rng = np.random.default_rng(11)
    part = mesh.parts()
    pairs = [(a, rng.choice(np.flatnonzero(part == part[a]))) for a in rng.choice(len(mesh), 12)]
    for a, b in pairs:
        ends = [(*mesh.centre[c], *heights_of(mesh.arrays, np.array([c]), mesh.centre[[c]])) for c in (a, b)]
        way = find_path(mesh, *ends)
        assert way is not None
        for above in (walker.step + 0.1, 0.9, 1.7):
            places = way.over(mesh, 0.5) + np.array([0, 0, above])
            assert not hit(solid, places[:-1], places[1:]).any()


def test_people_walk_on_a_model_of_somebody_else(shared_data):
    path = shared_data / "meshes" / "nav_test.obj"
    if not path.exists():
        pytest.skip("no mesh")
    mesh = read_obj(path, walker=Walker(step=0.4, column=0.5, clearance=0.5))
    assert (mesh.area > 0).all()
    characters = Characters()
    characters.add(PERSON, 20)
    people = People(mesh, characters, seed=1)
    before = people.motion()
    for _ in range(50):
        people.advance(0.1)
    after = people.motion()
    assert np.hypot(after.x - before.x, after.y - before.y).max() > 2.0
    assert (mesh.locate(after.x, after.y, after.z) >= 0).all()


@pytest.mark.parametrize("far", [1e12, 1e200, 1.7e308])
def test_a_model_without_end_is_refused_before_memory_is_taken(far):
    points = [[-far, 0.0, 0.0], [far, 0.0, 0.0], [0.0, far, 0.0]]
    with pytest.raises(BadInput, match="must leave at most"):
        walkable_mesh(points, [[0, 1, 2]])


def test_a_doorway_a_little_wider_than_a_walker_needs_is_found():
    """With nothing said of how finely to look: 80 cm for a clearance of 30."""
    wall = ((0, 5.03, 0, 3.11, 5.2, 2.5), (3.91, 5.03, 0, 10, 5.2, 2.5))
    corners = np.concatenate([box(*one) for one in ((0, 0, -0.2, 10, 10, 0), *wall)])
    mesh = walkable_mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    way = find_path(mesh, (8, 2, 0.0), (8, 8, 0.0))
    assert way is not None
    x, y = samples(way).T
    through = (y > 5.03) & (y < 5.2)
    assert x[through].min() > 3.11 + 0.3 - 1e-6 and x[through].max() < 3.91 - 0.3 + 1e-6
