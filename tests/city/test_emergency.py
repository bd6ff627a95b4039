"""Emergency vehicles: caps on speed, lane search, the opposite road, and others that let them through."""

import numpy as np
import plain_street as plain
import pytest

from swerve.city import WHEELED, Characters, Simulation, SimulationOptions, Traffic, grid
from swerve.city.simulate import AMBULANCE
from swerve.city.towns.street_plan import Node, Street, StreetPlan, build_town
from swerve.city.traffic.desk import AT_SIREN, GOES
from swerve.city.traffic.fleet import MOVES_OVER, PULLS_OVER, STOPS
from swerve.city.traffic.order import is_beside_its_lane

TOP = AMBULANCE["max_speed"]


@pytest.fixture(scope="module")
def busy():
    """12 ambulances among 250 on a small grid for 60 s: the state of every step, and the recording."""
    simulation = Simulation(
        grid(4, 4), vehicles=250, emergency=12, seed=4, options=SimulationOptions(record=True)
    )
    fleet, rows = simulation.traffic.fleet, []
    for _ in range(600):
        simulation.step()
        rows.append(fleet.copy())
    return simulation, np.stack(rows), plain.tracks(simulation.recorder.recording({}).whole())


def test_nobody_touches_leaves_the_road_or_is_stuck_for_ever(busy):
    simulation, _, table = busy
    columns = [table[name].astype(float) for name in ("x", "y", "heading", "length", "width")]
    for frame in range(0, len(table["times"]), 3):
        assert len(plain.overlapping_pairs(*(c[frame] for c in columns))) == 0, frame
    for frame in range(0, len(table["times"]), 25):
        assert len(plain.off_road(table, simulation.town, frame)) == 0, frame
    assert plain.red_lights_run(table, simulation.town.roads) == []
    figures = simulation.figures()
    assert figures["collisions"] == figures["off_road"] == figures["deadlocks"] == 0
    assert plain.sideways_jumps(table).max() < 0.5 and np.degrees(plain.yaw_rates(table)).max() < 60


def test_sirens_are_faster(busy):
    figures = busy[0].figures()
    assert figures["emergency_mean_speed"] > 1.3 * figures["mean_speed"]


def test_a_red_light_is_crossed_at_fifteen_percent(busy):
    """Whenever a siren's bumper passes a line whose light is red, and until it has left the junction."""
    simulation, rows, _ = busy
    roads = simulation.town.roads
    seen = 0
    for i in np.flatnonzero(rows["emergency"][0]):
        strip, front = rows["strip"][:, i], rows["station"][:, i] + rows["overhang"][:, i]
        on_lane = roads.kind[strip] == 0
        past = np.where(on_lane, front > roads.length[strip], True)
        for k in np.flatnonzero(past[1:] & ~past[:-1] & on_lane[:-1]):
            connector = rows["next"][k, i]
            time = (k + 1) * 0.1
            if roads.light[connector] < 0 or roads.lights.state(time)[roads.light[connector]] != 0:
                continue
            seen += 1
            assert rows["speed"][k + 1, i] <= 0.15 * TOP + 0.1
            inside = k + 1
            while inside < len(rows) and rows["strip"][inside, i] in (strip[k], connector):
                assert rows["speed"][inside, i] <= 0.15 * TOP + 0.1
                inside += 1
    assert seen >= 5


def test_the_opposite_road_is_used_at_a_quarter_of_top_speed(busy):
    _, rows, _ = busy
    passing = rows["passing"] > 0
    assert not passing[:, ~rows["emergency"][0]].any()
    assert rows["speed"][passing].max(initial=0) <= 0.25 * TOP + 0.05


def test_one_siren_at_a_junction_drives_on_the_opposite_road(busy):
    """Two would stand in the lanes by which the other leaves."""
    simulation, rows, _ = busy
    roads = simulation.town.roads
    out = (rows["passing"] > 0) & (rows["shift_to"] != 0) & (roads.kind[rows["strip"]] == 0)
    assert out.any()
    for frame, strips in zip(out, rows["strip"], strict=True):
        junctions = roads.junction[strips[frame]]
        assert len(np.unique(junctions)) == len(junctions)


