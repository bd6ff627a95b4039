"""Traffic lights in recordings: one lamp a lane and group, showing what the lights show."""

import numpy as np
import pytest

from swerve.city import Simulation, SimulationOptions, grid
from swerve.city.roads.lamps import Lamps
from swerve.core.errors import BadInput


@pytest.fixture(scope="module")
def simulation():
    simulation = Simulation(grid(3, 3), vehicles=6, seed=1, options=SimulationOptions(record=True))
    for _ in range(20):
        simulation.step()
    return simulation


def test_lights_are_rows_with_a_state_and_stay_out_of_the_bodies(simulation):
    recording = simulation.recorder.recording({"scene": "grid"})
    lights = recording.lights()
    lamps = Lamps(simulation.town.roads)
    places = np.column_stack([lamps.columns["x"], lamps.columns["y"]]).round(1)
    assert len(np.unique(places, axis=0)) == len(places)  # none hangs in another
    assert len(lamps) > 8 and len(lights) == len(lamps) * len(recording.times)
    assert {"red", "green"} <= set(lights["state"]) <= {"red", "amber", "green", "walk", "stop"}
    assert {body for body, _, _ in recording.bodies()} == set(simulation.traffic.ids.tolist())
    assert set(recording.whole()["state"]) == {""}
    without = simulation.recorder.recording({}, lights=False)
    assert len(without) == len(recording.whole()) and "state" not in without.columns


def test_a_lamp_changes_with_its_group(simulation):
    roads = simulation.town.roads
    lamps = Lamps(roads)
    words = {"red": 0, "amber": 1, "green": 2, "stop": 0, "walk": 2}
    seen = set()
    for t in np.arange(0.0, 120.0, 3.0):
        states = lamps.rows(t)["state"]
        shown = np.array([words[word] for word in states])
        truth = roads.lights.state(t)[lamps.group]
        np.testing.assert_array_equal(shown[~lamps.walking], truth[~lamps.walking])
        np.testing.assert_array_equal(shown[lamps.walking] == 2, truth[lamps.walking] == 2)
        seen |= set(states)
    assert {"red", "amber", "green"} <= seen


def test_a_plan_needs_a_recording_and_a_known_character(simulation):
    with pytest.raises(BadInput, match="character: is not in the recording, got 999"):
        simulation.plan(999)
    with pytest.raises(BadInput, match="record: must be true"):
        Simulation(grid(3, 2), vehicles=2).plan(0)
