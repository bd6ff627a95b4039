"""Circuits: slopes against differences, a ring with a known answer, a real circuit."""

import math
from dataclasses import replace

import numpy as np
import pytest

from swerve.core.circuit_file import without_repeat
from swerve.core.errors import BadInput
from swerve.terrain import SurfacePath, Vehicle, lapline
from swerve.terrain.circuit import Circuit
from swerve.terrain.rounding import read_line, unrounded

CAR = Vehicle.racing_car()


def ring(radius=80.0, width=6.0, n=160, height=0.0):
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    centre = np.column_stack([radius * np.cos(a), radius * np.sin(a), height * np.sin(a)])
    return Circuit(centre, np.full(n, width), np.full(n, width))


def bean(n=200):
    """A closed track with bends either way."""
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    r = 150 + 50 * np.cos(3 * a) + 15 * np.sin(2 * a)
    return Circuit(np.column_stack([r * np.cos(a), r * np.sin(a), 0 * a]), np.full(n, 6.0), np.full(n, 5.0))


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


def test_wrong_files_are_refused(tmp_path):
    bad = tmp_path / "track.csv"
    for text, why in (
        ("a,b\nc,d\n", "no columns x_m"),
        ("1,2\n3,4\n", "columns"),
        ("# x\n1,2,3,nan\n2,3,4,5\n", "finite"),
    ):
        bad.write_text(text)
        with pytest.raises(BadInput, match=why):
            Circuit.read(bad)
    with pytest.raises(BadInput, match="no such file"):
        Circuit.read(tmp_path / "none.csv")
    with pytest.raises(BadInput, match="does not fit"):
        ring(width=1.0).fastest_line(CAR, car_width=2.5)


def test_a_real_circuit_beats_the_published_line(shared_data):
    folder = shared_data / "circuits"
    track = Circuit.read(folder / "Norisring.csv")
    published = track.profile(read_line(folder / "Norisring_min_curvature_line.csv"), CAR)
    lap = track.fastest_line(CAR, car_width=2.0)
    assert lap.profile.time <= 0.99 * published.time
    assert lap.least_margin >= -0.01 and lap.profile.peak_friction_use <= 1.005


def test_a_lap_as_a_way_written_and_read_takes_as_long(tmp_path):
    a = np.linspace(0.0, 2 * np.pi, 120, endpoint=False)
    r = 60.0 + 15.0 * np.cos(3 * a)
    centre = np.column_stack([r * np.cos(a), r * np.sin(a), 3.0 * np.sin(a)])
    track, car = Circuit(centre, np.full(120, 6.0), np.full(120, 6.0)), Vehicle.racing_car()
    lap = track.least_bend_line(car)
    way = lap.way()
    assert way.closed and way.speed is not None
    assert np.hypot(*np.diff(way.points, axis=0).T) == pytest.approx(way.length / len(way.points), rel=1e-3)
    line = np.column_stack([way.points, way.z])
    assert track.profile(line, car).time == pytest.approx(lap.profile.time, rel=1e-3)
    columns = np.genfromtxt(lap.write(tmp_path / "lap.csv"), delimiter=",", names=True)
    again = np.column_stack([columns[name] for name in ("x_m", "y_m", "z_m")])
    assert track.profile(again, car).time == pytest.approx(lap.profile.time, rel=1e-3)
    bend = track.path(lap.line).geodesic_curvature
    fastest = track.fastest_line(car)
    assert (bend**2).mean() < (track.path(fastest.line).geodesic_curvature ** 2).mean()
    assert fastest.profile.time < lap.profile.time  # what bends least is slower


