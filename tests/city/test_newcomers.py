"""Characters come into a running town and are taken out of it, and nobody else is disturbed."""

import numpy as np
import pytest

from swerve.city import PERSON, WHEELED, Characters, Demand, People, Simulation, SimulationOptions, Trip, grid
from swerve.city.ground import Mesh
from swerve.city.people.behaviours import Align, Cohere, KeepFormation
from swerve.city.roads.roads import CONNECTOR, LANE
from swerve.core.errors import BadInput


def town(vehicles=24, people=16, sirens=2, seed=3, **options):
    made = SimulationOptions(**options)
    simulation = Simulation(grid(3, 3), vehicles, people, sirens, seed, options=made)
    run(simulation, 30)
    return simulation


def run(simulation, steps):
    for _ in range(steps):
        simulation.step()


def test_who_is_removed_is_gone_and_the_others_go_on():
    simulation = town(record=True)
    gone = [0, 7, 23, int(simulation.people.ids[2])]
    simulation.characters.remove(gone)
    before = simulation.time
    run(simulation, 100)
    figures, recording = simulation.figures(), simulation.recorder.recording({})
    later = np.unique(recording["id"][(recording["t"] > before + 1e-6) & (recording["kind"] != "light")])
    assert not np.isin(gone, later).any() and len(later) == figures["agents"] == 36
    assert figures["vehicles"] == 21 and figures["collisions"] == 0 and figures["arrived"] == 0
    assert simulation.traffic.waiting == 0
    assert (simulation.traffic.fleet.odometer[simulation.traffic.here] > 0.0).all()
    with pytest.raises(BadInput, match="no such id, got 7"):
        simulation.characters.set(7, "headway", 1.0)
    with pytest.raises(BadInput, match="no such id, got 7"):
        simulation.traffic.place([7], 0, 30.0)


def test_who_stood_behind_a_removed_car_goes_on():
    simulation = town(2, 0, 0, referee=False)
    traffic, roads = simulation.traffic, simulation.town.roads
    lane = int(np.flatnonzero((roads.kind == LANE) & (roads.length > 90))[0])
    traffic.place([0, 1], lane, np.array([60.0, 40.0]), 0.0)
    simulation.characters.set(0, "max_speed", 0.0)
    simulation.characters.set(1, "keeps_lane", True)
    run(simulation, 80)
    assert traffic.fleet.station[1] < 60.0 and traffic.fleet.speed[1] < 0.1
    simulation.characters.remove(0)
    run(simulation, 80)
    assert traffic.fleet.odometer[1] > 30.0


def test_a_crosswalk_and_a_bay_are_free_again():
    simulation = Simulation(
        grid(3, 3, bays=True), 20, 40, seed=2, options=SimulationOptions(parking=1.0, referee=False)
    )
    run(simulation, 10)
    traffic, people = simulation.traffic, simulation.people
    for _ in range(600):
        simulation.step()
        if (people.on_crossing > 0).any() and (traffic.fleet.berth == 4).any():
            break
    simulation.characters.remove([*people.ids, *traffic.ids])
    run(simulation, 2)
    assert (people.on_crossing == 0).all() and (traffic.parking.taken == -1).all()
    assert simulation.agents == 0 and len(simulation.world.everyone.motion) == 60


def test_a_trip_that_is_removed_never_comes():
    roads = grid(3, 3).roads
    lanes = np.flatnonzero((roads.kind == LANE) & (roads.length > 60))
    ways = {"from": {"strip": int(lanes[0]), "station": 20.0}, "to": {"strip": int(lanes[-1])}}
    trips = [Trip(name=str(k), depart=2.0 * k, **ways) for k in range(4)]
    simulation = Simulation(grid(3, 3), 0, seed=1, demand=Demand(trips=trips))
    run(simulation, 5)
    simulation.characters.remove([0, 2])
    run(simulation, 150)
    assert np.isfinite(simulation.trips()["entered"]).tolist() == [True, True, False, True]
    assert simulation.traffic.here.tolist() == [False, True, False, True] and simulation.traffic.waiting == 0


def test_groups_of_people_forget_who_was_removed():
    mesh = Mesh.from_polygon([(0, 0), (60, 0), (60, 60), (0, 60)])
    characters = Characters()
    ids = characters.add(PERSON, 4)
    start = np.array([(10.0, 10), (14, 10), (12, 14), (20, 10)])
    group = np.array([0, 0, 0, -1])
    lead = KeepFormation(leader=np.array([-1, -1, -1, 0]), offset=np.zeros((4, 2)), priority=2)
    people = People(mesh, characters, 1, [lead, Cohere(group=group, priority=1), Align(group=group)], start)
    people.advance(0.1)
    characters.remove(ids[0])
    for _ in range(100):
        people.advance(0.1)
    assert np.hypot(people.x[1:] - start[1:, 0], people.y[1:] - start[1:, 1]).max() < 6.0
    late = people.add(characters.add(PERSON, 2), np.array([(40.0, 40), (44, 40)]))  # of no group, not led
    for _ in range(20):
        people.advance(0.1)
    assert people.x[late].tolist() == [40.0, 44.0] and people.y[late].tolist() == [40.0, 40.0]


