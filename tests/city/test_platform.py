"""The driver's car: how it moves, where its inputs come from, and that traffic keeps clear of it."""

import dataclasses

import numpy as np
import plain_street as plain
import pytest

from swerve.city import Scenario, ScenarioManager, Simulation, grid
from swerve.city.simulator import Bicycle, FileInputs, Inputs, LiveInputs, ScriptedDriver
from swerve.city.simulator.guests import Guest, crossing_claims, on_strips
from swerve.city.simulator.platform import checked
from swerve.city.simulator.sight import Sight
from swerve.core.errors import BadInput

DT = 1 / 60


def roll(car, state, inputs, seconds):
    for _ in range(round(seconds / DT)):
        state = car(state, inputs, DT)
    return state


def moving(speed):
    return np.array([0.0, 0.0, 0.0, speed, 0.0, 0.0])


def test_full_braking_stops_in_the_known_distance():
    state = roll(Bicycle(), moving(20.0), Inputs(brake=1.0), 4.0)
    assert state[3] == 0.0 and state[0] == pytest.approx(20.0**2 / (2 * 8.7), rel=0.03)


def test_a_steady_wheel_gives_the_circle_of_the_wheelbase():
    car = Bicycle(steer_rate=100.0)
    state, turned, way = moving(4.0), 0.0, 0.0
    for _ in range(300):
        before, state = state, car(state, Inputs(steer=0.5, throttle=0.08), DT)
        rear = [s[:2] - car.middle * np.array([np.cos(s[2]), np.sin(s[2])]) for s in (before, state)]
        way += float(np.hypot(*(rear[1] - rear[0])))
        turned += state[2] - before[2]
    assert way / turned == pytest.approx(car.wheelbase / np.tan(0.3), rel=1e-3)


def test_the_tyres_limit_the_turn_at_speed():
    state = roll(Bicycle(), moving(25.0), Inputs(steer=1.0, throttle=0.3), 1.5)
    speed = np.hypot(state[3], state[4])
    assert abs(state[5]) * speed < 7.3


def test_the_brake_never_pushes_backwards_and_reverse_does():
    assert roll(Bicycle(), moving(0.0), Inputs(brake=1.0), 1.0)[0] == 0.0
    assert roll(Bicycle(), moving(0.0), Inputs(throttle=-0.5), 1.0)[0] < -0.3


def test_inputs_out_of_range_are_named():
    with pytest.raises(BadInput, match=r"driver's brake: must be between 0 and 1, got -0.1"):
        checked(Inputs(brake=-0.1))
    with pytest.raises(BadInput, match="steer"):
        LiveInputs().put(Inputs(steer=float("nan")))


def sight_at(t):
    return Sight(t, 0.0, 0.0, 0.0, 0.0, -1, 0.0, 0.0, 0.0, ())


def test_a_file_of_inputs_holds_each_row_until_the_next(tmp_path):
    path = tmp_path / "inputs.csv"
    path.write_text("t,steer,throttle,brake\n0.5,0.1,0.2,0\n1.0,-0.1,0,0.7\n")
    source = FileInputs(path)
    assert source(sight_at(0.0)) == Inputs()
    assert source(sight_at(0.99)) == Inputs(0.1, 0.2, 0.0)
    assert source(sight_at(1.0)) == source(sight_at(50.0)) == Inputs(-0.1, 0.0, 0.7)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("t,steer,brake\n0,0,0\n", "lacks columns"),
        ("t,steer,throttle,brake\n", "has no rows"),
        ("t,steer,throttle,brake\n0,0,0,oops\n", "line 2"),
        ("t,steer,throttle,brake\n0,0,0,0\n0,0,0,0\n", "line 3: t must be above 0"),
        ("t,steer,throttle,brake\n0,2,0,0\n", "line 2: driver's steer"),
    ],
)
def test_a_broken_file_of_inputs_is_refused(tmp_path, text, why):
    path = tmp_path / "inputs.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=why):
        FileInputs(path)


def test_a_guest_stands_on_every_strip_its_outline_touches():
    roads = grid(3, 3).roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.inner >= 0))[0])
    beside = int(roads.inner[lane])
    x, y, heading = (float(v[0]) for v in roads.place(np.array([lane]), np.array([80.0]), 0.0))
    car = Guest(0, "driver", 4.6, 1.8, 1.5, x, y, heading=heading)
    rows = on_strips(car, roads)
    assert rows.strip.tolist() == [lane] and car.strip == lane
    assert car.station == pytest.approx(80.0, abs=1e-6)
    rear = rows.station[0] - rows.length[0]
    assert 77.7 - 0.5 < rear <= 77.7
    between = roads.place(np.array([lane]), np.array([80.0]), float(roads.width[lane]) / 2)
    car.x, car.y = float(between[0][0]), float(between[1][0])
    assert sorted(on_strips(car, roads).strip.tolist()) == sorted([lane, beside])
    car.heading += np.pi  # against the direction: no speed along the lane
    car.vx, car.vy = 5.0 * np.cos(car.heading), 5.0 * np.sin(car.heading)
    assert (on_strips(car, roads).speed == 0.0).all()
    car.x += 1e5
    assert len(on_strips(car, roads)) == 0 and car.strip == -1


