"""Riders in full: they pedal, balance, counter-steer, turn and fall, and a snapshot repeats the future."""

import numpy as np
import pytest

from swerve.core.bodies import Bodies, Body
from swerve.core.errors import BadInput
from swerve.core.steered import AIM, Steerable
from swerve.riders import load_rider
from swerve.riders.bodies import balance


@pytest.fixture(scope="module", params=["human", "alien"])
def body(request):
    return load_rider(request.param)


@pytest.fixture(scope="module")
def human():
    return load_rider("human")


def test_bodies_keep_the_interface(body):
    assert isinstance(body, Body) and isinstance(body, Steerable)
    ride = body.start(2)
    assert isinstance(ride, Bodies) and len(ride) == 2 and ride.period == 0.01
    now = ride.motion()
    np.testing.assert_allclose([now.x, now.y, now.yaw], 0.0, atol=1e-9)
    np.testing.assert_allclose(np.hypot(now.vx, now.vy), body.speed, rtol=0.01)
    assert not now.fell.any() and (np.abs(now.roll) < 0.05).all() and (now.z > 0.5).all()


@pytest.mark.parametrize(
    ("name", "segments", "controlled", "freedoms"), [("human", 12, 17, 28), ("alien", 15, 27, 38)]
)
def test_bodies_are_of_the_size_of_the_seed(name, segments, controlled, freedoms):
    body = load_rider(name)
    assert len(body.definition.limbs()) == segments
    assert body.definition.freedoms == controlled == body.cyclist.model.nu
    names, values = body.start(1).freedoms()
    assert len(names) == len(set(names)) == 2 * freedoms and values.shape == (1, 2 * freedoms)


def test_model_weighs_what_its_parts_weigh(body):
    p = body.definition.machine
    machine = p.body_mass + p.fork_mass + p.rear_mass + p.front_mass + body.definition.fittings.crank_mass
    assert body.cyclist.model.body_subtreemass[0] == pytest.approx(machine + body.definition.mass)
    assert 40.0 < body.definition.mass < 90.0


def test_no_joint_is_stronger_or_goes_further_than_a_persons(body):
    """A hip once reached 264 N·m, with no bound at all."""
    model = body.cyclist.model
    assert model.actuator_forcelimited.all() and model.actuator_forcerange[:, 1].max() <= 300
    assert model.jnt_limited[model.actuator_trnid[:, 0]].all()


def test_rides_a_minute_with_hands_and_feet_in_place(body):
    ride = body.start(1)
    ride.advance(np.zeros(1), np.full(1, body.speed), 60.0)
    now = ride.motion()
    assert not now.fell[0] and abs(now.yaw[0]) < 0.05
    assert now.x[0] == pytest.approx(60 * body.speed, rel=0.01)
    model, data = body.cyclist.model, ride.batch.get_data(0)
    import mujoco

    mujoco.mj_forward(model, data)
    for i in range(model.neq):
        if model.eq_type[i] == mujoco.mjtEq.mjEQ_CONNECT:
            gap = data.site_xpos[model.eq_obj1id[i]] - data.site_xpos[model.eq_obj2id[i]]
            assert np.linalg.norm(gap) < 0.01


def test_legs_turn_the_crank_that_turns_the_wheel(human):
    ride = human.start(1)
    names, before = ride.freedoms()
    ride.advance(np.zeros(1), np.full(1, human.speed), 1.0)
    _, after = ride.freedoms()
    moved = dict(zip(names, after[0] - before[0], strict=True))
    assert moved["rear spin"] == pytest.approx(human.definition.fittings.gear * moved["crank"], rel=1e-3)
    assert moved["rear spin"] * human.definition.machine.rear_radius == pytest.approx(human.speed, rel=0.01)


def test_speed_is_followed(human):
    ride = human.start(3)
    wanted = np.array([11.0, 12.0, 12.5])
    ride.advance(np.zeros(3), wanted, 6.0)
    now = ride.motion()
    assert not now.fell.any()
    np.testing.assert_allclose(now.vx, wanted, rtol=0.02)


def test_turns_by_steering_the_other_way_first(body):
    ride = body.start(2)
    wanted = np.array(body.turns)
    counter = np.zeros(2)
    for _ in range(10):
        ride.advance(wanted, np.full(2, body.speed), 0.05)
        counter = np.maximum(counter, np.sign(wanted) * ride.steer)  # a left turn begins to the right
    assert (np.degrees(counter) > 2.0).all()
    ride.advance(wanted, np.full(2, body.speed), 6.0)
    now = ride.motion()
    assert not now.fell.any()
    np.testing.assert_allclose(now.yaw, wanted, atol=0.06)


