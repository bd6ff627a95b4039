"""Scenario files, what they make happen, and the example of the documentation."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from swerve.city import Scenario, ScenarioManager, Simulation, SimulationOptions, grid, load_scenario
from swerve.city.cigi import ImageGenerator
from swerve.city.simulator import Inputs
from swerve.city.simulator.platform import Bicycle, BicycleBody
from swerve.core.errors import BadInput
from swerve.core.recording import Recording

PAGE = Path(__file__).resolve().parents[2] / "docs" / "city-simulator.md"
HERE = {"strip": 0, "station": 40}


def stand(sight):
    return Inputs(brake=1.0)


def run(given, seconds, vehicles=20, dt=0.1, source=stand, seed=1, **options):
    simulation = Simulation(
        grid(3, 3), vehicles=vehicles, seed=seed, options=SimulationOptions(dt=dt, record=True)
    )
    manager = ScenarioManager(simulation, Scenario.model_validate(given), source, **options)
    for _ in range(round(seconds / dt)):
        manager.step()
    return manager


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The tutorial, run as it stands on the page."""
    folder = tmp_path_factory.mktemp("tutorial")
    text = PAGE.read_text(encoding="utf-8")
    (folder / "lead-brakes.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, re.S)[1])
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        assert len(blocks) == 2
        exec(blocks[0], names)
        first = dict(names)
        exec(blocks[1], names)
        assert names["manager"].inputs == Inputs(throttle=0.2)
    return folder, first


def test_the_report_of_the_example_shows_the_reaction_time(example):
    folder, names = example
    report = names["report"]
    (stimulus,) = report["stimuli"]
    assert stimulus["name"] == "lead car brakes" and stimulus["t"] == pytest.approx(4.0)
    assert stimulus["reaction_time"] == pytest.approx(1.0, abs=0.05) and stimulus["reaction"] == "brake"
    assert stimulus["compared_with"] == "the same drive without it" and stimulus["missed"] is False
    assert stimulus["seen_time"] == pytest.approx(0.1)  # lamps
    assert report["contacts"] == 0 and 0.5 < stimulus["min_gap"] < stimulus["gap"]
    out = folder / "out" / "lead-brakes"
    assert {p.name for p in out.iterdir()} == {"report.json", "report.md", "report.png", "driver.csv"}
    assert "| lead car brakes | 4.00 s | 1." in (out / "report.md").read_text()


def test_a_slower_driver_shows_a_longer_reaction(example):
    folder, names = example
    scenario = load_scenario(folder / "lead-brakes.yaml")
    scenario.driver.inputs.script.reaction = 1.6
    simulation = Simulation(grid(3, 3), vehicles=40, seed=1, options=SimulationOptions(dt=0.05))
    manager = ScenarioManager(simulation, scenario)
    for _ in range(140):
        manager.step()
    slow = manager.report()["stimuli"][0]["reaction_time"]
    assert slow - names["report"]["stimuli"][0]["reaction_time"] == pytest.approx(0.6, abs=0.11)


EMPTY = {"mark": "nothing happens"}
SCRIPT = {"script": {"speed": 12, "reaction": 0.8}}


def stimulated(do, seed, within=2.0, seconds=6.0):
    """The report's stimulus when something, or nothing, happens at 4 s to a lead car."""
    given = {
        "driver": {"at": {"strip": 0, "station": 25}, "speed": 11, "inputs": SCRIPT},
        "characters": {"lead": {"at": {"ahead_of": "driver", "gap": 18}, "speed": 11}},
        "events": [
            {
                "name": "s",
                "when": {"time": 4},
                "do": [do],
                "stimulus": True,
                "expect": "any",
                "within": within,
            }
        ],
    }
    manager = run(given, seconds, vehicles=8, dt=0.05, source=None, seed=seed)
    return manager.report()["stimuli"][0]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_without_a_stimulus_there_is_no_reaction(seed):
    """Lights and bends make this driver brake and steer all the time; none of that is a reaction."""
    stimulus = stimulated(EMPTY, seed)
    assert (stimulus["reaction"], stimulus["reaction_time"], stimulus["seen_time"]) == (None, None, None)
    assert stimulus["missed"] is True


@pytest.mark.parametrize("seed", [1, pytest.param(0, marks=pytest.mark.long)])
def test_with_it_the_time_is_the_drivers_own(seed):
    stimulus = stimulated({"brake": {"character": "lead", "deceleration": 6, "seconds": 4}}, seed)
    assert stimulus["reaction_time"] == pytest.approx(0.8, abs=0.0501) and stimulus["missed"] is False


@pytest.mark.parametrize("reaction", [0.43, pytest.param(0.91, marks=pytest.mark.long)])
def test_delays_between_frames_are_measured_to_a_frame(reaction):
    """The other is speeding up when it is told to brake: its lamps come on 0.1 s later."""
    given = {
        "driver": {"at": {"strip": 0, "station": 25}, "speed": 11},
        "characters": {"lead": {"at": {"ahead_of": "driver", "gap": 18}, "speed": 11}},
        "events": [{"name": "b", "when": {"time": 2}, "do": [{"brake": {"character": "lead"}}]}],
    }
    given["driver"]["inputs"] = {"script": {"speed": 12, "reaction": reaction}}
    simulation = Simulation(grid(3, 3, block=400.0), 0, seed=1, options=SimulationOptions(dt=1 / 60))
    manager = ScenarioManager(simulation, Scenario.model_validate(given))
    for _ in range(round(60 * (2.2 + reaction))):
        manager.step()
    (stimulus,) = manager.report()["stimuli"]
    assert reaction - 1e-6 <= stimulus["reaction_time"] <= reaction + 1 / 60 + 1e-6
    assert stimulus["seen_time"] == pytest.approx(0.1)


def test_what_only_marks_is_no_stimulus_unless_told():
    when = {"time": 1}
    done = [[EMPTY], [], [EMPTY, {"spawn": "late"}]]
    given = [{"name": str(k), "when": when, "do": do} for k, do in enumerate(done)]
    given.append({"name": "told", "when": when, "do": [EMPTY], "stimulus": True})
    scenario = Scenario.model_validate({"characters": {"late": {"at": HERE}}, "events": given})
    assert [event.stimulus for event in scenario.events] == [False, False, True, True]


def test_a_person_cannot_be_had_again_and_the_report_says_so():
    given = {
        "driver": {"at": HERE, "speed": 5},
        "events": [{"name": "s", "when": {"time": 1}, "do": [EMPTY], "stimulus": True}],
    }
    manager = run(given, 3.0, source=lambda sight: Inputs(brake=0.5 * (sight.time > 1.5)))
    (stimulus,) = manager.report()["stimuli"]
    assert stimulus["compared_with"] == "what the driver did when it came" and stimulus["missed"] is None
    assert manager.without("s") is None


def let_in(simulation, now):
    return now == 0.5 and simulation.world.add(BicycleBody(Bicycle()).start(1), name="cart", ids=[99])


def calm(simulation, now):
    simulation.characters.set(0, "headway", 2.0 + now)


@pytest.mark.parametrize(
    ("change", "same"), [(None, True), (let_in, False), (calm, False)], ids=["nothing", "let in", "calm"]
)
@pytest.mark.parametrize("early", [True, False])
def test_what_code_has_changed_cannot_be_driven_again(change, same, early):
    given = {
        "driver": {"at": HERE, "inputs": SCRIPT},
        "events": [{"name": "s", "when": {"time": 0.2}, "do": [EMPTY], "stimulus": True}],
    }
    simulation = Simulation(grid(3, 3), vehicles=2, seed=1)
    if change is not None and early:
        change(simulation, 0.5)
    manager = ScenarioManager(simulation, Scenario.model_validate(given))
    for _ in range(10):
        if change is not None and not early:
            change(simulation, manager.time)
        manager.step()
    (stimulus,) = manager.report()["stimuli"]
    assert (stimulus["compared_with"] == "the same drive without it") is same
    assert stimulus["missed"] is (True if same else None)


def test_the_log_of_a_drive_drives_it_again_to_the_last_digit(example):
    folder, names = example
    scenario = load_scenario(folder / "lead-brakes.yaml")
    scenario.driver.inputs.script = None
    scenario.driver.inputs.file = "out/lead-brakes/driver.csv"
    simulation = Simulation(grid(3, 3), vehicles=40, seed=1, options=SimulationOptions(dt=0.05, record=True))
    manager = ScenarioManager(simulation, scenario, folder=folder)
    for _ in range(150):  # 7.5 s; at 4 s the lead car brakes
        manager.step()
    for name, column in manager.log.table().items():
        first = names["manager"].log.table()[name][: len(column)]
        assert len(column) >= 150 and np.array_equal(column, first), name


def test_the_driver_and_spawned_characters_are_in_the_recording(tmp_path):
    given = {
        "driver": {"at": HERE, "inputs": {"live": True}},
        "characters": {
            "child": {"kind": "person", "at": {"ahead_of": "driver", "gap": 30, "lateral": -5}},
            "late": {"at": {"ahead_of": "driver", "gap": 60}, "speed": 5.0},
        },
        "events": [{"name": "enter", "when": {"time": 1}, "do": [{"spawn": "late"}], "stimulus": False}],
    }
    manager = run(given, 3.0)
    recording = Recording.read(
        manager.simulation.recorder.recording({}).write(tmp_path / "a.parquet")
    ).whole()
    first = recording["t"] == 0.0
    assert {"driver", "pedestrian"} <= set(recording["kind"][first]) and first.sum() == 22
    assert (recording["t"] == 3.0).sum() == 23
    assert manager.simulation.figures()["vehicles"] == 21
    assert [(n.kind, n.name) for n in manager.log.notes if n.kind in ("event", "spawn")] == [
        ("event", "enter"),
        ("spawn", "late"),
    ]


def test_people_of_the_scenario_walk_among_the_others():
    given = {
        "driver": {"at": HERE, "inputs": {"live": True}},
        "characters": {"child": {"kind": "person", "at": {"strip": 0, "station": 90, "lateral": -5}}},
    }
    simulation = Simulation(
        grid(3, 3), vehicles=5, pedestrians=12, seed=1, options=SimulationOptions(dt=0.1, record=True)
    )
    manager = ScenarioManager(simulation, Scenario.model_validate(given), stand)
    for _ in range(20):
        manager.step()
    recording = simulation.recorder.recording({}).whole()
    for t in recording.times:
        now = recording["t"] == t
        assert len(set(recording["id"][now])) == now.sum() == 19
        assert (recording["kind"][now] == "pedestrian").sum() == 13


def test_a_child_stands_between_two_lanes_and_traffic_stops_for_it():
    given = {
        "characters": {
            "child": {"kind": "person", "at": {"strip": 0, "station": 120, "lateral": -4}},
            "car": {"at": {"strip": 0, "station": 60}, "speed": 10.0},
        },
        "events": [
            {
                "name": "child steps out",
                "when": {"distance": {"between": ["child", "car"], "below": 40}},
                "do": [{"walk": {"character": "child", "across": 5.75, "speed": 2.0}}],
            }
        ],
    }
    manager = run(given, 14.0, vehicles=5)
    assert manager.director.happened["child steps out"] < 5.0
    recording = manager.simulation.recorder.recording({}).whole()
    bodies = {number: columns for number, _, columns in recording.bodies()}
    child, car = (bodies[manager.stage.ids[name]] for name in ("child", "car"))
    speed = np.hypot(car["vx"], car["vy"])
    assert speed[:20].max() > 9.0 and speed.min() < 0.5
    dx, dy = child["x"] - car["x"], child["y"] - car["y"]
    along = np.abs(dx * np.cos(car["heading"]) + dy * np.sin(car["heading"])) - car["length"] / 2
    aside = np.abs(dy * np.cos(car["heading"]) - dx * np.sin(car["heading"])) - car["width"] / 2
    assert (np.maximum(along, aside) - 0.25).min() > 0.3
    assert child["x"][-1] != child["x"][0] or child["y"][-1] != child["y"][0]


def test_triggers_by_place_and_after_another_event_and_attributes():
    given = {
        "characters": {"car": {"at": HERE, "speed": 8.0}},
        "events": [
            {
                "name": "there",
                "when": {"place": {"character": "car", "at": {"strip": 0, "station": 80}, "within": 5}},
                "do": [{"siren": {"character": "car"}}, {"mark": "now"}],
            },
            {
                "name": "later",
                "when": {"after": {"event": "there", "seconds": 1.0}},
                "do": [{"set": {"character": "car", "attribute": "emergency", "value": False}}],
            },
        ],
    }
    seen = []
    simulation = Simulation(grid(3, 3), vehicles=3, seed=1, options=SimulationOptions(dt=0.1, record=True))
    manager = ScenarioManager(simulation, Scenario.model_validate(given), mark=seen.append)
    sirens = []
    for _ in range(100):
        manager.step()
        sirens.append(bool(simulation.traffic.fleet.emergency[manager.stage.row("car")]))
    happened = manager.director.happened
    assert happened["later"] - happened["there"] == pytest.approx(1.0)
    assert sum(sirens) == 10
    assert [note.name for note in seen] == ["there", "now", "later"]


def test_braking_ends_after_its_seconds():
    brake = {"character": "car", "deceleration": 5.0, "seconds": 4.0}
    given = {
        "characters": {"car": {"at": HERE, "speed": 10.0}},
        "events": [{"name": "stop", "when": {"time": 1}, "do": [{"brake": brake}]}],
    }
    simulation = Simulation(grid(3, 3), vehicles=1, seed=1, options=SimulationOptions(dt=0.05))
    manager = ScenarioManager(simulation, Scenario.model_validate(given))
    speeds, lamps = [], []
    for _ in range(180):
        manager.step()
        row = manager.stage.row("car")
        speeds.append(float(simulation.traffic.fleet.speed[row]))
        lamps.append(bool(simulation.traffic.fleet.brake[row]))
    slowing = -np.diff(speeds) / 0.05
    assert slowing.max() == pytest.approx(5.0, abs=0.2) and min(speeds) == 0.0
    assert lamps[25] and not lamps[15] and speeds[-1] > 3.0


@pytest.mark.parametrize(
    ("second", "after"),
    [
        ({"brake": {"character": "car", "to": 2, "seconds": 1}}, (30.0, 2.0)),
        ({"brake": {"character": "car", "to": 2, "deceleration": 4}}, (2.0, 4.0)),
        ({"set": {"character": "car", "attribute": "max_speed", "value": 9}}, (9.0, 2.0)),
    ],
    ids=["brake", "brake for good", "set"],
)
def test_after_braking_twice_a_car_is_as_it_was_before_the_first(second, after):
    attributes = {"max_speed": 30.0, "comfortable_deceleration": 2.0}
    first = {"brake": {"character": "car", "to": 5, "deceleration": 3, "seconds": 1}}
    given = {
        "characters": {"car": {"at": HERE, "speed": 10.0, "attributes": attributes}},
        "events": [
            {"name": "first", "when": {"time": 0.5}, "do": [first]},
            {"name": "second", "when": {"time": 1.0}, "do": [second]},
        ],
    }
    manager = run(given, 2.5, vehicles=1, source=None)
    car = manager.stage.identity("car")
    assert tuple(manager.stage.characters.value(car, name) for name in attributes) == after


def test_spawning_waits_until_the_place_is_free():
    given = {
        "driver": {"at": HERE, "inputs": {"live": True}},
        "characters": {"late": {"at": {"strip": 0, "station": 42}}},
        "events": [{"name": "enter", "when": {"time": 1}, "do": [{"spawn": "late"}]}],
    }
    forwards = run(given, 6.0, source=lambda sight: Inputs(throttle=0.8), vehicles=3)
    (spawn,) = [note for note in forwards.log.notes if note.kind == "spawn"]
    assert spawn.t > 1.5 and forwards.report()["contacts"] == 0
    assert not [note for note in run(given, 4.0, vehicles=3).log.notes if note.kind == "spawn"]


BASE = "driver: {at: {strip: 0, station: 40}}\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BASE + "weather: rain\n", "weather"),
        (BASE + "events: [{name: a, when: {time: 1}, do: [{jump: 3}]}]\n", r"events.0.do.0.jump"),
        (BASE + "events: [{name: a, when: {time: -1}}]\n", r"events.0.when.time: .* got -1"),
        (BASE + "events: [{name: a, when: {time: 1, after: {event: a, seconds: 1}}}]\n", "exactly one of"),
        (BASE + "events: [{name: a, when: {time: 1}, do: [{siren: {character: nobody}}]}]\n", "nobody"),
        (BASE + "events: [{name: a, when: {time: 1}}, {name: a, when: {time: 2}}]\n", "twice"),
        ("driver: {at: {x: 3}}\n", "needs y"),
        ("driver: {at: {strip: 0}, inputs: {file: a.csv, live: true}}\n", "exactly one of"),
        ("- 1\n", "must be a mapping"),
        ("a: [", "cannot be read"),
    ],
)
def test_a_broken_scenario_is_refused_with_the_field_named(tmp_path, text, why):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=why) as caught:
        load_scenario(path)
    assert "broken.yaml" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"driver": {"at": {"strip": 10**6}, "inputs": {"live": True}}}, "strip: must be below"),
        ({"driver": {"at": {"strip": 0, "station": 1e4}, "inputs": {"live": True}}}, "station"),
        ({"driver": {"at": HERE, "inputs": {"live": True}, "car": "boat"}}, "boat"),
        ({"characters": {"a": {"at": HERE, "attributes": {"wings": 2}}}}, "wings"),
        ({"characters": {"a": {"at": HERE}, "b": {"at": HERE}}}, "too close"),
    ],
)
def test_what_the_town_cannot_give_is_refused(given, why):
    with pytest.raises(BadInput, match=why):
        run(given, 0.1, vehicles=2)


