"""Attributes are typed and bounded, kinds inherit, templates pass changes on, groups follow the sirens."""

import numpy as np
import pytest

from swerve.city import PERSON, WHEELED, Characters, Simulation, SimulationOptions, grid
from swerve.city.characters import (
    BASIC,
    KINDS,
    VEHICLE,
    Attribute,
    Groups,
    Kind,
    batches,
    brains,
    decide,
    described,
)
from swerve.city.characters.kinds import LONGEST, WHEELED_PRESETS
from swerve.city.roads import swept
from swerve.city.traffic.following import BRAKING
from swerve.core.errors import BadInput


def test_kinds_inherit_everything_of_their_parents():
    for kind in KINDS.values():
        for ancestor in (kind, kind.parent or kind):
            assert set(ancestor.attributes) <= set(kind.attributes)
    assert WHEELED.is_a(VEHICLE) and WHEELED.is_a(BASIC) and not PERSON.is_a(VEHICLE)
    assert PERSON["max_speed"].default < VEHICLE["max_speed"].default
    rows = described(KINDS.values())
    assert {row["kind"] for row in rows} == set(KINDS) and all(row["type"] for row in rows)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("max_speed", -1, "must be between 0 and 100 (m/s), got -1"),
        ("max_speed", "fast", "must be a number (m/s), got 'fast'"),
        ("max_speed", float("nan"), "must be a number"),
        ("driver_type", "mad", "must be one of fast, medium, slow, got 'mad'"),
        ("emergency", 1, "must be true or false, got 1"),
        ("name", 3, "must be a text"),
        ("wings", 2, "must be one of"),
        ("length", 6.0, "follows from wheeled_type sedan"),
        ("max_deceleration", BRAKING - 0.1, f"must be between {BRAKING:g} and 20 (m/s²)"),  # all count on it
    ],
)
def test_a_bad_value_is_named(name, value, words):
    city = Characters()
    car = city.add(WHEELED)
    with pytest.raises(BadInput) as caught:
        city.set(car, name, value)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_kind_cannot_change_the_type_of_what_it_inherits():
    with pytest.raises(BadInput, match="changes the type"):
        Kind("odd", BASIC, (Attribute("height", str, "tall"),))


def test_ids_are_unique_and_never_reused():
    city = Characters()
    first = city.add(PERSON, 3)
    city.remove(first[1])
    second = city.add(WHEELED, 2)
    assert len({*first, *second}) == 5
    assert city.of_kind(PERSON).tolist() == [0, 2]
    with pytest.raises(BadInput, match="character: no such id, got 1"):
        city.get(first, "height")
    with pytest.raises(BadInput, match="no such id, got 99"):
        city.set(99, "height", 1.0)


def test_a_wheeled_type_sets_what_belongs_to_it():
    city = Characters()
    mini, suv = (int(city.add(WHEELED, 1, wheeled_type=word)[0]) for word in ("mini", "suv"))
    assert city.value(mini, "length") < city.value(suv, "length")
    city.set(mini, "wheeled_type", "suv")
    assert city.value(mini, "length") == city.value(suv, "length")
    city.set(mini, "wheeled_type", "other")
    city.set(mini, "length", 6.5)
    assert city.value(mini, "length") == 6.5


def test_changes_of_a_template_reach_all_but_what_a_character_has_of_its_own():
    city = Characters()
    root = int(city.add(WHEELED)[0])
    child = int(city.add(WHEELED, 1, template=root)[0])
    grandchildren = city.add(WHEELED, 2, template=child)
    city.set(int(grandchildren[0]), "headway", 2.0)
    city.set(root, "headway", 0.9)
    assert city.get(grandchildren, "headway").tolist() == [2.0, 0.9]
    city.set(root, "wheeled_type", "mini")
    assert np.all(city.get(grandchildren, "length") == city.value(root, "length"))
    city.set(child, "headway", 1.5)
    city.set(root, "headway", 1.0)
    assert city.get([root, child, *grandchildren], "headway").tolist() == [1.0, 1.5, 2.0, 1.5]
    assert city.of_kind(WHEELED).tolist() == [root, child, *grandchildren]  # they were added to drive
    with pytest.raises(BadInput, match="is a wheeled, not a person"):
        city.add(PERSON, 1, template=root)


def test_one_brain_decides_once_for_all_who_share_it():
    city = Characters()
    taxi, van = (int(city.add(WHEELED)[0]) for _ in range(2))
    clones = city.add(WHEELED, 50, template=taxi)
    more = city.add(WHEELED, 5, template=int(clones[0]))
    assert np.all(brains(city)[more] == taxi)
    calls = []
    answers = decide(city, {taxi: lambda ids: calls.append(len(ids)) or ids.sum(), van: len})
    assert calls == [56] and answers[van] == 1
    city.remove(clones[:10])
    assert len(batches(city)[taxi]) == 46


