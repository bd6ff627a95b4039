"""Worlds in files: what they make, what they refuse, and that the examples of the documentation run."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.race import load_car, load_tree
from swerve.scenes import SCENES, load_scene
from swerve.scenes.file import BUILDERS
from swerve.scenes.load import load
from swerve.scenes.parts import SceneFile

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "docs" / "scenes").glob("*.*"))
TOWN = next(path for path in EXAMPLES if path.name == "town.yaml")
STREET = """
ways: {street: {points: [[0, 0], [60, 0], [90, 40]], width: 7, straight: true}}
"""


def written(tmp_path, text, name="scene.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def town():
    """The example with a town, and what was recorded of it."""
    scene = load_scene(TOWN, seed=1)
    return scene, scene.run()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_examples_run_without_contacts(path, request):
    if path == TOWN:
        scene, _ = request.getfixturevalue("town")
    else:
        scene = load_scene(path, seed=1)
        scene.run()
    figures = scene.figures()
    assert figures["contacts"] == 0 and figures["finished"] is True
    assert sum(figures["bodies"].values()) >= 5


def test_bodies_on_a_way_stay_in_their_lane_and_stop_at_its_end(tmp_path):
    street = STREET.replace("straight: true", "straight: false")
    text = street + "bodies: [{kind: van, size: [5, 2, 2], way: street, at: 4, offset: -1.6, speed: 10}]"
    scene = load_scene(written(tmp_path, text))
    recording = scene.run(20.0)
    way = scene.world.members[0].chooser.way
    station, offset = way.locate(np.stack([recording["x"], recording["y"]], -1))
    assert np.abs(offset + 1.6).max() < 0.6
    assert station.max() == pytest.approx(way.length, abs=2.0) and scene.world.members[0].motion.speed < 0.2


def test_a_follower_stops_behind_what_stands_in_its_lane(tmp_path):
    text = (
        STREET
        + """
bodies:
  - {kind: van, size: [5, 2, 2], way: street, at: 4, speed: 12}
  - {kind: crate, size: [1, 1, 1], place: [45, 0]}
"""
    )
    scene = load_scene(written(tmp_path, text))
    scene.run(12.0)
    assert not scene.world.contacts
    assert 36 < scene.world.members[0].motion.x[0] < 42.5


def test_a_car_that_does_not_get_to_its_end_has_not_finished(tmp_path):
    text = STREET + "cars: [{way: street, at: 10, horizon: 50, nodes: 500}]"
    scene = load_scene(written(tmp_path, text))
    scene.run(0.5)
    assert scene.figures()["finished"] is False and scene.figures()["bodies"] == {"car": 1}


def test_plain_bodies_slide_turn_and_hit_each_other(tmp_path):
    text = """
bodies:
  - {kind: ball, size: [1, 1, 1], place: [0, 0], speed: 5, drag: 1}
  - {kind: post, size: [1, 1, 2], place: [8, 0.2]}
  - {kind: top, size: [1, 1, 1], place: [0, 50], speed: 2, turn: 1}
"""
    scene = load_scene(written(tmp_path, text))
    scene.run(4.0)
    assert [c.kinds for c in scene.world.contacts] == [("ball", "post")]
    top = scene.world.members[2].motion
    assert top.yaw[0] == pytest.approx(4.0) and top.speed[0] == pytest.approx(2.0)


def test_a_file_with_a_town_mixes_traffic_people_cyclists_and_a_sliding_car(town):
    scene, recording = town
    figures = scene.figures()
    counts = dict(figures["bodies"])
    assert [counts.pop(kind) for kind in ("car", "cyclist", "pedestrian")] == [1, 3, 6]
    assert sum(counts.values()) == 20 and figures["contacts"] == 0
    assert set(counts) == {"sedan", "van", "bus"}  # the file's mix
    assert figures["mean_speed"]["car"] > 5.0 and figures["mean_speed"]["cyclist"] > 3.0
    lights = recording["state"][recording["kind"] == "light"]
    assert set(lights) >= {"red", "green"}
    roles = {area["role"] for area in recording.meta["areas"]}
    assert {"road", "pavement", "crossing"} <= roles


def test_a_file_with_a_named_town_is_a_scene_to_whoever_loads_it():
    assert load(TOWN).name == "A small chase"


def test_cyclists_in_full_physics_ride_along_a_way_with_those_on_maps(tmp_path):
    text = """