def test_newcomers_come_in_where_there_is_room_and_take_part():
    simulation = town(record=True)
    characters, traffic, people = simulation.characters, simulation.traffic, simulation.people
    cars = simulation.spawn(WHEELED, 3, driver_type="fast")
    siren = simulation.spawn(WHEELED, template=int(characters.template[traffic.ids[22]]))
    walkers = simulation.spawn(PERSON, 5, walking_speed=1.8)
    assert characters.get(siren, "emergency").all() and siren in simulation.groups.emergency.members
    before = people.x[-5:].copy(), people.y[-5:].copy()
    run(simulation, 220)
    rows = np.flatnonzero(np.isin(traffic.ids, [*cars, *siren]))
    assert (traffic.fleet.odometer[rows] > 30.0).all() and traffic.fleet.emergency[rows].sum() == 1
    assert (np.hypot(people.x[-5:] - before[0], people.y[-5:] - before[1]) > 5.0).all()
    figures = simulation.figures()
    assert figures["collisions"] == 0 and figures["agents"] == 49 and figures["vehicles"] == 28
    assert np.isin([*cars, *siren, *walkers], simulation.recorder.recording({})["id"]).all()
    assert len(simulation.plan(int(walkers[0])).times) == 220


def test_newcomers_stand_where_they_are_told():
    simulation = town(4, 6, 0)
    traffic, roads = simulation.traffic, simulation.town.roads
    free = np.setdiff1d(np.flatnonzero((roads.kind == LANE) & (roads.length > 60)), traffic.fleet.strip)
    x, y, _ = roads.place(free[:2], np.array([30.0, 30.0]), 0.0)
    (car, _), at = simulation.spawn(WHEELED, 2, at=np.stack([x, y], -1)), (float(x[0]), float(y[0]))
    row = int(np.flatnonzero(traffic.ids == car)[0])
    assert (
        traffic.fleet.strip[row] == free[0]
        and np.hypot(traffic.fleet.x[row] - at[0], traffic.fleet.y[row] - at[1]) < 0.6
    )
    inside = int(np.flatnonzero((roads.kind == CONNECTOR) & (roads.length > 15))[0])
    middle = tuple(float(v[0]) for v in roads.place(np.array([inside]), roads.length[[inside]] / 2, 0.0)[:2])
    spot = simulation.people.random_aims(np.zeros(1, int))
    agents = simulation.agents
    for kind, where, why in (
        (PERSON, (simulation.people.x[0], simulation.people.y[0]), "no room"),
        (WHEELED, at, "too near somebody"), (WHEELED, middle, "junction"),
        (PERSON, (1e4, 0.0), "off the mesh"),
        (PERSON, spot[0, :1], "places"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=why):
            simulation.spawn(kind, 1, at=where)
        assert simulation.agents == agents
        run(simulation, 2)
    with pytest.raises(BadInput, match="length"):
        simulation.spawn(WHEELED, 1, length=4.0)
    with pytest.raises(BadInput, match="from the start"):
        Simulation(grid(3, 3), 2).spawn(PERSON)
    run(simulation, 2)
    assert simulation.figures()["collisions"] == 0


def test_where_there_is_no_room_nobody_comes():
    simulation = Simulation(grid(3, 3, block=80.0), 4, seed=2)
    run(simulation, 5)
    with pytest.raises(BadInput, match="no room for another"):
        simulation.spawn(WHEELED, 300)
    run(simulation, 5)
    assert simulation.agents == simulation.figures()["vehicles"] == 4


def test_newcomers_have_ids_that_nobody_has():
    """Others let into the world are numbered on from its bodies; characters go on behind them."""
    simulation = town(4, 4, 0, record=True)
    first = int(simulation.world.ids.max()) + 1
    far = Mesh.from_polygon([(1e4, 0), (1e4 + 50, 0), (1e4 + 50, 50), (1e4, 50)])
    strangers = Characters()
    strangers.add(PERSON, 30)
    simulation.world.add(People(far, strangers, seed=1), ids=first + np.arange(30))
    ids = [*simulation.spawn(WHEELED, 2), *simulation.spawn(PERSON, 2)]
    run(simulation, 2)
    assert min(ids) >= first + 30 and np.isin(ids, simulation.world.ids).all()
    assert len(np.unique(simulation.world.ids)) == 4 + 4 + 30 + 4
    assert simulation.traffic.ids[-2:].tolist() == ids[:2] and simulation.people.ids[-2:].tolist() == ids[2:]
    with pytest.raises(BadInput, match="no such id"):
        simulation.characters.set(first + 29, "name", "nobody")


def test_the_same_comes_and_goes_again():
    ways = []
    for _ in range(2):
        simulation = town(12, 8, 1)
        simulation.spawn(WHEELED, 2)
        simulation.spawn(PERSON, 2)
        simulation.characters.remove(3)
        run(simulation, 60)
        ways.append(np.concatenate([simulation.traffic.fleet.x, simulation.people.x]))
    assert np.array_equal(*ways)


def test_what_does_not_fit_these_roads_is_refused_and_the_town_goes_on():
    simulation = town(6, 4, 0)
    characters = simulation.characters
    for who, name, value in (
        (0, "wheeled_type", "bus"), (int(characters.template[0]), "wheeled_type", "bus"),
        (int(simulation.people.ids[0]), "radius", 1.5),
    ):  # fmt: skip
        with pytest.raises(BadInput, match="must be at most"):
            characters.set(who, name, value)
    run(simulation, 2)


def test_moods_are_read_as_they_are_and_set_at_once():
    simulation = town()
    characters, fleet = simulation.characters, simulation.traffic.fleet
    for value in (0.9, 0.9, 0.0, 0.0, 0.6):
        run(simulation, 5)
        assert characters.get(simulation.traffic.ids, "frustration").tolist() == fleet.frustration.tolist()
        others = np.delete(fleet.frustration, 9)
        characters.set(9, "frustration", value)
        assert fleet.frustration[9] == characters.value(9, "frustration") == value
        assert np.array_equal(np.delete(fleet.frustration, 9), others)
    run(simulation, 50)
    assert 0.0 < characters.value(9, "frustration") != 0.6
