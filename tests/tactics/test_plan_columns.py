"""What the columns of a plan hold, by name, of every kind of motion."""

import numpy as np
import pytest

from swerve.tactics import load_domain
from swerve.tactics.bodies import Motion
from swerve.tactics.columns import main_body, named_states


@pytest.mark.parametrize("domain", ["minigolf", "hallway", "pool", "drum", "docs/domains/gate.yaml"])
def test_columns_hold_what_the_scene_says_of_each_body(domain, request):
    path = request.config.rootpath / domain
    problem = load_domain(str(path) if path.exists() else domain, 2)
    world, rows = problem.world, np.tile(problem.start, (5, 1))
    for slot in world.slots.values():
        if slot.motion is Motion.PLANAR:
            rows[:, slot.qpos : slot.qpos + 2] += np.linspace(0, 1, 10).reshape(5, 2)
            rows[:, slot.qpos + 2] = [3.0, 3.1, -3.1, -3.0, 3.0]  # past half a turn and back
            rows[:, slot.qvel : slot.qvel + 3] = np.arange(15).reshape(5, 3)
    names, states = named_states(problem, rows)
    scene, column = problem.scene(rows), dict(zip(names, states.T, strict=True))
    assert len(set(names)) == len(names) == states.shape[1]
    moving = [name for name, slot in world.slots.items() if slot.motion is not Motion.NONE]
    for name in moving:
        place = np.column_stack([column[f"{name}.x"], column[f"{name}.y"]])
        assert np.array_equal(place, scene.position(name)[:, :2])
        assert np.abs(np.diff(column[f"{name}.heading"])).max() < 0.3
        if world.slot(name).motion is Motion.PLANAR:
            assert np.array_equal(column[f"{name}.yaw_rate"], rows[:, world.slot(name).qvel + 2])
    for name in ("x", "y", "heading"):
        assert np.array_equal(column[name], column[f"{main_body(problem)}.{name}"])