def test_people_are_told_of_a_car_that_cannot_stop():
    crossings = grid(3, 3).roads.crossings
    middle = crossings.corners[0].mean(axis=0)
    along = np.asarray(crossings.ends[0][1]) - np.asarray(crossings.ends[0][0])
    heading = float(np.arctan2(along[1], along[0])) + np.pi / 2
    car = Guest(0, "driver", 4.6, 1.8, 1.5, heading=heading)
    car.x, car.y = (middle - 12.0 * np.array([np.cos(heading), np.sin(heading)])).tolist()
    assert crossing_claims(car, crossings)[0] == 0.0
    car.vx, car.vy = 14.0 * np.cos(heading), 14.0 * np.sin(heading)
    assert crossing_claims(car, crossings)[0] > 0.5


def drive(source, vehicles=150, seconds=40.0, strip=33, station=60.0, seed=1, before=None):
    """A city of four by four junctions with a driver whose inputs are `source(roads)`."""
    simulation = Simulation(grid(4, 4), vehicles=vehicles, seed=seed, dt=0.1, record=True)
    scenario = {"driver": {"at": {"strip": strip, "station": station}, "inputs": {"live": True}}}
    manager = ScenarioManager(simulation, Scenario.model_validate(scenario), source(simulation.town.roads))
    if before:
        before(manager)
    for _ in range(round(seconds / 0.1)):
        manager.step()
    return manager


def overlaps(manager):
    """Pairs of outlines that overlap, over every second frame of the recording, by independent code."""
    table = plain.tracks(manager.simulation.recorder.recording({}).whole())
    columns = [table[name].astype(float) for name in ("x", "y", "heading", "length", "width")]
    return sum(
        len(plain.overlapping_pairs(*(c[k] for c in columns))) for k in range(0, len(table["times"]), 2)
    )


def test_traffic_queues_behind_a_parked_driver_or_goes_round():
    manager = drive(lambda roads: lambda sight: Inputs(brake=1.0))
    fleet = manager.simulation.traffic.fleet
    behind = (fleet.strip == 33) & (fleet.station < 60.0)
    assert overlaps(manager) == 0 and behind.sum() >= 1
    assert (fleet.speed[behind] < 1.0).any()


def test_nobody_drives_into_a_car_that_stands_across_a_junction():
    def across(manager):
        roads, car = manager.stage.roads, manager.driver
        connectors = np.flatnonzero(roads.kind == 1)
        connector = int(connectors[len(connectors) // 2])
        point = (roads.first[connector] + roads.first[connector + 1]) // 2
        car.x, car.y, car.heading = float(roads.x[point]) + 1.5, float(roads.y[point]) + 1.0, 0.7
        manager.stage.tell_traffic()
        manager.simulation.recorder.restart()

    manager = drive(lambda roads: lambda sight: Inputs(brake=1.0), before=across)
    assert overlaps(manager) == 0
    assert manager.simulation.traffic.fleet.waiting.max() > 5.0  # it does block the way


def lanes_before_red(roads, seconds):
    """Lanes whose way straight on is red from 2 s until `seconds`."""
    found = []
    for lane in np.flatnonzero(roads.kind == 0):
        ways = roads.after[roads.after_first[lane] : roads.after_first[lane + 1]]
        straight = [way for way in ways if roads.turn[way] == 0 and roads.light[way] >= 0]
        times = np.arange(2.0, seconds)
        if straight and all(roads.lights.state(t)[roads.light[straight[0]]] == 0 for t in times):
            found.append(int(lane))
    return found


def test_a_driver_who_runs_a_red_light_is_let_through():
    def reckless(roads):
        driver = ScriptedDriver(roads, speed=9.0)
        return lambda sight: driver(dataclasses.replace(sight, light_is_red=False))

    roads, run = grid(4, 4).roads, 0
    for strip in lanes_before_red(roads, 14.0)[::3]:
        manager = drive(reckless, seconds=12.0, strip=strip, station=float(roads.length[strip]) - 60.0)
        report = manager.report()
        assert report["contacts"] == 0 and overlaps(manager) == 0
        run += report["red_lights"]
        if run == 2:
            break
    assert run == 2  # it did so at least twice


def test_the_scripted_driver_keeps_the_rules():
    manager = drive(lambda roads: ScriptedDriver(roads, speed=13.0), seconds=60.0)
    report = manager.report()
    assert report["contacts"] == report["red_lights"] == 0 and report["distance"] > 200.0
    assert report["over_limit_share"] < 0.03 and report["lane_position_sd"] < 0.3
    assert overlaps(manager) == 0


def test_any_function_can_be_the_car():
    calls = []

    def make(characters, character):
        def model(state, inputs, dt):
            calls.append(inputs)
            return state + np.array([state[3] * dt, state[4] * dt, 0.0, 0.0, 0.0, 0.0])

        return model

    simulation = Simulation(grid(3, 3), vehicles=2, seed=1, dt=0.1)
    given = {"at": {"strip": 0, "station": 60}, "speed": 5.0, "car": "cart", "inputs": {"live": True}}
    manager = ScenarioManager(
        simulation, Scenario.model_validate({"driver": given}), LiveInputs(), {"cart": make}
    )
    start = manager.driver.x, manager.driver.y
    for _ in range(10):
        manager.step()
    assert np.hypot(manager.driver.x - start[0], manager.driver.y - start[1]) == pytest.approx(5.0)
    assert len(calls) == 10
    with pytest.raises(BadInput, match=r"car: must be one of bicycle, got 'cart'"):
        fresh = Simulation(grid(3, 3), vehicles=2, seed=1, dt=0.1)
        ScenarioManager(fresh, Scenario.model_validate({"driver": given}), LiveInputs())
