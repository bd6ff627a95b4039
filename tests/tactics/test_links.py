"""Arms: links in domain files, their recordings and pictures, and plans over an MJCF without skills."""

import numpy as np
import pytest
from matplotlib.image import imread

import swerve
from swerve.core.errors import BadInput
from swerve.core.show.view import look
from swerve.tactics import load_domain, solve
from swerve.tactics.picture import body_colours, draw_tree
from swerve.tactics.record import record

ARM = """<mujoco model="an arm that pushes">
  <compiler angle="radian"/>
  <option timestep="0.005" gravity="0 0 0"/>
  <asset><mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/></asset>
  <worldbody>
    <body name="upper" pos="0 0 0.05">
      <joint name="shoulder" axis="0 0 1" range="-2 2" limited="true" damping="0.3" armature="0.02"/>
      <geom type="capsule" fromto="0 0 0 0.35 0 0" size="0.03" mass="0.5"/>
      <body name="forearm" pos="0.35 0 0">
        <joint name="elbow" axis="0 0 1" range="-2.5 2.5" limited="true" damping="0.3" armature="0.02"/>
        <geom type="capsule" fromto="0.07 0 0 0.3 0 0" size="0.03" mass="0.3"/>
      </body>
    </body>
    <body name="box" pos="0.5 0.2 0.05">
      <joint name="box x" type="slide" axis="1 0 0" damping="3"/>
      <joint name="box y" type="slide" axis="0 1 0" damping="3"/>
      <joint name="box turn" type="hinge" axis="0 0 1" damping="0.02"/>
      <geom type="box" size="0.06 0.06 0.05" mass="0.2"/>
    </body>
    <body name="wall" pos="0.75 0 0.05"><geom type="mesh" mesh="wedge"/></body>
  </worldbody>
  ACTUATORS
</mujoco>"""
MOTORS = """<actuator>
    <motor joint="shoulder" ctrlrange="-2 2" ctrllimited="true"/>
    <motor joint="elbow" ctrlrange="-1 1" ctrllimited="true"/>
  </actuator>"""
