"""Lines of circuits: written, read again, rounded, of other roads, in coordinates of a map."""

from dataclasses import replace

import numpy as np
import pytest
from known_circuits import CAR, bean, ring

from swerve.core.circuit_file import without_repeat
from swerve.core.errors import BadInput
from swerve.terrain import SurfacePath, Vehicle
from swerve.terrain.circuit import Circuit
from swerve.terrain.rounding import read_line, unrounded


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
