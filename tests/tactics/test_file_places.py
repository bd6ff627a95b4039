"""Files whose models turn, nest or shift bodies: they are where MuJoCo has them, or refused."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml

from swerve.core.errors import BadInput
from swerve.tactics import SolveOptions, load_domain, picture, solve
from swerve.tactics.domains.conditions import Condition
from swerve.tactics.domains.lawful import test_of as law_of
from swerve.tactics.planar import Planar

DOCS = Path(__file__).parents[2] / "docs/domains"
PUSH = yaml.safe_load((DOCS / "push.yaml").read_text())
MODEL = (DOCS / "push.xml").read_text()
ROBOT = '<body name="robot" pos="0 0 0.08">'
HINGE = '<joint type="hinge" axis="0 0 1"/>'


def written(folder, model, bodies=None, **changes):
    path = folder / "push.yaml"
    bodies = {**PUSH["bodies"], **(bodies or {})}
    path.write_text(yaml.safe_dump({**PUSH, "mjcf": model, "bodies": bodies, **changes}))
    return str(path)


def standing(*parts):
    """The model with more before its robot."""
    return MODEL.replace(ROBOT, "".join(parts) + ROBOT)


@pytest.mark.parametrize(
    "model",
    [
        MODEL.replace(ROBOT, '<body name="robot" pos="0 0 0.08" euler="0 0 90">'),
        MODEL.replace(ROBOT, f'<frame euler="0 0 90">{ROBOT}').replace(
            "</worldbody>", "</frame></worldbody>"
        ),
        MODEL.replace(HINGE, '<joint type="hinge" axis="0 0 1" pos="0.2 0 0"/>'),
        MODEL.replace(HINGE, '<joint type="hinge" axis="0 0 1" ref="30"/>'),
        MODEL.replace('axis="1 0 0"/>', 'axis="1 0 0" ref="1"/>'),
    ],
    ids=["turned", "in a frame", "hinge aside", "hinge from elsewhere", "slide from elsewhere"],
)
def test_a_body_that_the_model_turns_or_shifts_is_refused(tmp_path, model):
    """It was planned for as if it were not, and ended somewhere else than the plan said."""
    with pytest.raises(BadInput, match="body robot: its MJCF must not turn it"):
        load_domain(written(tmp_path, model))


@pytest.mark.parametrize("hinge", [HINGE, HINGE.replace("/>", ' pos="-0.3 0 0" ref="20"/>')])
def test_a_bar_on_a_hinge_that_is_turned_or_shifted_is_where_mujoco_has_it(tmp_path, hinge):
    bar = f'<body name="bar" pos="2 1 .1" euler="0 0 30">{hinge}<geom type="box" size=".3 .02 .1"/></body>'
    problem = load_domain(
        written(tmp_path, standing(bar), {"bar": {"class": "passive"}}, place={**PUSH["place"], "bar": [0.5]})
    )
    model, row = problem.world.model, problem.start
    data = mujoco.MjData(model)
    data.qpos[:] = row[1 : 1 + model.nq]
    mujoco.mj_forward(model, data)
    scene = problem.scene(row[None])
    assert scene.position("bar")[0] == pytest.approx(data.body("bar").xpos)
    assert [np.cos(scene.heading("bar")[0]), np.sin(scene.heading("bar")[0])] == pytest.approx(
        data.body("bar").xmat[[0, 3]]
    )


def test_a_body_whose_form_lies_beside_its_origin_is_refused(tmp_path):
    """`inside` and `near` were of the origin, 0.3 m from the robot."""
    aside = MODEL.replace('size="0.09 0.07"', 'size="0.09 0.07" pos="0.3 0 0"')
    with pytest.raises(BadInput, match="body robot: its geoms must lie about its origin"):
        load_domain(written(tmp_path, aside))


NESTED = (
    '<body name="outer" pos="1 1 0" euler="0 0 90"><body name="inner" pos="-0.5 0.4 0.1">{}</body></body>'
)


def test_a_static_body_in_another_is_where_mujoco_has_it(tmp_path):
    model = standing(NESTED.format('<geom type="box" size=".3 .02 .1"/>'))
    problem = load_domain(written(tmp_path, model, {"inner": {"class": "static"}}))
    world, data = problem.world, mujoco.MjData(problem.world.model)
    mujoco.mj_forward(world.model, data)
    scene = problem.scene(problem.start[None])
    assert scene.position("inner")[0] == pytest.approx(data.body("inner").xpos)
    assert scene.heading("inner")[0] == pytest.approx(np.pi / 2)
    here = problem.start.copy()
    here[world.slot("robot").qpos : world.slot("robot").qpos + 2] = 0.6, 0.5
    near = law_of([Condition(body="robot", near="inner", within=0.02)], world)
    assert near(problem.scene(here[None]))[0] and not near(scene)[0]


def obstacles(problem):
    return [np.array(area["points"]) for area in problem.scenery["areas"] if area["role"] == "obstacle"]


def test_a_turned_wall_is_drawn_as_it_stands(tmp_path):
    wall = '<body name="wall" pos="1.4 0.5 0.1" euler="0 0 45"><geom type="box" size="0.5 0.03 0.1"/></body>'
    problem = load_domain(written(tmp_path, standing(wall), {"wall": {"class": "static"}}))
    (found,) = obstacles(problem)
    along, across = np.array([0.5, 0.5]) / np.sqrt(2), np.array([-0.03, 0.03]) / np.sqrt(2)
    true = np.array([1.4, 0.5]) + [a * along + b * across for a in (-1, 1) for b in (-1, 1)]
    assert len(found) == 4
    assert all(np.linalg.norm(found - corner, axis=1).min() < 1e-9 for corner in true)
    assert not Planar.fits(problem.world)  # which knows no turned boxes


def test_walls_that_are_not_listed_are_drawn_but_no_ground(tmp_path):
    """The robot seemed to turn round before nothing."""
    in_the_world = '<geom type="box" pos="1.4 0.5 0.1" size="0.5 0.03 0.1"/>'
    unlisted = '<body pos="2 0 0.1"><geom type="cylinder" size="0.2 0.1"/></body>'
    ground = '<geom type="box" pos="0 0 -0.05" size="4 4 0.05"/>'
    to_see = '<geom type="box" pos="0.3 0.9 0.1" size="0.1 0.1 0.1" contype="0" conaffinity="0"/>'
    wall, post = obstacles(load_domain(written(tmp_path, standing(in_the_world, unlisted, ground, to_see))))
    assert wall.min(axis=0) == pytest.approx([0.9, 0.47]) and wall.max(axis=0) == pytest.approx([1.9, 0.53])
    assert np.linalg.norm(post - [2, 0], axis=1) == pytest.approx(np.full(len(post), 0.2))


@pytest.mark.parametrize(
    ("geom", "reach"),
    [
        ('type="capsule" size="0.1 0.4" euler="0 90 0"', (0.5, 0.1)),
        ('type="cylinder" size="0.1 0.4" euler="0 90 0"', (0.4, 0.1)),
        ('type="ellipsoid" size="0.3 0.2 0.1"', (0.3, 0.2)),
        ('type="sphere" size="0.2"', (0.2, 0.2)),
    ],
)
def test_round_things_are_drawn_as_wide_as_they_are(tmp_path, geom, reach):
    (found,) = obstacles(load_domain(written(tmp_path, standing(f'<geom pos="1 -1 .4" {geom}/>'))))
    assert found.max(axis=0) - [1, -1] == pytest.approx(reach, abs=1e-9)
    assert [1, -1] - found.min(axis=0) == pytest.approx(reach, abs=1e-9)


def test_all_places_asked_for_are_drawn(tmp_path):
    """A goal near a point, and what stands deeper in a condition, were missing."""
    here = {
        "any": [{"body": "box", "near": [2, 1], "within": 0.4}, {"body": "box", "near": "robot", "within": 1}]
    }
    there = {
        "all": [{"body": "box", "inside": [1, 0, 3, 2]}, {"not": {"body": "box", "inside": [0, 0, 1, 1]}}]
    }
    areas = load_domain(written(tmp_path, MODEL, goal={"all": [here, there]})).scenery["areas"]
    circle, box = (np.array(area["points"]) for area in areas if area["role"] == "goal")
    assert np.hypot(*(circle - [2, 1]).T) == pytest.approx(np.full(len(circle), 0.4))
    assert box.min(axis=0).tolist() == [1, 0] and box.max(axis=0).tolist() == [3, 2]


def test_the_ground_about_an_arm_is_half_as_much_again(tmp_path):
    """It was taken about the joints with the links' lengths on all sides, twice as wide as it had to be."""
    arm = (
        '<mujoco><worldbody><body name="link" pos="1 1 0.1"><joint type="hinge" axis="0 0 1"/>'
        '<geom type="box" pos="0.5 0 0" size="0.5 0.05 0.05" mass="1"/></body></worldbody></mujoco>'
    )
    swing = {
        "name": "a",
        "skills": {"s": {"skill": "MoveJoint", "body": "link", "target": [-1, 1]}},
        "start": "s",
    }
    asked = {"name": "arm", "mjcf": arm, "bodies": {"link": {"class": "controlled"}}, "tactics": [swing]}
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump({**asked, "goal": {"after": 1}}))
    ground = np.array(load_domain(str(tmp_path / "arm.yaml")).scenery["areas"][0]["points"])
    assert [*ground.min(axis=0), *ground.max(axis=0)] == pytest.approx([0.5, 0.45, 2.5, 1.55])


def test_a_picture_without_a_plan_shows_where_bodies_begin(tmp_path, monkeypatch):
    drawn, draw = [], picture._draw_body
    monkeypatch.setattr(picture, "_draw_body", lambda *given: (drawn.append(given[2:5]), draw(*given)))
    problem = load_domain(written(tmp_path, MODEL))
    plan = solve(problem, options=SolveOptions(iterations=5))
    assert not plan.solved and picture.draw_tree(plan, tmp_path / "tree.png").exists()
    white = {name for name, row, face in drawn if face == "white" and row is problem.start}
    assert white == {"robot", "box"}
