"""Domains of files in which each field is fine and the whole is nonsense."""

import copy
from pathlib import Path

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
        ({"goal": {"body": "box", "near": "box", "within": 1}}, "goal: asks how near a body is to itself"),
        (after({"not": {"body": "box", "near": "box", "within": 1}}), "to itself"),
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
    problem = load_domain(written(tmp_path, **changes))
    box, asked = problem.world.slot("box"), {**PUSH, **changes}["place"]["box"]
    assert problem.start[box.qpos :][: len(asked)] == pytest.approx(asked)


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
