"""Behaviours steer vehicles as they steer people: the same types, within the rules of the road."""

from dataclasses import dataclass

import numpy as np
import pytest

from swerve.city import PERSON, WHEELED, Characters, People, Referee, Simulation, Traffic, grid
from swerve.city.characters import Group, Groups
from swerve.city.characters.behaviour import Behaviour
from swerve.city.ground import Mesh
from swerve.city.people.behaviours import SeekTo
from swerve.city.roads.roads import LANE
from swerve.city.traffic import DriveTo, KeepSpeed
from swerve.core.errors import BadInput
from swerve.core.world import World


@dataclass(kw_only=True)
class GoEast(Behaviour):
    """Wherever the way parts, take what leads east."""

    def velocity(self, cars):
        return np.tile([50.0, 0.0], (len(cars), 1))


def drive(behaviours, seconds, cars=6, how="priority", watch=None):
    town = grid(4, 3, block=100.0, signals=False, pavements=False)
    characters = Characters()
    characters.add(WHEELED, cars)
    traffic = Traffic(town, characters, seed=2, behaviours=behaviours, how=how)
    world = World(dt=0.1)
    world.add(traffic)
    referee = Referee(traffic, world)
    for _ in range(round(seconds / 0.1)):
        world.step()
        referee.watch(0.1)
        if watch is not None:
            watch(traffic)
    assert not referee.collisions and not referee.red_lights
    return traffic


def only(row, n=6):
    return np.arange(n) == row


def test_a_car_drives_to_a_place_and_stops_there():
    town = grid(4, 3, block=100.0, signals=False, pavements=False)
    lane = 40  # beyond the next junction
    x, y, _ = (float(v[0]) for v in town.roads.place(np.array([lane]), np.array([40.0])))
    traffic = drive([DriveTo(target=(x, y), who=only(0))], 25.0)
    fleet = traffic.fleet
    assert town.roads.road[fleet.strip[0]] == town.roads.road[lane] and fleet.speed[0] == 0.0
    front = fleet.station[0] + fleet.overhang[0]
    assert 37.0 < front < 40.1
    assert fleet.odometer[1:].min() > 60.0  # nobody else stops


def test_a_car_that_stands_at_its_place_has_arrived_once():
    town = grid(4, 3, block=100.0, signals=False, pavements=False)
    x, y, _ = (float(v[0]) for v in town.roads.place(np.array([40]), np.array([50.0])))
    fleet = drive([DriveTo(target=(x, y), who=only(0))], 25.0).fleet
    assert fleet.speed[0] == 0.0 and fleet.station[0] > 0.5 * town.roads.length[fleet.strip[0]]
    assert fleet.arrivals[0] == 1


def test_who_stands_of_its_own_will_is_not_held_up():
    """At its place, with a top speed of 0, or moved from outside; who stands behind it is held up."""
    town = grid(3, 3, block=200.0, signals=False, pavements=False)
    simulation = Simulation(town, 5, seed=1)
    traffic, characters = simulation.traffic, simulation.characters
    free = np.flatnonzero((town.roads.kind == LANE) & (town.roads.length > 100))
    lanes = free[~np.isin(town.roads.road[free], town.roads.road[traffic.fleet.strip])][[0, 2, 4]]
    at = np.array([80.0, 80.0, 80.0])
    traffic.place([0, 1, 2], lanes, at, 0.0)
    traffic.place([3], [lanes[1]], at[1:2] - 12.0, 0.0)
    x, y, _ = (float(v[0]) for v in town.roads.place(lanes[:1], at[:1] + 1.0, 0.0))
    traffic.behaviours.append(DriveTo(target=(x, y), who=np.arange(5) == 0))
    characters.set(1, "max_speed", 0.0)
    characters.set(2, "autonomous", False)
    characters.set(3, "keeps_lane", True)
    for _ in range(300):
        simulation.step()
    assert (traffic.fleet.speed[:4] < 0.01).all()
    assert simulation.referee.standing[:3].tolist() == [0.0] * 3 and simulation.referee.standing[3] > 20.0
    traffic.behaviours.clear()
    simulation.step()
    assert traffic.held_up.tolist() == [True, False, False, True, True]


