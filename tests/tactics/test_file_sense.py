"""Domains of files in which each field is fine and the whole is nonsense."""

import copy
from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml

from swerve.core.errors import BadInput
from swerve.tactics import load_domain
from swerve.tactics.domains.build import ball, mjcf

DOCS = Path(__file__).parents[2] / "docs/domains"
PUSH = yaml.safe_load((DOCS / "push.yaml").read_text())


def written(folder, **changes):
    path = folder / "push.yaml"
    path.write_text(yaml.safe_dump({**PUSH, "mjcf": str(DOCS / "push.xml"), **changes}))
    return str(path)


def twice():
    other = {**copy.deepcopy(PUSH["tactics"][0]), "name": "other"}
    return {"tactics": [*PUSH["tactics"], other]}


def after(condition):
    """The tactics with a transition on a condition."""
    (tactic,) = copy.deepcopy(PUSH["tactics"])
    tactic["transitions"]["push"]["push"] = {"when": condition}
    return {"tactics": [tactic]}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        (
            {"place": {"robot": [0, 0, 0], "box": [0.05, 0]}},
            r"(robot and box|box and robot) are .* m within each other",
        ),
        ({"place": {"robot": [0, 0, 0], "box": [0.6, 0.1, -0.5]}}, "0.6 m within each other at the start"),
        (
            {"place": {"robot": [0, 0, 0], "box": [0.189, 0]}, "avoid": [["robot", "box"]]},
            "avoid: .* touch at the start",
        ),
        (
            {"place": {"robot": [0, 0, 0], "box": [0.189, 0]}, "avoid": [["robot", "*"]]},
            "avoid: .* touch at the start",
        ),
        (twice(), "tactic other: acts on what pusher acts on"),
        ({"avoid": [["robot", "robot"]]}, "must be two different ones"),
        ({"watch": [["box", "box"]]}, "must be two different ones"),
        ({"goal": {"touching": ["box", "box"]}}, "must be two different ones"),
        ({"goal": {"body": "ground", "slower": 1}}, "goal: asks for the speed of a body whose middle"),
        (
            {"goal": {"any": [{"not": {"body": "ground", "below": 1}}]}},
            "goal: asks where a body is that never",
        ),
        ({"valid": {"body": "ground", "inside": [-1, -1, 1, 1]}}, "valid: asks where a body is that never"),
        (after({"body": "ground", "faster": 1}), "transition push to push: asks for the speed"),
        ({"evaluate": [{"speed": "ground"}]}, "evaluate: asks for the speed"),
    ],
)
def test_nonsense_is_named_before_anything_runs(tmp_path, changes, word):
    with pytest.raises(BadInput, match=word) as caught:
        load_domain(written(tmp_path, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"place": {"robot": [0, 0, 0], "box": [0.189, 0]}},  # a millimetre
        {"place": {"robot": [0, 0, 0], "box": [0.6, 0.1, 0.3]}},  # it will fall
        {"mjcf": (DOCS / "push.xml").read_text().replace("0 0 0.08", "0 0 0.05")},  # it slides, in the ground
        {"place": {"robot": [0, 0, 0], "box": [0.05, 0]}, "apart": [["controlled", "passive"]]},
        after({"body": "ground", "near": "box", "within": 1}),
    ],
)
def test_what_makes_sense_is_taken(tmp_path, changes):
    load_domain(written(tmp_path, **changes))


def test_balls_within_each_other_are_named(tmp_path):
    """They meet outside of MuJoCo, which does not see it."""
    bodies = {**PUSH["bodies"], "box": {"class": "passive"}, "ball": {"class": "passive"}}
    model = (DOCS / "push.xml").read_text()
    inside = mjcf(ball("ball"), ball("box")).split("<worldbody>")[1].split("</worldbody>")[0]
    box = model[model.index('<body name="box"') : model.index("</worldbody>")]
    model = model.replace(box, inside)
    changes = {"mjcf": model, "bodies": bodies}
    load_domain(written(tmp_path, place={"ball": [0.6, 0], "box": [0.65, 0]}, **changes))
    with pytest.raises(BadInput, match=r"(ball and box|box and ball) are 0\.013 m within each other"):
        load_domain(written(tmp_path, place={"ball": [0.6, 0], "box": [0.63, 0]}, **changes))


