"""Waypoint networks, quadtrees, and what stitches contexts together."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swerve.city import PERSON, Characters, People
from swerve.city.ground import (
    Mesh,
    MetaConnection,
    MetaNetwork,
    QuadTree,
    WaypointNetwork,
    graph_of,
    mesh_of,
)
from swerve.city.people.behaviours import SeekTo
from swerve.core.errors import BadInput


def box(x, y, w, h):
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], float)


@pytest.fixture(scope="module")
def ladder():
    """Two rails of five waypoints with rungs, 10 m apart."""
    points = [(10 * i, 10 * j) for j in range(2) for i in range(5)]
    rails = [(i + 5 * j, i + 1 + 5 * j) for j in range(2) for i in range(4)]
    return WaypointNetwork(points, rails + [(i, i + 5) for i in range(5)], radius=1.5)


def test_waypoints_lead_the_shortest_way(ladder):
    path = ladder.path((-3, 0), (40, 12))
    assert path[0].tolist() == [-3, 0] and path[-1].tolist() == [40, 12]
    assert np.hypot(*np.diff(path, axis=0).T).sum() == pytest.approx(3 + 50 + 2)


def test_characters_follow_waypoints_to_their_targets(ladder):
    """A batch walks straight to the waypoint it heads for; all arrive, and none takes a detour."""
    rng = np.random.default_rng(0)
    targets = np.array([0, 4, 7])
    table = ladder.graph.next_towards(targets)
    x, y = rng.uniform(0, 40, 30), rng.uniform(0, 10, 30)
    target = rng.integers(3, size=30)
    current = np.full(30, -1)
    walked = np.zeros(30)
    for _ in range(400):
        current = ladder.head_for(x, y, current, target, table)
        dx, dy = ladder.points[current, 0] - x, ladder.points[current, 1] - y
        way = np.hypot(dx, dy)
        step = np.minimum(0.25, way)
        x, y = x + step * dx / np.maximum(way, 1e-9), y + step * dy / np.maximum(way, 1e-9)
        walked += step
    px, py = ladder.points[targets[target]].T
    assert np.hypot(x - px, y - py).max() < 1e-6
    assert walked.max() < 65


def test_one_way_edges():
    round_trip = WaypointNetwork([[0, 0], [10, 0], [5, 8]], [(0, 1), (1, 2), (2, 0)], one_way=True)
    assert round_trip.graph.way(1, 0) == [1, 2, 0]
    assert round_trip.neighbours(1).tolist() == [2]
    dead = WaypointNetwork([[0, 0], [10, 0]], [(0, 1)], one_way=True)
    assert dead.graph.way(1, 0) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: WaypointNetwork([], []),
        lambda: WaypointNetwork([[0, 0]], [(0, 1)]),
        lambda: WaypointNetwork([[0, 0], [1, np.nan]], []),
        lambda: WaypointNetwork([[0, 0]], [], radius=0),
        lambda: QuadTree((0, 0, 0, 5), []),
        lambda: QuadTree((0, 0, 5, 5), [], smallest=0),
        lambda: QuadTree((0, 0, 4, 4), [box(-1, -1, 9, 9)], smallest=1),
        lambda: MetaNetwork([], []),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(BadInput):
        make()


OBSTACLES = [box(20, 0, 3, 40), box(40, 24, 3, 40), box(5, 50, 6, 5)]


@pytest.fixture(scope="module")
def tree():
    return QuadTree((0, 0, 64, 64), OBSTACLES, smallest=1.0)


def test_free_squares_hold_no_obstacle(tree):
    rng = np.random.default_rng(1)
    for cell in rng.integers(len(tree), size=200):
        x, y = tree.corner[cell][:, None] + tree.size[cell] * rng.uniform(0.001, 0.999, (2, 20))
        for ring in OBSTACLES:
            (x0, y0), (x1, y1) = ring[0], ring[2]
            assert not ((x > x0) & (x < x1) & (y > y0) & (y < y1)).any()


@given(st.floats(0.01, 63.99), st.floats(0.01, 63.99))
def test_every_place_is_free_or_near_an_obstacle(x, y):
    tree = QuadTree((0, 0, 64, 64), OBSTACLES, smallest=1.0)
    cell = int(tree.locate(x, y)[0])
    if cell >= 0:
        low, size = tree.corner[cell], tree.size[cell]
        assert low[0] <= x <= low[0] + size and low[1] <= y <= low[1] + size
    else:
        near = [max(r[0][0] - x, x - r[2][0], r[0][1] - y, y - r[2][1]) for r in OBSTACLES]
        assert min(near) <= 1.0 + 1e-9


def test_open_ground_needs_few_cells(tree):
    free = 64 * 64 - sum(np.prod(ring[2] - ring[0]) for ring in OBSTACLES)
    assert tree.size.min() == 1.0 and tree.size.max() >= 8.0
    assert len(tree) < free / 4
    assert (tree.size**2).sum() == pytest.approx(free, rel=0.1)


def test_neighbours_are_mutual_and_share_a_side(tree):
    for cell in range(0, len(tree), 17):
        for other in tree.neighbours(cell):
            assert cell in tree.neighbours(other)
            door = np.array(tree.door(cell, other))
            for square in (cell, other):
                low, high = tree.corner[square], tree.corner[square] + tree.size[square]
                assert (door >= low - 1e-9).all() and (door <= high + 1e-9).all()


def test_paths_go_round_obstacles(tree):
    path = tree.path((5, 5), (60, 60))
    length = np.hypot(*np.diff(path, axis=0).T).sum()
    assert np.hypot(55, 55) < length < 130
    for a, b in pairwise(path):
        for x, y in a + np.linspace(0.01, 0.99, 9)[:, None] * (b - a):
            assert not any(r[0][0] < x < r[2][0] and r[0][1] < y < r[2][1] for r in OBSTACLES)
    assert len(tree.path((5, 5), (21, 10))) == 0  # inside a wall


def test_meta_connections_stitch_borders():
    left = QuadTree((0, 0, 32, 32), [box(10, 0, 2, 20)], smallest=2)
    right = QuadTree((32, 0, 64, 32), [], smallest=2)
    apart = MetaNetwork([left, right], [])
    assert apart.way((2, 2), (60, 2)) == []
    joined = MetaNetwork([left, right], [MetaConnection(0, (31, 16), 1, (33, 16))])
    way = joined.way((2, 2), (60, 2))
    owners = [joined.owner(cell)[0] for cell in way]
    assert owners[0] == 0 and owners[-1] == 1 and owners == sorted(owners)
    # not only the two cells of the connection: every cell along the border
    border = [c for c in range(len(left)) if left.corner[c, 0] + left.size[c] == 32]
    assert all(any(n >= len(left) for n in joined.neighbours(c)) for c in border)


def test_waypoints_lead_from_one_ground_to_another():
    """A bridge of waypoints between two grounds that do not touch."""
    west, east = QuadTree((0, 0, 16, 16), []), QuadTree((40, 0, 56, 16), [])
    bridge = WaypointNetwork([[14, 8], [28, 12], [42, 8]], [(0, 1), (1, 2)], radius=1.5)
    joins = [MetaConnection(0, (14, 8), 1, (14, 8)), MetaConnection(1, (42, 8), 2, (42, 8))]
    network = MetaNetwork([west, bridge, east], joins)
    way = network.way((2, 2), (54, 2))
    assert {network.owner(cell)[0] for cell in way} == {0, 1, 2}
    assert graph_of(bridge).way(0, 2) == [0, 1, 2]


def test_connections_must_lie_in_cells():
    grounds = [QuadTree((0, 0, 16, 16), []), QuadTree((20, 0, 36, 16), [])]
    with pytest.raises(BadInput, match="lies in no cell"):
        MetaNetwork(grounds, [MetaConnection(0, (18, 8), 1, (22, 8))])
    with pytest.raises(BadInput, match="context"):
        MetaNetwork(grounds, [MetaConnection(0, (1, 1), 2, (22, 8))])


def test_meshes_are_stitched_like_other_contexts():
    square, yard = (
        Mesh.from_cells([box(0, 0, 10, 10)]),
        Mesh.from_cells([box(10, 0, 10, 4), box(10, 4, 10, 6)]),
    )
    park = QuadTree((20, 0, 36, 16), [], smallest=2)
    joins = [MetaConnection(0, (9, 1), 1, (11, 1)), MetaConnection(1, (19, 1), 2, (21, 1))]
    network = MetaNetwork([square, yard, park], joins)
    assert set(network.neighbours(0)) == {1, 2}  # both cells of the yard touch the square
    way = network.way((1, 9), (30, 12))
    assert [network.owner(cell)[0] for cell in way][:3] == [0, 1, 2]
    assert MetaNetwork([square, yard, park], joins[:1]).way((1, 9), (30, 12)) == []


def walked(place, start, goal, seconds=14.0):
    """People who seek a goal on some ground: where they were at every step (k, 2), and the people."""
    characters = Characters()
    characters.add(PERSON, 1)
    people = People(place, characters, positions=np.array([start]), behaviours=[SeekTo(target=goal)])
    track = []
    for _ in range(round(seconds / 0.1)):
        people.advance(0.1)
        track.append((people.x[0], people.y[0]))
    return np.array(track), people


def test_people_walk_on_a_quadtree_round_what_stands_there():
    wall = np.array([[7.0, 0.0], [9.0, 0.0], [9.0, 10.0], [7.0, 10.0]])
    track, _ = walked(QuadTree((0, 0, 16, 16), [wall], smallest=1.0), (3.0, 4.0), (13.0, 4.0), 18.0)
    assert np.hypot(*(track[-1] - (13, 4))) < 1.0
    assert not ((track[:, 0] > 7) & (track[:, 0] < 9) & (track[:, 1] < 10)).any() and track[:, 1].max() > 10


def test_people_walk_along_waypoints():
    network = WaypointNetwork([[0, 0], [8, 0], [8, 8], [0, 8]], [(0, 1), (1, 2), (2, 3)], radius=1.2)
    track, people = walked(network, (0.0, 0.0), (0.0, 8.0), 22.0)
    assert np.hypot(*(track[-1] - (0, 8))) < 1.0 and track[:, 0].max() > 6.5
    inside = [np.hypot(*(track - p).T) < 1.2 for p in network.points]
    along = [(np.abs(track[:, 1] - y) < 1.2) & (track[:, 0] < 9.2) for y in (0, 8)]
    assert np.any([*inside, *along, np.abs(track[:, 0] - 8) < 1.2], axis=0).all()
    assert (people.mesh.area > 0).all()
    with pytest.raises(BadInput, match="lead the same way"):
        mesh_of(WaypointNetwork([[0, 0], [8, 0], [9, 0.01]], [(0, 1), (0, 2)]))


def test_people_walk_over_connected_grounds():
    """From a park over a bridge of waypoints, which overlaps it, to a yard apart from the bridge."""
    park = QuadTree((0, 0, 16, 16), [box(6, 0, 2, 9)], smallest=1)
    bridge = WaypointNetwork([[14, 8], [28, 12], [40, 8]], [(0, 1), (1, 2)], radius=1.5)
    yard = Mesh.from_polygon([(44, 0), (60, 0), (60, 16), (44, 16)])
    joins = [MetaConnection(0, (14, 8), 1, (14, 8)), MetaConnection(1, (40, 8), 2, (46, 8))]
    network = MetaNetwork([park, bridge, yard], joins)
    mesh = mesh_of(network)
    assert mesh.parts().max() == 0
    area = sum(mesh_of(place).area.sum() for place in (park, bridge, yard))
    assert area - 12.0 < mesh.area.sum() < area  # what overlaps counts once
    track, _ = walked(network, (2.0, 2.0), (58.0, 4.0), 60.0)
    assert np.hypot(*(track[-1] - [58, 4])) < 1.0
    assert not ((track[:, 0] > 6) & (track[:, 0] < 8) & (track[:, 1] < 9)).any()
    assert (mesh.locate(*track.T) >= 0).all()
    # without the second connection nobody gets across; grounds that meet must be connected
    track, _ = walked(MetaNetwork([park, bridge, yard], joins[:1]), (2.0, 2.0), (58.0, 4.0), 40.0)
    assert track[:, 0].max() < 43.0
    with pytest.raises(BadInput, match="meet without a connection"):
        mesh_of(MetaNetwork([park, bridge], []))
