"""Worlds in files: what they make, what they refuse, and that the examples of the documentation run."""

from pathlib import Path

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.scenes import SCENES, load_scene
from swerve.scenes.file import BUILDERS
from swerve.scenes.parts import SceneFile

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "docs" / "scenes").glob("*.*"))
STREET = """
ways: {street: {points: [[0, 0], [60, 0], [90, 40]], width: 7, straight: true}}
"""


def written(tmp_path, text, name="scene.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_examples_run_without_contacts(path):
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
        ("cars: [{}]\n", "cars.0: needs either a way or a track"),
        ("cars: [{track: nowhere}]\n", "track: must be one of long-straight"),
        ("cars: [{track: final, tree: none.npz}]\n", "no such file"),
        (
            "cars: [{way: a}]\nways: {a: {points: [[0, 0], [9, 0], [9, 9]], closed: true}}\n",
            "an end to drive to",
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
    files = [load_scene(EXAMPLES[0], 4).run(3.0).write(tmp_path / f"{k}.parquet") for k in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()