def test_a_line_without_heights_takes_those_of_the_road():
    """Finding: stairs from the nearest point made the baseline of a hilly circuit four times as slow."""
    a = np.linspace(0.0, 2 * np.pi, 60, endpoint=False)
    centre = np.column_stack([300 * np.cos(a), 300 * np.sin(a), 12 * np.sin(3 * a)])
    track = Circuit(centre, np.full(60, 6.0), np.full(60, 6.0))
    b = np.linspace(0.0, 2 * np.pi, 900, endpoint=False)
    flat = np.column_stack([303 * np.cos(b), 303 * np.sin(b)])
    exact = track.profile(np.column_stack([flat, 12 * np.sin(3 * b)]), CAR)
    assert track.profile(flat, CAR).time == pytest.approx(exact.time, rel=0.005)


def test_a_written_line_read_again_takes_as_long(tmp_path):
    track = bean()
    lap = track.fastest_line(CAR)
    again = read_line(lap.write(tmp_path / "lap.csv"))
    assert track.profile(again, CAR).time == pytest.approx(lap.profile.time, rel=5e-4)


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


def test_a_small_ring_is_driven_on_its_inner_circle():
    """Finding: a ring of radius 9 m was driven 17 % slower than its inner circle."""
    track = ring(radius=9.0, width=3.0, n=60)
    inner = 9.0 - 3.0 + 1.0
    lap = track.fastest_line(CAR, car_width=2.0)
    assert lap.profile.time == pytest.approx(2 * np.pi * math.sqrt(inner / 12), rel=0.01)


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


