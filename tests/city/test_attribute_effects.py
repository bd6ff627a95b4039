"""Every attribute acts when it is changed while they move: with it they go elsewhere than without."""

import re
from pathlib import Path

import numpy as np
import pytest

from swerve.city import (
    PERSON,
    WHEELED,
    Characters,
    People,
    Simulation,
    SimulationOptions,
    Traffic,
    grid,
)
from swerve.city.characters import KINDS, described
from swerve.city.ground import Mesh
from swerve.city.people.behaviours import SeekTo, YieldTo
from swerve.city.roads.roads import LANE
from swerve.city.traffic.fleet import empty_fleet

TOWN = grid(3, 3, block=120.0)
OTHER = {  # values that are none of the defaults
    "autonomous": False, "max_speed": 6.0, "max_acceleration": 0.8, "clearance": 3.0,
    "yield_distance": 5.0, "yield_to_oncoming": True, "emergency": True, "driver_type": "fast",
    "respect_limit": "ignore", "max_speed_ratio": 0.6, "min_speed_ratio": 1.0, "headway": 3.0,
    "comfortable_deceleration": 4.0, "side_acceleration": 0.8, "look_ahead": 120.0, "wheeled_type": "lorry",
    "length": 6.0, "width": 2.3, "wheelbase": 3.5, "front_overhang": 0.3, "max_steer": 0.3,
    "max_steer_rate": 0.2, "height": 2.2, "keeps_lane": True,
}  # fmt: skip
BY_TYPE = {"length", "width", "wheelbase", "front_overhang"}
# see below, test_avoidance and test_parking
APART = {
    "frustration", "pass_frustration_threshold", "max_deceleration", "person_clearance", "avoidance",
    "parks", "stay",
}  # fmt: skip


def cars(name=None, steps=250):
    """Where 50 cars and 4 sirens are after a while; `name` is changed on the way."""
    characters = Characters()
    characters.add(WHEELED, 46, driver_type="slow")
    characters.add(WHEELED, 4, emergency=True)
    traffic = Traffic(TOWN, characters, 5)
    for k in range(steps):
        if k == 20 and name is not None:
            if name in BY_TYPE:
                characters.set(traffic.ids, "wheeled_type", "other")
            characters.set(traffic.ids, name, OTHER[name])
        traffic.advance(0.1)
    motion = traffic.motion()
    return np.stack([motion.x, motion.y, motion.z])


@pytest.fixture(scope="module")
def as_usual():
    return cars()


@pytest.mark.parametrize("name", sorted(set(WHEELED.attributes) - {"name"} - APART))
def test_of_vehicles(name, as_usual):
    assert np.abs(cars(name) - as_usual).max() > 0.05


def lane_with_outer():
    roads = TOWN.roads
    return int(np.flatnonzero((roads.kind == LANE) & (roads.outer >= 0) & (roads.length > 80))[0])


@pytest.mark.parametrize("changed", [{"frustration": 1.0}, {"pass_frustration_threshold": 0.0}])
def test_of_drivers_who_are_held_up(changed):
    """Behind somebody slow in the inner lane: only who has lost patience passes on the kerb side."""
    town = grid(3, 2, block=400.0)
    roads = town.roads
    lanes = np.flatnonzero((roads.kind == LANE) & (roads.outer >= 0) & (roads.length > 300))[:8]

    def passed(changed):
        characters = Characters()
        characters.add(WHEELED, 8, max_speed=4.0)
        characters.add(WHEELED, 8)
        traffic = Traffic(town, characters, 1)
        traffic.place(np.arange(8), lanes, np.full(8, 110.0), 4.0)
        traffic.place(np.arange(8, 16), lanes, np.full(8, 70.0), 6.0)
        for name, value in changed.items():
            characters.set(traffic.ids[8:], name, value)
        outer = np.zeros(8, bool)
        for _ in range(60):
            traffic.advance(0.1)
            outer |= traffic.fleet.strip[8:] == roads.outer[lanes]
        return int(outer.sum())

    assert passed(changed) > passed({})


def test_of_drivers_who_must_brake_for_what_keeps_no_rules():
    """A body appears 12 m ahead: who may brake harder stands earlier."""

    def way(brakes):
        characters = Characters()
        characters.add(WHEELED, 1, max_deceleration=brakes)
        traffic = Traffic(TOWN, characters, 1)
        lane = lane_with_outer()
        traffic.place([0], [lane], [30.0], 12.0)
        body = empty_fleet(1)
        body.strip[:], body.station[:], body.length[:], body.foreign[:] = lane, 44.0, 2.0, True
        body.autonomous[:], body.leaves[:] = False, np.inf
        traffic.welcome(body, np.array([99]))
        for _ in range(8):
            traffic.advance(0.1)
        return traffic.fleet.speed[0]

    assert way(9.0) < way(6.0) - 0.5


