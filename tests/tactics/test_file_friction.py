"""What models of domain files say of friction counts where the file says nothing."""

import numpy as np
import pytest
from test_file_places import MODEL, PUSH, written

from swerve.core.errors import BadInput
from swerve.tactics import Engine, load_domain
from swerve.tactics.domains.rubbing import UNSAID, friction_said

PLANE, BOX = 'size="9 9 0.1"', 'size="0.1 0.1 0.1" mass="0.5"'
BARE = {
    name: {key: value for key, value in body.items() if key != "material"}
    for name, body in PUSH["bodies"].items()
}


def slid(problem, speed=1.0, seconds=1.0):
    """How far the box slides that is pushed off at a speed [m]."""
    world, row = problem.world, problem.start.copy()
    slot, engine = world.slot("box"), Engine(world)
    row[slot.qvel + 1] = speed
    for _ in range(round(seconds / world.step_seconds)):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
    return row[slot.qpos + 1] - problem.start[slot.qpos + 1]


def test_a_box_slides_as_far_as_the_models_friction_lets_it(tmp_path):
    """It slid for ever: 1 m in a second at 1 m/s."""
    model = MODEL.replace(PLANE, f'{PLANE} friction="0.5"').replace(BOX, f'{BOX} friction="1"')
    braking = 0.75 * 9.81  # the mean of both
    assert slid(load_domain(written(tmp_path, model, BARE))) == pytest.approx(0.5 / braking, rel=0.1)
    assert slid(load_domain(written(tmp_path, MODEL, BARE))) == pytest.approx(
        1.0, rel=0.02
    )  # nobody says any


def test_a_material_of_the_file_comes_before_the_model(tmp_path):
    model = MODEL.replace(PLANE, f'{PLANE} friction="1"').replace(BOX, f'{BOX} friction="1"')
    materials = load_domain(written(tmp_path, model)).world.by_name
    assert (materials["box"].material.friction, materials["ground"].material.friction) == (0.3, 0.4)


def test_geoms_of_several_frictions_need_a_material(tmp_path):
    both = (
        BOX.replace("0.5", "0.2")
        + ' friction="0.3"/><geom type="box" size="0.1 0.1 0.1" mass="0.3" friction="0.6"'
    )
    model = MODEL.replace(BOX, both)
    with pytest.raises(BadInput, match=r"body box, material.friction: is needed, .* got \[0.3, 0.6\]"):
        load_domain(written(tmp_path, model, BARE))
    load_domain(written(tmp_path, model))


def test_friction_is_found_wherever_a_model_says_it():
    model = """<?xml version="1.0"?><!-- <mujoco> --><mujoco model="a>b"><default><default class="slick">
      <geom friction=".2"/></default></default><worldbody><geom type="plane" size="1 1 1" friction=".7"/>
      <body name="one"><geom size=".1" friction="1"/></body>
      <frame><body name="bare"><geom size=".1"/></body></frame>
      <body name="two"><geom size=".1" class="slick"/><geom size=".1"/></body></worldbody></mujoco>"""
    said = friction_said(model)
    assert said == {"world": {0.7}, "one": {1.0}, "two": {0.2, UNSAID}, "bare": {UNSAID}}
    everywhere = model.replace("<default><default", '<default><geom friction="0.4"/><default')
    assert friction_said(everywhere)["bare"] == {0.4}
