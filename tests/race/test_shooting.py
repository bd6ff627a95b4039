"""Clips found by shooting: they close, are repeatable, drivable, and mirrored exactly."""

import numpy as np
import pytest

from swerve.core.clips import mismatch
from swerve.race.car import FRAME, MAX_STEER, MAX_STEER_RATE, SUBSTEPS, Car
from swerve.race.parking import creep, pull_up
from swerve.race.rollout import clip_of, mirrored, play, sideslip
from swerve.race.shooting import Aim, shoot, shortest

SKID = Aim(30.0, 10.0, np.radians(90), 56)


@pytest.fixture(scope="module")
def skid() -> np.ndarray:
    controls = shoot(SKID)
    assert controls is not None
    return controls


def test_a_turn_closes_exactly():
    controls = shoot(Aim(20.0, 20.0, np.radians(10), 25))
    clip = clip_of("turn", controls, 20.0)
    assert mismatch(clip.velocity[-1], [20.0, 0.0, 0.0]) < 1e-9
    assert abs(clip.pose[-1, 2] - np.radians(10)) < 1e-9


def test_a_skid_comes_out_by_itself_and_closes(skid):
    clip = clip_of("skid", skid, 30.0)
    assert mismatch(clip.velocity[-1], [10.0, 0.0, 0.0]) < 1e-9
    assert sideslip(clip.velocity) > np.radians(30)
    assert np.hypot(*clip.pose[-1, :2]) < 40.0


def test_steering_stays_within_its_limits(skid):
    wheel = np.concatenate([[0.0], skid[:, 0], [0.0]])
    assert np.abs(wheel).max() <= MAX_STEER
    assert np.abs(np.diff(wheel)).max() <= MAX_STEER_RATE * FRAME + 1e-12
    assert skid[:, 1:].min() >= 0 and skid[:, 1:].max() <= 100


def test_shooting_is_repeatable(skid):
    assert np.array_equal(shoot(SKID), skid)


def test_a_right_turn_is_the_exact_mirror_of_the_left_one(skid):
    left, right = play(skid, 30.0), play(mirrored(skid), 30.0)
    assert np.array_equal(right, left * [1, -1, -1, 1, -1, -1])
    other = shoot(Aim(SKID.start, SKID.end, -SKID.turn, SKID.frames))
    assert np.array_equal(other, mirrored(skid))


def test_play_is_the_physics(skid):
    car, state = Car(), np.array([0.0, 0.0, 0.0, 30.0, 0.0, 0.0])
    states = play(skid, 30.0)
    for k, (steer, throttle, brake) in enumerate(skid):
        for _ in range(SUBSTEPS):
            state = car.step(state, steer, throttle, brake, FRAME / SUBSTEPS)
        assert np.abs(state - states[k + 1]).max() < 1e-9


def test_the_impossible_is_not_found():
    assert shoot(Aim(30.0, 30.0, np.radians(90), 13)) is None
    assert shoot(Aim(0.0, 30.0, 0.0, 10)) is None


def test_shortest_beats_the_list_and_keeps_the_sideslip_down():
    aim = Aim(10.0, 10.0, np.radians(20), max_sideslip=np.radians(15))
    controls = shortest(aim, frames=(8, 30))
    assert 8 < len(controls) < 30
    clip = clip_of("turn", controls, 10.0)
    assert mismatch(clip.velocity[-1], [10.0, 0.0, 0.0]) < 1e-9
    assert sideslip(clip.velocity) <= np.radians(15)


def test_straight_speed_changes_use_full_throttle_nearly():
    controls = shortest(Aim(5.0, 10.0, 0.0))
    one_less = shoot(Aim(5.0, 10.0, 0.0, len(controls) - 1))
    assert one_less is None and controls[:, 1].min() > 90


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("degrees", [0.0, 15.0, -15.0])
def test_creeping_ends_at_standstill(direction, degrees):
    controls = creep(np.radians(degrees), direction * 16)
    states = play(controls, 0.0)
    assert not states[-1, 3:].any()
    assert abs(states[-1, 2] - np.radians(degrees)) < 1e-9
    assert np.sign(states[-1, 0]) == direction
    assert (controls[:, 1].min() < 0) == (direction < 0)


def test_creeping_cannot_turn_further_than_full_lock_allows():
    assert creep(np.radians(90), 6) is None


def test_pulling_up_turns_and_stands():
    states = play(pull_up(5.0, np.radians(20)), 5.0)
    assert not states[-1, 3:].any() and abs(states[-1, 2] - np.radians(20)) < 1e-9