seconds: 5
ways: {street: {points: [[0, 0], [200, 0]], width: 7}}
cyclists: [{count: 3, way: street, speed: 9, offset: -2, full: 1}]
"""
    scene = load_scene(written(tmp_path, text))
    scene.run()
    assert [len(m.motion) for m in scene.world.members] == [1, 2]
    assert [m.bodies.parts() is None for m in scene.world.members] == [False, True]
    for member in scene.world.members:
        assert np.abs(member.motion.y + 2.0).max() < 0.8 and not member.motion.fell.any()
        assert member.motion.x.min() > 40.0
    assert not scene.world.contacts


def test_cyclists_on_an_open_way_stop_at_its_end_behind_each_other(tmp_path):
    text = """
ways: {street: {points: [[0, 0], [70, 0]], width: 7}}
cyclists: [{count: 4, way: street}]
"""
    scene = load_scene(written(tmp_path, text))
    scene.run(20.0)
    x, speed = scene.world.members[0].motion.x, scene.world.members[0].motion.speed
    assert x.max() < 70.0 and speed.max() < 0.1 and not scene.world.contacts


def test_a_closed_way_is_driven_round(tmp_path):
    text = """
ways: {ring: {points: [[0, 0], [40, 0], [40, 30], [0, 30]], closed: true}}
bodies: [{kind: cart, count: 3, size: [2, 1, 1], way: ring, spacing: 20, speed: 8}]
"""
    scene = load_scene(written(tmp_path, text))
    scene.run(30.0)
    assert (scene.world.members[0].way > 180).all() and not scene.world.contacts


def test_the_seed_of_the_file_is_used_unless_another_is_given(tmp_path):
    path = written(tmp_path, "seed: 7\nbodies: [{place: [0, 0]}]\n")
    assert load_scene(path).seed == 7 and load_scene(path, 3).seed == 3
    toml = written(tmp_path, 'name = "Box"\n[[bodies]]\nplace = [0.0, 0.0]\n', "box.toml")
    assert load_scene(toml).name == "Box"


@pytest.mark.parametrize(
    "text, words",
    [
        ("bodys: []\n", "bodys: extra inputs are not permitted"),
        ("bodies: [{place: [0, 0], colour: red}]\n", "bodies.0.colour: extra inputs"),
        ("bodies: [{way: stret}]\n" + STREET, "bodies.0.way: must be one of the ways (street), got 'stret'"),
        ("bodies: [{kind: van}]\n", "bodies.0: needs either a way or a place"),
        ("bodies: [{place: [0, 0], size: [1, 1, 0]}]\n", "bodies.0.size.2"),
        ("bodies: [{way: street, count: 50}]\n" + STREET, "bodies.0.count: do not fit on"),
        ("ways: {a: {points: [[0, 0], [0, 0], [1, 1]]}}\n", "ways.a.points.1: lies on the point before"),
        ("ways: {a: {points: [[0, 0], [50, 0], [0, 0]]}}\n", "ways.a, point 2: is where it turns back"),
        ("ways: {a: {points: [[-4.0e+6, 0], [4.0e+6, 0]]}}\n", "ways.a, length: must be at most 5e+06 m"),
        ("ways: {a: {points: [[0, 0], [1.0e+9, 0]]}}\n", "ways.a.points.1.0: input should be less than"),
        ("bodies: [{way: street, offset: 1.0e+300}]\n" + STREET, "bodies.0.offset: input should be less"),
        ("ways: {a: {points: [[0, 0], [9, 0]], right: 1.0e+300}}\n", "ways.a.right: input should be less"),
        ("bodies: [{place: [0, true], speed: 2}]\n", "bodies.0.place.1: must be a number, not true"),
        ("seconds: true\nbodies: [{place: [0, 0]}]\n", "seconds: must be a number, not true or false"),
        ("cars: [{track: final, tree: five}]\n", "cars.0.tree: holds no clip by which a car at rest sets"),
        ("cars: [{track: final, tree: five, top: 6}]\n", "cars.0.top: leaves none of the clips of five"),
        ("town: {name: grid, mix: {tram: 1}}\n", "town.mix: must be of mini"),
        ("town: {name: grid, mix: {bus: -1}}\n", "town.mix, bus: must not be negative, got -1.0"),
        ("name: a\nname: b\n", "'name' stands there twice, in line 2"),
        (
            "bodies: [{way: a, count: 40}]\nways: {a: {points: [[0, 0], [9, 0], [9, 9]], closed: true}}\n",
            "bodies.0.count: do not fit on",
        ),
        (
            "bodies: [{place: [0, 0], count: 3, spacing: 2}]\n",
            "bodies.0.spacing: must be at least the length",
        ),
        ("cars: [{}]\n", "cars.0: needs either a way or a track"),
        ("cars: [{track: nowhere}]\n", "track: must be one of long-straight"),
        ("cars: [{track: final, tree: none.npz}]\n", "no such file"),
        (
            "cars: [{way: a}]\nways: {a: {points: [[0, 0], [9, 0], [9, 9]], closed: true}}\n",
            "an end to drive to",
        ),
        ("cars: [{drive: 300}]\n", "cars.0.drive: needs a town, got 300.0"),
        ("cyclists: [{avenue: true}]\n", "cyclists.0.avenue: needs a town"),
        ("cyclists: [{count: 3}]\n", "cyclists.0: needs either a way or"),
        ("cyclists: [{way: street, rider: dog}]\n" + STREET, "cyclists.0.rider: input should be 'human'"),
        (
            "cyclists: [{way: street, full: 2}]\n" + STREET,
            "cyclists.0.full: must be at most count (1), got 2",
        ),
        (
            "cyclists: [{way: street, speed: 9, full: 1}]\n" + STREET,
            "cyclists.0.full: cannot stop at the end",
        ),
        ("town: {name: gird}\n", "town.name: scene: must be grid, town"),
        ("town: {name: grid, colums: 3}\n", "town.colums: extra inputs"),
        ("town: {name: grid, columns: 2, rows: 2}\n", "town.columns and rows: one must be at least 3"),
        ("town: {name: town, rows: 3}\n", "town.rows: is for a grid only, got 3"),
        (
            "town: {name: grid, vehicles: 1, emergency: 2}\n",
            "town.emergency: must be at most vehicles (1), got 2",
        ),
        (
            "town: {name: grid, columns: 3, rows: 3}\ncars: [{drive: 9000}]\n",
            "cars.0.drive: no drive of grid",
        ),
        ("seconds: 10\n", "nobody is in this world"),
        ("seconds: -1\n", "seconds: input should be greater than 0, got -1"),
        ("- 1\n", "must be a mapping"),
        ("bodies: [{place: [0, .nan]}]\n", "finite"),
    ],
)
def test_bad_files_are_refused_in_a_line_that_names_file_and_field(text, words, tmp_path):
    path = written(tmp_path, text)
    with pytest.raises(BadInput) as error:
        load_scene(path)
    assert words in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


def test_every_field_that_fills_the_world_has_a_builder():
    assert set(BUILDERS) <= set(SceneFile.model_fields)


def test_a_scene_is_listed_only_where_its_module_is():
    folder = Path(__import__("swerve.scenes").scenes.__file__).parent
    assert set(SCENES) == {name for name in ("chase", "peloton", "rally") if (folder / f"{name}.py").exists()}
    with pytest.raises(BadInput, match="scene: must be"):
        load_scene("nothing")


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    files = [load_scene(EXAMPLES[0], 4).run(1.5).write(tmp_path / f"{k}.parquet") for k in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_car_with_no_room_behind_it_is_refused(tmp_path):
    text = "ways:\n  road: {points: [[0, 0], [300, 0]]}\ncars:\n  - {way: road, at: 0}\n"
    with pytest.raises(BadInput, match=r"cars\.0\.at"):
        load_scene(written(tmp_path, text))


def test_who_comes_the_other_way_in_the_next_lane_stops_nobody(tmp_path):
    text = (
        "seconds: 12\nways:\n"
        "  there: {points: [[0, 0], [200, 0]], width: 3}\n"
        "  back: {points: [[200, 3.4], [0, 3.4]], width: 3}\n"
        "bodies:\n"
        "  - {kind: bus, size: [11, 2.5, 3], way: there, at: 20, speed: 5}\n"
        "  - {kind: van, count: 3, size: [5, 2, 2.2], way: back, at: 20, spacing: 40, speed: 7}\n"
    )
    scene = load_scene(written(tmp_path, text))
    scene.run()
    assert scene.figures()["mean_speed"]["bus"] > 4.5 and scene.figures()["contacts"] == 0


def test_a_way_that_is_high_leads_over_the_others(tmp_path):
    text = """
