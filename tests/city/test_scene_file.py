"""Scene files: the example of the module works, and what cannot be used is named."""

import numpy as np
import pytest

from swerve.city import Simulation, load_town
from swerve.city.roads.roads import CONNECTOR, LANE, LEFT, LIGHT, RIGHT, STOP, STRAIGHT, U_TURN
from swerve.city.roads.routes import is_strongly_connected
from swerve.city.towns import scene_file
from swerve.core.errors import BadInput

EXAMPLE = scene_file.__doc__.split("numbers.\n\n")[-1].split("\nA node where")[0]


@pytest.fixture
def scene(tmp_path):
    def write(text, name="scene.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_the_example_works(scene):
    town = load_town(scene(EXAMPLE))
    roads = town.roads
    assert town.name == "corner shop" and (roads.kind == LANE).sum() == 10
    assert (roads.turn == U_TURN).sum() == 5  # three dead ends, two of them with two lanes
    assert is_strongly_connected(roads)
    assert np.ptp(roads.z) == pytest.approx(4.0)
    assert len(town.obstacles) == 1 and len(town.roads.crossings) == 3


def test_turning_lanes(scene):
    roads = load_town(scene(EXAMPLE)).roads
    # from the west the inner lane is for turning left, which no street does here: it takes what it can
    for lane in np.flatnonzero((roads.kind == LANE) & (roads.x[roads.first[:-1]] < -100)):
        turns = set(roads.turn[roads.after[roads.after_first[lane] : roads.after_first[lane + 1]]])
        if np.cos(roads.heading[roads.first[lane]]) > 0.5:
            assert turns == ({RIGHT, STRAIGHT} if roads.lane[lane] == 0 else {STRAIGHT})


def test_one_way_streets_and_signs(scene):
    text = """
nodes: {a: {at: [0, 0]}, b: {at: [200, 0]}, c: {at: [200, 200]}, d: {at: [0, 200]}, e: {at: [-150, 0]}}
streets:
  - {from: a, to: b, back: 0, lanes: 2}
  - {from: b, to: c, back: 0}
  - {from: c, to: d, back: 0}
  - {from: d, to: a, back: 0, sign_to: stop}
  - {from: e, to: a}
"""
    roads = load_town(scene(text)).roads
    assert (roads.kind == LANE).sum() == 7
    assert is_strongly_connected(roads)
    stopping = np.flatnonzero((roads.kind == CONNECTOR) & (roads.control == STOP))
    source = roads.before[roads.before_first[stopping]]
    assert len(stopping) and (np.sin(roads.heading[roads.first[source]]) < -0.99).all()
    assert not (roads.control == LIGHT).any()


@pytest.mark.parametrize("text", ["grid: {columns: 3, rows: 3}", "town: {seed: 2, columns: 3, rows: 3}"])
def test_generators_by_file(scene, text):
    assert load_town(scene(text)).roads.junctions == 9
    assert load_town(scene(text + "\nleft_hand: true")).roads.left_hand


def test_toml(scene):
    text = """
[nodes.a]
at = [0, 0]
[nodes.b]
at = [100, 30]
[[streets]]
from = "a"
to = "b"
"""
    roads = load_town(scene(text, "scene.toml")).roads
    assert (roads.kind == LANE).sum() == 2 and (roads.turn == U_TURN).sum() == 2
    assert roads.turn[roads.kind == CONNECTOR].tolist() == [U_TURN] * 2
    assert LEFT not in roads.turn


WRONG = {
    "unknown key": (EXAMPLE + "colour: red", "colour"),
    "unknown key of a street": (EXAMPLE.replace("sign_to: stop", "sine: stop"), "sine"),
    "unknown node": (EXAMPLE.replace("from: south", "from: north"), "north"),
    "too short": (EXAMPLE.replace("[20, -120]", "[2, -12]"), "12.2"),
    "too close in angle": (EXAMPLE.replace("[20, -120]", "[150, -20]"), "25°"),
    "too many lanes": (EXAMPLE.replace("lanes: 2", "lanes: 9"), "9"),
    "sign": (EXAMPLE.replace("stop", "halt"), "halt"),
    "not a number": (EXAMPLE.replace("[0, 0]", "[0, .nan]"), "nodes.middle"),
    "text": ("just words", "mapping"),
    "broken YAML": ("nodes: [", "cannot be read"),
    "nothing": ("name: empty", "nodes"),
    "turns of too few lanes": (
        EXAMPLE.replace("[[right, straight], [left]]", "[[left]]"),
        "must name 2 lanes",
    ),
    "no speed": (EXAMPLE.replace("limit: 8.3", "limit: 0"), "limit"),
    "negative green": (EXAMPLE.replace("green: 24", "green: -4"), "green"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_named(scene, name):
    text, word = WRONG[name]
    with pytest.raises(BadInput) as error:
        load_town(scene(text))
    assert word in str(error.value) and "\n" not in str(error.value) and "scene.yaml" in str(error.value)


def test_unknown_names():
    with pytest.raises(BadInput, match="must be grid, town"):
        load_town("village")


def test_a_wider_crosswalk_moves_the_stop_lines_back(scene):
    narrow, wide = (
        load_town(scene(EXAMPLE.replace("crosswalk: 3.0", f"crosswalk: {w}"))).roads for w in (3.0, 5.0)
    )
    lanes = narrow.kind == LANE
    straight = lanes & (np.diff(narrow.first) == 2)
    assert narrow.length[straight] - wide.length[straight] == pytest.approx(2.0, abs=1e-6)
    assert straight.sum() == 6


@pytest.mark.parametrize("lit", [False, True])
def test_a_crosswalk_between_two_streets(tmp_path, lit):
    """People cross there and nowhere else, cars stop for them, and nobody is touched."""
    file = tmp_path / "zebra.yaml"
    file.write_text(
        "nodes:\n  west: {at: [-120, 0]}\n  east: {at: [130, 0]}\n"
        f"  zebra: {{at: [0, 4], crossing: true, signal: {str(lit).lower()}}}\n"
        "streets:\n  - {from: west, to: zebra}\n  - {from: zebra, to: east}\n"
    )
    town = load_town(file)
    walks = town.roads.crossings
    assert len(walks) == 1 and (walks.light[0] >= 0) == lit and walks.length[0] == pytest.approx(7.0)
    assert abs(float(walks.corners[0, :, 0].mean())) < 12.0
    simulation = Simulation(town, 10, 25, seed=4)
    crossed = stopped = 0
    for _ in range(700):
        simulation.step()
        taken = bool(simulation.traffic.crosswalks.taken[0] > 0)
        crossed += taken
        fleet = simulation.traffic.fleet
        near = np.abs(fleet.x) < 25.0
        stopped += bool(taken and (near & (fleet.speed < 0.1)).any())
    figures = simulation.figures()
    assert crossed > 50 and stopped > 10
    assert figures["collisions"] == figures["red_light_violations"] == figures["off_road"] == 0


def test_streets_that_cross_without_a_node_are_refused_unless_one_is_a_bridge(scene):
    text = (
        "nodes:\n  a: {{at: [-100, 0]}}\n  b: {{at: [100, 0]}}\n"
        "  c: {{at: [0, -100], height: {z}}}\n  d: {{at: [0, 100], height: {z}}}\n"
        "streets:\n  - {{from: a, to: b}}\n  - {{from: c, to: d, via: [[5, 0]]}}\n"
    )
    with pytest.raises(BadInput, match="streets 0 and 1: cross without a node; one must pass 4 m above"):
        load_town(scene(text.format(z=0)))
    assert len(load_town(scene(text.format(z=6))).roads) > 4