DRIVER = -1
MOVED = {
    "driver": {"at": HERE, "inputs": {"live": True}},
    "characters": {"child": {"kind": "person", "at": {"strip": 0, "station": 90, "lateral": -5}}},
}


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"set": {"character": "driver", "attribute": "max_speed", "value": 3.0}}, "s, set: .* got 'driver'"),
        ({"set": {"character": DRIVER, "attribute": "max_speed", "value": 3.0}}, "s, set: .* got [0-9]"),
        ({"set": {"character": "child", "attribute": "max_speed", "value": 0.3}}, "s, set: .* got 'child'"),
        ({"brake": {"character": "driver"}}, "s, brake: .* got 'driver'"),
        ({"siren": {"character": "child"}}, "s, siren: .* got 'child'"),
        ({"walk": {"character": "driver", "across": 3}}, "s, walk: .* got 'driver'"),
    ],
)
def test_what_would_do_nothing_is_refused_before_the_drive(action, why):
    for part in action.values():
        if part["character"] == DRIVER:  # its id
            part["character"] = run(MOVED, 0.0, vehicles=2).driver.character
    with pytest.raises(BadInput, match=why):
        run(MOVED | {"events": [{"name": "s", "when": {"time": 9}, "do": [action]}]}, 0.0, vehicles=2)
    beside = {"set": {"character": 0, "attribute": "max_speed", "value": 3.0}}
    run(MOVED | {"events": [{"name": "s", "when": {"time": 9}, "do": [beside]}]}, 0.0, vehicles=2)