def test_leans_into_a_steady_turn_as_gravity_asks(human):
    ride = human.start(1)
    for _ in range(40):
        ride.advance(ride.motion().yaw + 0.35, np.full(1, 12.0), 0.1)
    rates, leans = [], []
    for _ in range(30):  # over some strokes of the pedals
        ride.advance(ride.motion().yaw + 0.35, np.full(1, 12.0), 0.1)
        now = ride.motion()
        rates.append(now.yaw_rate[0])
        leans.append(now.roll[0])
    assert np.mean(leans) == pytest.approx(-np.arctan(12.0 * np.mean(rates) / 9.81), abs=0.03)


def test_falls_when_asked_for_the_impossible(body):
    ride = body.start(2)
    ride.advance(np.array([3.0, -3.0]), np.full(2, body.speed), 4.0)
    assert ride.motion().fell.all()
    ride.advance(np.zeros(2), np.full(2, body.speed), 0.1)
    assert ride.motion().fell.all()  # and nobody gets up


def test_snapshot_repeats_the_future_bit_for_bit(human):
    ride = human.start(2)
    ride.advance(np.array([0.5, -0.3]), np.full(2, 12.0), 0.7)
    kept = ride.snapshot()
    ride.advance(np.array([-0.5, 0.3]), np.full(2, 12.0), 0.5)
    once = ride.snapshot()
    other = human.start(3)
    rows = np.vstack([kept[1], kept])
    other.restore(rows)
    other.advance(np.array([0.3, -0.5, 0.3]), np.full(3, 12.0), 0.5)
    np.testing.assert_array_equal(other.snapshot()[1:], once)
    np.testing.assert_array_equal(other.snapshot()[0], once[1])
    other.restore(rows)
    np.testing.assert_array_equal(other.motion().extras[AIM], [-0.3, 0.5, -0.3])  # what it decides by, too
    other.restore(rows[:, : -balance.WISHES])  # as maps store them
    np.testing.assert_array_equal(other.told[:, 0], other.memory[:, balance.YAW])


def test_threads_do_not_change_the_ride(human):
    one, two = human.start(2), human.start(2, threads=2)
    for ride in (one, two):
        ride.advance(np.array([0.4, -0.2]), np.full(2, 12.0), 0.3)
    np.testing.assert_array_equal(one.snapshot(), two.snapshot())


def test_moving_a_rider_moves_its_future(human):
    ride = human.start(2)
    ride.advance(np.array([0.4, 0.4]), np.full(2, 12.0), 0.6)
    here = ride.motion()
    yaw = here.yaw[0]
    ride.put(np.array([here.x[0], 5.0]), np.array([here.y[0], -2.0]), np.array([yaw, yaw + 2.0]))
    ride.advance(yaw + np.array([0.3, 2.3]), np.full(2, 12.0), 1.0)
    now = ride.motion()
    there = (now.x + 1j * now.y) - np.array([here.x[0] + 1j * here.y[0], 5.0 - 2.0j])
    assert there[1] == pytest.approx(there[0] * np.exp(2j), abs=1e-3)
    assert now.yaw[1] - now.yaw[0] == pytest.approx(2.0, abs=1e-4)
    assert now.roll[1] == pytest.approx(now.roll[0], abs=1e-4)


def test_what_cannot_be_ridden_is_refused(human):
    ride = human.start(1)
    with pytest.raises(BadInput, match="heading"):
        ride.advance(np.array([np.nan]), np.full(1, 12.0), 0.1)
    with pytest.raises(BadInput, match="seconds"):
        ride.advance(np.zeros(1), np.full(1, 12.0), 0.0134)
    with pytest.raises(BadInput, match="snapshot"):
        ride.restore(np.zeros((1, 3)))
    with pytest.raises(BadInput, match="riders"):
        human.start(0)


def test_numbers_that_run_away_are_a_fall(human, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ride = human.start(2)
    ride.qvel[1, :6] = 1e9
    ride.advance(np.zeros(2), np.full(2, 12.0), 0.2)
    now = ride.motion()
    assert now.fell.tolist() == [False, True]
    assert np.isfinite(ride.snapshot()).all()
    assert not list(tmp_path.iterdir())  # and no log is left behind