MODEL = (DOCS / "push.xml").read_text()
WALL = '<geom type="box" size="0.5 0.03 0.1"/>'


@pytest.mark.parametrize(
    ("was", "now", "word"),
    [
        ('pos="0 0 0.08"', 'pos="0 0 0.08" euler="0 0 90"', "body robot: must not be turned in the MJCF"),
        (
            'type="hinge" axis="0 0 1"',
            'type="hinge" axis="0 0 1" pos="0.1 0 0"',
            "body robot: .* pos and ref",
        ),
        ('type="slide" axis="1 0 0"', 'type="slide" axis="1 0 0" ref="0.3"', "body robot: .* pos and ref"),
    ],
)
def test_bodies_that_begin_turned_or_aside_are_named(tmp_path, was, now, word):
    assert was in MODEL
    with pytest.raises(BadInput, match=word):
        load_domain(written(tmp_path, mjcf=MODEL.replace(was, now)))


def walls_of(folder, *, listed=(), parts=""):
    bodies = {**PUSH["bodies"], **{name: {"class": "static"} for name in listed}}
    model = MODEL.replace("</worldbody>", f"{parts}</worldbody>")
    problem = load_domain(written(folder, mjcf=model, bodies=bodies))
    shown = [np.array(a["points"]) for a in problem.scenery["areas"] if a["role"] == "obstacle"]
    return problem, shown


def test_what_stands_within_another_body_is_where_it_is(tmp_path):
    nested = f'<body name="outer" pos="1 0.5 0.1"><body name="inner" pos="0.4 0 0">{WALL}</body></body>'
    problem, (shown,) = walls_of(tmp_path, listed=("outer", "inner"), parts=nested)
    assert problem.scene(problem.start[None]).xy("inner")[0] == pytest.approx([1.4, 0.5])
    assert shown.mean(axis=0) == pytest.approx([1.4, 0.5])


@pytest.mark.parametrize("listed", [(), ("wall",)])
def test_walls_are_drawn_as_they_stand_listed_or_not(tmp_path, listed):
    _, (shown,) = walls_of(
        tmp_path, listed=listed, parts=f'<body name="wall" pos="1.4 0.5 0.1" euler="0 0 45">{WALL}</body>'
    )
    along = np.ptp(shown, axis=0)
    assert along == pytest.approx([1.06 * 0.5**0.5] * 2)
    _, (plain,) = walls_of(tmp_path, parts=WALL.replace("/>", ' pos="2 1 0"/>'))
    assert plain.mean(axis=0) == pytest.approx([2, 1])


def test_a_bar_that_the_model_turns_is_where_mujoco_has_it(tmp_path):
    bar = '<body name="bar" pos="1 2 0.1" euler="0 0 90"><joint type="hinge" axis="0 0 1" pos="0.5 0 0"/>'
    model = MODEL.replace("</worldbody>", f"{bar}{WALL}</body></worldbody>")
    bodies = {**PUSH["bodies"], "bar": {"class": "foreign"}}
    problem = load_domain(written(tmp_path, mjcf=model, bodies=bodies))
    data = mujoco.MjData(problem.world.model)
    data.qpos[:] = problem.start[1 : 1 + len(data.qpos)]
    data.joint(problem.world.model.body("bar").jntadr[0]).qpos[0] = 0.7
    mujoco.mj_kinematics(problem.world.model, data)
    row = np.concatenate([[0.0], data.qpos, np.zeros(problem.world.width - 1 - len(data.qpos))])
    scene = problem.scene(row[None])
    assert scene.xy("bar")[0] == pytest.approx(data.body("bar").xpos[:2])
    assert scene.heading("bar")[0] == pytest.approx(np.pi / 2 + 0.7)