DOMAIN = """
name: arm
mjcf: arm.xml
bodies:
  upper: {class: controlled}
  forearm: {class: controlled}
  box: {class: passive}
  wall: {class: static}
place: {upper: [-0.3], forearm: [0.2]}
tactics:
  - name: shoulder
    skills: {swing: {skill: MoveJoint, body: upper, target: [-1, 1.5]}}
    start: swing
  - name: elbow
    skills: {bend: {skill: MoveJoint, body: forearm, target: [-1, 1], torque: 3}}
    start: bend
goal: {body: box, inside: [0.1, 0.3, 0.6, 0.6]}
avoid: [[forearm, wall]]
explore: {body: box, area: [0, -0.6, 0.8, 0.6]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM.replace("ACTUATORS", ""))
    (tmp_path / "arm.yaml").write_text(DOMAIN)
    return tmp_path


def test_an_arm_pushes_a_box_and_the_recording_shows_its_links(folder):
    problem = load_domain(str(folder / "arm.yaml"))
    plan = solve(problem, seed=1)
    assert plan.solved and 0.3 < plan["box.y"][-1] < 0.6
    assert {"upper.heading", "forearm.joint", "forearm.effort"} <= {*plan.columns, *plan.control_columns}
    recording = record(plan, {})
    upper, forearm = (
        {name: recording[name][recording["kind"] == f"{kind} (bar)"] for name in ("x", "y", "length")}
        for kind in ("upper", "forearm")
    )
    assert np.allclose(np.hypot(upper["x"], upper["y"]), 0.175)  # middles go round the shoulder
    bend = np.cos(plan["forearm.joint"])
    away = np.sqrt(0.35**2 + 0.185**2 + 2 * 0.35 * 0.185 * bend)  # and round the elbow
    assert np.allclose(np.hypot(forearm["x"], forearm["y"]), away)
    assert np.allclose(upper["length"], 0.41)
    draw_tree(plan, folder / "tree.png")
    assert imread(folder / "tree.png").std() > 0.02
    view = look(recording)
    shown = {body.kind.removesuffix(" (bar)").removesuffix(" (disc)"): body.colour for body in view.bodies}
    assert shown == body_colours(problem)  # the tree's picture and the film agree


def test_joints_that_plans_cannot_tell_of_are_refused(folder):
    text = (
        (folder / "arm.xml")
        .read_text()
        .replace('<joint name="elbow"', '<joint axis="0 1 0"/><joint name="elbow"')
    )
    (folder / "arm.xml").write_text(text)
    with pytest.raises(BadInput, match="forearm"):
        load_domain(str(folder / "arm.yaml"))


def test_an_mjcf_is_planned_over_without_skills():
    weights = {"box x": 3.0, "box y": 3.0, "box turn": 0.1}
    arm = swerve.Mechanism(ARM.replace("ACTUATORS", MOTORS), avoid=[("forearm", "wall")], weights=weights)
    goal = arm.state({"box x": -0.1, "box y": 0.2}, elsewhere=np.nan)
    few = swerve.PlanOptions(hold=(3, 20))
    plan = swerve.plan(arm, arm.start, goal, tolerance=0.2, seconds=60, seed=1, options=few)
    assert plan.solved and arm.valid(plan.states).all()
    box = arm.place("box", plan.states[-1:])[0]
    assert np.hypot(box[0] - 0.4, box[1] - 0.4) <= 0.2 / 3 + 1e-9
    assert plan["box x"][-1] == pytest.approx(box[0] - 0.5)
    again = arm.start[None]
    for control in plan.controls:
        again = arm.step(again, control[None], arm.dt)
    assert np.array_equal(again[0], plan.states[-1])  # the engine continues exactly
    reached = arm.near("box", (0.4, 0.4), 0.2 / 3 + 1e-9)
    assert reached(plan.states[-1:]).all() and not reached(plan.states[:1]).any()


def test_what_a_mechanism_cannot_be_is_named(tmp_path):
    for text, why in ((ARM.replace("ACTUATORS", ""), "actuators"), ("<mujoco", "parse")):
        with pytest.raises(BadInput, match=why):
            swerve.Mechanism(text)
    with pytest.raises(BadInput, match="MJCF"):
        swerve.Mechanism(tmp_path / "no.xml")
    model = ARM.replace("ACTUATORS", MOTORS)
    with pytest.raises(BadInput, match="avoid"):
        swerve.Mechanism(model, avoid=[("hand", "wall")])
    with pytest.raises(BadInput, match="joint"):
        swerve.Mechanism(model, weights={"wrist": 1.0})


def test_times_of_a_mechanism_are_whole_steps_of_its_model():
    arm = swerve.Mechanism(ARM.replace("ACTUATORS", MOTORS))
    step = arm.model.opt.timestep
    with pytest.raises(BadInput, match="dt: must be a multiple"):
        swerve.plan(arm, arm.start, arm.state({"box x": 0.1}, np.nan), dt=2.5 * step, seconds=1)
    controls = np.array([[low for low, _ in arm.controls]])
    assert arm.step(arm.start[None], controls, 3 * step)[0, 0] == pytest.approx(3 * step)


def test_a_mechanism_knows_what_touches_at_its_start():
    touching = """<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1"/>
      <body name="cart" pos="0 0 0.2"><joint name="x" type="slide" axis="1 0 0" range="-1 1" limited="true"/>
      <geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
      <body name="post" pos="POST 0 0.2"><geom type="box" size="0.1 0.1 0.1"/></body></worldbody>
      <actuator><motor joint="x" ctrlrange="-5 5" ctrllimited="true"/></actuator></mujoco>"""
    near, far = (
        swerve.Mechanism(touching.replace("POST", at), avoid=[("cart", "post")]) for at in ("0.15", "0.9")
    )
    assert near.start[-1] == 1 and far.start[-1] == 0
    with pytest.raises(BadInput, match="start"):
        swerve.plan(near, near.start, near.state({"x": -0.5}, np.nan), seconds=1)
    plan = swerve.plan(far, far.start, far.state({"x": -0.5}, np.nan), seconds=30)
    assert plan.solved and "state x" in plan  # joints may be called anything
    with pytest.raises(BadInput, match="two bodies"):
        swerve.Mechanism(touching.replace("POST", "0.9"), avoid=[("cart", "cart")])
    with pytest.raises(BadInput, match="range of x"):
        swerve.Mechanism(touching.replace("POST", "0.9"), ranges={"x": (1,)})
