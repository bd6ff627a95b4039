"""Generated towns: connected, drivable, mirrored for the other hand, and walkable."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_roads import check_conflicts_are_complete, ends_meet

from swerve.city import grid, load_town, winding
from swerve.city.ground.mesh import PAVEMENT
from swerve.city.ground.mesh_of import mesh_of
from swerve.city.pictures import draw_town
from swerve.city.roads import find_routes
from swerve.city.roads.curves import SPACING, turning_loop
from swerve.city.roads.lights import GREEN, RED, YELLOW, SignalTimes, junction_lights
from swerve.city.roads.mirror import mirror_points, mirror_roads
from swerve.city.roads.roads import CONNECTOR, FREE, LANE, LEFT, LIGHT, RIGHT, STOP, U_TURN, YIELD
from swerve.city.roads.routes import is_strongly_connected
from swerve.city.towns.street_plan import Node, Street, StreetPlan, build_town
from swerve.core.errors import BadInput


@pytest.fixture(scope="module")
def crooked():
    return winding(0)


def inside_convex(ring, points):
    """Which points lie properly inside a counter-clockwise convex ring."""
    edge = np.roll(ring, -1, axis=0) - ring
    off = points[:, None] - ring
    return (edge[:, 0] * off[..., 1] - edge[:, 1] * off[..., 0] > 1e-6).all(axis=1)


@settings(max_examples=5)
@given(st.integers(0, 10_000), st.integers(3, 5), st.integers(3, 5))
def test_every_lane_of_every_town_reaches_every_other(seed, columns, rows):
    roads = winding(seed, columns, rows, pavements=False).roads
    assert is_strongly_connected(roads)
    assert roads.junctions == columns * rows
    place, heading = ends_meet(roads)
    assert place < 1e-5 and heading < 1e-5
    assert 1 / np.abs(roads.curvature).max() > 5.99


@settings(max_examples=10)
@given(
    st.integers(3, 6), st.integers(2, 5), st.floats(110, 400), st.integers(1, 3), st.booleans(), st.booleans()
)
def test_every_lane_of_every_grid_reaches_every_other(columns, rows, block, lanes, signals, pavements):
    roads = grid(columns, rows, block, lanes, signals, pavements=pavements).roads
    streets = columns * (rows - 1) + rows * (columns - 1)
    assert (roads.kind == LANE).sum() == 2 * lanes * streets
    assert is_strongly_connected(roads)
    assert 1 / np.abs(roads.curvature).max() > 5.99
    assert (roads.control == LIGHT).any() == signals


@pytest.mark.parametrize("make", [lambda **k: grid(4, 3, **k), lambda **k: winding(5, 4, 4, **k)])
def test_left_hand_is_the_mirror_of_right_hand(make):
    right, left = make(), make(left_hand=True)
    assert left.roads.left_hand and not right.roads.left_hand
    middle = (right.roads.y.min() + right.roads.y.max()) / 2
    expected = mirror_roads(right.roads, middle)
    for name in (
        "x",
        "y",
        "heading",
        "curvature",
        "turn",
        "after",
        "conflict_from",
        "conflict_rank",
        "light",
    ):
        assert (getattr(left.roads, name) == getattr(expected, name)).all()
    assert left.roads.crossings.ends == pytest.approx(expected.crossings.ends)
    assert left.paving == pytest.approx(mirror_points(right.paving, middle))
    # and traffic really keeps left: the oncoming lane lies to the right
    lane = np.flatnonzero(left.roads.opposite >= 0)
    x, y, heading = left.roads.place(lane, left.roads.length[lane] / 2)
    ox, oy, _ = left.roads.place(left.roads.opposite[lane], left.roads.length[left.roads.opposite[lane]] / 2)
    assert (np.cos(heading) * (oy - y) - np.sin(heading) * (ox - x) < -2.0).all()


def test_mirrored_twice_is_the_same(crooked):
    again = mirror_roads(mirror_roads(crooked.roads, 3.0), 3.0)
    assert again.y == pytest.approx(crooked.roads.y) and (again.turn == crooked.roads.turn).all()


def test_the_same_seed_gives_the_same_town():
    one, same, other = winding(3, 3, 3), winding(3, 3, 3), winding(4, 3, 3)
    assert (one.roads.x == same.roads.x).all() and (one.paving == same.paving).all()
    assert len(one.roads.x) != len(other.roads.x) or (one.roads.x != other.roads.x).any()


def test_a_town_has_all_kinds_of_junctions(crooked):
    roads = crooked.roads
    controls = set(roads.control[roads.kind == CONNECTOR])
    assert {FREE, YIELD, STOP, LIGHT} <= controls
    assert (roads.turn == U_TURN).any()
    assert len(set(roads.limit[roads.kind == LANE])) == 2
    assert len(crooked.obstacles) > 100 and len(roads.crossings) > 60


def test_conflicts_of_a_winding_junction_are_complete(crooked):
    roads = crooked.roads
    sizes = np.bincount(roads.junction[roads.kind == CONNECTOR])
    for junction in np.argsort(sizes)[-2:]:
        assert check_conflicts_are_complete(roads, junction, 6.0, 2.3, 3.6, 1.0) > 100


def test_who_yields_goes_second(crooked):
    roads = crooked.roads
    owner = np.repeat(np.arange(len(roads)), np.diff(roads.conflict_first))
    source = roads.before[roads.before_first[:-1]]
    a, b = roads.control[owner], roads.control[roads.conflict_with]
    crossing = source[owner] != source[roads.conflict_with]
    assert (roads.conflict_rank[crossing & (a == FREE) & (b == YIELD)] == 1).all()
    assert (roads.conflict_rank[crossing & (a == STOP) & (b == FREE)] == -1).all()
    assert (roads.conflict_rank[~crossing] == 0).all()


@pytest.mark.parametrize("make", [lambda: grid(3, 3), lambda: winding(0, 4, 4)])
def test_pavements_are_convex_and_off_the_road(make):
    place = make()
    for area in place.pavements:
        ring = area.points
        edge = np.roll(ring, -1, axis=0) - ring
        turn = edge[:, 0] * np.roll(edge[:, 1], -1) - edge[:, 1] * np.roll(edge[:, 0], -1)
        assert (turn > -1e-3).all(), area
    roads = place.roads
    # no driving path runs over a pavement
    strips = np.repeat(np.arange(len(roads)), 40)
    share = np.tile(np.linspace(0, 1, 40), len(roads))
    x, y, _ = roads.place(strips, share * roads.length[strips])
    points = np.stack([x, y], -1)
    for area in place.pavements:
        if area.tag == "pavement":
            low, high = area.points.min(axis=0), area.points.max(axis=0)
            near = points[((points >= low) & (points <= high)).all(axis=1)]
            assert not len(near) or not inside_convex(area.points, near).any()


@pytest.mark.parametrize("make", [lambda: grid(3, 3), lambda: winding(0, 4, 4)])
def test_crosswalks_lead_from_pavement_to_pavement(make):
    """Each end of a crosswalk is a side of a piece of pavement."""
    place = make()
    sides = np.concatenate([place.paving, np.roll(place.paving, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    middles, lengths = sides.mean(axis=1), np.hypot(*(sides[:, 0] - sides[:, 1]).T)
    crossings = place.roads.crossings
    for i in range(len(crossings)):
        for end in crossings.ends[i]:
            near = np.hypot(*(middles - end).T) < 0.01
            assert (np.abs(lengths[near] - crossings.width[i]) < 0.01).any()


def test_crossings_know_which_strips_they_cross(crooked):
    roads, crossings = crooked.roads, crooked.roads.crossings
    assert (np.diff(crossings.strip_first) > 0).all()
    middle = (crossings.from_ + crossings.to) / 2
    x, y, _ = roads.place(crossings.strip, middle)
    which = np.repeat(np.arange(len(crossings)), np.diff(crossings.strip_first))
    centre = crossings.corners.mean(axis=1)[which]
    assert np.hypot(x - centre[:, 0], y - centre[:, 1]).max() < crossings.length.max()
    assert (crossings.to - crossings.from_ > 2.5).all()
    assert (roads.kind[crossings.strip] == CONNECTOR).all()
    nearer = [np.hypot(x - crossings.ends[which, k, 0], y - crossings.ends[which, k, 1]) for k in (0, 1)]
    assert ((nearer[1] < nearer[0]) == (crossings.half == 1)).mean() > 0.95


def test_people_walk_while_the_traffic_they_cross_stands():
    """Whenever people may start or finish, the light of who drives straight over their crosswalk is red."""
    roads = grid(3, 3).roads
    crossings = roads.crossings
    which = np.repeat(np.arange(len(crossings)), np.diff(crossings.strip_first))
    straight = (roads.turn[crossings.strip] == 0) & (crossings.light[which] >= 0)
    seen = 0
    for t in np.arange(0.0, 160.0, 0.5):
        state = roads.lights.state(t)
        walking = state[crossings.light[which]] >= YELLOW
        driving = state[roads.light[crossings.strip]] == GREEN
        assert not (walking & driving & straight).any()
        seen += walking.sum()
    assert seen > 0


def test_left_turns_start_early():
    roads = grid(3, 3).roads
    left = np.flatnonzero((roads.junction == 4) & (roads.turn == LEFT) & (roads.kind == CONNECTOR))[0]
    source = roads.before[roads.before_first[left]]
    on = roads.after[roads.after_first[source] : roads.after_first[source + 1]]
    through = on[roads.turn[on] == 0][0]
    states = np.array(
        [roads.lights.state(t)[[roads.light[left], roads.light[through]]] for t in np.arange(0, 140, 0.5)]
    )
    early = (states[:, 0] == GREEN) & (states[:, 1] == RED)
    assert 2 * 6.0 / 0.5 - 4 <= early.sum() <= 2 * 6.0 / 0.5 + 4
    assert not ((states[:, 1] == GREEN) & (states[:, 0] == RED)).any()


def test_lights_count_down():
    lights = junction_lights([True, False], [14.0, 7.0], SignalTimes())
    for t in np.arange(0.0, 130.0, 0.7):
        now, left = lights.state(t), lights.until_change(t)
        assert (left > 0).all()
        for group in range(len(lights)):
            assert lights.state(t + left[group] - 1e-6)[group] == now[group]
            assert lights.state(t + left[group] + 1e-6)[group] != now[group]


@pytest.mark.parametrize("aside", [2.0, 3.5, 7.0, 10.5, 12.0, 13.0, 13.5, 14.0, 15.0, 20.0, 40.0])
def test_turning_loops_of_any_width(aside):
    loop = turning_loop((5.0, 2.0, 0.4), aside)
    assert np.abs(loop.curvature).max() <= 1 / 7 + 1e-9
    assert loop.heading[-1] - loop.heading[0] == pytest.approx(np.pi)
    gap = np.hypot(np.diff(loop.x), np.diff(loop.y))
    assert gap.max() < 1.01 * SPACING and gap.sum() == pytest.approx(loop.length, rel=2e-3)
    c, s = np.cos(0.4), np.sin(0.4)
    dx, dy = loop.x[-1] - 5.0, loop.y[-1] - 2.0
    assert (c * dx + s * dy, c * dy - s * dx) == pytest.approx((0.0, aside), abs=1e-6)


def test_routes_lead_to_their_targets(crooked):
    roads = crooked.roads
    lanes = np.flatnonzero(roads.kind == LANE)
    targets = lanes[[3, 40, 90]]
    routes = find_routes(roads, targets)
    assert np.isfinite(routes.time).all()
    for k, target in enumerate(targets):
        strip = np.arange(len(roads))
        for _ in range(400):
            moving = strip != target
            onward = np.where(moving, routes.next[k, strip], strip)
            faster = routes.time[k, onward] < routes.time[k, strip]
            assert faster[moving].all()
            strip = onward
        assert (strip == target).all()


def test_routes_refuse_what_is_no_strip(crooked):
    with pytest.raises(BadInput, match="target"):
        find_routes(crooked.roads, [10**6])


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"columns": 1}, "columns"),
        ({"rows": 0}, "rows"),
        ({"block": 20.0}, "block"),
        ({"lanes": 9}, "lanes"),
        ({"columns": 2, "rows": 2}, "columns and rows"),
    ],
)
def test_impossible_grids_are_refused(arguments, word):
    with pytest.raises(BadInput, match=word):
        grid(**arguments)


def test_pictures_of_towns(tmp_path, crooked):
    for place in (crooked, load_town("grid", left_hand=True)):
        path = draw_town(place, tmp_path / "town.png", time=20.0)
        assert path.stat().st_size > 20_000


def test_right_turns_hug_the_kerb(crooked):
    """Right turns are the tightest, and none is tighter than a car can turn."""
    roads = crooked.roads
    tight = np.array(
        [np.abs(roads.curvature[a:b]).max() for a, b in zip(roads.first[:-1], roads.first[1:], strict=True)]
    )
    turning = roads.kind == CONNECTOR
    assert np.median(tight[turning & (roads.turn == RIGHT)]) > np.median(
        tight[turning & (roads.turn == LEFT)]
    )


@pytest.mark.parametrize(
    ("far", "via", "word"),
    [(1e12, [(5e11, 30.0)], "long"), (1e308, [(-1e308, 0.0)], "long"), (900.0, [], None)],
)
def test_streets_without_end_are_refused_before_they_are_laid(far, via, word):
    nodes = (Node(0.0, 0.0), Node(far, 0.0))
    plan = StreetPlan("far", nodes, (Street(0, 1, via=tuple(via)),))
    if word is None:
        assert len(build_town(plan).roads) > 0
        return
    with pytest.raises(BadInput, match=word):
        build_town(plan)


@pytest.mark.parametrize("seed, buses", [(7301, False), (7302, False), (7304, True)])
def test_nobody_drives_over_a_pavement(seed, buses):
    """Ways across junctions, a metre to both sides, lie on no pavement; where people walk hangs together."""
    town = winding(seed, buses=buses)
    roads, mesh = town.roads, mesh_of(town)
    connectors = np.flatnonzero(roads.kind == CONNECTOR)
    strip = np.repeat(connectors, 40)
    station = np.tile(np.linspace(0.0, 1.0, 40), len(connectors)) * roads.length[strip]
    paved = mesh.allowed(surface=PAVEMENT)
    for aside in (-1.0, 0.0, 1.0):
        x, y, _ = roads.place(strip, station, aside)
        cell = mesh.locate(x, y)
        assert not paved[cell[cell >= 0]].any()
    _, size = np.unique(mesh.parts(), return_counts=True)
    assert size.max() > 0.9 * len(mesh)
