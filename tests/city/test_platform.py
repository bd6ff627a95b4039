"""The driver's car: how it moves, where its inputs come from, and that traffic keeps clear of it."""

import dataclasses

import numpy as np
import plain_street as plain
import pytest

from swerve.city import Scenario, ScenarioManager, Simulation, SimulationOptions, grid
from swerve.city.simulator import Bicycle, FileInputs, Inputs, LiveInputs, ScriptedDriver
from swerve.city.simulator.driver_log import body_gaps
from swerve.city.simulator.outsiders import CarModel, Footprint, footprint
from swerve.city.simulator.platform import checked
from swerve.city.simulator.sight import Sight
from swerve.city.traffic.net import build_net
from swerve.city.traffic.occupants import HORIZON, crossing_claims, find_occupants, map_strips
from swerve.core.bodies import PlainBody
from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.predict import going_on
from swerve.core.view import Seen

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


def box(x, y, yaw=0.0, vx=0.0, vy=0.0, outline=(4.6, 1.8, 1.5), z=None):
    """A body as traffic sees it, going on as it moves."""
    motion = Motion.planar([x], [y], yaw, vx, vy, z=outline[2] / 2 if z is None else z)
    poses = going_on(motion, HORIZON)
    return Seen(np.zeros(1, int), motion, np.array([outline]), np.array(["thing"], object), poses)


def rows_of(roads, seen):
    return find_occupants(build_net(roads), map_strips(roads), seen)[0]


def test_a_body_stands_on_every_strip_its_outline_touches():
    roads = grid(3, 3).roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.inner >= 0))[0])
    beside = int(roads.inner[lane])
    x, y, heading = (float(v[0]) for v in roads.place(np.array([lane]), np.array([80.0]), 0.0))
    rows = rows_of(roads, box(x, y, heading))
    assert rows.strip.tolist() == [lane] and rows.foreign.all() and rows.speed[0] == 0.0
    rear = rows.station[0] - rows.length[0]
    assert 77.7 - 0.5 < rear <= 77.7
    assert footprint(roads, x, y, heading, 0, Footprint()).strip == lane
    assert footprint(roads, x, y, heading, 0, Footprint()).station == pytest.approx(80.0, abs=1e-6)
    px, py, _ = (
        float(v[0]) for v in roads.place(np.array([lane]), np.array([80.0]), float(roads.width[lane]) / 2)
    )
    assert sorted(rows_of(roads, box(px, py, heading)).strip.tolist()) == sorted([lane, beside])
    back = heading + np.pi  # against the direction: no speed along the lane
    assert (rows_of(roads, box(px, py, back, 5.0 * np.cos(back), 5.0 * np.sin(back))).speed == 0.0).all()
    assert len(rows_of(roads, box(px + 1e5, py))) == 0
    assert len(rows_of(roads, box(x, y, heading, z=8.0))) == 0  # on a bridge
    assert footprint(roads, px + 1e5, py, 0.0, 0, Footprint()).strip == -1


def test_a_body_that_drives_along_leads_and_one_that_crosses_blocks_from_when_it_arrives():
    roads = grid(3, 3).roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.outer < 0))[0])
    x, y, heading = (float(v[0]) for v in roads.place(np.array([lane]), np.array([80.0]), 0.0))
    c, s = np.cos(heading), np.sin(heading)
    rows = rows_of(roads, box(x, y, heading, 10.0 * c, 10.0 * s))
    row = rows[rows.strip == lane][0]
    assert row.speed == pytest.approx(10.0) and row.station - row.length == pytest.approx(77.7, abs=0.3)
    side = heading + np.pi / 2
    away = 15.0  # [m] right of the lane, at 10 m/s towards it
    rows = rows_of(roads, box(x + away * s, y - away * c, side, -10.0 * s, 10.0 * c))
    row = rows[rows.strip == lane][0]
    assert row.speed == pytest.approx(0.0, abs=1e-9) and row.arrives == 1.5 and row.leaves > 1.5
    assert abs(row.station - row.length / 2 - 80.0) < 0.5


def test_people_are_told_of_bodies_that_cannot_stop():
    crossings = grid(3, 3).roads.crossings
    middle = crossings.corners[0].mean(axis=0)
    along = np.asarray(crossings.ends[0][1]) - np.asarray(crossings.ends[0][0])
    heading = float(np.arctan2(along[1], along[0])) + np.pi / 2
    c, s = np.cos(heading), np.sin(heading)
    x, y = (middle - 12.0 * np.array([c, s])).tolist()
    assert crossing_claims(box(x, y, heading), crossings)[0] == 0.0
    assert crossing_claims(box(x, y, heading, 14.0 * c, 14.0 * s), crossings)[0] > 0.5


def drive(source, vehicles=150, seconds=40.0, strip=33, station=60.0, seed=1, before=None):
    """A city of four by four junctions with a driver whose inputs are `source(roads)`."""
    simulation = Simulation(
        grid(4, 4), vehicles=vehicles, seed=seed, options=SimulationOptions(dt=0.1, record=True)
    )
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
    manager = drive(lambda roads: lambda sight: Inputs(brake=1.0), seconds=25.0)
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
        car.put(float(roads.x[point]) + 1.5, float(roads.y[point]) + 1.0, 0.7)
        manager.stage.look_again()
        manager.simulation.recorder.restart()

    manager = drive(lambda roads: lambda sight: Inputs(brake=1.0), seconds=25.0, before=across)
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
        if run:
            break
    assert run  # it did so


