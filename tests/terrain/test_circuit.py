"""Laps of circuits: a ring with a known answer, banks, hills, sampling, a real circuit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from known_circuits import CAR, bean, ring

from swerve.terrain import Vehicle
from swerve.terrain.circuit import Circuit
from swerve.terrain.rounding import read_line


def test_on_a_ring_the_inner_edge_is_fastest():
    """T = 2π·√(R/a) at the limit of grip: the smallest radius wins."""
    track = ring()
    car = Vehicle(
        friction=12 / 9.81, engine_force=1e6, brake_force=1e6, height_to_half_width=0.0, max_steer=math.pi / 2
    )
    lap = track.fastest_line(car, car_width=2.0)
    inner = 80 - 6 + 1
    assert lap.profile.time == pytest.approx(2 * np.pi * math.sqrt(inner / 12), rel=0.01)
    assert lap.least_margin > -0.01 and lap.profile.peak_friction_use <= 1.005
    assert track.profile(track.centre, car).time == pytest.approx(2 * np.pi * math.sqrt(80 / 12), rel=0.002)


def test_the_line_stays_inside_and_beats_the_centre():
    track = bean()
    lap = track.fastest_line(CAR)
    centre = track.profile(track.centre, CAR)
    assert lap.profile.time < 0.97 * centre.time
    ring_ = np.vstack([track.centre, track.centre[:1]])[:, :2]
    dense = np.column_stack(
        [np.interp(np.linspace(0, 200, 20001), np.arange(201), ring_[:, k]) for k in (0, 1)]
    )
    offset = np.array([np.linalg.norm(dense - p, axis=1).min() for p in lap.line[::5, :2]])
    assert offset.max() <= 5.0 + 0.1  # the wider side less half a car; the polygon cuts corners
    assert lap.least_margin >= -0.01
    assert lap.profile.closed and lap.profile.feasible and lap.profile.peak_friction_use <= 1.005
    finer = track.profile(lap.line, CAR, 0.4)
    assert finer.time == pytest.approx(lap.profile.time, rel=0.005)


def test_elevation_slows_a_weak_car():
    weak = Vehicle(engine_force=1500, drag=0.9, height_to_half_width=0.0, mass=1200)
    flat, hilly = (ring(300, height=h).profile(ring(300, height=h).centre, weak) for h in (0.0, 12.0))
    assert hilly.feasible and hilly.time > flat.time


def test_least_bent_on_a_ring_is_its_outer_edge():
    """∫ c² ds = 2π / R."""
    lap = ring().least_bend_line(CAR)
    bend = np.trapezoid(ring().path(lap.line).geodesic_curvature ** 2, dx=lap.profile.length / len(lap.line))
    assert 0.999 <= bend / (2 * np.pi / 85) < 1.01
    assert lap.least_margin > -0.01


def test_a_real_circuit_beats_the_published_line(shared_data):
    folder = shared_data / "circuits"
    track = Circuit.read(folder / "Norisring.csv")
    published = track.profile(read_line(folder / "Norisring_min_curvature_line.csv"), CAR)
    lap = track.fastest_line(CAR, car_width=2.0)
    assert lap.profile.time <= 0.99 * published.time
    assert lap.least_margin >= -0.01 and lap.profile.peak_friction_use <= 1.005


def test_the_lap_does_not_depend_on_the_sampling():
    track = bean()
    lap = track.fastest_line(CAR)
    times = [track.profile(lap.line, CAR, spacing).time for spacing in (0.1, 0.4, 1.0)]
    assert times == pytest.approx([lap.profile.time] * 3, rel=5e-4)


def test_the_lap_of_a_kart_does_not_depend_on_the_sampling():
    """Finding: round bends of 5 m, found every 0.25 m where a line is told every metre and every 0.1 m where
    it is told so, speeds differed by 0.07 %."""
    end = np.linspace(-np.pi / 2, np.pi / 2, 24)
    side = np.linspace(0.0, 60.0, 20)[1:-1]
    bend = np.column_stack([60 + 6 * np.cos(end), 6 * np.sin(end)])
    straight = np.column_stack([side, np.full(18, -6.0)])
    half = np.vstack([straight, bend])
    centre = np.vstack([half, [60.0, 0.0] - half])
    track = Circuit(np.column_stack([centre, np.zeros(84)]), np.full(84, 2.0), np.full(84, 2.0))
    line = track.path(track.centre, 0.3).points
    times = [track.profile(line, CAR, spacing).time for spacing in (0.1, 0.25, 0.4, 0.6, 1.0)]
    assert times == pytest.approx([times[0]] * 5, rel=3e-4)


def test_a_bank_lets_a_ring_be_driven_faster():
    """v² = g·R·(μ + tan β)/(1 − μ·tan β) on a circle that leans inwards by β."""
    strong = Vehicle(friction=0.8, engine_force=1e6, height_to_half_width=0.0, max_steer=math.pi / 2)
    lean = 0.2
    flat = ring(width=4.0)
    track = replace(flat, bank=np.full(160, -lean))  # driven to the left, so the right side is the higher
    v2 = 9.81 * 80 * (0.8 + math.tan(lean)) / (1 - 0.8 * math.tan(lean))
    assert track.profile(track.centre[:, :2], strong).time == pytest.approx(
        2 * np.pi * 80 / math.sqrt(v2), rel=1e-3
    )
    lap = track.fastest_line(strong)
    assert lap.profile.feasible and lap.profile.time < 0.99 * track.profile(track.centre[:, :2], strong).time
    assert lap.line[0, 2] < -0.3  # down on the inside


def test_slow_hands_calm_the_line():
    """With a steering rate the curvature changes no faster than the wheels do, and the lap takes longer."""
    slow = replace(CAR, steer_rate=0.15)
    track = bean()
    quick, calm = track.fastest_line(CAR), track.fastest_line(slow)
    assert calm.profile.feasible and calm.profile.time > quick.profile.time
    path = track.path(calm.line, 0.25)
    speed = np.interp(path.distance, calm.profile.distance, calm.profile.speed)
    rate = np.abs(np.diff(path.geodesic_curvature)) / path.geometry[:-1, 6] * speed[:-1]
    assert np.quantile(rate, 0.999) <= 1.05 * slow.bend_rate
    assert "steer-rate" in calm.profile.binding_shares
    assert calm.profile.time <= track.profile(quick.line, slow).time  # the line was chosen for it


def test_the_centre_is_judged_as_the_answer_is():
    """Finding: the answer was the centre line, undrivable, while the centre line took 45.9 s."""
    s = np.linspace(0, 60, 13)  # out, and back 0.1 m beside
    rows = np.vstack([np.column_stack([s, 0 * s, 0 * s]), np.column_stack([s[::-1], 0 * s + 0.1, 0 * s])])
    cusp = Circuit(rows, np.full(26, 2.0), np.full(26, 2.0))
    lap, centre = cusp.fastest_line(CAR), cusp.judged(cusp.centre, CAR)
    assert not lap.profile.feasible and lap.profile.explain() == centre.explain()


def test_the_lap_is_that_of_direct_collocation():
    """Within 0.1 % of what IPOPT finds for the same car between the same edges, by the same profile."""
    pytest.importorskip("casadi")
    from swerve.bench.terrain import _ring, laps

    found = laps([_ring("bean", 90.0, (3, 25.0))])["bean"]
    assert found["theirs_solved"] and abs(found["percent_above"]) < 0.1 and found["ours_least_margin"] >= 0.0
    assert abs(found["theirs_judged"] / found["theirs_lap"] - 1.0) < 2e-3  # its line, looked at more closely


def test_a_vehicle_file_changes_the_racing_car_in_what_it_names(tmp_path):
    """Finding: one field made a circuit's car the paper's in all others; a curve of forces alone was cut
    at the engine of another car."""
    file = tmp_path / "car.yaml"
    file.write_text("steer_rate: 100\n")
    racing = Vehicle.racing_car()
    assert Vehicle.read(file, otherwise=racing) == replace(racing, steer_rate=100.0)
    file.write_text("force_curve: [[0, 5000], [30, 1000]]\n")
    assert Vehicle.read(file).drive_table()[0] == pytest.approx(2.5)
    file.write_text("engine_force: 500\n")
    assert Vehicle.read(file, otherwise=racing).drive_table()[0] == pytest.approx(500 / 1200)


def test_a_lap_is_never_slower_than_the_middle_of_the_road():
    """Finding: on a banked oval the search got stuck where the bank comes in, far above the middle's time."""
    long, radius, ease = 100.0, 60.0, 30.0
    half = long + np.pi * radius
    at = np.linspace(0.0, 2 * half, 500, endpoint=False)
    u, side = at % half, np.where(at < half, 1.0, -1.0)
    turned = np.maximum(u - long, 0.0) / radius
    x = side * (np.minimum(u, long) - long / 2 + radius * np.sin(turned))
    y = -side * radius * np.cos(turned)
    into = np.minimum(np.minimum(np.abs(u - long), np.abs(u - half)), u + 1e9 * (u > long)) / ease
    inside = np.where(u > long, 0.5 + 0.5 * into, 0.5 - 0.5 * np.minimum(into, u / ease))
    room = np.full(500, 6.0)
    track = Circuit(np.column_stack([x, y, 0 * x]), room, room, bank=-0.3 * np.clip(inside, 0.0, 1.0))
    middle = track.judged(track.centre[:, :2], CAR)
    lap = track.fastest_line(CAR)
    assert middle.feasible and lap.profile.feasible
    assert lap.profile.time <= middle.time + 1e-9
