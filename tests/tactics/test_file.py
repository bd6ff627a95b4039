"""Domains in files of users."""

import copy
from pathlib import Path

import numpy as np
import pytest
import yaml

from swerve.core.errors import BadInput
from swerve.core.show.view import look
from swerve.tactics import SolveOptions, load_domain, replay, solve
from swerve.tactics.domains.build import ball, floor, mjcf, robot, walls
from swerve.tactics.record import record

SCENE = {
    "name": "push",
    "mjcf": "scene.xml",
    "bodies": {
        "robot": {"class": "controlled", "material": {"mass": 2.5, "restitution": 0.3}},
        "ball": {"class": "passive", "material": {"mass": 0.046, "restitution": 0.6}},
        "floor": {"class": "static", "floor": True, "material": {"friction": 0.4, "rolling": 0.002}},
        "walls": {"class": "static"},
    },
    "place": {"robot": [0.0, 0.0, 1.57], "ball": [0.5, 0.2]},
    "tactics": [
        {
            "name": "fetcher",
            "skills": {
                "get": {"skill": "GetBall", "body": "robot", "ball": "ball"},
                "push": {"skill": "Dribble", "body": "robot", "ball": "ball", "seconds": [0.2, 0.5]},
            },
            "transitions": {"get": {"push": 1}, "push": {"push": 0.8, "get": 0.2}},
            "start": "get",
        }
    ],
    "goal": {"body": "ball", "inside": [1.0, -0.4, 1.6, 0.4]},
    "avoid": [["robot", "walls"]],
    "explore": {"body": "robot", "area": [-1.0, -1.0, 2.0, 1.0]},
}


def written(folder, **changes):
    parts = (floor(), robot("robot"), ball("ball"), walls("walls", [(-1.2, 1.0, 2.0, 1.1)]))
    (folder / "scene.xml").write_text(mjcf(*parts))
    path = folder / "push.yaml"
    path.write_text(yaml.safe_dump({**SCENE, **changes}))
    return path


def test_a_domain_from_a_file_is_solved_and_replays(tmp_path):
    problem = load_domain(str(written(tmp_path)))
    plan = solve(problem, seed=1)
    assert plan.solved
    assert (replay(plan)[0] == plan.rows).all()
    assert problem.scene(problem.start[None]).heading("robot")[0] == pytest.approx(1.57)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        (
            {"goal": {"body": "hat", "inside": [0, 0, 1, 1]}},
            "goal.body: must be one of ball, floor, robot, walls",
        ),
        ({"mjcf": "<mujoco><worldbody>"}, "MJCF: does not parse"),
        ({"mjcf": "gone.xml"}, "no such file"),
        ({"colour": "red"}, "colour: extra inputs"),
        ({"avoid": [["robot", "hat"]]}, "hat"),
        ({"bodies": {**SCENE["bodies"], "hat": {"class": "static"}}}, "body hat: is not in the MJCF"),
        ({"place": {"robot": [0, 0, 0, 0]}}, "place.robot"),
        (
            {"tactics": [{**SCENE["tactics"][0], "skills": {"get": {"skill": "Fly"}, "push": {}}}]},
            "skill: must be one of",
        ),
        (
            {"tactics": [{**SCENE["tactics"][0], "transitions": {"get": {"push": -1}}}]},
            "transition get to push",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, changes, word):
    path = written(tmp_path, **changes)
    with pytest.raises(BadInput, match=word) as caught:
        load_domain(str(path))
    assert str(path) in str(caught.value) or "gone.xml" in str(caught.value)


def test_yaml_that_does_not_parse_is_refused(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("name: [")
    with pytest.raises(BadInput, match="cannot be read"):
        load_domain(str(path))


def with_skill(**fields):
    """The tactics with other fields of the second skill, without those that are None."""
    (tactic,) = copy.deepcopy(SCENE["tactics"])
    kept = {key: value for key, value in (tactic["skills"]["push"] | fields).items() if value is not None}
    tactic["skills"]["push"] = kept
    return {"tactics": [tactic]}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        (with_skill(seconds=0.4), "seconds"),
        (with_skill(seconds=[0.1, 0.2, 0.3]), "seconds"),
        (with_skill(speed=-1.0), "speed"),
        (with_skill(acceleration=0), "acceleration"),
        (with_skill(ball="walls"), "ball"),
        (with_skill(skill="Kick", target=[1.0, 2.0]), "target"),
        (with_skill(skill="GetBall", reach="far"), "reach"),
        (with_skill(skill="BiasedFall"), "skill push"),
        (with_skill(seconds=[0.1, 10**400]), "seconds: must be a number of at most"),
        (with_skill(speed=-(10**400)), "speed: must be a number of at most"),
        (with_skill(speed=float("nan")), "speed: must be a number"),
        (
            with_skill(skill="ChipOver", over=["robot"], height=[0, 0], seconds=None),
            "height: must be positive",
        ),
        ({"tactics": []}, "tactics"),
        ({"horizon": -1}, "horizon"),
        ({"goal": {"body": "ball", "inside": [1.0, float("nan"), 1.6, 0.4]}}, "goal"),
        ({"goal": {"body": "ball", "inside": [1.6, -0.4, 1.0, 0.4]}}, "x0 < x1"),
    ],
)
def test_values_that_cannot_be_are_named_in_one_line(tmp_path, changes, word):
    with pytest.raises(BadInput, match=word) as caught:
        load_domain(str(written(tmp_path, **changes)))
    assert "\n" not in str(caught.value)