def test_nothing_but_its_siren_is_set_on_the_drivers_car_by_code_either():
    manager = run(MOVED, 0.1, vehicles=2)
    characters, car = manager.simulation.characters, manager.driver.character
    child = manager.stage.ids["child"]
    for who, name in ((car, "max_speed"), (child, "radius"), (child, "autonomous")):
        with pytest.raises(BadInput, match="led from outside"):
            characters.set(who, name, characters.value(who, name))
    with pytest.raises(BadInput, match="led from outside"):
        characters.remove(car)
    characters.set(car, "emergency", True)
    assert manager.driver.motion().extras["emergency"].tolist() == [True]


@pytest.mark.parametrize(
    ("driver", "do"),
    [
        ({"type": "ambulance"}, []),
        ({}, [{"siren": {"character": "driver", "on": True}}]),
        ({}, [{"set": {"character": "driver", "attribute": "emergency", "value": True}}]),
    ],
)
def test_others_make_way_for_a_driver_with_a_siren(driver, do):
    """Behind two cars in both lanes of a street: without the siren nobody moves over or stops."""

    def drive(driver, do):
        given = {
            "driver": {"at": {"strip": 0, "station": 40}, "speed": 12} | driver,
            "characters": {
                "ahead": {"at": {"strip": 0, "station": 75}, "speed": 9, "attributes": {"max_speed": 9.0}}
            },
            "events": [{"name": "s", "when": {"time": 0}, "do": do}],
        }
        given["driver"]["inputs"] = {"script": {"speed": 14}}
        simulation = Simulation(grid(3, 3, block=400.0), 0, 4, seed=1, options=SimulationOptions(record=True))
        manager = ScenarioManager(simulation, Scenario.model_validate(given))
        yields = np.zeros(0, int)
        for _ in range(25):
            manager.step()
            yields = np.append(yields, simulation.traffic.fleet.yielding[0])
        rows = manager.simulation.recorder.recording({})
        mine = rows.where(rows["id"] == manager.driver.character)
        return yields, mine, simulation

    quiet, dark, _ = drive({}, [])
    yields, lit, simulation = drive(driver, do)
    assert not quiet.any() and not dark["emergency"].any()
    assert yields.any() and lit["emergency"][2:].all()
    if driver:
        assert lit["length"][0] == pytest.approx(5.7) and dark["length"][0] < 5.0
    assert len(simulation.traffic.crosswalks.sirens) == 1  # people hear it too
    assert simulation.figures()["collisions"] == 0


