"""No way leads through a wall or past one too closely, gaps are found, and nothing better is thrown away.

`SWERVE_WALL_SEEDS=300` plans over as many random maps with walls, from the seed `SWERVE_WALL_FIRST` on.
"""

import os

import numpy as np
import pytest
from matplotlib.path import Path
from walls import touches, walled_map

from swerve.terrain import (
    PathOptions,
    Region,
    SurfacePath,
    Terrain,
    Trouble,
    Vehicle,
    fastest_path,
    rectangle,
)
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.fences import cell_borders
from swerve.terrain.gaps import passages, through
from swerve.terrain.grid import GridSearch
from swerve.terrain.refine import refine
from swerve.terrain.ways import candidates

SEEDS = int(os.environ.get("SWERVE_WALL_SEEDS", "2"))
FIRST = int(os.environ.get("SWERVE_WALL_FIRST", "2"))
CAR = Vehicle()
QUICK = PathOptions(paths=20, keep=2)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS))
def test_a_gap_of_one_and_a_half_widths_is_found_and_driven_clear_of_the_walls(seed):
    length, width, _ = CAR.size
    place = walled_map(np.random.default_rng(seed), width)
    regions = [Region(tuple(map(tuple, wall.tolist()))) for wall in place.walls]
    ground = Terrain.from_heights(np.zeros((11, 11)), place.size / 10, regions=regions)
    routes = fastest_path(ground, place.start, place.goal, CAR, options=QUICK)
    assert routes.feasible, routes.reason
    for route in routes.found:
        assert not touches(route.path.points[:, :2], place.walls, length, width)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS))
def test_a_wall_without_a_gap_or_with_one_narrower_than_the_body_is_not_passed(seed):
    place = walled_map(np.random.default_rng(seed), CAR.size[1], 0.9 * (seed % 2))
    regions = [Region(tuple(map(tuple, wall.tolist()))) for wall in place.walls]
    ground = Terrain.from_heights(np.zeros((11, 11)), place.size / 10, regions=regions)
    routes = fastest_path(ground, place.start, place.goal, CAR, options=QUICK)
    assert not routes.feasible and "closed between" in routes.reason


def test_lines_of_a_grid_do_not_turn_inside_narrow_gaps():
    """Finding: on one map the grid led through a gap with turns that the body could not take there, and the
    straight way through it was never tried (seed 91079)."""
    ground = Terrain.from_heights(np.zeros((11, 11)), 20.0).with_regions(
        rectangle(97, -1, 103, 98.5), rectangle(97, 101.5, 103, 201)
    )
    chains = passages(ground, CAR, 20.0)
    lines = np.array([[[95, 100], [105, 100]], [[92, 99.4], [101, 100]], [[80, 100], [90, 108]]], float)
    assert len(chains) and through(lines[:, 0], lines[:, 1], chains, ground.ground, CAR).tolist() == [1, 1, 0]
    for shape in ((11, 11), (21, 21)):  # lines of both run through the gap
        search = GridSearch(ground, CAR, (20.0, 150.0), (180.0, 150.0), shape, chains=chains)
        assert search.reaches
        for way in search.best(5):
            beside = np.interp([88.0, 112.0], way.points[:, 0], way.points[:, 1])
            assert np.abs(beside - 100.0).max() < 0.8


def test_the_check_sees_a_wall():
    wall = [np.array([[0.0, 50.0], [100.0, 50.0], [100.0, 50.2], [0.0, 50.2]])]
    y = np.linspace(0, 100, 30)
    assert touches(np.column_stack([np.full(30, 50.0), y]), wall, 4.0, 2.0)
    assert not touches(np.column_stack([y, np.full(30, 51.3)]), wall, 4.0, 2.0)
    assert touches(np.column_stack([y, np.full(30, 51.1)]), wall, 4.0, 2.0)


@pytest.mark.parametrize(("size", "thick"), [(1000.0, 0.2), (10_000.0, 0.2), (10_000.0, 5.0)])
def test_no_wall_is_too_thin_to_be_noticed(size, thick):
    ground = Terrain.from_heights(np.zeros((11, 11)), size / 10)
    shut = ground.with_regions(rectangle(-1, 0.5 * size, size + 1, 0.5 * size + thick))
    routes = fastest_path(shut, (0.1 * size, 0.1 * size), (0.9 * size, 0.9 * size), CAR, options=QUICK)
    assert not routes.feasible and "closed between" in routes.reason
    path, profile = PathProblem(shut, CAR).judged(np.array([[0.1, 0.1], [0.2, 0.6], [0.9, 0.9]]) * size)
    assert profile.first_trouble is not None and profile.first_trouble[1] is Trouble.OBSTACLE
    i = profile.first_trouble[0]
    assert path.points[i, 1] == pytest.approx(0.5 * size, abs=6.0)


