"""The chase: a sliding car among traffic, people, a siren and cyclists, all of whom have minds."""

import numpy as np
import pytest

from plain_referee import touching_pairs
from swerve.city import Simulation, SimulationOptions, grid
from swerve.core.world import World
from swerve.race.body import SlidingCar
from swerve.scenes import chase, load_scene


@pytest.fixture(scope="module")
def a_while():
    scene = load_scene("chase", seed=502)
    return scene, scene.run(14.0)


def test_nobody_touches_anybody_by_the_referee_and_by_the_recording(a_while):
    scene, recording = a_while
    figures = scene.figures()
    assert figures["contacts"] == 0 and touching_pairs(recording) == []
    assert figures["min_gap"] > 0.1 and figures["falls"] == 0
    bodies = figures["bodies"]
    vehicles = sum(bodies.get(kind, 0) for kind in ("mini", "sedan", "suv", "ambulance"))
    assert vehicles >= 60 and bodies["pedestrian"] >= 30 and bodies["cyclist"] >= 8
    assert bodies["ambulance"] >= 1 and bodies["car"] == 1


def test_the_car_is_faster_than_traffic_and_slides(a_while):
    scene, recording = a_while
    figures = scene.figures()
    assert figures["times_as_fast"] > 1.3 and figures["progress"] > 140.0
    assert np.nanmax(np.abs(recording.whole()["slip"])) > np.radians(8)
    for name in ("finished", "seconds", "realtime_factor", "mean_speed"):
        assert name in figures
    assert len(recording.lights()) and len(recording.parts(recording.meta["ego"]))


def test_cyclists_wait_at_red_lights():
    world = chase.build(9, vehicles=2, people=0, sirens=0, metres=100.0)
    riders = next(m for m in world.members if m.name == chase.CYCLISTS)
    mind = riders.chooser
    before = None
    stood = went_on = 0.0
    while world.time < 50.0 and not went_on:
        world.step()
        station = mind.station.copy()
        state = mind.lights.state(world.time)
        if before is not None:
            for line, group in mind.stops:
                crossed = (before < line) & (station >= line)
                assert not (crossed.any() and state[group] == 0), (world.time, line)
                went_on += stood * crossed.sum()
        stood = max(stood, float((riders.motion.speed < 0.1).sum()))
        before = station
    assert went_on >= 1 and not riders.motion.fell.any()


def short_chase(blind):
    """A short drive through a busy town, at the end of which the car stands in the street."""
    world = chase.build(3, vehicles=140, people=0, cyclists=1, sirens=0, metres=100.0, blind=blind)
    while world.time < 15.0 and not world.contacts:
        world.step()
    return world


def test_the_chase_is_a_meeting_drivers_who_do_not_see_the_car_run_into_it():
    assert any("car" in contact.kinds for contact in short_chase(True).contacts)
    seeing = short_chase(False)
    assert not seeing.contacts and not chase.finished(seeing)


def standing_car(blind):
    """A car that stands across a busy lane, and traffic that sees it or not."""
    simulation = Simulation(
        grid(3, 3), 60, seed=3, options=SimulationOptions(blind_to=("obstacle",) if blind else ())
    )
    fleet = simulation.traffic.fleet
    roads = simulation.town.roads
    moving = np.flatnonzero((roads.kind[fleet.strip] == 0) & (fleet.station < roads.length[fleet.strip] - 60))
    one = int(moving[0])
    strip, station = np.array([fleet.strip[one]]), np.array([fleet.station[one] + 45.0])
    x, y, heading = roads.place(strip, station)
    taken = np.hypot(fleet.x - x, fleet.y - y) < 8.0
    assert not taken.any()
    car = SlidingCar(name="obstacle").start(1).put(x, y, heading)
    simulation.world.add(car, name="obstacle")
    for _ in range(250):
        simulation.step()
    return simulation


def test_traffic_that_sees_a_car_stops_for_it_and_blind_traffic_runs_into_it():
    assert not standing_car(blind=False).world.contacts
    assert any("obstacle" in c.kinds for c in standing_car(blind=True).world.contacts)


def test_a_scene_without_room_says_so():
    from swerve.core.errors import BadInput

    with pytest.raises(BadInput, match="metres: must be between"):
        chase.build(1, metres=5.0)
    assert isinstance(chase.build(2, vehicles=3, people=2, cyclists=1, sirens=0), World)