def test_an_open_stage_is_driven_from_rest_to_full_speed():
    """A straight stage has a known time; a corner is cut from the outside to the inside."""
    s = np.linspace(0, 400, 60)
    car = Vehicle(engine_force=6000, height_to_half_width=0.0)
    straight = Circuit(np.column_stack([s, 0 * s, 0 * s]), np.full(60, 4.0), np.full(60, 4.0), closed=False)
    lap = straight.fastest_line(car)
    assert lap.profile.time == pytest.approx(math.sqrt(2 * 400 / 3.0), rel=0.01)
    assert lap.profile.speed[0] == 0 and lap.profile.speed[-1] == pytest.approx(
        math.sqrt(2 * 3 * 400), rel=0.01
    )
    turn = np.clip((s - 150) / 60, 0, 1) * np.pi / 2
    step = s[1]
    corner = np.column_stack([np.cumsum(np.cos(turn)) * step, np.cumsum(np.sin(turn)) * step, 0 * s])
    bent = Circuit(corner, np.full(60, 4.0), np.full(60, 4.0), closed=False, v_start=20.0)
    lap = bent.fastest_line(car)
    assert lap.profile.feasible and lap.least_margin > -0.01 and not lap.profile.closed
    assert lap.profile.time < 0.95 * bent.profile(bent.centre, car).time
    middle = lap.offset[len(lap.offset) // 2 - 20 : len(lap.offset) // 2 + 20]
    assert middle.max() > 2.5 and lap.profile.speed[0] == pytest.approx(20.0)
    with pytest.raises(BadInput, match="closed"):
        bent.least_bend_line(car)


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


def test_a_road_too_steep_says_why():
    a = np.linspace(0.0, 2 * np.pi, 60, endpoint=False)
    centre = np.column_stack([60 * np.cos(a), 60 * np.sin(a), 40 * np.sin(a)])
    track = Circuit(centre, np.full(60, 6.0), np.full(60, 6.0))
    lap = track.fastest_line(Vehicle(engine_force=500.0, height_to_half_width=0.0))
    assert not lap.profile.feasible and "not drivable" in lap.profile.explain()


@pytest.mark.parametrize(("radius", "room"), [(5.0, 3.5), (6.0, 4.0)])
def test_tight_roads_are_driven_as_tightly_as_the_steering_allows(radius, room):
    """Findings: a ring of 5 m with room out to 7.5 m was called undrivable (the car turns within 5.5 m), and
    one of 6 m got a line that bent too much between its knots. Told every metre, and found at 32 knots, the
    lap was 0.26 % too slow: splines bend more at their points than between them."""
    a = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    centre = radius * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    kart = Circuit(centre, np.full(32, room), np.full(32, room))
    assert kart.profile(kart.centre, CAR).feasible == (radius > 5.5)
    lap = kart.fastest_line(CAR)
    assert lap.profile.feasible and lap.least_margin > -0.01 and 33.98 < lap.profile.length < 47.2
    tightest = math.sqrt(27 + 2.25)  # [m] what the steering allows, of the wheels turned by 30°
    assert lap.profile.time < 1.001 * 2 * math.pi * math.sqrt(tightest / 12)


def hairpin(radius, room, leg=20.0):
    """A stage of two legs and half a circle between them."""
    a, out = np.linspace(0, np.pi, 12), np.arange(0.0, leg, 2.0)
    bend = np.column_stack([leg + radius * np.sin(a), radius - radius * np.cos(a)])
    line = np.vstack(
        [np.column_stack([out, 0 * out]), bend, np.column_stack([out[:0:-1], 0 * out[1:] + 2 * radius])]
    )
    room = np.full(len(line), room)
    return Circuit(np.column_stack([line, 0 * line[:, 0]]), room, room, closed=False)


@pytest.fixture(scope="module")
def beside():
    """A hairpin of 3 m, and how it is driven."""
    track = hairpin(3.0, 4.0)
    return track, track.fastest_line(CAR)


def test_a_stage_whose_middle_is_too_tight_is_driven_beside_it(beside):
    """Finding: a hairpin of 3 m was called not drivable beside a drivable line."""
    track, lap = beside
    assert not track.judged(track.centre, CAR).feasible
    a = np.linspace(0, np.pi, 60)
    wide = np.column_stack([20 + 5.7 * np.sin(a), 3 - 5.7 * np.cos(a)])
    legs = [np.column_stack([np.arange(0.0, 19.5, 0.5), np.full(39, y)]) for y in (-2.7, 8.7)]
    plain = track.judged(np.vstack([legs[0], wide, legs[1][::-1]]), CAR)
    assert plain.feasible and lap.profile.feasible and lap.least_margin > -0.01
    assert lap.profile.time < plain.time


def test_a_known_line_is_never_lost(beside):
    """It is the answer, or what the answer was made of, where the search finds nothing as quick."""
    track, lap = beside
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("swerve.terrain.circuit.gentlest_line", lambda road, line, *_: line)
        assert not track.fastest_line(CAR).profile.feasible
        patch.setattr(lapline, "SPARE_STEER", ())
        again = track.fastest_line(CAR, known=lap.line[:, :2])
    assert again.profile.time == pytest.approx(lap.profile.time, rel=1e-4)


def test_the_room_beside_a_bend_is_measured_far_outside_of_it():
    """Finding: 5 m outside a bend of 1 m, places were taken for places on the other side."""
    track = hairpin(1.0, 6.0)
    a = np.linspace(0.2, np.pi - 0.2, 40)
    beside = np.column_stack([20 + 6.5 * np.sin(a), 1 - 6.5 * np.cos(a)])
    room, offset = track.margins(beside, 0.0)
    assert offset == pytest.approx(-5.5, abs=0.05) and room == pytest.approx(0.5, abs=0.05)


def test_hairpins_as_tight_as_the_wheels_turn_are_cut():
    """Finding: where a line bent too much for the next knots, the middle of the road was driven, 12 % slower
    than the line that uses its width."""
    straight, arc = np.linspace(0.0, 80.0, 12, endpoint=False), np.linspace(-np.pi / 2, np.pi / 2, 24)[:-1]
    half = np.vstack(
        [
            np.column_stack([straight, 0 * straight - 7.0]),
            7.0 * np.column_stack([np.cos(arc), np.sin(arc)]) + [80, 0],
        ]
    )
    rows = np.vstack([half, [80.0, 0.0] - half])
    road = Circuit(np.column_stack([rows, 0 * rows[:, 0]]), np.full(len(rows), 2.8), np.full(len(rows), 2.8))
    lap = road.fastest_line(CAR)
    middle = road.profile(road.centre, CAR).time
    assert lap.profile.feasible and 0.0 < lap.least_margin < 0.01 and lap.profile.time < 0.88 * middle


def test_a_small_ring_is_driven_along_its_inside():
    """Finding: a ring of 9 m was driven 17 % slower than its inner circle."""
    a = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    small = Circuit(9 * np.column_stack([np.cos(a), np.sin(a), 0 * a]), np.full(32, 3.0), np.full(32, 3.0))
    assert small.fastest_line(CAR).profile.time < 1.001 * 2 * math.pi * math.sqrt(7.0 / 12)


def test_rows_that_do_not_close_a_lap_are_refused():
    """Finding: a straight of 1 km was closed by turning on the spot, and so was most of a ring."""
    s = np.linspace(0, 1000, 101)
    wide = np.full(101, 5.0)
    straight = np.column_stack([s, 0 * s, 0 * s])
    with pytest.raises(BadInput, match="does not close"):
        Circuit(straight, wide, wide)
    Circuit(straight, wide, wide, closed=False)
    there_and_back = np.vstack([straight, straight[-2:0:-1]])
    with pytest.raises(BadInput, match="turns back"):
        Circuit(there_and_back, np.full(200, 5.0), np.full(200, 5.0))
    whole = ring()
    with pytest.raises(BadInput, match="does not close"):
        Circuit(whole.centre[:120], whole.right[:120], whole.left[:120])


def test_a_line_of_another_road_is_no_baseline():
    """Finding: Monza's line on the Norisring, a third of a lap and a circle in the infield gave gains."""
    track = ring()
    track.must_hold(track.centre[:, :2] * 1.02, "line")
    for line in (track.centre[:, :2] + [500.0, 0.0], 0.5 * track.centre[:, :2], track.centre[:50, :2]):
        with pytest.raises(BadInput, match="no line of this road"):
            track.must_hold(line, "line")


def test_a_line_beside_the_narrow_side_or_round_twice_is_no_baseline():
    """Finding: the wider side's room held for both, and two laps as one line gave a gain of 51 %."""
    track = ring()
    lopsided = replace(track, left=np.full(160, 30.0))
    lopsided.must_hold(0.7 * track.centre[:, :2], "line")
    with pytest.raises(BadInput, match="no line of this road"):
        lopsided.must_hold(1.2 * track.centre[:, :2], "line")
    track.must_hold(track.centre[::-1, :2], "line")
    inner, outer = 0.99 * track.centre[:, :2], 1.01 * track.centre[:, :2]
    with pytest.raises(BadInput, match="round once"):
        track.must_hold(np.vstack([inner, outer]), "line")


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


def oval(rows):
    a = np.linspace(0.0, 2 * np.pi, rows, endpoint=False)
    return np.column_stack([(220 + 25 * np.cos(3 * a)) * np.cos(a), (120 + 20 * np.sin(2 * a)) * np.sin(a)])


@pytest.mark.parametrize(("rows", "digits", "most"), [(1100, 3, 1e-3), (1100, 2, 4e-3), (8000, 3, 1e-3)])
def test_a_line_in_millimetres_takes_as_long_as_it_does(tmp_path, rows, digits, most):
    """Finding: the product's own line in millimetres, given back, was 5 to 80 % slower than itself."""
    track = Circuit(np.column_stack([oval(200), np.zeros(200)]), np.full(200, 6.0), np.full(200, 6.0))
    text = "\n".join(f"{x:.{digits}f},{y:.{digits}f}" for x, y in oval(rows))
    (tmp_path / "line.csv").write_text("x_m,y_m\n" + text + "\n")
    true = track.judged(oval(2000), CAR).time
    assert track.judged(read_line(tmp_path / "line.csv"), CAR).time == pytest.approx(true, rel=most)
    assert track.judged(np.round(oval(rows), digits), CAR).time > 1.01 * true  # as it was


def test_only_what_rounding_did_is_smoothed():
    for line in (oval(1100), np.round(oval(40), 6), np.round(oval(400), 0)):
        assert unrounded(line, True) is line
    straight = np.column_stack([np.arange(0.0, 100.0, 0.125), np.zeros(800), np.full(800, 3.0)])
    assert np.abs(unrounded(straight, False) - straight).max() < 1e-6
    assert np.ptp(unrounded(straight, False)[:, 1:], axis=0).max() == 0.0  # what is level stays so
    moved = unrounded(np.round(oval(1100), 2), True) - oval(1100)
    assert np.abs(moved).max() < 0.04


@pytest.mark.parametrize("value", [1e9, 1e30, 1e300])
def test_rows_that_lie_anywhere_are_refused(value):
    """Finding: a row of a line at 1e9 m asked for gigabytes, larger ones were tracebacks."""
    a = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = 50 * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    road = Circuit(ring, np.full(24, 5.0), np.full(24, 5.0))
    line = ring[:, :2].copy()
    line[3, 0] = value
    with pytest.raises(BadInput, match="is no line of this road"):
        road.must_hold(line, "line")
    astray = ring.copy()
    astray[3, 0] = value
    with pytest.raises(BadInput, match="km long"):
        Circuit(astray, np.full(24, 5.0), np.full(24, 5.0))
    with pytest.raises(BadInput, match="wide"):
        Circuit(ring, np.full(24, value), np.full(24, 5.0))


def test_a_circuit_in_map_coordinates_keeps_its_last_row():
    """Finding: at eastings and northings of a UTM map the last row, as far as 53 m away, was taken for the
    first again; a lap ended in a traceback."""
    a = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    ring = np.column_stack([500_000 + 40 * np.cos(a), 5_300_000 + 40 * np.sin(a)])
    assert len(SurfacePath.from_points(ring, closed=True).points) == 64
    assert ring[without_repeat(ring)].shape == (64, 2)
    repeated = np.vstack([ring, ring[:1] + 0.004])
    assert repeated[without_repeat(repeated)].shape == (64, 2)


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


def test_without_friction_it_is_not_the_engine_that_stalls():
    """Finding: on a flat straight the climb was called too steep for the engine."""
    s = np.linspace(0, 100, 20)
    track = Circuit(np.column_stack([s, 0 * s, 0 * s]), np.full(20, 4.0), np.full(20, 4.0), closed=False)
    assert "too slippery" in track.judged(track.centre, replace(CAR, friction=0.0)).explain()


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


def eight(rise, n=160):
    """A road that crosses over itself, on a bridge if it rises."""
    t = np.linspace(0, 2 * np.pi, n, endpoint=False)
    centre = np.column_stack([120 * np.sin(t), 70 * np.sin(2 * t), rise * np.cos(t)])
    return Circuit(centre, np.full(n, 5.0), np.full(n, 5.0))


def test_a_road_is_not_mistaken_for_the_one_below_its_bridge():
    """Finding: beside a crossing heights and edges were those of the other stretch, and the answer was the
    middle of the road, or slower than that."""
    flat, bridge = eight(0.0), eight(3.0)
    middle = bridge.path(bridge.centre[:, :2])
    steps = np.diff(middle.points, axis=0)
    assert np.abs(steps[:, 2] / np.hypot(*steps[:, :2].T)).max() < 0.05
    lap, low = bridge.fastest_line(CAR), flat.fastest_line(CAR)
    assert lap.profile.time == pytest.approx(low.profile.time, rel=3e-3) and lap.least_margin > 0.0
    assert lap.profile.time < 0.98 * bridge.judged(bridge.centre, CAR).time


def test_a_line_that_leaves_the_road_is_not_followed():
    track = eight(0.0)
    short = track.path(track.centre[:, :2], 0.5).points[:, :2]
    cut = np.vstack([short[: len(short) // 8], short[3 * len(short) // 8 :]])
    with pytest.raises(BadInput, match="no line of this road"):
        track.must_hold(cut, "line")
    track.must_hold(short, "line")