def test_groups_follow_the_emergency_state():
    city = Characters()
    cars, people = city.add(WHEELED, 4), city.add(PERSON, 3)
    groups = Groups(city)
    assert groups.vehicles.members.tolist() == cars.tolist()
    assert groups.pedestrians.members.tolist() == people.tolist() and len(groups.emergency) == 0
    near, distance = groups.emergency.nearest(np.zeros(2), np.zeros(2), lambda ids: (ids, ids))
    assert near.tolist() == [-1, -1] and np.isinf(distance).all()
    city.set(cars[[1, 3]], "emergency", True)
    assert groups.emergency.members.tolist() == [1, 3] and 1 not in groups.vehicles
    near, distance = groups.emergency.nearest(np.array([0.9, 2.4]), np.zeros(2), lambda ids: (ids, ids * 0.0))
    assert near.tolist() == [1, 3] and distance == pytest.approx([0.1, 0.6])
    city.set(cars[1], "emergency", False)
    assert groups.emergency.members.tolist() == [3] and 1 in groups.vehicles


def test_a_group_of_a_template_has_whoever_copies_it():
    city = Characters()
    taxi, van = (int(city.add(WHEELED)[0]) for _ in range(2))
    taxis = Groups(city).of_template(taxi)
    cabs = city.add(WHEELED, 2, template=taxi)
    more = city.add(WHEELED, 1, template=int(cabs[0]))
    assert taxis.members.tolist() == [taxi, *cabs, *more] and van not in taxis
    city.remove(cabs[1])
    assert taxis.members.tolist() == [taxi, cabs[0], *more]
    with pytest.raises(BadInput, match="rule"):
        taxis.add(van)


def test_moods_and_distances_may_be_set_while_it_runs():
    from swerve.city import Simulation, grid

    simulation = Simulation(grid(3, 3), vehicles=6, pedestrians=6, seed=1)
    for _ in range(5):
        simulation.step()
    fleet, crowd, characters = simulation.traffic.fleet, simulation.people.crowd, simulation.characters
    car, person = int(simulation.traffic.ids[-1]), int(simulation.people.ids[-1])
    characters.set(car, "frustration", 0.9)
    characters.set(person, "clearance", 3.5)
    characters.set(person, "person_clearance", 0.6)
    others = fleet.frustration[:-1].copy()
    simulation.step()
    assert fleet.frustration[-1] == pytest.approx(0.9, abs=0.05)
    assert np.abs(fleet.frustration[:-1] - others).max() < 0.1
    assert crowd.clearance[-1].tolist() == [0.6, 3.5] and crowd.clearance[0].tolist() == [0.15, 2.0]
    template = int(characters.template[simulation.people.ids[0]])
    characters.set(template, "clearance", 1.0)  # all but who has one of its own
    simulation.step()
    assert crowd.clearance[:-1, 1].tolist() == [1.0] * 5 and crowd.clearance[-1, 1] == 3.5


def test_types_from_bicycle_to_lorry_come_in_the_shares_that_are_asked_for():
    """All of them within what junctions are laid out for; they drive, and keep clear of each other."""
    for word, preset in WHEELED_PRESETS.items():
        most = swept.BUS if word == "bus" else swept.USUAL
        assert preset["length"] <= most.length and preset["width"] <= most.width, word
        assert preset["wheelbase"] <= most.wheelbase and preset["front_overhang"] <= most.front, word
    assert swept.BUS.length == LONGEST
    mix = {"sedan": 2, "van": 1, "lorry": 1, "bicycle": 1}
    town = Simulation(grid(3, 3, block=120.0), 40, seed=2, options=SimulationOptions(mix=mix))
    kinds, count = np.unique(town.traffic.kinds.astype(str), return_counts=True)
    assert kinds.tolist() == ["bicycle", "lorry", "sedan", "van"] and count[2] > count[[0, 1, 3]].max()
    for _ in range(600):
        town.step()
    assert town.figures()["collisions"] == 0 and town.figures()["off_road"] == 0
    by = {word: town.traffic.fleet.odometer[town.traffic.kinds == word].mean() for word in kinds}
    assert by["bicycle"] < by["sedan"] and min(by.values()) > 60.0
    for wrong in ({"tank": 1}, {"van": -1}, {"van": 0}):
        with pytest.raises(BadInput, match="mix"):
            SimulationOptions(mix=wrong)
