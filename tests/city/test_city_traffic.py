"""Traffic on a signalised grid, judged from its recording by code that knows nothing of how drivers
decide."""

import numpy as np
import plain_street as plain
import pytest

from swerve.city import Simulation, SimulationOptions, grid
from swerve.core.recording import Recording


def run(town, seconds, dt=0.1, **options):
    simulation = Simulation(town, options=SimulationOptions(dt=dt, record=True), **options)
    for _ in range(round(seconds / dt)):
        simulation.step()
    return simulation, simulation.recorder.recording({"scene": town.name}).whole()


@pytest.fixture(scope="module")
def busy():
    """250 cars for 300 steps of 0.1 s on a signalised grid."""
    return run(grid(4, 4), 30.0, vehicles=250, seed=3)


@pytest.fixture(scope="module")
def table(busy):
    return plain.tracks(busy[1])


def test_no_sideways_jumps_spins_or_impossible_turns(table):
    assert plain.sideways_jumps(table).max() < 0.5
    assert np.degrees(plain.yaw_rates(table)).max() < 60.0
    assert plain.turning_radii(table).min() > 3.0


def test_the_checks_would_see_a_car_that_jumps(table):
    moved = {name: np.array(column) for name, column in table.items()}
    moved["y"][10:, 5] += 0.8 * np.cos(moved["heading"][10, 5])
    moved["x"][10:, 5] -= 0.8 * np.sin(moved["heading"][10, 5])
    assert plain.sideways_jumps(moved)[9, 5] > 0.5
    moved["heading"][20:, 7] += 0.2
    assert np.degrees(plain.yaw_rates(moved))[19, 7] > 60.0


def test_no_outlines_overlap(table):
    columns = [table[name].astype(float) for name in ("x", "y", "heading", "length", "width")]
    for frame in range(0, len(table["times"]), 2):
        assert len(plain.overlapping_pairs(*(c[frame] for c in columns))) == 0, frame
    columns[0][0, 1], columns[1][0, 1] = columns[0][0, 0] + 1.0, columns[1][0, 0]
    assert len(plain.overlapping_pairs(*(c[0] for c in columns))) >= 1


def test_nobody_leaves_the_road(busy, table):
    town = busy[0].town
    for frame in range(0, len(table["times"]), 5):
        assert len(plain.off_road(table, town, frame)) == 0, frame
    table = {name: np.array(column) for name, column in table.items()}
    table["x"][0] += 4.0 * np.sin(table["heading"][0])
    table["y"][0] -= 4.0 * np.cos(table["heading"][0])
    assert len(plain.off_road(table, town, 0)) > 0


def test_nobody_runs_a_red_light(busy, table):
    simulation, _ = busy
    assert plain.red_lights_run(table, simulation.town.roads) == []
    assert (table["brake"].mean() > 0.1) and (table["indicator"] != 0).any()


def test_the_referee_agrees_with_the_checks(busy):
    figures = busy[0].figures()
    assert figures["collisions"] == figures["red_light_violations"] == figures["off_road"] == 0
    assert figures["deadlocks"] == 0 and figures["mean_speed"] > 2.0 and figures["arrivals"] > 0


def test_the_same_seed_gives_the_same_motion(busy, tmp_path):
    again, recording = run(grid(4, 4), 12.0, vehicles=250, seed=3)
    assert len(recording) == 121 * 250
    for name, column in busy[1].columns.items():
        first = column[: len(recording)]
        same = (first == recording[name]) | (first != first)  # blank where a row has none
        assert same.all(), name
    path = recording.write(tmp_path / "a.parquet")
    assert len(Recording.read(path)) == len(recording)
    other, _ = run(grid(4, 4), 1.0, vehicles=250, seed=4)
    assert not np.array_equal(other.traffic.fleet.x, again.traffic.fleet.x)


def test_left_hand_traffic_keeps_to_the_left():
    town = grid(3, 3, left_hand=True)
    simulation, recording = run(town, 20.0, vehicles=60, seed=2)
    table = plain.tracks(recording)
    assert simulation.figures()["collisions"] == 0 and simulation.figures()["off_road"] == 0
    assert plain.red_lights_run(table, town.roads) == []
    # the middle of the road is to the right of whoever drives on a lane with an opposite one
    fleet, strips = simulation.traffic.fleet, simulation.traffic.net.strips
    for i in np.flatnonzero(strips["opposite"][fleet.strip] >= 0)[:5]:
        other = strips["opposite"][fleet.strip[i]]
        x, y, _ = town.roads.place(np.array([other]), np.array([strips["length"][other] - fleet.station[i]]))
        aside = -np.sin(fleet.heading[i]) * (x - fleet.x[i]) + np.cos(fleet.heading[i]) * (y - fleet.y[i])
        assert aside[0] < -2.0


def test_the_referee_sees_a_person_under_a_car_and_the_person_falls():
    simulation = Simulation(grid(3, 3), vehicles=5, pedestrians=3, seed=1)
    simulation.step()
    assert simulation.figures()["collisions"] == 0
    fleet, people = simulation.traffic.fleet, simulation.people
    i = int(np.argmax(fleet.speed))
    ahead = fleet.length[i] / 2
    people.crowd.x[0] = fleet.x[i] + ahead * np.cos(fleet.heading[i])
    people.crowd.y[0] = fleet.y[i] + ahead * np.sin(fleet.heading[i])
    simulation.world.refresh()
    simulation.step()
    (contact,) = simulation.referee.collisions
    assert set(contact.kinds) == {"pedestrian", simulation.traffic.kinds[i]}
    assert people.fell.tolist() == [True, False, False]
    assert simulation.world.everyone.motion.fell.sum() == 1
    for _ in range(50):
        simulation.step()
    lies = people.crowd.x[0], people.crowd.y[0]
    simulation.step()
    assert (people.crowd.x[0], people.crowd.y[0]) == lies