ways: {over: {points: [[-50, 0], [50, 0]], height: 6}, under: {points: [[0, -50], [0, 50]]}}
bodies: [{way: over, speed: 15, kind: van}, {way: under, speed: 15, kind: lorry}]
cyclists: [{way: over, at: 20, count: 2}]
cars: [{way: over, at: 70, nodes: 200}]
"""
    scene = load_scene(written(tmp_path, text))
    recording = scene.run(5.0)
    assert not scene.world.contacts
    whole = recording.whole()
    for kind, least, most in (
        ("van", 6.7, 6.8),
        ("lorry", 0.7, 0.8),
        ("cyclist", 6.7, 6.9),
        ("car", 6.6, 6.8),
    ):
        z = whole["z"][whole["kind"] == kind]
        assert least < z.min() and z.max() < most, kind


def test_what_was_knocked_spins_on_a_straight_course(tmp_path):
    text = """
bodies:
  - {kind: crate, size: [2, 1, 1], place: [0, 0]}
  - {kind: van, size: [4, 2, 2], place: [-10, 0.9], speed: 5, mass: 3000}
"""
    scene = load_scene(written(tmp_path, text))
    recording = scene.run(6.0)
    crate = recording.where(recording["kind"] == "crate")
    hit = np.flatnonzero(np.hypot(crate["vx"], crate["vy"]) > 0.1)[0]
    course = np.arctan2(crate["vy"], crate["vx"])[hit + 1 :]
    assert np.abs(scene.world.members[0].motion.yaw_rate).max() > 0.5  # it does spin
    assert np.ptp(course) < 0.05


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("bodies: [{way: street, at: -30}]", r"bodies\.0\.at: must be between 0 and"),
        ("bodies: [{way: street, turn: 1}]", r"bodies\.0\.turn: is of bodies at a place"),
        ("bodies: [{way: street, drag: 3}]", r"bodies\.0\.drag: is of bodies at a place"),
        ("bodies: [{place: [0, 0], kind: light}]", r"bodies\.0\.kind: is what recordings call"),
        ("cars: [{way: street, at: 500}]", r"cars\.0\.at: must lie before the end of its way"),
    ],
)
def test_what_makes_no_sense_on_a_way_is_named(tmp_path, entry, why):
    with pytest.raises(BadInput, match=why):
        load_scene(written(tmp_path, STREET + entry))


def test_a_closed_way_needs_three_points(tmp_path):
    text = "ways: {ring: {points: [[0, 0], [60, 0]], closed: true}}\nbodies: [{way: ring}]"
    with pytest.raises(BadInput, match=r"ways\.ring\.points: of a closed way must be at least 3, got 2"):
        load_scene(written(tmp_path, text))


def test_nobody_starts_faster_than_it_can_stop(tmp_path):
    scene = load_scene(written(tmp_path, STREET + "bodies: [{way: street, at: 90, speed: 50}]"))
    recording = scene.run(10.0)
    way = scene.world.members[0].chooser.way
    last = np.array([recording["x"][-1], recording["y"][-1]])
    assert np.hypot(*(last - way.points[-1])) < 2.0


def test_two_sliding_cars_that_meet_in_a_bend_stay_on_the_road_and_go_on(tmp_path):
    """Both see the other come at 30 m/s; one brakes, under control, and both get to the end."""
    points = [[0, 0], [160, 0], [240, 40], [360, 40]]
    ways = "".join(
        f"  {name}: {{points: {way}, right: 4, left: 4}}\n"
        for name, way in (("e", points), ("w", points[::-1]))
    )
    text = f"seconds: 25\nways:\n{ways}cars: [{{way: e, at: 10}}, {{way: w, at: 10}}]\n"
    scene = load_scene(written(tmp_path, text))
    recording = scene.run()
    figures = scene.figures()
    assert figures["contacts"] == 0 and figures["finished"] is True and figures["min_gap"] < 5.0
    for member in scene.world.members:
        way = member.chooser.pilot.track.way
        rows = recording.where(recording["id"] == member.ids[0])
        station, offset = way.locate(np.column_stack([rows["x"], rows["y"]]))
        assert np.abs(offset[station < way.length - 1.0]).max() < 4.0


def test_what_runs_into_the_side_of_a_van_keeps_its_momentum_but_for_what_tyres_rub_off(tmp_path):
    text = """
