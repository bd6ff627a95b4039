"""The city among others in one world: what it foresees, whom it sees, and what it does about them."""

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions, grid
from swerve.core.bodies import PlainBody

NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate")


def glide(rows, commands, dt):
    rows = rows.copy()
    rows[:, :2] += dt * rows[:, 3:5]
    return rows


def gliding(x, y, yaw, speed, kind="chaser", outline=(4.2, 1.8, 1.4), more=(), values=()):
    """Bodies that go straight on whatever happens."""
    body = PlainBody(kind, outline, (*NAMES, *more), (0.0,) * 6 + tuple(values), glide, mass=np.inf)
    batch = body.start(len(np.atleast_1d(x)))
    batch.put(x, y, np.broadcast_to(yaw, np.shape(np.atleast_1d(x))), speed)
    return batch


def state_of(traffic):
    walks = traffic.crosswalks
    return (
        traffic.everyone.tobytes()
        + walks.claims.tobytes()
        + walks.due.tobytes()
        + bytes([traffic.steps % 256])
    )


def test_what_traffic_foresees_is_what_happens_and_costs_it_nothing():
    simulation = Simulation(grid(4, 4), vehicles=150, emergency=3, seed=2)
    for _ in range(100):
        simulation.step()
    times = np.array([0.1, 0.5, 1.0, 2.0, 3.0])
    before = state_of(simulation.traffic)
    poses = simulation.world.foresee(times)
    again = simulation.traffic.foresee(times)
    assert state_of(simulation.traffic) == before and (poses == again).all()
    worst = 0.0
    for k in range(1, 31):
        simulation.step()
        at = np.flatnonzero(np.isclose(times, 0.1 * k))
        if len(at):
            now = simulation.world.everyone.motion.pose
            worst = max(worst, float(np.abs(now - poses[:, at[0]]).max()))
    assert worst < 1e-9


def test_people_are_foreseen_on_the_ground_where_they_may_walk():
    simulation = Simulation(grid(3, 3), vehicles=5, pedestrians=120, seed=3)
    for _ in range(200):
        simulation.step()
    people = simulation.people
    poses = people.foresee(np.linspace(0.5, 4.0, 8))
    waiting = (people.desk.phase != 2) & (people.desk.ahead >= 0) & (people.desk.to_kerb < 0.5)
    assert waiting.sum() >= 2
    start = np.stack([people.x, people.y], -1)
    assert np.hypot(*(poses[waiting, -1, :2] - start[waiting]).T).max() < 1.0
    cells = people.mesh.locate(poses[:, -1, 0], poses[:, -1, 1])
    off = (people.desk.phase != 2) & (people.crossing_of[np.maximum(cells, 0)] >= 0)
    assert (cells >= 0).mean() > 0.99 and (off & ~people.on_crosswalk).sum() <= 1


def across_a_lane(blind_to=(), speed=9.0, seconds=6.0):
    """A vehicle at 12 m/s on an empty lane; a body comes across it so that both would be there at once."""
    simulation = Simulation(
        grid(3, 3), vehicles=1, seed=1, options=SimulationOptions(record=True, blind_to=blind_to)
    )
    traffic, roads = simulation.traffic, simulation.town.roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.outer < 0) & (roads.length > 150.0))[0])
    traffic.place([0], lane, 40.0, 12.0)
    x, y, heading = (float(v[0]) for v in roads.place(np.array([lane]), np.array([85.0]), 0.0))
    side = heading + np.pi / 2
    back = 3.6 * speed
    batch = gliding(x - back * np.cos(side), y - back * np.sin(side), side, speed)
    simulation.world.add(batch, name="wild", watch=True)
    brakes = 0.0
    for _ in range(round(seconds / simulation.dt)):
        before = traffic.fleet.speed[0]
        simulation.step()
        brakes = max(brakes, float(before - traffic.fleet.speed[0]) / simulation.dt)
    return simulation, brakes


def test_a_driver_lets_a_body_cross_that_keeps_no_rules():
    simulation, brakes = across_a_lane()
    assert simulation.figures()["collisions"] == 0 and brakes > 1.0
    assert brakes < simulation.traffic.fleet.max_brake[0] + 1e-6
    assert simulation.world.figures()["min_gap"] > 0.3


@pytest.mark.parametrize("word", ["chaser", "wild"])
def test_without_seeing_it_the_driver_meets_it(word):
    simulation, _ = across_a_lane(blind_to={word})
    assert simulation.figures()["collisions"] >= 1


def test_traffic_follows_cyclists_that_ride_along_the_lane():
    simulation = Simulation(grid(3, 3), vehicles=1, seed=1)
    traffic, roads = simulation.traffic, simulation.town.roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.outer < 0) & (roads.length > 150.0))[0])
    traffic.place([0], lane, 30.0, 12.0)
    simulation.characters.set(traffic.ids, "driver_type", "slow")
    x, y, heading = roads.place(np.full(3, lane), np.array([60.0, 63.0, 66.0]), 0.0)
    riders = gliding(x, y, heading, 5.0, "cyclist", (1.8, 0.6, 1.8))
    simulation.world.add(riders, name="peloton", watch=True)
    for _ in range(120):
        simulation.step()
    assert simulation.figures()["collisions"] == 0
    slowed = traffic.fleet.speed[0] < 7.0 or abs(traffic.fleet.strip[0] - lane) > 0
    assert slowed and simulation.world.figures()["min_gap"] > 0.5


