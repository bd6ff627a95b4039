"""Bodies of all wings meet: whoever is put inside another is in the log within one frame, whoever passes
5 m above is not."""

import itertools

import numpy as np
import pytest

from swerve.city import PERSON, WHEELED, Characters, People, Traffic, grid
from swerve.core.bodies import PlainBody
from swerve.core.plan import Plan, Status
from swerve.core.playing import Playing
from swerve.core.world import World
from swerve.race.body import SlidingCar
from swerve.riders.bodies.rider import load_rider
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.tactics import Troupe, load_domain

TOWN = grid(3, 3)


def car(x, y, z):
    def ground(px, py):
        return np.full_like(px, z), np.zeros_like(px), np.zeros_like(px)

    return SlidingCar(ground=ground).start(1).put(np.array([x]), np.array([y]), np.zeros(1))


def plain(x, y, z):
    names = ("x", "y", "yaw", "vx", "vy", "z")
    return PlainBody("crate", (1.5, 1.5, 1.5), names, (x, y, 0, 0, 0, z + 0.75), lambda r, c, dt: r).start(1)


def on_terrain(x, y, z):
    states = np.array([[x, y, z + 0.7, 0.0], [x + 0.1, y, z + 0.7, 0.0]])
    meta = {"kind": "truck", "size": (4.0, 2.0, 1.4)}
    plan = Plan(Status.SOLVED, np.array([0.0, 50.0]), states, ("x", "y", "z", "heading"), meta=meta)
    return Playing([plan])


def map_rider(x, y, z):
    rider = Glide(load_map("human"), 1)
    rider.put(np.array([x]), np.array([y]), np.zeros(1))
    return _lifted(rider, z)


def full_rider(x, y, z):
    rider = load_rider("human").start(1)
    rider.put(np.array([x]), np.array([y]), np.zeros(1))
    return _lifted(rider, z)


def robot(x, y, z):
    problem = load_domain("navigation")
    troupe = Troupe(problem.world, problem.start)
    at = troupe.motion()
    k = troupe.names.index(problem.ego)
    troupe.place = (x - at.x[k], y - at.y[k])
    return _lifted(troupe, z)


def vehicle(x, y, z):
    characters = Characters()
    characters.add(WHEELED, 1)
    traffic = Traffic(TOWN, characters, seed=1)
    traffic.fleet.x[:], traffic.fleet.y[:], traffic.fleet.speed[:] = x, y, 0.0
    return _lifted(_still(traffic), z)


def person(x, y, z):
    characters = Characters()
    characters.add(PERSON, 1)
    people = People(TOWN, characters, seed=1)
    people.crowd.x[:], people.crowd.y[:] = x, y
    return _lifted(_still(people), z)


def _still(bodies):
    """The city's minds would not be where they were put: they stand."""
    bodies.step = lambda commands, dt: None
    bodies.look = lambda view: None
    return bodies


def _lifted(bodies, z):
    if z:
        motion = bodies.motion

        def above():
            from dataclasses import replace

            now = motion()
            return replace(now, z=now.z + z)

        bodies.motion = above
    return bodies


KINDS = {
    "race: sliding car": car,
    "tactics: robot": robot,
    "terrain: plan": on_terrain,
    "riders: on a map": map_rider,
    "riders: in full": full_rider,
    "city: vehicle": vehicle,
    "city: person": person,
    "a user's body": plain,
}


@pytest.mark.parametrize(
    ("one", "other"),
    list(itertools.combinations_with_replacement(KINDS, 2)),
    ids=lambda name: name.split(": ")[-1],
)
def test_one_inside_another_is_a_contact_within_one_frame(one, other):
    world = World(dt=0.1)
    first = world.add(KINDS[one](20.0, 10.0, 0.0))
    second = world.add(KINDS[other](20.1, 10.1, 0.0), ids=1000 + np.arange(len(KINDS[other](0, 0, 0))))
    world.step()
    pairs = {(c.a in first.ids, c.b in second.ids) for c in world.contacts}
    assert (True, True) in pairs
    last = world.recording()
    assert last["contact"][last["t"] == last.times[-1]].sum() >= 2


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", ["race: sliding car", "riders: on a map", "city: vehicle", "city: person"])
def test_five_metres_above_another_is_none(one, other):
    world = World(dt=0.1)
    first = world.add(KINDS[one](20.0, 10.0, 0.0))
    second = world.add(KINDS[other](20.1, 10.1, 5.0), ids=1000 + np.arange(len(KINDS[other](0, 0, 0))))
    world.step()
    assert not [c for c in world.contacts if c.a in first.ids and c.b in second.ids]