def test_the_scripted_driver_keeps_the_rules():
    manager = drive(lambda roads: ScriptedDriver(roads, speed=13.0), vehicles=80, seconds=40.0)
    report = manager.report()
    assert report["contacts"] == report["red_lights"] == 0 and report["distance"] > 150.0
    assert report["over_limit_share"] < 0.03 and report["lane_position_sd"] < 0.3
    assert overlaps(manager) == 0


def test_any_body_can_be_the_car():
    calls = []

    def roll_on(rows, commands, dt):
        calls.append(commands)
        rows[:, :2] += dt * rows[:, 3:5]
        return rows

    cart = PlainBody("cart", (3.0, 1.5, 1.2), ("x", "y", "yaw", "vx", "vy"), (0.0,) * 5, roll_on)

    def make(characters, character):
        return CarModel(cart, (0.5, 2.0, 3.0))

    simulation = Simulation(grid(3, 3), vehicles=2, seed=1, options=SimulationOptions(dt=0.1))
    given = {"at": {"strip": 0, "station": 60}, "speed": 5.0, "car": "cart", "inputs": {"live": True}}
    live = LiveInputs()
    live.put(Inputs(steer=1.0, throttle=0.5, brake=0.1, indicator=1))
    manager = ScenarioManager(simulation, Scenario.model_validate({"driver": given}), live, {"cart": make})
    start = manager.driver.pose
    for _ in range(10):
        manager.step()
    end = manager.driver.pose
    assert np.hypot(end[0] - start[0], end[1] - start[1]) == pytest.approx(5.0)
    assert len(calls) == 10 and calls[-1][0] == pytest.approx([0.5, 1.0, 0.3])
    assert manager.driver.motion().extras["indicator"].tolist() == [1]
    with pytest.raises(BadInput, match=r"car: must be one of bicycle, got 'cart'"):
        fresh = Simulation(grid(3, 3), vehicles=2, seed=1, options=SimulationOptions(dt=0.1))
        ScenarioManager(fresh, Scenario.model_validate({"driver": given}), LiveInputs())


def before_a_parked_car(car_speed, sideways=False):
    """The driver's car, foot off, straight at a vehicle that stands on the same lane."""
    simulation = Simulation(grid(3, 3), vehicles=2, seed=1, options=SimulationOptions(dt=0.05))
    traffic, roads = simulation.traffic, simulation.town.roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.outer < 0) & (roads.length > 100.0))[0])
    simulation.characters.set(traffic.ids, "max_speed", 0.01)
    given = {"at": {"strip": lane, "station": 60.0}, "speed": car_speed, "inputs": {"live": True}}
    manager = ScenarioManager(simulation, Scenario.model_validate({"driver": given}), LiveInputs())
    traffic.place([0], lane, 80.0, 0.0)
    if sideways:
        x, y, heading = (float(v[0]) for v in roads.place(np.array([lane]), np.array([77.5]), 0.0))
        turned = heading + np.pi / 2
        manager.driver.put(x - 6.0 * np.cos(turned), y - 6.0 * np.sin(turned), turned, car_speed)
    manager.stage.look_again()
    return manager


def test_a_driver_who_hits_a_standing_car_is_stopped_by_it():
    manager = before_a_parked_car(12.0)
    fleet, speeds, gaps = manager.simulation.traffic.fleet, [], []
    start = fleet.x[0], fleet.y[0]
    for _ in range(60):
        manager.step()
        x, y, _ = manager.driver.pose
        speeds.append(manager.driver.speed)
        gaps.append(np.hypot(x - fleet.x[0], y - fleet.y[0]))
    drop = -np.diff(speeds)
    assert drop.max() > 4.0  # at once, in one frame
    assert min(gaps) > 3.5 and gaps[-1] > 3.5  # it did not pass through
    assert manager.simulation.figures()["collisions"] >= 1 and manager.report()["contacts"] >= 1
    pushed = np.hypot(fleet.x[0] - start[0], fleet.y[0] - start[1])
    assert pushed > 0.5 and fleet.brake[0]
    assert overlaps_of_driver(manager) < 0.1


def overlaps_of_driver(manager):
    """How deep [m] the driver's outline lies in any other, after the run."""
    gap = body_gaps(manager.driver, manager.frame)
    return float(max(0.0, -gap.min()))


def test_a_car_hit_from_the_side_is_pushed_and_goes_on_after_a_while():
    manager = before_a_parked_car(9.0, sideways=True)
    simulation = manager.simulation
    fleet = simulation.traffic.fleet
    for _ in range(60):
        manager.step()
    assert simulation.figures()["collisions"] >= 1
    assert abs(fleet.lateral[0]) > 0.2 and fleet.brake[0] and not fleet.autonomous[0]
    simulation.characters.set(simulation.traffic.ids, "max_speed", 12.0)
    manager.driver.put(1e4, 1e4, 0.0)
    before = fleet.odometer[0]
    for _ in range(round(16.0 / simulation.dt)):
        manager.step()
        if fleet.odometer[0] > before + 5.0:
            break
    assert simulation.traffic.fleet.odometer[0] > before + 5.0
