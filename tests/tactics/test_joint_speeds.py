"""How fast bodies on joints move, asked of MuJoCo, of conditions and in files."""

import mujoco
import numpy as np
import pytest
import yaml

from swerve.core.errors import BadInput
from swerve.tactics import Body, Role, SolveOptions, World, load_domain, solve
from swerve.tactics.domains.conditions import Condition, Term
from swerve.tactics.domains.lawful import test_of as lawful
from swerve.tactics.law import Asked
from swerve.tactics.picture import draw_tree
from swerve.tactics.record import record
from swerve.tactics.scene import Scene
from swerve.tactics.shape import link_motions

MODEL = """<mujoco><worldbody>
  <body name="ground"><geom type="plane" size="9 9 0.1"/></body>
  <body name="bar" pos="1 0 0.1"><joint type="hinge" axis="0 0 1"/>
    <geom type="box" size="0.4 0.04 0.05" mass="1"/></body>
  <body name="door" pos="-2 0 0.1" euler="0 0 40"><joint type="hinge" axis="0 0 1" pos="-0.1 0 0"/>
    <geom type="box" pos="0.3 0.05 0" size="0.3 0.04 0.05" mass="1"/></body>
  <body name="gate" pos="2 0 0.1" euler="0 0 30"><joint type="slide" axis="0 1 0"/>
    <geom type="box" size="0.04 0.3 0.05" mass="1"/>
    <body name="flap" pos="0 0.4 0"><joint type="hinge" axis="1 0 1" pos="0 0.1 0"/>
      <geom type="box" pos="0.1 0.2 0" size="0.04 0.1 0.05" mass="1"/>
    </body>
  </body>
</worldbody></mujoco>"""
MOVING = ("bar", "door", "gate", "flap")


def scattered(n=40):
    bodies = [Body("ground", Role.STATIC), *(Body(name, Role.CONTROLLED) for name in MOVING)]
    world, random = World(MODEL, bodies), np.random.default_rng(7)
    rows, last = np.tile(world.initial, (n, 1)), 1 + world.model.nq + world.model.nv
    rows[:, 1:last] += random.normal(0, 1, (n, last - 1))
    return Scene(world, rows, np.zeros((n, 0), bool), np.full((n, 2), np.nan))


def as_mujoco_says(model, body, qpos, qvel, point):
    data, jacobian, turning = mujoco.MjData(model), np.zeros((3, model.nv)), np.zeros((3, model.nv))
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    mujoco.mj_jac(model, data, jacobian, turning, point, model.body(body).id)
    return data.body(body).xpos, jacobian @ data.qvel, turning @ data.qvel


def test_middles_move_as_mujoco_says():
    scene = scattered()
    model = scene.world.model
    first, last = 1 + model.nq, 1 + model.nq + model.nv
    for name in MOVING:
        velocities = scene.velocity(name)
        for row, middle, velocity in zip(scene.rows, scene.middle(name), velocities, strict=True):
            _, told, _ = as_mujoco_says(model, name, row[1:first], row[first:last], middle)
            np.testing.assert_allclose(velocity, told, atol=1e-9)
    assert scene.speed("gate").max() > 0.1 and scene.speed("door").max() > 0.1
    assert not scene.speed("bar").any()  # it turns about its middle


def test_links_on_free_bodies_and_balls_move_as_mujoco_says():
    text = """<mujoco><worldbody><body name="ship" pos="1 2 3"><freejoint/><geom size="0.1" mass="1"/>
      <body name="mast" pos="0.3 0 0.1" euler="10 20 30"><joint type="ball" pos="0.1 0.2 0"/>
        <geom size="0.1" mass="1"/>
        <body name="sail" pos="0 0.2 0.1"><joint type="hinge" axis="0 1 1" pos="0 0.1 0"/>
          <geom size="0.1" mass="1"/></body></body></body></worldbody></mujoco>"""
    model, random = mujoco.MjModel.from_xml_string(text), np.random.default_rng(8)
    qpos, qvel = model.qpos0 + random.normal(0, 1, (20, model.nq)), random.normal(0, 1, (20, model.nv))
    for quaternion in (slice(3, 7), slice(7, 11)):
        qpos[:, quaternion] /= np.linalg.norm(qpos[:, quaternion], axis=1)[:, None]
    for name in ("ship", "mast", "sail"):
        place, _, speed, spin = link_motions(model, model.body(name).id, qpos, qvel)
        for k in range(20):
            told = as_mujoco_says(model, name, qpos[k], qvel[k], place[k])
            for mine, its in zip((place[k], speed[k], spin[k]), told, strict=True):
                np.testing.assert_allclose(mine, its, atol=1e-9)