def test_nobody_stops_inside_a_junction_for_a_siren(busy):
    simulation, rows, _ = busy
    inside = simulation.town.roads.kind[rows["strip"]] == 1
    assert inside.any() and (rows["yielding"] > 0).any()
    # the step in which it enters is the last in which it may have been yielding
    assert not ((rows["yielding"] > 0)[1:] & inside[1:] & inside[:-1]).any()


def test_a_siren_first_at_a_red_light_is_let_through():
    """Cross traffic comes all the time; it is held back until the siren has crossed."""
    simulation = Simulation(grid(3, 3), vehicles=150, emergency=1, seed=8)
    traffic, roads = simulation.traffic, simulation.town.roads
    siren = int(np.flatnonzero(traffic.fleet.emergency)[0])
    waited = 0.0
    for _ in range(800):
        simulation.step()
        car = traffic.fleet[siren]
        at_line = roads.kind[car.strip] == 0 and roads.length[car.strip] - car.station - car.overhang < 2.0
        waited = max(waited, car.waiting if at_line else 0.0)
    assert waited < 8.0
    assert simulation.figures()["emergency_mean_speed"] > 1.5 * simulation.figures()["mean_speed"]


def test_whoever_has_stood_for_a_minute_goes_before_a_siren():
    assert [barred_with(delay) for delay in (10.0, 70.0)] == [AT_SIREN, GOES]


def barred_with(delay):
    """Why a car that stands at a green light does not go while a siren comes from the side."""
    town = grid(3, 3)
    characters = Characters()
    characters.add(WHEELED, 1)
    characters.add(WHEELED, 1, **AMBULANCE)
    traffic, roads = Traffic(town, characters, seed=1), town.roads
    middle = np.bincount(roads.junction[roads.kind == 1]).argmax()
    ways = np.flatnonzero((roads.kind == 1) & (roads.junction == middle) & (roads.turn == 0))
    way = int(ways[0])
    across = next(
        int(roads.conflict_with[k])
        for k in range(roads.conflict_first[way], roads.conflict_first[way + 1])
        if roads.conflict_with[k] in ways
        and roads.before[roads.before_first[roads.conflict_with[k]]] != roads.before[roads.before_first[way]]
    )
    while roads.lights.state(traffic.time)[roads.light[way]] != 2:
        traffic.advance(0.1)
    lanes = np.array([int(roads.before[roads.before_first[c]]) for c in (way, across)])
    fronts = roads.length[lanes] - np.array([0.9, 30.0])
    traffic.place([0, 1], lanes, fronts, np.array([0.0, 8.0]), next_strip=np.array([way, across]))
    traffic.fleet.delayed[0] = delay
    traffic.advance(0.1)
    return int(traffic.fleet.held[0])


def test_the_tail_of_a_siren_that_pulls_out_counts_for_those_behind():
    traffic, inner, _ = road_with(0)
    traffic.place([0], inner, np.array([100.0]))
    siren = traffic.fleet
    siren.passing, siren.shift_to, siren.lateral = 1, 3.5, 2.6
    for askew, beside in ((0.0, True), (0.25, False)):
        siren.heading[0] = traffic.net.points["heading"][siren.segment[0]] + askew
        assert is_beside_its_lane(traffic.net, siren, 0) == beside


def road_with(cars, emergency=1, block=600.0, lanes=2):
    """A long road; the last vehicles are ambulances. Returns traffic, inner lane, outer lane."""
    town = grid(3, 2, block=block, lanes=lanes)
    characters = Characters()
    if cars:
        characters.add(WHEELED, cars)
    characters.add(WHEELED, emergency, **AMBULANCE)
    traffic = Traffic(town, characters, seed=1)
    roads = town.roads
    inner = int(np.flatnonzero((roads.kind == 0) & (roads.lane == lanes - 1) & (roads.opposite >= 0))[0])
    return traffic, inner, int(roads.outer[inner])


