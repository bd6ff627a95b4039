"""What fitting says of ranges: that do not hold the world's own numbers, or that hold what cannot be."""

import json
from dataclasses import replace

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.tactics.loop import fit, with_materials
from swerve.tactics.loop.episodes import Episode, simulated, yard
from swerve.tactics.loop.errors import total_error
from swerve.tactics.loop.fit import number_of


@pytest.fixture(scope="module")
def world():
    return yard().world


@pytest.fixture(scope="module")
def episodes(world):
    """A putt on a carpet of which is known how it slows."""
    slot, row = world.slot("ball"), world.initial.copy()
    row[slot.qpos : slot.qpos + 2], row[slot.qvel] = (3.0, 0.0), 3.0
    begun = Episode("rolling", "ball", np.zeros((50, 2)), row)
    (way,) = simulated(with_materials(world, {"floor.rolling": 0.002}), [begun], fidelity="planar")
    return [replace(begun, xy=way)]


def test_before_is_the_worlds_own_number_wherever_fitting_begins(world, episodes):
    """It was the end of the range, and so was its error."""
    found = fit(world, episodes, {"floor.rolling": (0.003, 0.004)}, evaluations=8)
    own = total_error(episodes, simulated(world, episodes, fidelity="planar"))
    assert found.before == {"floor.rolling": 0.001} and found.error_before == own
    assert found.after["floor.rolling"] == pytest.approx(0.003, abs=1e-6)
    assert found.at_ends == ("floor.rolling",)


def test_what_a_material_does_not_say_is_not_nought(world):
    """The wood takes the ball's rebound; before fitting it was told to have none, with the error of that."""
    slot, row = world.slot("ball"), world.initial.copy()
    row[slot.qpos : slot.qpos + 2], row[slot.qvel : slot.qvel + 2] = (-0.5, 0.0), (3.0, 1.5)
    begun = Episode("bouncing", "ball", np.zeros((40, 2)), row)
    (way,) = simulated(with_materials(world, {"ball.restitution": 0.6}), [begun], fidelity="planar")
    bounced = [replace(begun, xy=way)]
    found = fit(world, bounced, {"walls.restitution": (0.0, 1.0)}, evaluations=20)
    assert found.before == {"walls.restitution": None}
    assert found.error_before == total_error(bounced, simulated(world, bounced, fidelity="planar"))
    assert found.after["walls.restitution"] == pytest.approx(2 * 0.6 - 0.75, abs=0.05)
    assert (
        number_of(world, "robot.mass") == 2.5 and number_of(with_materials(world, {}), "walls.upright") == 1.0
    )


def test_what_lies_within_is_at_no_end(world, episodes):
    found = fit(world, episodes, {"floor.rolling": (0.001, 0.004)}, evaluations=40)
    assert found.after["floor.rolling"] == pytest.approx(0.002, abs=2e-5) and found.at_ends == ()


@pytest.mark.parametrize("method", ["nelder-mead", "cma-es"])
def test_numbers_that_cannot_be_together_are_passed_over(world, episodes, method):
    """No friction of sliding is greater than that of sticking: fitting ended there."""
    stuck = with_materials(world, {"floor.static_friction": 0.45, "floor.rolling": 0.002})
    bounds = {"floor.friction": (0.1, 2.0), "floor.rolling": (1e-4, 4e-3)}
    found = fit(stuck, episodes, bounds, method, evaluations=30)
    assert found.error_after <= found.error_before < 0.01
    assert found.after["floor.friction"] <= 0.45
    with pytest.raises(BadInput, match="cannot be repeated where they begin"):
        fit(stuck, episodes, {"floor.friction": (0.6, 0.9)}, method, evaluations=30)


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (None, "swerve: parameters {}: no such file"),
        ({"ball.restitution": 5}, "swerve: parameters {}, ball.restitution: must be in [0, 1], got 5.0"),
    ],
)
def test_parameters_that_cannot_be_are_told_by_their_file(held, words, tmp_path, capsys):
    path = tmp_path / "p.json"
    if held is not None:
        path.write_text(json.dumps(held))
    assert (
        run(["play", "minigolf-one-bounce", "--parameters", str(path), "--out", str(tmp_path / "out")]) == 2
    )
    assert capsys.readouterr().err.strip() == words.format(path)
