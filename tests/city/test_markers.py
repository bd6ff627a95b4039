"""Markers over the Lab Streaming Layer: what is sent, to a stand-in and to the real thing where it is."""

import builtins
from uuid import uuid4

import pytest

from swerve.city import Scenario, ScenarioManager, Simulation, SimulationOptions, grid
from swerve.city.simulator.markers import open_outlet, to_outlet
from swerve.core.errors import BadInput


class FakeOutlet:
    def __init__(self):
        self.samples = []

    def push_sample(self, x):
        self.samples.append(x)


def run(outlet):
    given = {
        "driver": {"at": {"strip": 0, "station": 40}, "speed": 8.0, "inputs": {"script": {"speed": 10.0}}},
        "characters": {"lead": {"at": {"ahead_of": "driver", "gap": 15}, "speed": 8.0}},
        "events": [
            {"name": "lead brakes", "when": {"time": 1}, "do": [{"brake": {"character": "lead"}}]},
            {"name": "note", "when": {"time": 2}, "do": [{"mark": "half way"}], "stimulus": False},
        ],
    }
    simulation = Simulation(grid(3, 3), vehicles=3, seed=1, options=SimulationOptions(dt=0.05))
    manager = ScenarioManager(simulation, Scenario.model_validate(given), mark=to_outlet(outlet))
    for _ in range(80):
        manager.step()
    return manager


def test_every_note_of_a_drive_is_sent_in_order():
    outlet = FakeOutlet()
    manager = run(outlet)
    texts = [text for (text,) in outlet.samples]
    assert texts == [f"{note.kind}:{note.name}" for note in manager.log.notes]
    assert texts.index("stimulus:lead brakes") < texts.index("input:brake on")
    assert "event:note" in texts and "mark:half way" in texts


def test_without_pylsl_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *more):
        if name == "pylsl":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(BadInput, match=r"pip install 'swerve\[lsl\]'"):
        open_outlet()


def test_without_the_library_the_error_names_it(monkeypatch):
    real = builtins.__import__

    def broken(name, *more):
        if name == "pylsl":
            raise RuntimeError("LSL binary library file was not found")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", broken)
    with pytest.raises(BadInput, match="liblsl"):
        open_outlet()


def test_a_real_stream_can_be_read():
    try:
        import pylsl
    except (ImportError, RuntimeError, OSError) as error:
        pytest.skip(f"no Lab Streaming Layer here: {str(error).splitlines()[0]}")
    name = f"swerve-test-{uuid4()}"  # streams of other runs on this network are not meant
    outlet = open_outlet(name, name)
    found = pylsl.resolve_byprop("name", name, timeout=5.0)
    if not found:
        pytest.skip("this network does not let streams be found")
    inlet = pylsl.StreamInlet(found[0])
    inlet.open_stream(timeout=60.0)
    outlet.push_sample(["stimulus:hello"])
    sample, _ = inlet.pull_sample(timeout=60.0)
    assert sample == ["stimulus:hello"]