def test_of_drivers_before_people():
    """They stop further from crosswalks when they are told to, and still get on."""

    def stood(clearance):
        characters = Characters()
        characters.add(WHEELED, 30, person_clearance=clearance)
        traffic = Traffic(TOWN, characters, 3)
        length, kind = traffic.net.strips["length"], traffic.net.strips["kind"]
        nearest = []
        for _ in range(600):
            traffic.advance(0.1)
            fleet = traffic.fleet
            still = (fleet.speed == 0.0) & (kind[fleet.strip] == LANE)
            nearest += (length[fleet.strip] - fleet.station - fleet.overhang)[still].tolist()
        first = np.array([way for way in nearest if way < 7.0])  # who is first at the line
        return np.median(first), traffic.fleet.odometer.sum()

    (near, driven), (far, less) = stood(2.0), stood(6.0)
    assert far - near == pytest.approx(4.0, abs=0.4) and less > 0.8 * driven


OF_PEOPLE = {
    "autonomous": False, "height": 1.2, "radius": 0.45, "max_speed": 0.8, "max_acceleration": 0.2,
    "max_deceleration": 0.5, "walking_speed": 0.7, "person_clearance": 0.8, "avoidance": "seed",
    "clearance": 6.0, "yield_distance": 2.0, "crosswalk_tag": "zebra",
}  # fmt: skip


def walkers(name=None):
    """Two streams that meet, where a car passes and a siren stands; tagged ground in the middle."""
    characters = Characters()
    characters.add(PERSON, 10)
    start = np.array(
        [(2 + 2 * (k % 2), 2 + k) if k < 5 else (38 - 2 * (k % 2), k - 3) for k in range(10)], float
    )
    goal = np.column_stack([np.where(np.arange(10) < 5, 38.0, 2.0), start[:, 1]])
    cells = [
        np.array([(x, 0), (x + w, 0), (x + w, 12), (x, 12)], float) for x, w in ((0, 16), (16, 8), (24, 16))
    ]
    mesh = Mesh.from_cells(cells, surface=[2, 1, 2], tag=np.array(["", "crosswalk", ""]))
    wishes = [YieldTo(priority=1), SeekTo(target=goal)]
    people = People(mesh, characters, 3, wishes, positions=start)
    for k in range(130):
        if k == 15 and name is not None:
            characters.set(people.ids, name, OF_PEOPLE[name])
        car = np.array([[20.0, 30.0 - 0.25 * k, -np.pi / 2, 4.5, 1.8, 2.5]])
        siren = np.array([[20.0, 15.0, 0.0]]) if k > 70 else None
        people.advance(0.1, sirens=siren, vehicles=car)
    motion = people.motion()
    return np.stack([motion.x, motion.y, motion.z])


def test_of_people():
    assert set(PERSON.attributes) - {"name"} == set(OF_PEOPLE)
    before = walkers()
    assert np.array_equal(before, walkers())
    for name in OF_PEOPLE:
        assert np.abs(walkers(name) - before).max() > 0.02, name


def test_all_that_is_documented_is_there_and_has_a_test_of_its_effect():
    page = (Path(__file__).resolve().parents[2] / "docs" / "city-attributes.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", page, re.M)
    rows = described(KINDS.values())
    names = ("attribute", "unit", "default", "meaning")
    assert [(n, u, d, m) for n, u, d, _, m in told] == [tuple(str(row[k]) for k in names) for row in rows]
    assert all(row["range"] in may for row, (_, _, _, may, _) in zip(rows, told, strict=True))
    tested = set(OTHER) | APART | set(OF_PEOPLE) | {"name"}
    assert {name for name, *_ in told} == tested


def test_who_does_not_walk_by_itself_stands():
    town = Simulation(TOWN, 2, 6, seed=2, options=SimulationOptions(referee=False))
    town.characters.set(town.people.ids, "autonomous", False)
    for _ in range(30):
        town.step()
    before = town.people.x.copy()
    for _ in range(30):
        town.step()
    assert (town.people.x == before).all()


def test_who_keeps_its_lane_never_changes_it():
    """Also not for a slower one ahead, a lane it likes better, or the way that it wants to go."""
    lanes = []
    for keeps in (False, True):
        characters = Characters()
        characters.add(WHEELED, 40, driver_type="fast", keeps_lane=keeps)
        traffic = Traffic(TOWN, characters, 5)
        changes = 0
        for _ in range(300):
            traffic.advance(0.1)
            changes += int((traffic.fleet.side >= 0).sum())
        lanes.append(changes)
    assert lanes[0] > 0 and lanes[1] == 0
