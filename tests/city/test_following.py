"""Drivers: queues, stopping behind whoever brakes fully, lane changes, moods, lights of the vehicles."""

import numpy as np
import plain_street as plain
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.city import WHEELED, Characters, Simulation, SimulationOptions, Traffic, grid, queue_discharge
from swerve.city.traffic.following import BRAKING, REACTION, safe_speed
from swerve.core.errors import BadInput


@pytest.mark.parametrize("seed", range(3))
def test_a_queue_leaves_a_light_like_real_ones(seed):
    queue = queue_discharge(seed=seed)
    assert 1700 <= queue.flow <= 2000
    assert 1.5 <= queue.start_up_loss <= 2.5


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0.0, 60.0), st.floats(0.0, 25.0), st.sampled_from([1 / 60, 0.05, 0.1, 0.2]), st.integers(0, 9)
)
def test_whoever_obeys_the_bound_stops_behind_full_braking(gap, leader, dt, late):
    """The leader brakes fully after `late` steps; the follower always goes as fast as the bound allows."""
    x, v = 0.0, safe_speed(gap, leader, dt)
    front = gap
    hardest = 0.0
    for step in range(600):
        w = min(safe_speed(front - x, leader, dt), v + 3.0 * dt)
        hardest = max(hardest, (v - w) / dt)
        if step >= late:
            leader = max(0.0, leader - BRAKING * dt)
        front += leader * dt
        v = w
        x += v * dt
        assert x <= front + 1e-9
    assert hardest <= BRAKING * 1.05
    assert REACTION > 0


def test_cars_are_able_to_stop_when_a_leader_stops_dead():
    """A row of cars at speed; the first is driven from outside and brakes fully."""
    town = grid(3, 2, block=600.0, lanes=1)
    characters = Characters()
    characters.add(WHEELED, 8)
    characters.set(0, "autonomous", False)
    traffic = Traffic(town, characters, seed=1)
    lane = int(np.flatnonzero(town.roads.kind == 0)[0])
    traffic.place(np.arange(8), lane, 300.0 - 22.0 * np.arange(8), 13.0)
    front, speed = 300.0, 13.0
    for step in range(250):
        speed = max(0.0, speed - (0.6 if step >= 20 else 0.0))
        front += 0.1 * speed
        traffic.advance(0.1)
        traffic.place([0], lane, front, speed)
        fleet = traffic.fleet
        gaps = fleet.station[:-1] - fleet.length[:-1] - fleet.station[1:]
        assert gaps.min() > 0.5
        assert fleet.accel[1:].min() >= -6.5
    assert fleet.speed.max() < 0.5 and gaps.min() > 0.9 and gaps.max() < 6.0


@pytest.fixture(scope="module")
def watched():
    """A simulation whose strips, stations and lights are kept for every step."""
    simulation = Simulation(grid(3, 3), vehicles=120, seed=5, options=SimulationOptions(record=True))
    fleet, rows = simulation.traffic.fleet, []
    for _ in range(600):
        simulation.step()
        rows.append(fleet.copy())
    return simulation, np.stack(rows)


def test_brake_lights_follow_the_pedal(watched):
    _, rows = watched
    braking, standing = rows["accel"] < -0.5, (rows["speed"] == 0) & (rows["accel"] == 0)
    assert braking.any() and rows["brake"][braking].all()
    assert standing.any() and rows["brake"][standing].all()
    assert not rows["brake"][rows["accel"] > 0.1].any()


def test_indicators_come_on_within_fifty_metres_of_a_turn(watched):
    simulation, rows = watched
    roads = simulation.town.roads
    on_lane = roads.kind[rows["strip"]] == 0
    left = roads.length[rows["strip"]] - rows["station"] - rows["overhang"]
    shifting = (rows["odometer"] < rows["shift_at"] + rows["shift_length"]) & (
        np.abs(rows["shift_to"] - rows["shift_from"]) > 0.1
    )
    turn = np.where(on_lane, roads.turn[rows["next"]], roads.turn[rows["strip"]])
    near = ~on_lane | (left <= 50.0)
    plainly = ~shifting
    assert (rows["indicator"][plainly & near] == turn[plainly & near]).all()
    assert (rows["indicator"][plainly & on_lane & (left > 50.0)] == 0).all()
    assert {-1, 0, 1} == set(np.unique(rows["indicator"]))
    assert (rows["indicator"][shifting] != 0).mean() > 0.9


def test_a_left_turn_is_one_arc(watched):
    """From line to lane the heading only turns left, and the wheel is turned once and turned back once."""
    simulation, rows = watched
    roads = simulation.town.roads
    seen = 0
    for car in range(rows.shape[1]):
        on_left = (roads.kind[rows["strip"][:, car]] == 1) & (roads.turn[rows["strip"][:, car]] == 1)
        runs = np.split(np.flatnonzero(on_left), np.flatnonzero(np.diff(np.flatnonzero(on_left)) > 1) + 1)
        for run in runs:
            if len(run) < 20:
                continue
            seen += 1
            heading = np.unwrap(rows["heading"][run, car])
            assert np.diff(heading).min() > -1e-3
            steer = rows["steer"][run, car]
            peak = int(np.argmax(steer))
            assert (
                np.diff(steer[:peak]).min(initial=0) > -0.03 and np.diff(steer[peak:]).max(initial=0) < 0.03
            )
    assert seen >= 5


def test_lane_changes_are_smooth_and_signalled(watched):
    simulation, rows = watched
    changing = (rows["side"] >= 0) & (rows["speed"] > 1.0)
    assert changing.any(axis=0).sum() > 10
    table = plain.tracks(simulation.recorder.recording({}).whole())
    assert plain.sideways_jumps(table).max() < 0.3
    side = np.abs(np.diff(np.unwrap(rows["heading"], axis=0), axis=0)) / 0.1 * rows["speed"][1:]
    assert side[changing[1:]].max() < 3.5  # [m/s²]