ways: {w: {points: [[0, 0], [200, 0]], width: 8, straight: true}}
bodies:
  - {kind: van, size: [5, 2, 2], mass: 2000, way: w, at: 50, speed: 10}
  - {kind: truck, size: [8, 2.4, 3], mass: 10000, place: [60.5, -20], heading: 1.5708, speed: 15}
"""
    scene = load_scene(written(tmp_path, text))
    world, masses, places = scene.world, np.array([2000.0, 10_000.0]), []
    for _ in range(20):
        world.step()
        motion = world.everyone.motion
        assert masses @ motion.vy > 150_000.0 - 12.0 * 2000.0 * max(world.time - 0.9, 0.0) - 1000.0
        places.append((motion.y[1], motion.vy[1]))
    assert len(world.contacts) == 1
    y, vy = np.array(places).T
    assert np.diff(y) == pytest.approx(0.1 * vy[1:], abs=0.4)  # it is where its speed leads


def test_cars_of_ones_own_drive_with_trees_made_for_them(tmp_path, monkeypatch):
    """By name, from a file, and as the car that a tree file was made for; all were the seed's car before."""
    monkeypatch.setenv("SWERVE_CACHE", str(tmp_path))
    large, heavy = load_tree("large"), load_car("heavy")
    made = replace(large, meta=large.meta | {"car": asdict(heavy)})
    monkeypatch.setattr("swerve.race.cars.build_tree", lambda name, seed, car: made)
    made.save(tmp_path / "mine.npz")
    written(tmp_path, "mass: 3000\ninertia: 6000\n", "mine.yaml")
    street = "ways: {street: {points: [[0, 0], [200, 0]], width: 8}}\nseconds: 1\n"
    for named in ("car: heavy", "tree: mine.npz"):
        scene = load_scene(written(tmp_path, street + f"cars: [{{way: street, {named}}}]\n"))
        assert scene.world.members[0].bodies.body.parameters == heavy
        scene.run()
    for named, why in (
        ("car: lorry", "cars.0.car: must be one of heavy, ice, seed or a file, got 'lorry'"),
        ("car: mine.yaml, tree: mine.npz", "cars.0.tree: must be large or bends, or a file made for the car"),
    ):
        with pytest.raises(BadInput, match=why):
            load_scene(written(tmp_path, street + f"cars: [{{way: street, {named}}}]\n"))