def test_a_gap_that_no_grid_line_meets_is_found():
    """Finding: a wall with a gap of 30 m at x 410 to 440 was called closed."""
    ground = Terrain.from_heights(np.zeros((11, 11)), 100.0).with_regions(
        rectangle(-1, 480, 410, 520), rectangle(440, 480, 1001, 520)
    )
    routes = fastest_path(ground, (100, 100), (900, 900), CAR, options=QUICK)
    assert routes.feasible and routes.best.profile.time < 58.5


def test_a_gap_in_a_wall_of_many_corners_is_found():
    """Finding: gaps were looked for among at most 400 edges, and a wall as one digitises it has more."""
    walls = []
    for x0, x1 in ((-1.0, 430.0), (433.0, 1001.0)):
        x = np.linspace(x0, x1, 200)
        y = 500.0 + 8.0 * np.sin(x / 25.0)
        ring = np.vstack([np.column_stack([x, y - 1.0]), np.column_stack([x, y + 1.0])[::-1]])
        walls.append(Region(tuple(map(tuple, ring.tolist()))))
    ground = Terrain.from_heights(np.zeros((11, 11)), 100.0).with_regions(*walls)
    assert len(ground.ground.edges) > 600
    assert any(np.hypot(*(chain[2] - [431.5, 492.0])) < 3.0 for chain in passages(ground, CAR, 40.0))
    routes = fastest_path(ground, (700, 100), (700, 900), CAR, options=QUICK)
    assert routes.feasible, routes.reason
    line = routes.best.path.points[:, :2]
    assert not any(touches(line, [np.array(part)], *CAR.size[:2]) for wall in walls for part in _quads(wall))


def _quads(wall):
    """A band of corners, to and fro, as convex pieces."""
    ring = np.array(wall.corners)
    half = len(ring) // 2
    there, back = ring[:half], ring[half:][::-1]
    return [[there[i], there[i + 1], back[i + 1], back[i]] for i in range(half - 1)]


def test_a_place_is_closed_by_any_of_many_regions():
    """Which regions reach a place is looked up by squares of the map."""
    rng = np.random.default_rng(3)
    sizes = np.where(np.arange(300) % 9, 5.0, 40.0)[:, None, None]
    corners = rng.uniform(-20, 120, (300, 1, 2)) + sizes * rng.normal(0.0, 1.0, (300, 3, 2))
    regions = [Region(tuple(map(tuple, ring.tolist())), float(k % 3) / 2) for k, ring in enumerate(corners)]
    ground = Terrain.from_heights(np.zeros((6, 6)), 20.0).with_regions(*regions)
    places = rng.uniform(0, 100, (400, 2))
    expected = np.ones(len(places))
    for region in regions:
        inside = Path(region.corners).contains_points(places)
        expected = np.where(inside, np.minimum(expected, region.mobility), expected)
    assert (ground.mobility_at(*places.T) == expected).all()


def test_long_ways_are_looked_around_less(monkeypatch):
    """A look around costs as much as all the points of all its paths: on a map of 16 km that was seconds."""
    looks: list[float] = []

    def always_better(problem, spread, z, cost):
        looks.append(problem.terrain.extent[2])
        return np.repeat(z[None], 100, axis=0), np.full(100, 0.99 * cost)

    def level(problem, controls, most=np.inf):
        return 1.0 + 0.0 * problem.counted(controls[None])[0], 0.0 * controls

    monkeypatch.setattr("swerve.terrain.descend._around", always_better)
    monkeypatch.setattr(PathProblem, "slope", level)
    for size in (1000.0, 16000.0):
        ground = Terrain.from_heights(np.zeros((11, 11)), size / 10)
        refine(PathProblem(ground, CAR), np.array([[0.1, 0.1], [0.3, 0.3], [0.6, 0.6], [0.9, 0.9]]) * size)
    assert looks.count(1000.0) == 3 and 1 <= looks.count(16000.0) <= 2


def test_scattered_voids_are_driven_round():
    rng = np.random.default_rng(1)
    heights = np.zeros((101, 101))
    heights[rng.random(heights.shape) < 0.02] = np.nan
    heights[8:14, 8:14] = heights[86:93, 86:93] = 0.0
    ground = Terrain.from_heights(heights, 5.0)
    routes = fastest_path(ground, (55, 55), (445, 445), CAR, options=QUICK)
    assert routes.feasible and routes.best.profile.room.min() > 0.0
    for x, y, _ in routes.best.path.points[::5]:
        row, column = np.nonzero(np.isnan(heights))
        assert np.hypot(5.0 * column - x, 5.0 * row - y).min() > 2.5


def test_the_body_counts_and_not_only_its_middle():
    """A straight way 1.2 m beside a wall: a car of 2 m passes, one of 3 m does not."""
    ground = Terrain.from_heights(np.zeros((11, 11)), 10.0).with_regions(rectangle(20, 51.2, 80, 60))
    for width, passes in ((2.0, True), (3.0, False)):
        problem = PathProblem(ground, Vehicle(width=width))
        assert problem.judged(np.array([[5.0, 50], [50, 50], [95, 50]]))[1].feasible == passes