def test_nobody_enters_a_junction_that_a_foreign_body_will_cross():
    simulation = Simulation(grid(3, 3), vehicles=60, seed=4)
    traffic, roads = simulation.traffic, simulation.town.roads
    junction = int(np.bincount(roads.junction[roads.kind == 1]).argmax())
    ways = np.flatnonzero((roads.kind == 1) & (roads.junction == junction))
    points = np.concatenate([np.arange(roads.first[w], roads.first[w + 1]) for w in ways])
    x, y = roads.x[points].mean(), roads.y[points].mean()
    parked = gliding(x, y, 0.6, 0.0, "wreck", (5.0, 2.0, 1.5))
    on = np.isin(traffic.fleet.strip, ways)
    assert not on.any()
    simulation.world.add(parked, name="wreck")
    for _ in range(300):
        simulation.step()
    crossing = np.isin(traffic.fleet.strip, ways)
    assert simulation.figures()["collisions"] == 0
    assert not (crossing & (traffic.fleet.waiting > 5.0)).any()  # nobody waits inside


def test_a_body_on_a_bridge_stops_nobody_below():
    simulation = Simulation(grid(3, 3), vehicles=1, seed=1)
    traffic, roads = simulation.traffic, simulation.town.roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.length > 150.0))[0])
    traffic.place([0], lane, 30.0, 12.0)
    x, y, heading = roads.place(np.array([lane]), np.array([80.0]), 0.0)
    above = gliding(x, y, heading, 0.0, more=("z",), values=(7.0,))
    simulation.world.add(above, name="above")
    for _ in range(60):
        simulation.step()
    assert simulation.figures()["collisions"] == 0 and traffic.fleet.odometer[0] > 55.0


def test_a_foreign_siren_is_yielded_to():
    def yielding(emergency):
        simulation = Simulation(grid(3, 3), vehicles=1, seed=1)
        traffic, roads = simulation.traffic, simulation.town.roads
        lane = int(np.flatnonzero((roads.kind == 0) & (roads.outer < 0) & (roads.length > 150.0))[0])
        traffic.place([0], lane, 60.0, 9.0)
        x, y, heading = roads.place(np.array([lane]), np.array([25.0]), 0.0)
        siren = gliding(x, y, heading, 9.0, "fire engine", more=("emergency",), values=(emergency,))
        simulation.world.add(siren)
        seen = []
        for _ in range(30):
            simulation.step()
            seen.append(int(traffic.fleet.yielding[0]))
        return max(seen)

    assert yielding(1.0) > 0 and yielding(0.0) == 0


def test_people_wait_for_a_fast_body_at_the_crosswalk():
    simulation = Simulation(grid(3, 3), vehicles=1, pedestrians=30, seed=2)
    traffic, crossings = simulation.traffic, simulation.town.roads.crossings
    ends, middle = np.asarray(crossings.ends[0]), crossings.corners[0].mean(axis=0)
    along = ends[1] - ends[0]
    heading = float(np.arctan2(along[1], along[0])) + np.pi / 2
    x, y = middle - 25.0 * np.array([np.cos(heading), np.sin(heading)])
    simulation.world.add(gliding(x, y, heading, 16.0), name="fast")
    member = simulation.world.members[1]
    traffic.look(simulation.world.view(member))
    assert traffic.crosswalks.claims[0] > 0.5


def test_lights_are_rows_with_a_state():
    simulation = Simulation(
        grid(3, 3), vehicles=3, pedestrians=2, seed=1, options=SimulationOptions(record=True)
    )
    for _ in range(20):
        simulation.step()
    lights = simulation.recorder.recording({}).lights()
    assert len(lights) > 0 and set(lights["state"]) <= {"red", "amber", "green", "walk", "stop"}
    assert {"red", "green"} <= set(lights["state"])
    heads = len(set(lights["id"]))
    assert len(lights) == 21 * heads


def test_a_vehicle_that_was_struck_says_how_it_moves():
    simulation = Simulation(grid(3, 3), vehicles=20, seed=4)
    for _ in range(30):
        simulation.step()
    traffic = simulation.world.members[0]
    me = traffic.motion
    x, y, yaw = me.x[0], me.y[0], me.yaw[0]
    aside = yaw + np.pi / 2
    ram = PlainBody("ram", (4.2, 1.8, 1.4), NAMES, (0.0,) * 6, glide, mass=800.0).start(1)
    ram.put(x - 4 * np.cos(aside), y - 4 * np.sin(aside), aside, 15.0)
    simulation.world.add(ram)
    struck = 0
    for _ in range(20):
        before, said = traffic.motion, simulation.world.foresee([0.1])[0, 0]
        simulation.world.step()
        after = traffic.motion
        if 0 in simulation.traffic.knocks.rows and not simulation.world.referee.touching:
            moved = np.array([after.x[0] - before.x[0], after.y[0] - before.y[0]]) / 0.1
            told = np.array([after.vx[0] + before.vx[0], after.vy[0] + before.vy[0]]) / 2
            assert moved == pytest.approx(told, abs=0.05)
            assert said[:2] == pytest.approx([after.x[0], after.y[0]], abs=0.02)
            struck += np.hypot(*moved) > 1.0
    assert struck >= 3
