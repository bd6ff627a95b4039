"""The path manager's states, coarse paths refined ahead, and refiners in order."""

import numpy as np
import pytest

from swerve.city import PERSON, Characters, People, PeopleOptions
from swerve.city.ground import Mesh
from swerve.city.ground.mesh import PAVEMENT
from swerve.city.people.behaviours import SeekTo
from swerve.city.people.footing import empty_crowd
from swerve.city.people.paths import LevelOfDetail, Obstacles, PathManager, PathState, usual_refiners
from swerve.city.people.paths.manager import CELLS, NODES


def strip(cells, length=1.0):
    """A row of square cells along x."""
    return Mesh.from_cells(
        [[(k * length, 0), (k * length + length, 0), (k * length + length, 1), (k * length, 1)]
         for k in range(cells)], surface=[PAVEMENT] * cells, crossing=[-1] * cells,
    )  # fmt: skip


def manager(mesh, places, allowed=None):
    crowd = empty_crowd(len(places))
    crowd.x[:], crowd.y[:] = np.array(places, float).T
    crowd.radius[:] = 0.1
    crowd.cell[:] = mesh.locate(crowd.x, crowd.y)
    paths = PathManager(mesh, np.ones(len(mesh), bool) if allowed is None else allowed, len(places))
    paths.refiners = list(usual_refiners(mesh))
    return paths, crowd


def test_the_states_of_a_path():
    mesh = strip(CELLS + 40)
    split = np.ones(len(mesh), bool)
    split[10] = False
    places = [(0.5, 0.5)] * 6
    paths, crowd = manager(mesh, places)
    crowd.cell[1] = -1
    paths.ask(np.arange(1, 5), np.array([(5.5, 0.5), (5.5, 9.0), (5.5, 0.5), (CELLS + 30.5, 0.5)]))
    assert (paths.state[1:5] == PathState.PATHFINDING).all()
    paths.advance(crowd, 0.1)
    assert [PathState(s).name for s in paths.state[:5]] == [
        "IDLE", "UNKNOWN_SOURCE", "UNKNOWN_TARGET", "ENDS_AT_TARGET", "PARTIAL",
    ]  # fmt: skip
    blocked, crowd = manager(mesh, places[:1], split)
    blocked.ask(np.array([0]), np.array([(15.5, 0.5)]))
    blocked.advance(crowd, 0.1)
    assert blocked.state[0] == PathState.ENTIRE and blocked.cells[0, blocked.kept[0] - 1] == 9


def test_a_partial_path_is_continued_and_reaches_its_end():
    mesh = strip(CELLS + 40, 2.0)
    characters = Characters()
    characters.add(PERSON, 1, walking_speed=10.0, max_speed=12.0, max_acceleration=9.0)
    goal = (2.0 * (CELLS + 38), 0.5)
    crowd = People(
        mesh,
        characters,
        0,
        [SeekTo(target=goal)],
        positions=np.array([[1.0, 0.5]]),
        options=PeopleOptions(spread=0.0),
    )
    assert crowd.paths.state[0] == PathState.PARTIAL
    states = set()
    for _ in range(400):
        crowd.advance(0.1)
        states.add(int(crowd.paths.state[0]))
    assert PathState.PARTIAL in states and crowd.paths.state[0] == PathState.ENDS_AT_TARGET
    assert np.hypot(crowd.x[0] - goal[0], crowd.y[0] - goal[1]) < 1.0


def test_searches_are_shared_out_over_the_steps():
    mesh = strip(20)
    paths, crowd = manager(mesh, [(0.5, 0.5)] * 30)
    paths.ask(np.arange(30), np.tile([15.5, 0.5], (30, 1)))
    waiting = []
    for _ in range(4):
        paths.advance(crowd, 0.1, budget=8)
        waiting.append(int((paths.state == PathState.PATHFINDING).sum()))
    assert waiting == [22, 14, 6, 0]


def test_smoothing_leaves_nodes_at_corners_only():
    mesh = Mesh.from_polygon([(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (0, 2)])
    paths, crowd = manager(mesh, [(1.0, 1.0)])
    paths.ask(np.array([0]), np.array([(9.0, 9.0)]))
    paths.advance(crowd, 0.1)
    assert paths.nodes[0] == 2 <= NODES
    corner, end = paths.node[0, :2]
    assert np.hypot(*(corner - [8, 2])) < 0.5 and end == pytest.approx([9.0, 9.0])


def test_obstacles_are_gone_round_and_detail_follows_the_viewer():
    mesh = Mesh.from_polygon([(0, 0), (20, 0), (20, 6), (0, 6)])
    paths, crowd = manager(mesh, [(1.0, 3.0), (1.0, 3.0)])
    paths.refiners[1] = LevelOfDetail(viewer=lambda: (0.0, 0.0), near=5.0)
    paths.refiners[2] = Obstacles(np.array([(10.0, 3.1, 0.8)]))
    crowd.x[1] = 17.0
    paths.ask(np.arange(2), np.array([(19.0, 3.0)] * 2))
    paths.advance(crowd, 0.1)
    beside = paths.node[0, 0]
    assert paths.nodes.tolist() == [2, 1] and np.hypot(*(beside - [10.0, 3.1])) > 0.9
    assert beside[1] < 3.1  # the way was on that side of it already
    assert paths.interval[0] < paths.interval[1] and paths.look[0] > paths.look[1]


def test_a_refiner_in_a_dozen_lines():
    class Hesitant:
        """Slow down towards the next corner."""

        def refine(self, paths, crowd, rows):
            node = paths.node[rows, 0]
            away = np.hypot(node[:, 0] - crowd.x[rows], node[:, 1] - crowd.y[rows])
            paths.speed[rows] = np.minimum(paths.speed[rows], 0.3 + 0.5 * away)

    mesh = Mesh.from_polygon([(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (0, 2)])
    times = []
    for refiners in ([], [Hesitant()]):
        characters = Characters()
        characters.add(PERSON, 1)
        walker = People(
            mesh,
            characters,
            0,
            [SeekTo(target=(9.0, 9.0))],
            positions=np.array([[1.0, 1.0]]),
            options=PeopleOptions(spread=0.0),
        )
        walker.paths.refiners += refiners
        steps = 0
        while walker.y[0] < 8.0 and steps < 500:
            walker.advance(0.1)
            steps += 1
        times.append(steps)
    assert times[0] < times[1] < 500