def test_an_end_speed_that_cannot_be_reached_is_no_success():
    """Finding: 40 m/s at the end of 20 m was called feasible and ended at 7.7 m/s."""
    from swerve.terrain import speed_profile

    ground = Terrain.from_heights(np.zeros((11, 11)), 10.0)
    profile = speed_profile(SurfacePath.from_controls(ground, [[10, 10], [30, 10]]), CAR, v_end=40.0)
    assert profile.first_trouble is not None and profile.first_trouble[1] is Trouble.TOO_SLOW


def test_doors_that_lie_badly_to_one_grid_are_found_by_another():
    """Two thin walls 30 m apart, a door of 20 m in each, half a kilometre from one to the other."""
    walls = [
        rectangle(0, 300, 700, 300.3), rectangle(720, 300, 1000, 300.3),
        rectangle(0, 330, 200, 330.3), rectangle(220, 330, 1000, 330.3),
    ]  # fmt: skip
    ground = Terrain.from_heights(np.zeros((41, 41)), 25.0).with_regions(*walls)
    routes = fastest_path(ground, (710.0, 100.0), (210.0, 900.0), CAR, options=QUICK)
    assert routes.feasible, routes.reason


def test_a_row_of_posts_does_not_hide_the_gap_of_a_wall_elsewhere():
    """Finding: of eighty gaps between posts the sixty narrowest were taken, and the only way through was not
    among them; and places on a grid's lines lay ever closer, from each line to the next."""
    wall = [rectangle(0, 500, 707.3, 503), rectangle(710.3, 500, 1000, 503)]
    posts = [rectangle(100 + 3.5 * i, 200, 101 + 3.5 * i, 201) for i in range(80)]
    ground = Terrain.from_heights(np.zeros((41, 41)), 25.0).with_regions(*wall, *posts)
    found = candidates(PathProblem(ground, CAR), (100.0, 100.0), (150.0, 900.0), (10, 10), 5)
    assert found.drivable
    middles = np.array([chain[2] for chain in passages(ground, CAR, 100.0)])
    assert np.hypot(*(middles - [708.8, 501.5]).T).min() < 5.0


def pair(apart, aside):
    """Two walls across a map of 2 km, each with a gap of 1.5 widths, one `aside` [m] of the other."""
    walls = []
    for y, gap in ((1000.0, 900.0), (1000.0 + apart, 900.0 + aside)):
        walls += [rectangle(-1, y, gap - 1.5, y + 1), rectangle(gap + 1.5, y, 2001, y + 1)]
    return Terrain.from_heights(np.zeros((11, 11)), 200.0).with_regions(*walls)


@pytest.mark.parametrize(("apart", "aside"), [(25.0, 15.0), (40.0, 200.0)])
def test_gaps_close_behind_each_other_are_found(apart, aside):
    """Finding: straight ways through one of them ended at the other wall, or turned too sharply behind it."""
    found = candidates(PathProblem(pair(apart, aside), CAR), (300.0, 100.0), (1700.0, 1900.0), (10, 10), 5)
    assert found.drivable


@pytest.mark.long
@pytest.mark.parametrize(("apart", "aside"), [(25.0, 15.0), (40.0, 200.0)])
def test_gaps_close_behind_each_other_are_driven(apart, aside):
    ground = pair(apart, aside)
    routes = fastest_path(ground, (300.0, 100.0), (1700.0, 1900.0), CAR, options=QUICK)
    walls = [np.array(region.corners) for region in ground.regions]
    assert routes.feasible and not touches(routes.best.path.points[:, :2], walls, *CAR.size[:2])


def test_gaps_of_a_fine_raster_are_found():
    """Finding: every cell of a wall was edges of its own, and among more than 6000 no gap was looked for."""
    x, y = np.meshgrid(np.arange(1001), np.arange(1001))
    mobility = np.ones(x.shape)
    for k, gap in ((250, 300), (500, 720), (750, 410)):
        wall = np.abs(y - k - 0.15 * (x - 500)) <= 2.0
        mobility[wall & ((x < gap) | (x >= gap + 4))] = 0.0
    ground = Terrain.from_heights(np.zeros((11, 11)), 100.0, mobility=mobility)
    middles = np.array([chain[2] for chain in passages(ground, CAR, 100.0)])
    for k, gap in ((250, 300), (500, 720), (750, 410)):
        assert np.hypot(*(middles - [gap + 1.5, k + 0.15 * (gap - 500)]).T).min() < 4.0


def test_borders_of_cells_are_as_long_as_they_go_straight():
    closed = np.zeros((5, 6), bool)
    closed[1:3, 1:5] = closed[2:4, 4] = True
    edges = cell_borders(closed, (0.0, 0.0), (2.0, 1.0))
    assert len(edges) == 6 and (np.abs(edges[:, 2:] - edges[:, :2]).sum(0) == [16.0, 6.0]).all()
    assert {tuple(edge) for edge in edges.tolist()} >= {(1.0, 0.5, 9.0, 0.5), (9.0, 0.5, 9.0, 3.5)}