def test_accelerations_are_smooth(watched):
    _, rows = watched
    jerk = np.diff(rows["accel"], axis=0) / 0.1
    moving = (rows["speed"][1:] > 0.5) & (rows["speed"][:-1] > 0.5)
    assert np.percentile(np.abs(jerk[moving]), 99) < 9.5
    assert rows["accel"].min() > -6.5 and rows["accel"].max() < 2.5


def test_arrivals_lead_to_new_destinations(watched):
    simulation, rows = watched
    assert simulation.traffic.arrivals == rows["arrivals"][-1].sum() > 5
    arrived = np.diff(rows["arrivals"], axis=0) > 0
    assert (np.diff(rows["destination"], axis=0)[arrived] != 0).all()


def two_on_a_road(**leader):
    """A car behind a slower one on a long two-lane road, in the inner lane."""
    town = grid(3, 2, block=2000.0)
    characters = Characters()
    characters.add(WHEELED, 2, max_speed_ratio=1.0)
    characters.set(1, "wheeled_type", "other")
    for name, value in leader.items():
        characters.set(1, name, value)
    traffic = Traffic(town, characters, seed=2)
    inner = int(np.flatnonzero((town.roads.kind == 0) & (town.roads.lane == 1))[0])
    outer = int(town.roads.outer[inner])
    traffic.fleet.destination[:] = indifferent(traffic, inner, outer)
    return traffic, inner, outer


def indifferent(traffic, inner, outer):
    """A destination to which both lanes lead equally well."""
    roads, field = traffic.town.roads, traffic.paths.field
    best = [
        field[:, roads.after[roads.after_first[lane] : roads.after_first[lane + 1]]].min(axis=1)
        for lane in (inner, outer)
    ]
    return int(np.argmin(np.abs(best[0] - best[1])))


def test_a_slower_leader_is_passed_towards_the_middle():
    traffic, inner, outer = two_on_a_road(max_speed=6.0)
    traffic.place([0, 1], outer, np.array([100.0, 140.0]), np.array([12.0, 6.0]))
    for _ in range(300):
        traffic.advance(0.1)
    assert traffic.fleet.strip[0] == inner and traffic.fleet.station[0] > traffic.fleet.station[1] + 20


def test_only_a_frustrated_driver_passes_on_the_kerb_side():
    frustrations = []
    for threshold, passes in ((1.0, False), (0.3, True)):
        traffic, inner, outer = two_on_a_road(max_speed=4.0)
        traffic.characters.set(0, "pass_frustration_threshold", threshold)
        traffic.place([0, 1], inner, np.array([100.0, 130.0]), np.array([6.0, 4.0]))
        for _ in range(450):
            traffic.advance(0.1)
            frustrations.append(traffic.fleet.frustration[0])
            if traffic.fleet.strip[0] == outer:
                break
        assert (traffic.fleet.strip[0] == outer) == passes
        assert max(frustrations) >= 0.3
    for _ in range(300):  # free again, the mood falls
        traffic.advance(0.1)
    assert traffic.fleet.frustration[0] < 0.1


def test_driver_types_prefer_their_lanes_and_speeds():
    town = grid(3, 2, block=1500.0)
    characters = Characters()
    for temper in ("fast", "medium", "slow"):
        characters.add(WHEELED, 1, driver_type=temper, max_speed_ratio=1.2, min_speed_ratio=0.8)
    strict = int(characters.add(WHEELED, 1, driver_type="fast", respect_limit="strict")[0])
    free = int(characters.add(WHEELED, 1, respect_limit="ignore", max_speed=20.0, wheeled_type="other")[0])
    traffic = Traffic(town, characters, seed=3)
    roads = town.roads
    lanes = np.flatnonzero((roads.kind == 0) & (roads.lane == 0))[:5]
    traffic.place(np.arange(5), np.where(np.arange(5) == 2, roads.inner[lanes], lanes), 40.0, 10.0)
    for _ in range(500):
        traffic.advance(0.1)
    speed, lane = traffic.fleet.speed, roads.lane[traffic.fleet.strip]
    limit = roads.limit[lanes[0]]
    assert speed[0] > limit > speed[2] and speed[1] == pytest.approx(limit, rel=0.02)
    assert speed[strict] <= limit and speed[free] > 1.2 * limit
    assert lane[0] == 1 and lane[2] == 0


def test_attributes_change_while_it_runs():
    town = grid(3, 2, block=1500.0)
    characters = Characters()
    first = int(characters.add(WHEELED, 1, max_speed=9.0, wheeled_type="other")[0])
    characters.add(WHEELED, 3, template=first)
    traffic = Traffic(town, characters, seed=3)
    for _ in range(150):
        traffic.advance(0.1)
    assert traffic.fleet.speed.max() < 9.01
    characters.set(first, "max_speed", 5.0)
    for _ in range(60):
        traffic.advance(0.1)
    assert traffic.fleet.speed.max() < 5.2


@pytest.mark.parametrize("dt", [0.0, -0.1, 1.0])
def test_a_bad_step_is_refused(dt):
    characters = Characters()
    characters.add(WHEELED, 1)
    with pytest.raises(BadInput, match="dt: must be above 0"):
        Traffic(grid(3, 2), characters).advance(dt)


def test_too_many_vehicles_are_refused():
    with pytest.raises(BadInput, match="vehicles: there is room for"):
        Simulation(grid(3, 2), vehicles=5000)