def test_cars_in_the_outer_lane_pull_over_facing_forward_and_go_on():
    traffic, inner, outer = road_with(1)
    traffic.place([0, 1], np.array([outer, inner]), np.array([130.0, 92.0]), np.array([12.0, 14.0]))
    heading = traffic.fleet.heading[0]
    stood, aside = False, 0.0
    for _ in range(300):
        traffic.advance(0.1)
        car = traffic.fleet[0]
        if car.speed < 0.05:
            stood, aside = True, min(aside, car.lateral)
            assert abs(car.heading - heading) < np.radians(6)
            assert np.hypot(car.x - traffic.fleet.x[1], car.y - traffic.fleet.y[1]) < car.yield_distance + 20
    assert stood and aside < -0.4
    assert traffic.fleet.speed[0] > 8.0 and abs(traffic.fleet.lateral[0]) < 0.1
    assert traffic.fleet.odometer[1] > traffic.fleet.odometer[0] + 38.0  # it has passed


def test_cars_in_the_inner_lane_move_over_before_they_stop():
    traffic, inner, outer = road_with(1)
    traffic.place([0, 1], inner, np.array([140.0, 100.0]), np.array([10.0, 12.0]))
    modes = []
    for _ in range(150):
        traffic.advance(0.1)
        modes.append(int(traffic.fleet.yielding[0]))
        if traffic.fleet.speed[0] < 0.05:
            break
    assert modes[0] == MOVES_OVER and modes[-1] in (STOPS, PULLS_OVER)
    assert traffic.fleet.strip[0] == outer and traffic.fleet.side[0] < 0


def test_a_car_that_stands_stays():
    traffic, inner, outer = road_with(1)
    traffic.place([0, 1], np.array([outer, inner]), np.array([135.0, 100.0]), np.array([0.0, 10.0]))
    for _ in range(15):
        traffic.advance(0.1)
        assert traffic.fleet.yielding[0] == STOPS and traffic.fleet.speed[0] == 0.0
    assert abs(traffic.fleet.lateral[0]) < 0.01


def test_an_obstructed_lane_is_left_for_an_open_one():
    traffic, inner, outer = road_with(1)
    traffic.characters.set(0, "autonomous", False)
    for blocked in (inner, outer):
        traffic.place([0, 1], blocked, np.array([300.0, 200.0]), np.array([0.0, 12.0]))
        for _ in range(250):
            traffic.advance(0.1)
        assert traffic.fleet.station[1] > 310.0 or traffic.fleet.strip[1] not in (inner, outer)
        assert (traffic.fleet.passing == 0).all()


def test_with_every_lane_blocked_it_passes_on_the_opposite_road_and_returns():
    traffic, inner, outer = road_with(2)
    traffic.characters.set([0, 1], "autonomous", False)
    places = np.array([inner, outer, inner])
    traffic.place([0, 1, 2], places, np.array([300.0, 302.0, 200.0]), np.array([0.0, 0.0, 12.0]))
    opposite, returned = 0, False
    for _ in range(600):
        traffic.advance(0.1)
        siren = traffic.fleet[2]
        if siren.passing and siren.lateral > 2.5:
            opposite += 1
            assert siren.speed <= 0.25 * TOP + 0.05
        returned = returned or (opposite > 0 and siren.passing == 0)
        if returned and siren.station > 320.0:
            break
        boxes = [traffic.fleet[name].copy() for name in ("x", "y", "heading", "length", "width")]
        assert len(plain.overlapping_pairs(*boxes)) == 0
    assert opposite > 20 and returned and abs(traffic.fleet.lateral[2]) < 0.5


def test_the_siren_can_be_switched_off():
    simulation = Simulation(grid(3, 3), vehicles=40, emergency=2, seed=1)
    simulation.characters.set(np.flatnonzero(simulation.traffic.fleet.emergency), "emergency", False)
    for _ in range(300):
        simulation.step()
        assert not simulation.traffic.fleet.emergency.any() and not simulation.traffic.fleet.yielding.any()
    assert simulation.figures()["red_light_violations"] == 0


def test_a_siren_that_turns_round_at_a_dead_end_does_not_pass_the_queue_before_it():
    """On the wrong side of the road it stood in its own way, and in that of the queue."""
    plan = StreetPlan("dead ends", (Node(0.0, 0.0), Node(160.0, 0.0)), (Street(0, 1),))
    simulation = Simulation(build_town(plan), 9, emergency=1, seed=1)
    for _ in range(600):
        simulation.step()
    assert simulation.figures()["longest_stand"] < 20.0 and simulation.figures()["collisions"] == 0
