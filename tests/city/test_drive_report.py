"""Figures of a drive, from a log whose answers are known."""

import numpy as np
import pytest

from swerve.city import grid
from swerve.city.simulator import as_text, write_report
from swerve.city.simulator.driver_log import COLUMNS, DriverLog, body_gaps
from swerve.city.simulator.outsiders import CarModel, DriverCar
from swerve.city.simulator.platform import Bicycle, BicycleBody
from swerve.city.simulator.report import drive_report, lane_keeping, reactions, time_to_collision


def log_of(seconds=10.0, dt=0.05, **columns):
    """A log with constant columns unless given as functions of time."""
    log = DriverLog()
    for t in np.arange(0.0, seconds, dt):
        row = dict.fromkeys(COLUMNS, 0.0) | {"gap": np.inf, "nearest": np.inf, "limit": 14.0, "leader": -1.0}
        row |= {"t": t, "speed": 10.0, "x": 10.0 * t, "on_lane": 1.0}
        row |= {name: value(t) if callable(value) else value for name, value in columns.items()}
        log._rows.append(tuple(row[name] for name in COLUMNS))
    return log


def test_reaction_times_are_counted_from_the_stimulus():
    log = log_of(
        brake=lambda t: 0.3 if t >= 4.75 else 0.0,
        throttle=lambda t: 0.0 if t >= 4.5 else 0.4,
        steer=lambda t: 0.2 if t >= 5.5 else 0.0,
    )
    found = reactions(log.table(), 4.0, 3.0)
    assert found == pytest.approx({"brake": 0.75, "release": 0.5, "steer": 1.5})
    assert reactions(log.table(), 4.0, 0.6)["brake"] is None
    assert reactions(log.table(), 6.0, 3.0) == {"brake": None, "release": None, "steer": None}


@pytest.mark.parametrize(
    ("expect", "time", "by"), [("brake", 0.75, "brake"), ("any", 0.5, "release"), ("steer", None, None)]
)
def test_what_counts_as_a_reaction_is_said_by_the_event(expect, time, by):
    log = log_of(brake=lambda t: 0.3 * (t >= 4.75), throttle=lambda t: 0.4 * (t < 4.5))
    log.note(4.0, "stimulus", "lead brakes", expect=expect, within=3.0)
    (stimulus,) = drive_report(log)["stimuli"]
    assert stimulus["reaction_time"] == (time and pytest.approx(time)) and stimulus["reaction"] == by


def test_a_second_stimulus_ends_the_time_of_the_first():
    log = log_of(brake=lambda t: 0.3 * (t >= 5.0), gap=lambda t: 30.0 - 2.0 * t, leader_speed=8.0)
    for t in (2.0, 4.0):
        log.note(t, "stimulus", f"at {t}", expect="brake", within=5.0)
    first, second = drive_report(log)["stimuli"]
    assert first["reaction_time"] is None and second["reaction_time"] == pytest.approx(1.0)
    assert first["min_gap"] == pytest.approx(30.0 - 2.0 * 3.95) and second["gap"] == pytest.approx(22.0)


@pytest.mark.parametrize("later", [0.0, 0.3])
def test_with_its_own_other_drive_a_stimulus_is_not_cut_short_by_the_next(later):
    log = log_of(brake=lambda t: 0.3 * (t >= 5.0), leader_speed=lambda t: 8.0 * (t < 4.05))
    for t, name in ((4.0, "first"), (4.0 + later, "second")):
        log.note(t, "stimulus", name, expect="brake", within=5.0)
    twins = {"first": log_of(leader_speed=8.0).table(), "second": log.table()}
    first, second = drive_report(log, dt=0.05, twins=twins)["stimuli"]
    assert first["reaction_time"] == pytest.approx(0.95) and first["missed"] is False
    assert first["compared_with"] == "the same drive without it" and first["min_time_to_collision"] is None
    assert second["reaction_time"] is None and second["missed"] is True


def test_a_drive_among_others_is_not_the_same_drive():
    log = log_of(nearest=lambda t: 80.0 - t)
    log.note(4.0, "stimulus", "s", expect="brake", within=5.0)
    (stimulus,) = drive_report(log, dt=0.05, twins={"s": log_of().table()})["stimuli"]
    assert stimulus["compared_with"] == "what the driver did when it came" and stimulus["seen_time"] is None


def test_a_stimulus_in_the_last_frame_is_not_called_missed():
    log = log_of(gap=20.0)
    log.note(9.95, "stimulus", "last", expect="brake", within=5.0)
    (stimulus,) = drive_report(log, dt=0.05, twins={"last": log.table()})["stimuli"]
    assert stimulus["missed"] is None and stimulus["gap"] == stimulus["min_gap"] == 20.0


def test_lane_position_leaves_out_junctions_and_lane_changes():
    log = log_of(
        lateral=lambda t: 3.0 if t > 8 else 0.2 * np.sqrt(2) * np.sin(2 * np.pi * t),
        on_lane=lambda t: float(t < 4 or t >= 6),
    )
    mean, deviation = lane_keeping(log.table())
    assert mean == pytest.approx(0.0, abs=0.01) and deviation == pytest.approx(0.2, rel=0.02)


def test_time_to_collision_and_whole_drive():
    log = log_of(gap=20.0, leader_speed=lambda t: 6.0 if t < 5 else 12.0, nearest=1.5)
    assert time_to_collision(log.table())[[0, -1]].tolist() == [5.0, np.inf]
    report = drive_report(log)
    assert report["min_time_to_collision"] == 5.0 and report["min_headway"] == pytest.approx(2.0)
    assert report["mean_speed"] == 10.0 and report["distance"] == pytest.approx(99.5)
    assert report["over_limit_share"] == 0.0 and report["nearest_body"] == 1.5


def test_gaps_between_outlines():
    car = DriverCar(7, (4.0, 2.0, 1.5), CarModel(BicycleBody(Bicycle())), grid(3, 3).roads)
    frame = {
        "id": np.array([7, 1, 2, 3]),
        "x": np.array([0.0, 10.0, 0.0, 3.0]),
        "y": np.array([0.0, 0.0, 5.0, 0.5]),
        "heading": np.array([0.0, 0.0, np.pi / 2, 0.3]),
        "length": np.full(4, 4.0),
        "width": np.full(4, 2.0),
    }
    gaps = body_gaps(car, frame)
    assert gaps[0] == np.inf and gaps[1:3] == pytest.approx([6.0, 2.0]) and gaps[3] < 0


def test_the_report_is_written_in_all_its_forms(tmp_path):
    log = log_of(gap=lambda t: 30.0 - t, brake=lambda t: 0.5 * (t > 5.0))
    log.note(4.0, "stimulus", "lead brakes", expect="brake", within=3.0)
    report = drive_report(log, "a drive")
    paths = write_report(report, log, tmp_path)
    assert all((tmp_path / name).stat().st_size > 500 for name in ("report.json", "report.png", "driver.csv"))
    assert set(paths) == {"report", "report_text", "report_picture", "driver_log"}
    assert "| lead brakes | 4.00 s | 1.05 s | brake | 10.0 m/s | 26.0 m |" in as_text(report)


def test_an_empty_drive_has_a_report_too(tmp_path):
    report = drive_report(DriverLog())
    assert report["mean_speed"] is None and "| mean speed | – |" in as_text(report)
