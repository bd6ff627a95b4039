"""Scripted drivers do what they are named for, one car or many."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.race.car import FRAME, MAX_STEER, MAX_STEER_RATE
from swerve.race.drivers import (
    back_up,
    brake_to,
    cruise,
    halt,
    in_turn,
    practice,
    record,
    rehearsed,
    skid,
    straight_at,
    turn,
)
from swerve.race.rollout import play


def only(driver, speed, seconds):
    return record(driver, straight_at([speed]), seconds)[0]


@pytest.mark.parametrize("speed", [5.0, 15.0, 30.0])
def test_cruise_settles_at_its_speed(speed):
    take = only(cruise(speed), speed - 3.0, 3.0)
    assert np.abs(take.velocity[-1] - [speed, 0, 0]).sum() < 0.05


@pytest.mark.parametrize("speed", [10.0, 20.0, 30.0])
@pytest.mark.parametrize("yaw", [0.25, -0.25])
def test_turns_turn_and_come_out_straight(speed, yaw):
    take = only(in_turn((1.0, turn(speed, yaw)), (3.0, cruise(speed))), speed, 4.0)
    assert 0.7 < take.states[-1, 2] / yaw < 1.2
    assert np.abs(take.velocity[-1, 1:]).sum() < 0.1


def test_braking_reaches_the_speed_and_holds_it():
    take = only(brake_to(10.0), 20.0, 4.0)
    assert abs(take.velocity[-1, 0] - 10.0) < 0.5
    assert take.velocity[25, 0] < 14.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_skid_slides_to_its_side_and_is_caught(side):
    take = only(in_turn((1.6, skid(side, 1.2, 10.0)), (3.0, cruise(10.0))), 30.0, 4.6)
    u, v, _ = take.velocity.T
    assert np.degrees(np.abs(np.arctan2(v, u))).max() > 30
    assert 0.8 < take.states[-1, 2] * side < 1.8
    assert np.abs(take.velocity[-1] - [10.0, 0, 0]).sum() < 0.2


def test_a_skid_counts_its_angle_from_where_it_began():
    one = skid(1.0, 0.6, 10.0)
    twice = in_turn((1.5, one), (2.5, cruise(25.0)), (1.5, one), (2.5, cruise(25.0)))
    take = only(twice, 25.0, 8.0)
    assert take.states[-1, 2] > 1.8 * take.states[100, 2] > 0.7


def test_backing_up_with_lock_left_turns_the_nose_right_and_halts():
    take = only(in_turn((1.0, back_up(0.5)), (1.0, halt())), 0.0, 2.0)
    assert take.states[-1, 0] < -0.5 and take.states[-1, 2] < -0.1
    assert not take.velocity[-1].any()


def test_hands_are_only_so_quick():
    take = only(in_turn((0.5, turn(20.0, 2.0)), (0.5, turn(20.0, -2.0))), 20.0, 1.0)
    wheel = np.concatenate([[0.0], take.controls[:, 0]])
    assert np.abs(np.diff(wheel)).max() <= MAX_STEER_RATE * FRAME + 1e-12
    assert np.abs(wheel).max() <= MAX_STEER


def test_a_rehearsed_manoeuvre_is_played_as_it_was_practised():
    controls = np.stack([np.linspace(0, 0.3, 20), np.full(20, 30.0), np.zeros(20)], axis=1)
    take = only(rehearsed(controls), 12.0, 20 * FRAME)
    assert np.abs(take.states - play(controls, 12.0)).max() < 1e-9


def test_a_batch_is_its_cars_one_by_one():
    speeds, yaw = np.array([10.0, 20.0, 25.0]), np.array([0.3, -0.2, 0.1])
    together = record(turn(speeds, yaw), straight_at(speeds), 1.0)
    for i, take in enumerate(together):
        alone = only(turn(speeds[i], yaw[i]), speeds[i], 1.0)
        assert np.array_equal(take.states, alone.states)


def test_practice_is_repeatable_and_covers_much():
    takes, again = practice(2, cars=8, rounds=6), practice(2, cars=8, rounds=6)
    assert all(np.array_equal(a.states, b.states) for a, b in zip(takes, again, strict=True))
    assert not np.array_equal(takes[0].states, practice(3, cars=8, rounds=6)[0].states)
    u = np.concatenate([take.velocity[:, 0] for take in takes])
    assert u.max() > 20 and np.isfinite(u).all()


def test_a_drive_needs_time():
    with pytest.raises(BadInput, match="seconds"):
        record(cruise(5.0), straight_at([5.0]), 0.0)
