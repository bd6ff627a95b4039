"""The tree that holds bends: it closes, steers on across seams, and loses little against the car."""

from itertools import pairwise

import numpy as np
import pytest

from swerve.core.clips import mismatch, place_poses
from swerve.race import CarParameters, SearchOptions, Setting, Track, drive, load_car
from swerve.race.bends import HELD, REACHED, SLOWER, Leap, _found, _leaps
from swerve.race.car import FRAME, MAX_DRIVE, MAX_STEER_RATE, SUBSTEPS, Car
from swerve.race.driven import steering_figures
from swerve.race.envelope import top_speed
from swerve.race.guide import track_guide
from swerve.race.hubs import LATTICE, Hub, turning_hub
from swerve.race.moves import tolls
from swerve.race.pace import limits
from swerve.race.trees import SEAM


def ring(radius: float, half: float = 5.0) -> Track:
    """Clockwise where the radius is negative."""
    angle = np.linspace(0, 2 * np.pi, 600, endpoint=False)
    centre = np.column_stack([abs(radius) * np.cos(angle), radius * np.sin(angle)])
    return Track.from_centre("ring", centre, half, half, closed=True)


def test_it_closes_lies_on_the_lattice_and_is_mirrored(bends):
    assert bends.seams().max() < SEAM
    turns = np.array([clip.pose[-1, 2] for clip in bends.clips])
    assert np.abs(turns - np.round(turns / LATTICE) * LATTICE).max() < 1e-8
    rows = [(bends.node_names[a], bends.node_names[b], *np.round(c.pose[-1], 6)) for a, b, c in _rows(bends)]
    swap = {"left": "right", "right": "left"}

    def other(name: str) -> str:
        return " ".join(swap.get(word, word) for word in name.split())

    mirror = {(other(a), other(b), x, -y + 0.0, -turn + 0.0) for a, b, x, y, turn in rows}
    assert mirror == {(a, b, x, y + 0.0, turn + 0.0) for a, b, x, y, turn in rows}


def test_every_hub_is_reached_from_every_other(bends):
    n = len(bends.node_names)
    reach = np.eye(n, dtype=bool)
    for _ in range(n):
        for a, b in zip(bends.source, bends.target, strict=True):
            reach[:, b] |= reach[:, a]
    assert reach.all()


def test_the_wheel_goes_on_across_every_seam(bends):
    """From the last angle of any clip to the first of any that may follow, within what hands do."""
    first, last = (np.array([clip.controls[k, 0] for clip in bends.clips]) for k in (0, -1))
    for node in range(len(bends.node_names)):
        ends, starts = last[bends.target == node], first[bends.source == node]
        assert np.abs(ends[:, None] - starts[None]).max() <= MAX_STEER_RATE * FRAME + 1e-9
    for clip in bends.clips:
        assert np.abs(np.diff(clip.controls[:, 0])).max(initial=0.0) <= MAX_STEER_RATE * FRAME + 1e-9


def test_what_it_loses_against_the_car_is_bounded(bends):
    car = CarParameters()
    able = limits(car)
    speeds = sorted(float(u) for u, _, rate in bends.node_velocity if u > 0 and rate == 0.0)
    assert speeds[-1] >= REACHED * top_speed(car)
    u, v, rate = bends.node_velocity.T
    for speed in (s for s in speeds if s <= 0.9 * top_speed(car)):
        held = (np.hypot(u, v) * rate)[np.abs(u - speed) < 1e-6].max()
        assert held >= HELD * np.interp(speed, able.speed, able.lateral), speed
    for slow, fast in pairwise(s for s in speeds if s <= 0.9 * top_speed(car)):
        for start, end, pedal in ((slow, fast, MAX_DRIVE), (fast, slow, -MAX_DRIVE)):
            best = min(
                clip.frames
                for a, b, clip in _rows(bends)
                if mismatch(bends.node_velocity[a], [start, 0, 0]) < 1e-9
                and mismatch(bends.node_velocity[b], [end, 0, 0]) < 1e-9
            )
            assert best <= SLOWER * _full(start, end, pedal) + 2, (start, end)


def test_a_turn_that_is_held_stays_what_it_is(bends):
    """A lap of a circle, clip after clip, ends where it began: no drift, no saw."""
    node = bends.node_names.index("mf1 tight left")
    holds = [k for k in bends.out_of(node) if bends.target[k] == node]
    clip = bends.clips[min(holds, key=lambda k: bends.clips[k].frames)]
    laps = round(2 * np.pi / clip.pose[-1, 2])
    state = np.array([0.0, 0.0, 0.0, *clip.velocity[0]])
    for _ in range(laps):
        for steer, throttle, brake in clip.controls:
            for _ in range(SUBSTEPS):
                state = Car().step(state, steer, throttle, brake, FRAME / SUBSTEPS)
    assert np.hypot(*state[:2]) < 1e-5 and np.ptp(clip.controls[:, 0]) == 0.0