def test_a_wish_bounds_the_speed_and_gives_it_back():
    slow = KeepSpeed(speed=5.0, who=only(1))
    fastest = np.zeros(6)

    def watch(traffic):
        if traffic.time > 6.0:
            np.maximum(fastest, traffic.fleet.speed, out=fastest)

    traffic = drive([slow], 20.0, watch=watch)
    assert fastest[1] < 5.1 and np.delete(fastest, 1).max() > 10.0
    traffic.behaviours.clear()
    traffic.advance(0.1)
    assert (traffic.fleet.max_speed == traffic.top_speeds).all()
    traffic.characters.set(traffic.ids[2], "max_speed", 7.0)
    assert traffic.top_speeds[2] == 7.0 and traffic.top_speeds[1] > 7.0


def test_where_the_way_parts_the_wish_decides():
    chosen = []

    def watch(traffic):
        i, roads = 0, traffic.town.roads
        if traffic.fleet.granted[i] >= 0:
            at = int(traffic.fleet.strip[i])
            if roads.kind[at] == LANE:
                ways = roads.after[roads.after_first[at] : roads.after_first[at + 1]]
                east = np.cos(roads.heading[roads.first[ways + 1] - 1])
                chosen.append(east[list(ways).index(traffic.fleet.next[i])] - east.max())

    drive([GoEast(who=only(0))], 30.0, watch=watch)
    assert len(chosen) > 5 and np.mean(np.array(chosen) > -1e-9) > 0.9


def test_priorities_hold_for_cars_too():
    stop = KeepSpeed(speed=0.0, who=only(2), priority=5)
    traffic = drive([KeepSpeed(speed=8.0), stop], 12.0)
    assert traffic.fleet.speed[2] == 0.0 and traffic.fleet.speed.max() < 8.1


def test_bad_places_are_refused():
    with pytest.raises(BadInput, match="target"):
        drive([DriveTo(target=(np.nan, 0.0))], 0.1)


def test_who_is_far_from_the_viewer_looks_ahead_less():
    characters = Characters()
    characters.add(PERSON, 30)
    people = People(grid(4, 3, block=100.0), characters, seed=1)
    people.paths.seen_from(lambda: (0.0, 0.0))
    for _ in range(10):
        people.advance(0.1)
    far = np.hypot(people.x, people.y) > 150.0
    assert far.any() and people.paths.interval[far].min() > people.paths.interval[~far].max()


def test_vehicles_that_have_stopped_stand_exactly():
    traffic = drive([KeepSpeed(speed=0.0)], 10.0)
    on_lane = traffic.net.strips["kind"][traffic.fleet.strip] == LANE
    assert on_lane.any() and (traffic.fleet.speed[on_lane & (traffic.fleet.speed < 0.01)] == 0.0).all()


def test_a_behaviour_of_a_group_follows_who_belongs_to_it():
    """All that copy a template, and cars with their siren on, from the moment on in which they are."""
    characters = Characters()
    taxi = int(characters.add(WHEELED)[0])
    characters.add(WHEELED, 2, template=taxi)
    others = characters.add(WHEELED, 3)
    groups = Groups(characters)
    slow = [KeepSpeed(speed=3.0, who=groups.of_template(taxi)), KeepSpeed(speed=5.0, who=groups.emergency)]
    traffic = Traffic(grid(3, 3, pavements=False), characters, seed=2, behaviours=slow)
    traffic.advance(0.1)
    top = characters.get(traffic.ids, "max_speed")
    assert (
        traffic.fleet.max_speed[:3] == pytest.approx([3.0] * 3) and (traffic.fleet.max_speed == top)[3:].all()
    )
    characters.set(others[1], "emergency", True)
    traffic.advance(0.1)
    assert traffic.fleet.max_speed[4] == pytest.approx(5.0) and traffic.fleet.max_speed[3] == top[3]


def test_a_group_of_people_goes_where_its_behaviour_leads():
    characters = Characters()
    characters.add(PERSON, 4)
    some = Group("guests", characters)
    some.add([1, 3])
    square = Mesh.from_polygon([(0, 0), (20, 0), (20, 20), (0, 20)])
    starts = np.array([(2.0, 2.0), (2.0, 6.0), (2.0, 10.0), (2.0, 14.0)])
    people = People(square, characters, positions=starts, behaviours=[SeekTo(target=(18, 10), who=some)])
    for _ in range(20):
        people.advance(0.1)
    assert (people.x[[1, 3]] > 3.0).all() and people.x[[0, 2]].tolist() == [2.0, 2.0]