def test_a_goal_of_touching_is_known_at_the_end_of_an_improved_plan(tmp_path):
    """The end was asked without its collisions: a touch was never solved."""
    goal = {"touching": ["robot", "box"]}
    docs = Path(__file__).parents[2] / "docs/domains"
    near = {"anytime": True, "evaluate": [{"distance": ["robot", "box"]}], "watch": [["robot", "box"]]}
    text = yaml.safe_load((docs / "push.yaml").read_text()) | {"goal": goal, **near}
    path = tmp_path / "push.yaml"
    path.write_text(yaml.safe_dump(text | {"mjcf": (docs / "push.xml").read_text()}))
    plan = solve(load_domain(str(path)), options=SolveOptions(nodes=2000), seed=3)
    assert plan.contacts[-1, plan.problem.world.pair("robot", "box")] and plan.solved


PACE = {"skill": "PaceLanes", "bodies": ["robot"], "lanes": [[0.0, -0.5, 0.5]], "paces": [0.4]}


def pacing(**fields):
    """A robot that paces to and fro, with other fields."""
    (tactic,) = copy.deepcopy(SCENE["tactics"])
    return {
        "tactics": [{**tactic, "skills": {"pace": {**PACE, **fields}}, "transitions": {}, "start": "pace"}]
    }


def test_lanes_in_a_file_are_paced(tmp_path):
    problem = load_domain(str(written(tmp_path, **pacing())))
    (skill,) = problem.tactics["default"][0].skills.values()
    assert skill.lanes == ((0.0, -0.5, 0.5),) and skill.paces == (0.4,)
    plan = solve(problem, seed=1, options=SolveOptions(iterations=60))
    assert plan.tree.alive_nodes > 30


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"lanes": [["a", "b", "c"]]}, "lanes: must be a number, got 'a'"),
        ({"lanes": []}, "lanes: must be a list of at least one entry"),
        ({"lanes": 3}, "lanes: must be a list"),
        ({"lanes": [-1]}, "lanes: must be 3 entries, got -1"),
        ({"lanes": [[2.3, -1]]}, "lanes: must be 3 entries"),
        ({"lanes": [[0.0, float("nan"), 1.0]]}, "lanes: must be a number"),
        ({"lanes": [[0.0, 1.0, -1.0]]}, "lanes: must be x, low, high"),
        ({"lanes": [[0.0, 0.0, 10**400]]}, "lanes: must be a number of at most"),
        ({"lanes": [[0.0, 0.0, 1.0]] * 2}, "must be equally many"),
        ({"paces": [["a"]]}, "paces: must be a number"),
        ({"paces": [-1.0]}, "paces: must be zero or more"),
        ({"bodies": ["ball"]}, "ball"),
    ],
)
def test_lanes_that_cannot_be_are_named_in_one_line(tmp_path, fields, word):
    """They were tracebacks, or numbers shifted by one place."""
    with pytest.raises(BadInput, match=word) as caught:
        load_domain(str(written(tmp_path, **pacing(**fields))))
    assert "\n" not in str(caught.value)


def test_a_box_is_shown_as_a_box_and_walls_are_there(tmp_path):
    problem = load_domain(str(Path(__file__).parents[2] / "docs/domains/box.yaml"))
    plan = solve(problem, seed=1)
    shown = look(record(plan, {}))
    assert {body.kind: (body.length, body.width) for body in shown.bodies}["box"] == pytest.approx((0.2, 0.3))
    walls = [area["points"] for area in problem.scenery["areas"] if area["role"] == "obstacle"]
    assert len(walls) == 2 and np.ptp(np.array(walls[0]), axis=0) == pytest.approx([0.1, 1.0])