def test_any_bend_lies_between_two_turns_that_are_near_each_other(bends):
    """Once turns were up to a half apart, and a bend between two of them was sawn."""
    u, v, rate = bends.node_velocity[bends.node_velocity[:, 2] > 0].T
    radii = np.sort(np.hypot(u, v) / rate)
    radii = radii[(radii > 16.0) & (radii < 180.0)]
    assert (radii[1:] / radii[:-1]).max() < 1.17


def test_a_search_pays_for_hands_that_turn_and_for_turns_that_are_not_held(bends, large):
    paid = dict(zip((clip.name for clip in bends.clips), tolls(bends), strict=True))
    assert min(paid.values()) > -1e-9 and not tolls(large).any()
    assert paid["mf1 easy left 25"] < 1e-9 and 6.1 < paid["mf1 easy left>mf1 tight left 55"] < 7.0
    assert paid["mf1>mf1 tight left 35"] > 5.0


@pytest.mark.parametrize("radius", [21.0, -34.0, 34.0, 60.0])
def test_a_steady_bend_is_held_without_sawing(bends, radius):
    """Once the wheel turned back two or three times a second, and laps took a sixth longer than by line."""
    track = ring(radius)
    result = drive(track, bends, Setting(laps=3, planner="tree"))
    flying = steering_figures(result.controls[len(result.controls) // 3 :])
    assert result.finished and flying["steer_reversals_per_second"] < 0.5
    longest = 1.3 if abs(radius) < 35.0 else 1.2
    assert result.seconds < longest * drive(track, bends, Setting(laps=3, planner="line")).seconds


def test_nobody_gains_by_staying_in_front_of_the_line(bends):
    """Once the estimate rose by seconds at the end of the last lap, and a car turned round in front of it."""
    guide = track_guide(bends, ring(20.0))
    assert guide.value[-1].min() == pytest.approx(0.0, abs=1e-9)


def test_on_a_ring_it_is_faster_than_large_and_the_wheel_turns_back_less(bends, large):
    """`large` steers in and out of a bend again and again."""
    track = ring(46.0)
    setting = Setting(SearchOptions(nodes=3000, weight=1.3), laps=2, planner="tree")
    calm, saw = (drive(track, tree, setting) for tree in (bends, large))
    assert calm.finished and calm.seconds < saw.seconds
    reversals = [steering_figures(d.controls)["steer_reversals_per_second"] for d in (calm, saw)]
    assert reversals[0] < 0.8 * reversals[1]
    assert steering_figures(calm.controls)["steer_rate_max"] <= MAX_STEER_RATE + 1e-6


@pytest.mark.parametrize("name", ["seed", "heavy", "ice"])
def test_leaps_are_found_for_every_car(name):
    """At 10 m/s every shipped car finds its way into a steady turn and out of it again."""
    car = load_car(name)
    straight = Hub("sm2", 10.0, drive=(10 * car.resistance + 100 * car.drag) / car.drive_gain)
    turn = turning_hub("sm2 wide left", 10.0, 0.6, car)
    assert turn is not None and turn.lateral / np.interp(10.0, limits(car).speed, limits(car).lateral) > 0.4
    for leap in (Leap(straight, turn, 1), Leap(turn, straight, 1)):
        found = list(_found(leap, car))
        assert len(found) == 2 and found[0][0].frames <= 60
        assert mismatch(found[0][0].velocity[-1], leap.end.velocity) < 1e-9
        again = place_poses(found[0][0].pose, np.zeros(3))
        assert np.allclose(again, found[1][0].pose * [1, -1, -1])


def test_leaps_ask_for_no_way_twice():
    hubs = [Hub(name, speed) for name, speed in (("a", 5.0), ("b", 10.0))]
    held = {
        (hub.name, level): Hub(f"{hub.name} {level}", hub.forward)
        for hub in hubs
        for level in ("tight", "wide")
    }
    ways = [(leap.start.name, leap.end.name) for leap in _leaps(hubs, held)]
    assert len(ways) == len(set(ways)) and ("b", "a tight") in ways and ("a tight", "b wide") in ways


def _rows(tree):
    return zip(tree.source, tree.target, tree.clips, strict=True)


def _full(start: float, end: float, pedal: float) -> int:
    """Frames of full throttle or brakes from one speed to another."""
    state, car, frames = np.array([0.0, 0.0, 0.0, start, 0.0, 0.0]), Car(), 0
    while (state[3] < end) == (start < end) and frames < 1000:
        for _ in range(SUBSTEPS):
            state = car.step(state, 0.0, max(pedal, 0.0), max(-pedal, 0.0), FRAME / SUBSTEPS)
        frames += 1
    return frames
