"""The car against a literal transcription of appendix A, closed forms and low-speed behaviour."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swerve.core.errors import BadInput
from swerve.race.car import Car, CarParameters


def appendix(gx, gy, ga, gvx, gvy, gva, cars, throttle, brake, dt):
    """Appendix A in its own axes: heading clockwise from +y, x forward, y right."""
    sn, cs = math.sin(ga), math.cos(ga)
    vx = cs * gvy + sn * gvx
    vy = -sn * gvy + cs * gvx
    ys = 2.0 * 0.5 * gva
    ra = 0.0 if vx == 0 else math.atan2(ys, vx)
    ss = 0.0 if vx == 0 else math.atan2(vy, vx)
    saf, sar = ss + ra - cars, ss - ra
    w = 1500 * 9.8 * 0.5
    front = max(-3.0, min(3.0, -4.0 * saf)) * w
    rear = max(-3.0, min(3.0, -4.2 * sar)) * w
    drive = 100 * (throttle - brake * math.copysign(1.0, vx))
    fx = drive - (20 * vx + 4 * vx * abs(vx))
    fy = math.cos(cars) * front + rear - (20 * vy + 4 * vy * abs(vy))
    ax, ay, aa = fx / 1500, fy / 1500, (front - rear) / 1500
    gvx += dt * (cs * ay + sn * ax)
    gvy += dt * (-sn * ay + cs * ax)
    gva += dt * aa
    return gx + dt * gvx, gy + dt * gvy, ga + dt * gva, gvx, gvy, gva


number = st.floats(-1.0, 1.0)


@given(
    heading=number.map(lambda a: a * math.pi),
    speed=st.floats(2.01, 45.0),
    slide=number.map(lambda a: a * 3.14),  # just short of the cut of atan2, where the appendix jumps
    yaw=number.map(lambda a: a * 4),
    steer=number.map(lambda a: a * 0.6),
    throttle=st.floats(0, 100),
    brake=st.floats(0, 100),
    dt=st.sampled_from([0.005, 0.01, 0.04]),
)
def test_equals_the_appendix_step_for_step(heading, speed, slide, yaw, steer, throttle, brake, dt):
    vx, vy = speed * math.cos(heading + slide), speed * math.sin(heading + slide)
    ours = Car().step(np.array([3.0, -2.0, heading, vx, vy, yaw]), steer, throttle, brake, dt)
    theirs = appendix(3.0, -2.0, math.pi / 2 - heading, vx, vy, -yaw, -steer, throttle, brake, dt)
    mirrored = [theirs[0], theirs[1], math.pi / 2 - theirs[2], theirs[3], theirs[4], -theirs[5]]
    assert ours == pytest.approx(mirrored, abs=1e-9)


def test_a_batch_is_many_single_cars():
    rng = np.random.default_rng(0)
    states = rng.normal(0, 8, (4, 5, 6))
    steer = rng.normal(0, 0.3, (4, 5))
    car = Car()
    batch = car.step(states, steer, 50.0, 0.0, 0.01)
    for i in np.ndindex(4, 5):
        assert np.array_equal(batch[i], car.step(states[i], steer[i], 50.0, 0.0, 0.01))


def test_top_speed_is_where_drive_meets_resistance():
    car, state = Car(), np.array([0.0, 0, 0, 30, 0, 0])
    for _ in range(20000):
        state = car.step(state, 0.0, 100.0, 0.0, 0.02)
    assert state[3] == pytest.approx((-20 + math.sqrt(20**2 + 4 * 4 * 10000)) / 8, rel=1e-6)


def test_brakes_stop_the_car_and_hold_it():
    car, state = Car(), np.array([0.0, 0, 0.3, 3.0, 1.0, 0.4])
    for _ in range(300):
        state = car.step(state, 0.2, 0.0, 60.0, 0.01)
    assert np.abs(state[3:]).max() == 0.0


@pytest.mark.parametrize("speed", [0.2, 0.8, 1.4, 1.9])
def test_slow_driving_follows_the_wheels(speed):
    """At walking pace the car drives the circle its wheels prescribe, smoothly through the blend."""
    car, state, steer = Car(), np.array([0.0, 0, 0, speed, 0, 0]), 0.3
    track = []
    for _ in range(2000):
        drive = 15 * (speed - np.hypot(state[3], state[4])) + 0.2 * speed
        state = car.step(state, steer, drive, 0.0, 0.01, reverse=False)
        track.append(state)
    late = np.array(track[1000:])
    radius = np.hypot(late[:, 3], late[:, 4]) / late[:, 5]
    rolling = math.hypot(2 / math.tan(steer), 1.0)
    assert radius == pytest.approx(np.full(len(radius), rolling), rel=0.15)
    assert np.ptp(late[:, 5]) < 0.05


def test_reverse_backs_up_and_steers_like_a_car():
    """Reversing with the wheels to the left swings the nose to the right, at any reversing speed."""
    car, state = Car(), np.zeros(6)
    for _ in range(400):
        state = car.step(state, 0.1, -60.0, 0.0, 0.01)
    assert state[3] * math.cos(state[2]) + state[4] * math.sin(state[2]) < -4
    assert -1.0 < state[5] < -0.1
    for _ in range(600):
        state = car.step(state, 0.0, 0.0, 60.0, 0.01, reverse=True)
    assert np.abs(state[3:]).max() == 0.0


def test_wrong_values_are_named():
    with pytest.raises(BadInput, match=r"mass.*-1"):
        CarParameters(mass=-1.0)
    with pytest.raises(BadInput, match="last axis"):
        Car().step(np.zeros(5), 0, 0, 0, 0.01)
    with pytest.raises(BadInput, match="dt"):
        Car().step(np.zeros(6), 0, 0, 0, 0.0)
