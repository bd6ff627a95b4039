"""Meshes of convex cells, and ways over them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swerve.city import grid
from swerve.city.ground import Mesh, Walker, find_path, mesh_of_town, mesh_of_triangles, read_obj
from swerve.city.ground.mesh import CROSSWALK, PAVEMENT, WALKABLE
from swerve.city.ground.mesh_cut import convex_cells
from swerve.core.errors import BadInput


def area(ring):
    x, y = np.asarray(ring, float).T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def is_convex(ring):
    a, b = ring - np.roll(ring, 1, 0), np.roll(ring, -1, 0) - ring
    return bool((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] > -1e-7).all())


@given(st.integers(0, 10_000), st.integers(5, 24))
def test_cells_of_any_star_are_convex_and_cover_it(seed, corners):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
    angle += np.linspace(0, 1e-3, corners)
    if np.diff(angle, append=angle[0] + 2 * np.pi).max() > 3.0:
        return
    radius = rng.uniform(4.0, 10.0, corners)
    outline = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1)
    hole = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    cells = convex_cells(outline, [hole] if corners > 8 and radius.min() > 5 else [])
    assert all(is_convex(cell) for cell in cells)
    whole = area(outline) - (1.0 if corners > 8 and radius.min() > 5 else 0.0)
    assert sum(area(cell) for cell in cells) == pytest.approx(whole, abs=1e-6)


def test_a_polygon_that_crosses_itself_is_refused():
    with pytest.raises(BadInput, match="crosses itself"):
        convex_cells([(0, 0), (4, 4), (4, 0), (0, 4), (-3, 1)])
    with pytest.raises(BadInput, match="holes"):
        convex_cells([(0, 0), (4, 0), (4, 4), (0, 4)], [[(9, 9), (10, 9), (9, 10)]])


def test_edges_that_overlap_in_part_are_joined():
    mesh = Mesh.from_cells([[(0, 0), (9, 0), (9, 1), (0, 1)], [(3, 1), (6, 1), (6, 4), (3, 4)]])
    assert mesh.neighbours(0).tolist() == [1] and mesh.neighbours(1).tolist() == [0]
    lengths = np.hypot(*(mesh.borders()[:, 2:] - mesh.borders()[:, :2]).T)
    assert lengths.sum() == pytest.approx(20 + 12 - 2 * 3)


def test_a_string_is_as_tight_as_can_be():
    room = Mesh.from_polygon([(0, 0), (10, 0), (10, 10), (0, 10)], [[(4, 0.2), (6, 0.2), (6, 8), (4, 8)]])
    under = find_path(room, (1, 1), (9, 1))
    assert under.length == pytest.approx(2 * np.hypot(3, 0.8) + 2)
    rooms = [[(0, 0), (4, 0), (4, 9), (0, 9)], [(5, 0), (9, 0), (9, 9), (5, 9)]]
    doors = [[(4, 1), (5, 1), (5, 1.4), (4, 1.4)], [(4, 7), (5, 7), (5, 9), (4, 9)]]
    house = Mesh.from_cells([*rooms, *doors])
    assert find_path(house, (1, 1.2), (8, 1.2)).length == pytest.approx(7.0)
    wide = find_path(house, (1, 1.2), (8, 1.2), radius=0.25)  # too wide for the door of 0.4 m
    assert wide.length == pytest.approx(2 * np.hypot(3, 6.05) + 1, rel=0.01)
    walled = find_path(room, (1, 1), (9, 1), allowed=np.arange(len(room)) < 0)
    assert walled is None


def to_walls(points, walls):
    """Distance of points (k, 2) from the nearest of walls (w, 4)."""
    a, b = walls[:, :2], walls[:, 2:]
    share = ((points[:, None] - a) * (b - a)).sum(-1) / ((b - a) ** 2).sum(-1)
    foot = a + np.clip(share, 0, 1)[..., None] * (b - a)
    return np.hypot(*np.moveaxis(points[:, None] - foot, -1, 0)).min(axis=1)


@pytest.mark.parametrize("radius", [0.3, 1.5])
def test_ways_keep_the_radius_from_walls_all_along(radius):
    """Legs between two corners too: they passed 4 cm from the corner of a hole."""
    outer = [(0, 0), (40, 0), (40, 30), (25, 30), (25, 12), (22, 12), (22, 30), (0, 30)]
    holes = [[(8, 8), (14, 7), (15, 14), (9, 16)], [(30, 5), (36, 5), (36, 10), (30, 10)]]
    room = Mesh.from_polygon(outer, holes=holes)
    walls = np.vstack(
        [np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in map(np.array, (outer, *holes))]
    )
    spots = np.random.default_rng(9).uniform((0, 0), (40, 30), (200, 2))
    clear = (room.locate(*spots.T) >= 0) & (to_walls(spots, walls.astype(float)) > radius + 0.05)
    ends = (
        np.vstack([[(7.176, 10.382), (37.925, 17.2)], spots[clear][:20]]) if radius < 1 else spots[clear][:20]
    )
    for a, b in ends.reshape(-1, 2, 2):
        way = find_path(room, a, b, radius=radius)
        legs = [p + np.linspace(0, 1, 200)[:, None] * (q - p) for p, q in pairwise(way.points)]
        assert to_walls(np.concatenate(legs), walls.astype(float)).min() >= radius - 1e-5
        assert way.length < 1.2 * find_path(room, a, b).length + radius
        assert (room.locate(*np.concatenate(legs).T) >= 0).all()
        assert all(nxt in room.neighbours(int(cell)) for cell, nxt in pairwise(way.cells))


def test_ends_too_near_to_walls_are_left_by_the_nearest_way():
    room = Mesh.from_polygon([(0, 0), (10, 0), (10, 10), (0, 10)], [[(4, 2), (6, 2), (6, 8), (4, 8)]])
    way = find_path(room, (3.95, 5), (6.05, 5), radius=0.5)
    walls = np.array([(4, 2, 6, 2), (6, 2, 6, 8), (6, 8, 4, 8), (4, 8, 4, 2)], float)
    assert way.points[0].tolist() == [3.95, 5.0] and way.points[-1].tolist() == [6.05, 5.0]
    inner = [p + np.linspace(0, 1, 50)[:, None] * (q - p) for p, q in pairwise(way.points[1:-1])]
    assert to_walls(np.concatenate(inner), walls).min() >= 0.5 - 1e-5


def test_constraints_and_prices_choose_the_way():
    rings = [[(x, y), (x + 5, y), (x + 5, y + 5), (x, y + 5)] for y in (0, 5) for x in (0, 5, 10)]
    mesh = Mesh.from_cells(rings, surface=[2, 3, 2, 2, 2, 2], noise=[0.0] * 6)
    start, goal = (1, 1), (14, 1)
    assert find_path(mesh, start, goal).cells.tolist() == [0, 1, 2]
    assert find_path(mesh, start, goal, mesh.allowed(surface=WALKABLE)).cells.tolist() == [0, 3, 4, 5, 2]
    dear = find_path(mesh, start, goal, price=np.where(mesh.data["surface"] == 3, 9.0, 1.0))
    assert 1 not in dear.cells
    assert mesh.allowed(surface=range(1, 3)).tolist() == [True, False, True, True, True, True]
    with pytest.raises(BadInput, match="colour"):
        mesh.allowed(colour=1)


def test_a_towns_pavements_are_one_mesh_and_roads_are_crossed_on_crosswalks_only():
    town = grid(3, 3)
    mesh = mesh_of_town(town)
    assert (mesh.data["tag"] == "crosswalk").sum() == len(town.roads.crossings)
    points = mesh.random_points(np.random.default_rng(0), 60, mesh.allowed(surface=PAVEMENT))
    assert (mesh.data["surface"][mesh.locate(*points.T)] == PAVEMENT).all()
    for a, b in zip(points[:30], points[30:], strict=True):
        way = find_path(mesh, a, b, radius=0.3)
        between = np.concatenate(
            [p + np.linspace(0, 1, 200)[:, None] * (q - p) for p, q in pairwise(way.points)]
        )
        assert (mesh.locate(*between.T) >= 0).all()
    across = find_path(mesh, (100, -8), (100, 8))
    assert (mesh.data["surface"][across.cells] == CROSSWALK).sum() >= 1
    assert find_path(mesh, (100, -8), (100, 8), mesh.allowed(surface=PAVEMENT)) is None


def test_triangles_too_steep_are_left_out():
    points = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (8, 0, 8), (8, 4, 8)]
    mesh = mesh_of_triangles(points, [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)])
    assert len(mesh) == 1 and mesh.area.sum() == pytest.approx(16.0)
    steeper = mesh_of_triangles(points, [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)], np.radians(80))
    assert len(steeper) == 2 and steeper.data["slope"].max() > 1.0


def test_obj_files_are_read_and_broken_ones_named(shared_data, tmp_path):
    path = shared_data / "meshes" / "nav_test.obj"
    if not path.exists():
        pytest.skip("no mesh")
    mesh = read_obj(path, walker=Walker(step=0.4, column=0.5))
    assert len(mesh) > 100
    part = mesh.parts()
    ground = np.flatnonzero(part == np.bincount(part, mesh.area).argmax())
    height = [mesh.arrays.z[mesh.arrays.corner[mesh.arrays.first[c]]] for c in ground]
    spots = [(*mesh.centre[c], z) for c, z in zip(ground, height, strict=True)][:: len(ground) // 8]
    assert all(find_path(mesh, a, b) is not None for a in spots for b in spots)
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nv 1 0 0\nf 1 2 3\n")
    with pytest.raises(BadInput, match="line 3"):
        read_obj(bad)
