"""Speed profiles against closed forms, an independent recomputation of the limits, and invariances."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_paths import FREE, HILLS, STRONG, G, circle, straight

from swerve.core.errors import BadInput
from swerve.terrain import SurfacePath, Terrain, Trouble, Vehicle, limit_curves, speed_profile
from swerve.terrain.limits import C_R
from swerve.terrain.route import Route
from swerve.terrain.scenes import scene


def recomputed(path, vehicle, speed, closed=False):
    """Use of friction and tip-over and lowest load at both ends of every step, from geometry and speeds."""
    x = speed**2
    there = np.roll(np.arange(len(x)), -1)[: len(x) if closed else -1]
    here = np.arange(len(there))
    a = (x[there] - x[here]) / (2 * path.geometry[here, 6])
    k = np.column_stack(
        [path.tangents[:, 2], np.cross(path.normals, path.tangents)[:, 2], path.normals[:, 2]]
    )
    theta, _ = path.orientation(vehicle)
    friction, tip, load, pitch, wheel = [], [], [], [], []
    for end in (here, there):
        along = a + G * k[end, 0] + vehicle.drag / vehicle.mass * x[end]
        side = G * k[end, 1] + path.geodesic_curvature[end] * x[end]
        normal = G * k[end, 2] + path.geometry[end, C_R] * x[end]
        friction.append(np.hypot(along, side) / (vehicle.friction * normal))
        tip.append(np.abs(along * np.sin(theta[end]) + side * np.cos(theta[end])) / normal)
        load.append(normal)
        along_body = np.abs(along * np.cos(theta[end]) - side * np.sin(theta[end]))
        pitch.append(along_body * vehicle.size[2] / vehicle.half_length / normal)
        lost = pitch[-1] + tip[-1] * vehicle.height_to_half_width
        wheel.append((1 - lost) * normal / G)
    limits = np.max(friction), np.max(tip) * vehicle.height_to_half_width, np.min(load)
    return *limits, np.max(pitch), np.min(wheel)


@pytest.mark.parametrize("n", [250, 1000])
def test_rest_to_rest_on_a_straight(n):
    car = Vehicle(engine_force=3000, brake_force=10000, mass=2000, **FREE)
    exact = math.sqrt(2 * 800 * (1 / 1.5 + 1 / 5.0))
    assert speed_profile(straight(800, n), car).time == pytest.approx(exact, rel=0.005)


def test_error_shrinks_as_points_grow():
    car = Vehicle(engine_force=3000, brake_force=10000, mass=2000, **FREE)
    exact = math.sqrt(2 * 800 * (1 / 1.5 + 1 / 5.0))
    errors = [abs(speed_profile(straight(800, n), car).time - exact) for n in (50, 200, 800, 3200)]
    assert errors[3] < errors[1] / 4 and errors[2] < errors[0] / 4


def test_slope_adds_gravity():
    slope = math.radians(4)
    car = Vehicle(brake_force=10000, **FREE)
    up, down = 1.5 - G * math.sin(slope), 5.0 + G * math.sin(slope)
    exact = math.sqrt(2 * 500 * (1 / up + 1 / down))
    assert speed_profile(straight(500, slope=slope), car).time == pytest.approx(exact, rel=0.005)


def test_flat_circle():
    lap = speed_profile(circle(60), Vehicle(**STRONG))
    assert lap.speed == pytest.approx(np.full(1000, math.sqrt(0.7 * G * 60)), rel=0.005)


@pytest.mark.parametrize("bank", [10, 25])
def test_banked_circle(bank):
    b = math.radians(bank)
    lap = speed_profile(circle(60, bank=b), Vehicle(**STRONG))
    exact = math.sqrt(G * 60 * (0.7 + math.tan(b)) / (1 - 0.7 * math.tan(b)))
    assert lap.speed == pytest.approx(np.full(1000, exact), rel=0.005)


def test_tip_over_replaces_friction():
    car = Vehicle(
        height_to_half_width=2.0, half_length=0.05, max_steer=math.pi / 2, engine_force=1e6, brake_force=1e6
    )
    lap = speed_profile(circle(60), car)
    assert lap.speed == pytest.approx(np.full(1000, math.sqrt(0.5 * G * 60)), rel=0.005)
    assert set(lap.binding.tolist()) == {4}


def test_crest():
    """Over a round crest contact is lost at v² = g·R·cos θ, θ the slope there."""
    a = np.linspace(-0.5, 0.5, 1000)
    points = np.column_stack([80 * np.sin(a), 0 * a, 80 * np.cos(a)])
    path = SurfacePath.from_points(points, np.column_stack([np.sin(a), 0 * a, np.cos(a)]))
    profile = speed_profile(path, Vehicle(**STRONG), v_start=5, v_end=5)
    assert limit_curves(path, Vehicle())["contact"] == pytest.approx(np.sqrt(G * 80 * np.cos(a)), rel=0.005)
    assert (profile.speed <= np.sqrt(G * 80 * np.cos(a)) * 1.0001).all()
    assert profile.normal_force.min() > 0


def test_every_limit_that_can_bind_has_a_curve():
    """Finding: pitch-over, wheel loads and the rate of steering bound speeds, and no picture showed them."""
    car = Vehicle(
        **STRONG | {"height_to_half_width": 2.0}, friction=1.0, least_wheel_load=0.3, half_length=1e-3
    )
    curves = limit_curves(circle(100), car)
    assert curves["wheel loads"] == pytest.approx(np.full(1000, math.sqrt(0.5 * 0.7 * G * 100)), rel=0.005)
    assert "steering rate" not in curves and "pitch-over" not in limit_curves(circle(100), Vehicle())
    x = np.linspace(0, 200, 400)
    points = np.column_stack([x, 8 * np.sin(x / 12), 0 * x])
    path = SurfacePath.from_points(points, np.tile([0.0, 0.0, 1.0], (400, 1)))
    slow_hands = Vehicle(steer_rate=0.2, least_wheel_load=0.1)
    curves, limit = limit_curves(path, slow_hands), speed_profile(path, slow_hands).limit
    assert {"steering rate", "wheel loads"} <= set(curves)
    assert (limit <= np.min(list(curves.values()), axis=0) * 1.001 + 1e-6).all()
    assert (limit >= 0.999 * curves["steering rate"]).any()


@pytest.mark.parametrize("n", [1000, 4000])
def test_from_rest_on_a_circle(n):
    """v² = μgR·sin(2s/R): the whole friction is used, and the limit is reached after πR/4."""
    radius = 50.0
    path = circle(radius, n, turn=1.4, closed=False)
    profile = speed_profile(path, Vehicle(**STRONG), v_end=100)
    exact = np.sqrt(0.7 * G * radius * np.sin(np.minimum(2 * path.distance / radius, math.pi / 2)))
    assert np.abs(profile.speed - exact).max() < 0.005 * exact.max()
    reached = path.distance[np.argmax(profile.speed > 0.9999 * exact.max())]
    assert reached == pytest.approx(math.pi * radius / 4, rel=0.03)


def test_a_limit_that_cannot_be_held_is_followed_from_below():
    """With drag on a circle some grip is needed to keep going: q² + (D·v²)² = (μg)²."""
    car = Vehicle(**STRONG, drag=8.0)
    lap = speed_profile(circle(60), car)
    exact = (0.7 * G / math.hypot(1 / 60, 8.0 / 2000)) ** 0.5
    assert lap.speed == pytest.approx(np.full(1000, exact), rel=1e-3)
    assert lap.limit.min() > exact * 1.005


def test_a_high_vehicle_pitches_over_before_its_tyres_slide():
    """Mass centre at 3 m, axles 4 m apart: |f| ≤ g·d/h = 2/3 g on the level, whatever tyres can."""
    high = Vehicle(**STRONG | {"height_to_half_width": 3.0}, friction=1.5, width=2.0)
    assert high.pitch_ratio == 1.5
    profile = speed_profile(straight(200), high)
    a = G / 1.5
    assert profile.time == pytest.approx(math.sqrt(2 * 200 * 2 / a), rel=0.005)
    assert profile.binding_shares["pitch-over"] > 0.99
    assert profile.load_use.max() == pytest.approx(1.0, abs=1e-6)
    assert (
        profile.wheel_loads[:2, 1:300].max() < 1.0 < profile.wheel_loads[2:, 1:300].min()
    )  # front wheels float
    up = speed_profile(straight(200, slope=0.7), high)  # tan 0.7 = 0.84 is more than 2/3
    assert not up.feasible and up.first_trouble[1] is Trouble.PITCHES_OVER and "pitches over" in up.explain()
    assert speed_profile(straight(200, slope=0.5), high).feasible


def test_tyres_do_not_pull():
    """Finding: where a wheel lifts, in a bend under power, it was said to carry less than nothing."""
    high = Vehicle(**STRONG | {"height_to_half_width": 2.0}, friction=1.5, width=2.0)
    a = np.linspace(0.0, 2.0, 300)
    arc = SurfacePath.from_points(np.column_stack([50 * np.sin(a), 50 - 50 * np.cos(a), 0 * a]))
    profile = speed_profile(arc, high)
    loads = profile.wheel_loads[:, 1:-1] / profile.normal_force[1:-1]
    assert profile.feasible and loads.min() == 0.0
    assert loads.sum(axis=0) == pytest.approx(1.0, rel=1e-9)
    rear, right = loads[2:].sum(axis=0), loads[1::2].sum(axis=0)
    forces = profile.drive_force + 1j * profile.side_force  # along the path; the body stands a little across
    along, across = forces.real[1:-1], forces.imag[1:-1]
    moments = np.hypot((2 * rear - 1) / high.pitch_ratio, (2 * right - 1) * high.tip_ratio)
    assert moments == pytest.approx(np.hypot(along, across) / profile.normal_force[1:-1], abs=1e-6)


def test_every_wheel_keeps_the_load_that_is_asked_for():
    """On a flat circle the inner wheels lose κ_b·v²/R of g: v² = g·R·(1 − λ)·b/h; loads are in balance."""
    car = Vehicle(
        **STRONG | {"height_to_half_width": 2.0}, friction=1.0, least_wheel_load=0.3, half_length=1e-3
    )
    free = speed_profile(circle(100), replace(car, least_wheel_load=0.0))
    profile = speed_profile(circle(100), car)
    assert profile.speed**2 == pytest.approx(G * 100 * 0.7 / 2, rel=2e-3)
    assert free.speed**2 == pytest.approx(G * 100 / 2, rel=2e-3)
    assert profile.wheel_loads.min() == pytest.approx(0.3 * car.mass * G / 4, rel=0.01)
    assert profile.wheel_loads.sum(axis=0) == pytest.approx(profile.normal_force, rel=1e-9)
    assert set(profile.binding_shares) == {"wheel-load"} and set(free.binding_shares) == {"tip-over"}
    left, right = profile.wheel_loads[[0, 2]].sum(axis=0), profile.wheel_loads[[1, 3]].sum(axis=0)
    assert (right - left) / 2 == pytest.approx(profile.side_force, rel=0.01)  # times b = moment h·Y, h = 2·b
    n = 200
    line = np.column_stack([np.linspace(0, 100, n), np.zeros(n), np.zeros(n)])
    bank = np.tile([0, math.sin(0.4), math.cos(0.4)], (n, 1))  # tan 0.4 = 0.42 tips nothing, but lightens
    stands = speed_profile(SurfacePath.from_points(line, bank), car)
    assert stands.first_trouble == (0, Trouble.WHEEL_LOAD)


def test_switching_points_tell_what_binds_on_either_side():
    car = Vehicle(engine_force=3000, brake_force=10000, mass=2000, **FREE)
    (point,) = speed_profile(straight(800, 1601), car).switching_points
    assert (point["before"], point["after"]) == ("engine", "brake")
    assert point["distance"] == pytest.approx(800 * 5.0 / 6.5, abs=1.0)
    assert point["speed"] == pytest.approx(math.sqrt(2 * 1.5 * 800 * 5.0 / 6.5), rel=2e-3)


@pytest.mark.parametrize(("step", "most"), [(1.0, 1e-3), (10.0, 0.02)])
def test_an_engine_of_constant_power_does_its_work(step, most):
    """Finding: with 10 m between points of a path it took 4 % longer than it does: drive was that of a speed
    which the step did not reach."""
    mass, force, power, length = 1000.0, 8000.0, 50e3, 500.0
    car = Vehicle(mass=mass, engine_force=force, power=power, friction=2.0, **FREE)
    profile = speed_profile(straight(length, round(length / step) + 1), car, v_end=None)
    early = power / force  # [m/s] up to where the force is constant
    top = (early**3 + 3 * power / mass * (length - early**2 * mass / (2 * force))) ** (1 / 3)
    time = early * mass / force + mass * (top**2 - early**2) / (2 * power)
    assert profile.time == pytest.approx(time, rel=most)
    assert profile.speed[-1] == pytest.approx(top, rel=most)


def test_top_speed_and_power():
    car = Vehicle(engine_force=8000, power=60e3, drag=1.0, top_speed=80.0, **FREE)
    fast = speed_profile(straight(20000, 2000), car)
    assert fast.max_speed == pytest.approx((60e3 / 1.0) ** (1 / 3), rel=0.01)
    capped = speed_profile(straight(3000), Vehicle(engine_force=8000, top_speed=20.0, **FREE))
    assert capped.max_speed == pytest.approx(20.0)
    assert "top-speed" in capped.binding_shares


# what may vary in a property test
vehicles = st.builds(
    Vehicle,
    engine_force=st.floats(2500, 12000),
    brake_force=st.floats(6000, 20000),
    friction=st.floats(0.45, 1.1),
    height_to_half_width=st.floats(0.5, 2.2),
    drag=st.floats(0, 3),
    half_length=st.floats(1.0, 2.0),
    width=st.floats(1.5, 4.0),
    least_wheel_load=st.sampled_from([0.0, 0.0, 0.1, 0.3]),
)
ways = st.lists(st.tuples(st.floats(-70, 70), st.floats(-70, 70)), min_size=5, max_size=5).map(
    lambda shifts: np.array(
        [
            [60, 60],
            *[[60 + 145 * (k + 1) + a, 60 + 145 * (k + 1) + b] for k, (a, b) in enumerate(shifts)],
            [940, 940],
        ]
    )
)


@settings(max_examples=60)
@given(car=vehicles, controls=ways)
def test_limits_hold_at_both_ends_of_every_step(car, controls):
    path = SurfacePath.from_controls(HILLS, controls, 300)
    profile = speed_profile(path, car)
    if profile.feasible:
        friction, tip, load, pitch, wheel = recomputed(path, car, profile.speed)
        assert friction <= 1.005 and tip <= 1.005 and load >= 0 and pitch <= 1.005
        assert wheel >= car.least_wheel_load - 0.005 or not car.least_wheel_load
        assert (profile.drive_force <= car.engine_force * 1.0001).all()
        assert (profile.drive_force >= -car.brake_force * 1.0001).all()
        assert (profile.speed <= profile.limit * 1.0001).all()
    else:
        i, why = profile.first_trouble
        assert why is not Trouble.NONE and (profile.trouble[:i] == 0).all()


@settings(max_examples=40)
@given(car=vehicles, controls=ways, share=st.floats(0.2, 0.95))
def test_no_slower_limit_makes_it_faster(car, controls, share):
    """Less friction, less engine or weaker brakes never shorten the time."""
    path = SurfacePath.from_controls(HILLS, controls, 300)
    free = speed_profile(path, car)
    for name in ("friction", "engine_force", "brake_force"):
        weaker = Vehicle(**{**car.__dict__, name: share * getattr(car, name)})
        profile = speed_profile(path, weaker)
        if free.feasible and profile.feasible:
            assert profile.time >= free.time * (1 - 1e-3)


@settings(max_examples=30)
@given(scale=st.floats(0.3, 4.0), controls=ways)
def test_lengths_times_k_give_times_root_k(scale, controls):
    line = SurfacePath.from_controls(HILLS, controls, 300)
    big = SurfacePath.from_points(line.points * scale, line.normals)
    small = SurfacePath.from_points(line.points, line.normals)
    car = Vehicle(engine_force=9000, **FREE)
    one, other = speed_profile(small, car), speed_profile(big, car)
    if one.feasible:
        assert other.time == pytest.approx(one.time * math.sqrt(scale), rel=1e-6)


@settings(max_examples=30)
@given(controls=ways)
def test_reversed_path_takes_the_same_time_with_symmetric_limits(controls):
    flat = Terrain.from_heights(np.zeros((6, 6)), 200.0)
    path = SurfacePath.from_controls(flat, controls, 400)
    car = Vehicle(engine_force=6000, brake_force=6000, **FREE)
    assert speed_profile(path.reversed(), car).time == pytest.approx(speed_profile(path, car).time, rel=1e-3)


@given(angle=st.floats(0, 6.28), shift=st.floats(-500, 500))
def test_turning_and_moving_the_plane_changes_nothing(angle, shift):
    u = np.linspace(0, 1, 300)
    line = np.column_stack([600 * u, 60 * np.sin(7 * u)])
    c, s = math.cos(angle), math.sin(angle)
    moved = line @ np.array([[c, s], [-s, c]]) + shift
    car = Vehicle(engine_force=6000)
    times = [speed_profile(SurfacePath.from_points(p), car).time for p in (line, moved)]
    assert times[1] == pytest.approx(times[0], rel=1e-6)


def test_nothing_faster_is_allowed():
    """Raising the speed anywhere, with its neighbours as they are, breaks a limit: the profile is maximal."""
    path = SurfacePath.from_controls(HILLS, [[60, 60], [300, 420], [520, 430], [700, 800], [940, 940]], 300)
    car = Vehicle(engine_force=6000)
    profile = speed_profile(path, car)
    assert profile.feasible
    for i in range(5, 295, 7):
        speed = profile.speed.copy()
        speed[i] *= 1.01
        friction, tip, *_ = recomputed(path, car, speed)
        a = (speed[1:] ** 2 - speed[:-1] ** 2) / (2 * path.geometry[:-1, 6])
        engine = (a + G * path.tangents[:-1, 2]).max() * car.mass / car.engine_force
        brake = -(a + G * path.tangents[:-1, 2]).min() * car.mass / car.brake_force
        assert max(friction, tip, engine, brake, speed[i] / profile.limit[i]) > 1.0


def test_something_binds_nearly_everywhere_on_real_ground():
    """Finding: an eighth to a sixth of a way over jacksboro was bound by "none"."""
    place = scene("jacksboro")
    for bow in (0.0, 900.0):
        way = np.linspace(place.start, place.goal, 9)
        way += bow * np.outer(np.sin(np.linspace(0, np.pi, 9)), [0.69, 0.72])
        profile = speed_profile(SurfacePath.from_controls(place.terrain, way), place.vehicle)
        assert sum(profile.binding_shares.values()) == pytest.approx(1.0, abs=1e-3)
        assert profile.binding_shares.get("none", 0.0) < 0.03


def test_whole_numbers_of_any_length_are_numbers():
    """Finding: a mass of 42 digits in a file was a traceback of Numba."""
    path = SurfacePath.from_points(np.column_stack([np.linspace(0, 80, 20), np.zeros(20)]))
    assert Vehicle.given({"mass": "2e3"}, "car.yaml").mass == 2000.0  # as YAML reads it
    heavy = Vehicle.given({"mass": 10**41}, "car.yaml")
    assert not math.isnan(speed_profile(path, heavy).time)
    with pytest.raises(BadInput, match=r"car\.yaml"):
        Vehicle.given({"mass": 10**400}, "car.yaml")


def test_a_drive_of_weeks_is_recorded_in_fewer_frames():
    """Finding: hardly any drive at rest makes a drive of 23 days, whose recording asked for gigabytes."""
    path = SurfacePath.from_points(np.column_stack([np.linspace(0, 80, 20), np.zeros(20)]))
    weak = Vehicle(mass=1e5, engine_force=1e-9)
    route = Route(path, speed_profile(path, weak), 0.0)
    assert route.profile.time > 1e6 and len(route.recording(weak).columns["t"]) < 250_000