LONE = """<OpenDRIVE><road id="1" length="400" junction="-1"><planView>
<geometry s="0" x="0" y="0" hdg="0.3" length="400"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5"/></lane>
<lane id="-2" type="driving"><width sOffset="0" a="3.5"/></lane>
</right></laneSection></lanes></road></OpenDRIVE>"""


def test_a_map_of_one_road_is_driven_along(tmp_path):
    written(tmp_path, LONE, "road.xodr")
    text = "seconds: 12\ntown: {name: road.xodr, vehicles: 2}\n"
    some = "cars: [{drive: 100, top: 15}]\ncyclists: [{avenue: true, count: 2, speed: 6}]\n"
    scene = load_scene(written(tmp_path, text + some), seed=2)
    scene.run()
    figures = scene.figures()
    assert figures["finished"] and figures["contacts"] == 0
    assert figures["mean_speed"]["car"] > 5.0 and figures["mean_speed"]["cyclist"] > 4.0
    with pytest.raises(BadInput, match=r"cars.0.drive: no road of road is longer than 400 m, got 500"):
        load_scene(written(tmp_path, text + "cars: [{drive: 500}]\n")).run()
    with pytest.raises(BadInput, match=r"town.pedestrians: must be 0: road has no pavements, got 3"):
        load_scene(written(tmp_path, "town: {name: road.xodr, pedestrians: 3}\n"))
