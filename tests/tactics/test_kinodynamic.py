"""Planning over a user's function and in an occupancy map."""

import matplotlib.image
import numpy as np
import pytest

import swerve
from swerve.core.errors import BadInput
from swerve.tactics import OccupancyMap


def drive(states, controls, dt):
    return states + dt * controls


def test_a_users_function_is_planned_round_the_walls_of_a_map(tmp_path):
    shades = np.ones((40, 40))
    shades[:30, 18:22] = 0.0  # a wall from the top, open at the bottom
    matplotlib.image.imsave(tmp_path / "map.png", shades, cmap="gray", vmin=0, vmax=1)
    text = "image: map.png\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\n"
    text += "occupied_thresh: 0.65\nfree_thresh: 0.2\n"
    (tmp_path / "map.yaml").write_text(text)
    free = OccupancyMap.read(tmp_path / "map.yaml").free(0.05)
    assert free(np.array([[1.0, 3.0], [2.0, 3.0], [2.0, 0.5], [-1.0, 0.0]])).tolist() == [
        True,
        False,
        True,
        False,
    ]
    space = swerve.Space([0, 0], [4, 4], columns=("a", "b"))
    options = {"controls": [(-1, 1), (-1, 1)], "space": space, "valid": free}
    plan = swerve.plan(drive, [1, 3], [3, 3], tolerance=0.2, seconds=20, seed=1, **options)
    assert plan.solved and free(plan.states).all()
    assert np.hypot(*(plan.states[-1] - [3, 3])) <= 0.2
    assert np.allclose(plan.states[1:], drive(plan.states[:-1], plan.controls, 0.1))
    with pytest.raises(BadInput, match="start"):
        swerve.plan(drive, [2, 3], [3, 3], **options)
