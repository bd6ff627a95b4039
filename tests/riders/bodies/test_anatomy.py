"""Shapes have the mass and moments of geometry, and impossible riders are refused by name."""

import copy
import math

import mujoco
import numpy as np
import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from swerve.core.errors import BadInput
from swerve.riders.bodies import shapes
from swerve.riders.bodies.anatomy import define_rider, read_rider
from swerve.riders.bodies.rider import DATA, load_rider

length = st.floats(0.02, 1.0)
place = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
density = st.floats(200.0, 3000.0)


def mujoco_inertia(geom: str, density: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, middle and moments as MuJoCo finds them."""
    body = f'<body><freejoint/><geom density="{density!r}" {geom}/></body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    turn = turn.reshape(3, 3)
    return model.body_mass[1], model.body_ipos[1], turn @ np.diag(model.body_inertia[1]) @ turn.T


def text(*values: float) -> str:
    return " ".join(f"{value!r}" for value in values)


def assert_agree(solid: shapes.Solid, other: tuple[float, np.ndarray, np.ndarray]) -> None:
    assert solid.mass == pytest.approx(other[0], rel=1e-9)
    np.testing.assert_allclose(solid.middle, other[1], atol=1e-9)
    np.testing.assert_allclose(solid.inertia, other[2], atol=1e-6 * other[2].max())


@given(place, st.tuples(length, length, length), density)
@settings(max_examples=40, deadline=None)
def test_ellipsoids_and_boxes(centre, sizes, density):
    where = f'pos="{text(*centre)}" size="{text(*sizes)}"'
    assert_agree(
        shapes.ellipsoid(centre, sizes, density), mujoco_inertia(f'type="ellipsoid" {where}', density)
    )
    assert_agree(shapes.box(centre, sizes, density), mujoco_inertia(f'type="box" {where}', density))


@given(place, place, length, density)
@settings(max_examples=40, deadline=None)
def test_capsules(start, end, radius, density):
    assume(math.dist(start, end) >= 0.01)
    geom = f'type="capsule" fromto="{text(*start)} {text(*end)}" size="{radius!r}"'
    assert_agree(shapes.capsule(start, end, radius, density), mujoco_inertia(geom, density))


@given(place, length, density, st.integers(0, 2**31))
@settings(max_examples=5, deadline=None)
def test_moments_are_sums_over_the_volume(centre, size, density, seed):
    """Two solids together, against points thrown at random."""
    one = shapes.ellipsoid(centre, (size, 2 * size, size), density)
    other = shapes.box(np.add(centre, (4 * size, 0, 0)), (size, size, size), 2 * density)
    random = np.random.default_rng(seed)
    cube = random.uniform(-1, 1, (40_000, 3))
    ball = cube[np.linalg.norm(cube, axis=1) < 1] * (size, 2 * size, size) + centre
    block = cube * size + np.add(centre, (4 * size, 0, 0))
    points = np.vstack([ball, block])
    weights = np.concatenate(
        [np.full(len(ball), one.mass / len(ball)), np.full(len(block), other.mass / len(block))]
    )
    both = one + other
    middle = weights @ points / weights.sum()
    arm = points - middle
    inertia = (weights * (arm**2).sum(1)).sum() * np.eye(3) - (weights[:, None] * arm).T @ arm
    np.testing.assert_allclose(both.middle, middle, atol=0.05 * size)
    np.testing.assert_allclose(both.inertia, inertia, atol=0.03 * inertia.max())


@pytest.fixture
def human() -> dict:
    return yaml.safe_load((DATA / "human.yaml").read_text())


def changed(rider: dict, path: tuple, value: object) -> dict:
    rider = copy.deepcopy(rider)
    part = rider
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return rider


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("segments", 4, "shapes", 0, "density"), -1050.0, r"density.*-1050"),
        (("segments", 4, "shapes", 0, "radius"), math.nan, r"radius.*nan"),
        (("bicycle", "rear_mass"), -1.5, r"rear_mass.*-1.5"),
        (("bicycle", "wheels"), 3.0, "wheels"),
        (("speed",), math.inf, r"speed.*inf"),
        (("seat",), 1, "seat"),
        (("control", "courage"), 1, "courage"),
        (("segments", 2, "parent"), "tail", "tail"),
        (("segments", 2, "rest"), [0.0], "rest angle"),
        (("segments", 6, "grips"), None, "tip and grips"),
        (("turns",), [0.5, 1.0], "turns"),
    ],
)
def test_impossible_riders_are_refused_by_name(human, path, value, named):
    with pytest.raises(BadInput, match=named):
        define_rider(changed(human, path, value), "rider odd.yaml")


def test_rider_that_cannot_reach_the_bar_is_refused(human, tmp_path):
    file = tmp_path / "short.yaml"
    file.write_text(yaml.safe_dump(changed(human, ("fittings", "bar"), [1.6, 0.21, 0.93])))
    with pytest.raises(BadInput, match="cannot reach"):
        load_rider(file)


def test_files_that_are_no_riders_are_refused(tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("name: [")
    absent = tmp_path / "none.yaml"
    for path, named in ((broken, "cannot be read"), (absent, "no such file"), ("horse", "horse")):
        with pytest.raises(BadInput, match=named):
            load_rider(path)


def test_left_and_right_are_mirror_images():
    solids = {limb.name: limb.solid() for limb in read_rider(DATA / "alien.yaml").limbs()}
    for name, solid in solids.items():
        if name.startswith("left "):
            other = solids[name.replace("left", "right")]
            assert solid.mass == pytest.approx(other.mass)
            np.testing.assert_allclose(solid.middle * (1, -1, 1), other.middle)