@pytest.mark.parametrize("name", ["door", "gate", "flap"])
def test_conditions_see_that_bodies_on_joints_move(name):
    scene = scattered()
    slow, fast = (Condition.model_validate({"body": name, word: 0.4}) for word in ("slower", "faster"))
    for condition, holds in ((slow, scene.speed(name) < 0.4), (fast, scene.speed(name) > 0.4)):
        assert 0 < holds.sum() < len(scene)
        np.testing.assert_array_equal(condition.holds(scene), holds)
        np.testing.assert_array_equal(lawful([condition], scene.world)(scene), holds)
        assert ((condition.lack(scene) == 0) == holds).all()
    np.testing.assert_array_equal(Term(speed=name).value(scene), scene.speed(name))


def test_where_a_bar_is_stays_a_law():
    asked = Condition.model_validate({"body": "bar", "inside": [-3, -1, 0, 1]})
    assert isinstance(lawful([asked], scattered().world), Asked)


GATE = {
    "name": "gate",
    "mjcf": """<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="gate" pos="2 0 0.1"><joint type="slide" axis="0 1 0"/>
        <geom type="box" size="0.04 0.3 0.05" mass="1"/></body>
      <body name="bar" pos="0 0 0.1"><joint type="hinge" axis="0 0 1"/>
        <geom type="box" size="0.4 0.04 0.05" mass="1"/></body>
    </worldbody></mujoco>""",
    "bodies": {"gate": {"class": "controlled"}, "bar": {"class": "passive"}},
    "tactics": [{
        "name": "mover",
        "skills": {"slide": {"skill": "MoveJoint", "body": "gate", "target": [0.3, 0.9]}},
        "transitions": {"slide": {"slide": 1}},
        "start": "slide",
    }],
    "goal": {"body": "gate", "faster": 0.05},
}  # fmt: skip


def written(folder, **changes):
    path = folder / "gate.yaml"
    path.write_text(yaml.safe_dump({**GATE, **changes}))
    return str(path)


def test_a_goal_may_ask_for_the_speed_of_a_gate_and_nothing_need_be_explored(tmp_path):
    problem = load_domain(written(tmp_path))
    plan = solve(problem, options=SolveOptions(iterations=500))
    assert plan.solved and plan.duration < 0.5
    assert 0.05 < problem.scene(plan.rows[-1:]).speed("gate")[0] < 2
    recording = record(plan, {})
    ends = recording["vy"][recording["kind"] == "gate (bar)"]
    assert ends[-1] == pytest.approx(problem.scene(plan.rows[-1:]).velocity("gate")[0, 1])
    draw_tree(plan, tmp_path / "tree.png")
    stands = {"all": [{"after": 0.5}, {"body": "gate", "slower": 0.01}]}
    plan = solve(load_domain(written(tmp_path, goal=stands)), options=SolveOptions(iterations=2000))
    assert plan.solved and problem.scene(plan.rows[-1:]).speed("gate")[0] < 0.01


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"goal": {"body": "bar", "slower": 0.01}}, "goal: asks for the speed of a body whose middle"),
        ({"valid": {"not": {"body": "bar", "faster": 1}}}, "valid: asks for the speed"),
        ({"evaluate": [{"speed": "bar"}]}, "evaluate: asks for the speed"),
        ({"planner": "rrt"}, "explore: rrt samples places"),
        ({"explore": {"body": "gate", "area": [0, 0, 1, 1]}}, "explore.body: must move freely"),
    ],
)
def test_what_cannot_be_asked_of_bodies_on_joints_is_named(tmp_path, changes, word):
    with pytest.raises(BadInput, match=word):
        load_domain(written(tmp_path, **changes))


def test_a_planner_that_samples_places_says_that_there_are_none(tmp_path):
    with pytest.raises(BadInput, match="does not say where to sample"):
        solve(load_domain(written(tmp_path)), "hybrid")
