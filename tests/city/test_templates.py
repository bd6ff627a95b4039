"""Templates take no part: what is changed on a member changes it alone, on the template all its members."""

import numpy as np
import pytest

from swerve.city import PERSON, WHEELED, Characters, Simulation, SimulationOptions, grid
from swerve.city.characters import Groups, batches
from swerve.city.characters.kinds import WHEELED_PRESETS
from swerve.core.errors import BadInput

CHANGES = {
    "headway": 2.5, "max_speed_ratio": 1.3, "autonomous": False, "emergency": False, "walking_speed": 0.3,
    "yield_distance": 7.0, "frustration": 0.7,
}  # fmt: skip


def town(**options):
    made = SimulationOptions(**options)
    simulation = Simulation(grid(3, 3), 36, 12, 4, seed=5, options=made)
    simulation.step()
    return simulation


def told(characters, ids, name):
    return characters.get(ids, name).tolist()


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_change_to_anybody_changes_nobody_else(name):
    simulation = town()
    characters = simulation.characters
    ids = simulation.people.ids if name == "walking_speed" else simulation.traffic.ids
    for one in ids:
        before = np.array(told(characters, ids, name), float)
        characters.set(one, name, CHANGES[name])
        changed = np.flatnonzero(np.array(told(characters, ids, name), float) != before)
        assert set(ids[changed]) <= {one}
        assert characters.value(one, name) == CHANGES[name]


def test_a_change_to_one_car_or_siren_or_person_reaches_only_its_row():
    simulation = town()
    traffic, people, characters = simulation.traffic, simulation.people, simulation.characters
    siren = int(traffic.ids[traffic.fleet.emergency][0])
    characters.set(int(traffic.ids[0]), "headway", 2.5)
    characters.set(siren, "emergency", False)
    characters.set(int(people.ids[0]), "yield_distance", 7.0)
    simulation.step()
    assert (traffic.fleet.headway == 2.5).sum() == 1 and traffic.fleet.emergency.sum() == 3
    assert (people.yield_distance == 7.0).tolist() == [True] + 11 * [False]


def test_a_change_to_a_template_reaches_its_members_and_only_them():
    simulation = town()
    traffic, people, characters = simulation.traffic, simulation.people, simulation.characters
    car, siren, person = (int(characters.template[ids]) for ids in (0, traffic.ids[-1], people.ids[0]))
    mates = characters.template[traffic.ids] == car
    own = int(traffic.ids[mates][0])
    characters.set(own, "headway", 0.7)
    characters.set(car, "headway", 2.5)
    characters.set(siren, "emergency", False)
    characters.set(person, "yield_distance", 7.0)
    simulation.step()
    reached = mates & (traffic.ids != own)
    assert reached.sum() > 1 and ((traffic.fleet.headway == 2.5) == reached).all()
    assert not traffic.fleet.emergency.any() and (people.yield_distance == 7.0).all()


def test_templates_take_no_part():
    simulation = town(record=True)
    characters = simulation.characters
    templates = np.setdiff1d(characters.template, [-1])
    assert len(templates) > 3 and simulation.agents == 48
    assert simulation.traffic.ids.tolist() == list(range(36))
    assert not np.isin(templates, simulation.recorder.recording({})["id"]).any()
    groups = Groups(characters)
    everyone = [groups.vehicles, groups.emergency, groups.pedestrians, groups.of_template(int(templates[0]))]
    for group in everyone:
        assert len(group) and not np.isin(templates, group.members).any()
        assert not any(int(one) in group for one in templates)
    assert not np.isin(templates, np.concatenate(list(batches(characters).values()))).any()


def test_parking_is_said_of_templates_too():
    simulation = Simulation(
        grid(3, 3, bays=True), 12, seed=5, options=SimulationOptions(parking=0.5, stay=20.0)
    )
    characters, cars = simulation.characters, simulation.traffic.ids
    characters.set(int(characters.template[0]), "parks", 0.25)
    mates = characters.template[cars] == characters.template[0]
    assert ((characters.get(cars, "parks") == 0.25) == mates).all()


def test_who_is_told_to_follow_a_template_copies_all_of_it():
    city = Characters()
    taxi = city.add_template(WHEELED, wheeled_type="mini", headway=0.9)
    cars = city.add(WHEELED, 3, wheeled_type="suv", headway=2.0)
    city.follow(cars[:2], taxi)
    assert told(city, cars, "headway") == [0.9, 0.9, 2.0]
    assert told(city, cars, "length") == [
        *[city.value(taxi, "length")] * 2,
        city.value(int(cars[2]), "length"),
    ]
    city.set(taxi, "headway", 1.5)
    assert told(city, cars, "headway") == [1.5, 1.5, 2.0] and city.of_kind(WHEELED).tolist() == cars.tolist()
    cab = city.add_template(WHEELED, template=taxi)
    city.follow(cars[2], cab)
    city.set(taxi, "headway", 1.7)
    assert told(city, cars, "headway") == [1.7] * 3
    for who, whom, word in (
        (taxi, cab, "copies"),
        (taxi, taxi, "copies"),
        (int(city.add(PERSON)[0]), cab, "person"),
    ):
        with pytest.raises(BadInput, match=word):
            city.follow(who, whom)


def test_many_types_are_set_at_once_and_quickly():
    """Each has the sizes of its own; a cast of 50,000 took minutes when they were set one by one."""
    city = Characters()
    cars = city.add(WHEELED, 20_000)
    words = np.array(["mini", "suv"] * 10_000)
    city.set(cars, "wheeled_type", words)
    sizes = [WHEELED_PRESETS[word]["length"] for word in ("mini", "suv")]
    assert np.array_equal(city.get(cars, "length"), sizes * 10_000)
    city.update(int(cars[0]), {"length": 6.0, "wheeled_type": "other"})
    assert city.value(int(cars[0]), "length") == 6.0


def test_a_character_with_a_bad_value_does_not_come_about():
    city = Characters()
    with pytest.raises(BadInput, match="headway"):
        city.add(WHEELED, 2, headway=99.0)
    assert len(city.of_kind(WHEELED)) == 0