def test_someone_must_give_live_inputs():
    with pytest.raises(BadInput, match="LiveInputs"):
        run({"driver": {"at": HERE, "inputs": {"live": True}}}, 0.1, vehicles=2, source=None)


def command(capsys, *arguments):
    from swerve.cli.main import run as swerve

    status = swerve(["city", "grid", "--blocks", "3", "--vehicles", "8", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_command_drives_a_scenario_with_the_sliding_car(capsys, tmp_path):
    path = tmp_path / "drive.yaml"
    path.write_text(
        "name: a drive\n"
        "driver: {at: {strip: 0, station: 30}, speed: 9, car: sliding, inputs: {script: {speed: 10}}}\n"
        "events: [{name: look, when: {time: 1}, do: [{mark: here}], stimulus: true}]\n"
    )
    status, out, _ = command(
        capsys,
        "--scenario",
        str(path),
        "--seconds",
        "4",
        "--no-page",
        "--json",
        "--out",
        str(tmp_path / "out"),
    )
    result = json.loads(out)
    assert status == 0 and result["stimuli"][0]["name"] == "look" and result["driver_contacts"] == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["distance"] > 30.0 and report["lane_position_sd"] < 0.3
    recording = Recording.read(result["recording"]).whole()
    ego = recording["id"] == recording.meta["ego"]
    assert set(recording["kind"][ego]) == {"driver"} and ego.sum() == 41


def test_the_command_sends_frames_to_a_generator(capsys, tmp_path):
    with ImageGenerator() as generator:
        status, out, _ = command(
            capsys,
            "--cigi",
            f"127.0.0.1:{generator.port}",
            "--seconds",
            "1",
            "--json",
            "--out",
            str(tmp_path),
        )
    result = json.loads(out)
    assert status == 0 and result["cigi"]["frames"] == 60 and result["dt"] == pytest.approx(1 / 60)
    assert generator.missing == 0 and len(generator.entities) == 8


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--cigi", "nowhere"), "--cigi: must be HOST:PORT"),
        (("--cigi", "127.0.0.1:99999"), "--cigi: must be HOST:PORT"),
        (("--cigi", "127.0.0.1:8004", "--cigi-pace", "fast"), "--cigi-pace"),
        (("--lsl",), "--lsl: sends the events of a scenario"),
        (("--scenario", "absent.yaml"), "absent.yaml: no such file"),
    ],
)
def test_the_command_answers_bad_input_with_one_line(capsys, tmp_path, arguments, why):
    status, out, err = command(capsys, *arguments, "--out", str(tmp_path / "out"), "--json")
    assert status == 2 and out == "" and why in err and len(err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_the_word_on_is_a_name_in_yaml_too(tmp_path):
    from swerve.city.simulator.scenario import Siren
    from swerve.core.scene_file import load as read

    path = tmp_path / "siren.yaml"
    path.write_text("{character: ambulance, on: false}")
    assert read(path, "siren", Siren).on is False
