"""Road networks as arrays: strips meet, turns can be driven, conflicts are symmetric and complete."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.city import grid
from swerve.city.roads.roads import CONNECTOR, LANE, LEFT, LIGHT, RIGHT, STRAIGHT
from swerve.city.roads.routes import is_strongly_connected


@pytest.fixture(scope="module")
def roads():
    return grid(4, 3).roads


def ends_meet(roads):
    """Largest jump in place [m] and heading [rad] from any strip to any that follows."""
    source = np.repeat(np.arange(len(roads)), np.diff(roads.after_first))
    end, start = roads.first[source + 1] - 1, roads.first[roads.after]
    turn = (roads.heading[end] - roads.heading[start] + np.pi) % (2 * np.pi) - np.pi
    return np.hypot(roads.x[end] - roads.x[start], roads.y[end] - roads.y[start]).max(), np.abs(turn).max()


def test_strips_meet_without_a_jump(roads):
    place, heading = ends_meet(roads)
    assert place < 1e-6 and heading < 1e-6


def test_turns_can_be_driven(roads):
    assert np.abs(roads.curvature).max() <= 1 / 6.0
    step = np.abs(np.diff(roads.curvature))
    within = np.ones(len(step), bool)
    within[roads.first[1:-1] - 1] = False
    assert step[within].max() < 0.06  # ramps, no jumps, from metre to metre


def test_a_left_turn_is_one_arc(roads):
    for i in np.flatnonzero((roads.kind == CONNECTOR) & (roads.turn == LEFT)):
        bend = roads.curvature[roads.first[i] : roads.first[i + 1]]
        assert bend.min() > -1e-9
        rising = np.sign(np.round(np.diff(bend), 9))
        changes = np.diff(rising[rising != 0])
        assert (changes != 0).sum() == 1  # up, then down, once


def test_stations_and_lengths_agree_with_the_points(roads):
    chord = np.hypot(np.diff(roads.x), np.diff(roads.y))
    for i in range(0, len(roads), 7):
        a, b = roads.first[i], roads.first[i + 1]
        assert roads.station[a] == 0 and roads.station[b - 1] == pytest.approx(roads.length[i])
        assert chord[a : b - 1].sum() == pytest.approx(roads.length[i], rel=2e-3)


def test_every_lane_reaches_every_other(roads):
    assert is_strongly_connected(roads)
    assert (np.diff(roads.after_first) > 0).all() and (np.diff(roads.before_first) > 0).all()


def test_neighbours_and_opposites(roads):
    inner = np.flatnonzero(roads.inner >= 0)
    assert len(inner) and (roads.outer[roads.inner[inner]] == inner).all()
    assert (roads.road[roads.inner[inner]] == roads.road[inner]).all()
    lone = np.flatnonzero(roads.opposite >= 0)
    assert (roads.opposite[roads.opposite[lone]] == lone).all()
    x, y, heading = roads.place(lone, roads.length[lone] / 2)
    ox, oy, other = roads.place(roads.opposite[lone], roads.length[roads.opposite[lone]] / 2)
    assert np.hypot(x - ox, y - oy) == pytest.approx(3.5)
    assert np.cos(heading - other) == pytest.approx(-1.0)


def test_place_goes_on_straight_and_to_the_left():
    roads = grid(3, 2).roads
    lane = np.flatnonzero((roads.kind == LANE) & (np.abs(roads.heading[roads.first[:-1]]) < 1e-9))[:1]
    x, y, heading = roads.place(lane, np.array([-2.0]), 1.0)
    assert x[0] == pytest.approx(roads.x[roads.first[lane[0]]] - 2.0)
    assert y[0] == pytest.approx(roads.y[roads.first[lane[0]]] + 1.0)
    assert heading[0] == pytest.approx(0.0)


def test_nearest_finds_places_again(roads):
    rng = np.random.default_rng(3)
    lanes = np.flatnonzero(roads.kind == LANE)
    strip = rng.choice(lanes, 200)
    station = rng.random(200) * roads.length[strip]
    x, y, _ = roads.place(strip, station, 0.4)
    found, at, lateral = roads.nearest(x, y)
    assert (found == strip).all()
    assert at == pytest.approx(station, abs=1e-6) and lateral == pytest.approx(0.4)


def test_turns_obey_lanes_and_lights(roads):
    connectors = np.flatnonzero(roads.kind == CONNECTOR)
    source = roads.before[roads.before_first[connectors]]
    arms = np.array(
        [len(set(roads.road[source[roads.junction[connectors] == j]])) for j in roads.junction[connectors]]
    )
    crossing = arms > 2
    right, left = roads.turn[connectors] == RIGHT, roads.turn[connectors] == LEFT
    assert (roads.lane[source[crossing & right]] == 0).all()
    assert (roads.inner[source[crossing & left]] == -1).all()
    assert (roads.control[connectors[crossing]] == LIGHT).all()
    assert (roads.light[connectors[crossing]] >= 0).all()
    assert (roads.light[connectors[~crossing]] == -1).all()


def test_oncoming_traffic_goes_before_left_turns():
    roads = grid(3, 3).roads
    seen = 0
    for i in np.flatnonzero((roads.junction == 4) & (roads.turn == LEFT) & (roads.kind == CONNECTOR)):
        for c in range(roads.conflict_first[i], roads.conflict_first[i + 1]):
            other = roads.conflict_with[c]
            h, o = roads.heading[roads.first[[i, other]]]
            if roads.turn[other] == STRAIGHT and np.cos(h - o) < -0.99:
                assert roads.conflict_rank[c] == -1
                seen += 1
    assert seen == 8


def conflict_owner(roads):
    return np.repeat(np.arange(len(roads)), np.diff(roads.conflict_first))


def test_conflicts_are_symmetric(roads):
    owner = conflict_owner(roads)
    pairs = {(a, b): k for k, (a, b) in enumerate(zip(owner, roads.conflict_with, strict=True))}
    back = np.array([pairs[b, a] for a, b in pairs])
    assert (roads.conflict_from == roads.conflict_other_from[back]).all()
    assert (roads.conflict_to == roads.conflict_other_to[back]).all()
    assert (roads.conflict_rank == -roads.conflict_rank[back]).all()
    assert (roads.junction[owner] == roads.junction[roads.conflict_with]).all()


def drive_through(roads, strip, length, width, wheelbase, front):
    """Stations of the front bumper and outlines (k, 4, 2) of a body whose front axle keeps to a connector."""
    step = 0.05
    stations = np.arange(0.0, roads.length[strip] + length, step)
    x, y, direction = roads.place(np.full(len(stations), strip), stations)
    heading = np.empty(len(stations))
    heading[0] = direction[0]
    for k in range(1, len(stations)):
        heading[k] = heading[k - 1] + step * np.sin(direction[k - 1] - heading[k - 1]) / wheelbase
    some = slice(None, None, 14)
    c, s = np.cos(heading[some, None]), np.sin(heading[some, None])
    u = front - length * np.array([0, 1, 1, 0])
    v = width / 2 * np.array([1, 1, -1, -1])
    outline = np.stack([x[some, None] + c * u - s * v, y[some, None] + s * u + c * v], -1)
    return stations[some] + front, outline


def overlaps(one, other):
    """Which of the boxes (k, 4, 2) and (m, 4, 2) overlap, (k, m): no side of either separates them."""
    apart = np.zeros((len(one), len(other)), bool)
    for boxes, first in ((one, True), (other, False)):
        for edge in (boxes[:, 1] - boxes[:, 0], boxes[:, 2] - boxes[:, 1]):
            # corners of both along the sides of one
            own = np.einsum("kc,kpc->kp", edge, boxes)
            foreign = np.einsum("kc,mpc->kmp", edge, other if first else one)
            gone = (foreign.min(-1) > own.max(-1)[:, None]) | (foreign.max(-1) < own.min(-1)[:, None])
            apart |= gone if first else gone.T
    return ~apart


def check_conflicts_are_complete(roads, junction, length, width, wheelbase, front):
    """Whoever overlaps stands in the stretches of a known conflict; gives how many overlaps were seen."""
    strips = np.flatnonzero((roads.kind == CONNECTOR) & (roads.junction == junction))
    drives = {i: drive_through(roads, i, length, width, wheelbase, front) for i in strips}
    owner = conflict_owner(roads)
    rows = {(a, b): k for k, (a, b) in enumerate(zip(owner, roads.conflict_with, strict=True))}
    seen = 0
    for a in strips:
        for b in strips[strips > a]:
            i, j = np.nonzero(overlaps(drives[a][1], drives[b][1]))
            front_a, front_b = drives[a][0][i], drives[b][0][j]
            # behind the connectors' ends the lanes' own order rules
            on = (front_a - length < roads.length[a]) & (front_b - length < roads.length[b])
            if not on.any():
                continue
            seen += on.sum()
            k = rows[a, b]
            assert (front_a[on] > roads.conflict_from[k]).all()
            assert (front_a[on] - length < roads.conflict_to[k]).all()
            assert (front_b[on] > roads.conflict_other_from[k]).all()
            assert (front_b[on] - length < roads.conflict_other_to[k]).all()
    return seen


@settings(max_examples=7)
@given(
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1, 4]),
    st.floats(3.0, 6.5),
    st.floats(1.5, 2.5),
    st.floats(0.55, 0.62),
)
def test_conflicts_are_complete(lanes, junction, length, width, share):
    roads = grid(3, 3, lanes=lanes).roads
    assert check_conflicts_are_complete(roads, junction, length, width, share * length, 0.15 * length) > 100


def test_conflicts_are_not_everything(roads):
    """Opposite left turns pass each other, and so do parallel lanes."""
    owner = conflict_owner(roads)
    h = roads.heading[roads.first[:-1]]
    opposite = np.cos(h[owner] - h[roads.conflict_with]) < -0.99
    both = (roads.turn[owner] == LEFT) & (roads.turn[roads.conflict_with] == LEFT)
    assert not (opposite & both).any()
    straight = (roads.turn[owner] == STRAIGHT) & (roads.turn[roads.conflict_with] == STRAIGHT)
    assert (np.abs(np.sin(h[owner] - h[roads.conflict_with]))[straight] > 0.9).all()


def test_strips_near_a_point_are_all_found():
    roads = grid(3, 3).roads
    rng = np.random.default_rng(2)
    sampled = np.repeat(np.arange(len(roads)), 60)
    along = np.tile(np.linspace(0.0, 1.0, 60), len(roads)) * roads.length[sampled]
    sx, sy, _ = roads.place(sampled, along)
    for x, y in rng.uniform(-20.0, 420.0, (40, 2)):
        strips, stations = roads.near(x, y, 12.0)
        px, py, _ = roads.place(strips, stations)
        assert (np.hypot(px - x, py - y) <= 12.0 + 3.0).all()
        assert set(sampled[np.hypot(sx - x, sy - y) <= 12.0]) <= set(strips)
        assert (np.diff(strips) > 0).all()
    assert len(roads.near(-500.0, -500.0, 12.0)[0]) == 0
