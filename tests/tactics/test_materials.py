"""The numbers of a material mean what they say: measured against closed forms."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Body, Engine, Material, Role, World
from swerve.tactics.domains.build import ball, floor, mjcf, walls

RADIUS, MASS = 0.0215, 0.046
ANGLES = np.radians([11.25, 22.5, 33.75, 45.0, 56.25, 67.5, 78.75])
SPEEDS = (3.0, 4.5, 6.0, 7.5)
SHOTS = [(angle, speed) for angle in ANGLES for speed in SPEEDS]


def shots_at_a_wall(restitution, friction, surface_restitution=None):
    """Velocity (n, 2) and spin about z (n,) after hitting a wall at x = 1 without gravity."""
    material = Material(mass=MASS, restitution=restitution, friction=friction)
    surface = Material(friction=friction, restitution=surface_restitution)
    model = mjcf(walls("wall", [(1.0, -30.0, 1.2, 30.0)]), ball("ball", RADIUS), gravity=0.0)
    world = World(
        model, [Body("wall", Role.STATIC, surface), Body("ball", Role.PASSIVE, material)], [("ball", "wall")]
    )
    slot = world.slot("ball")
    rows = np.tile(world.initial, (len(SHOTS), 1))
    for row, (angle, speed) in zip(rows, SHOTS, strict=True):
        row[slot.qpos] = 0.6
        row[slot.qvel : slot.qvel + 2] = speed * np.cos(angle), speed * np.sin(angle)
    engine = Engine(world, len(rows))
    hit = np.zeros(len(rows), dtype=bool)
    for _ in range(60):
        rows, touched = engine.step(rows, np.zeros((len(rows), world.model.nv)))
        hit |= touched[:, 0]
    assert hit.all()
    return rows[:, slot.qvel : slot.qvel + 2], rows[:, slot.qvel + 5]


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_restitution_is_what_was_asked_for(restitution):
    after, _ = shots_at_a_wall(restitution, 0.0)
    before = np.array([[v * np.cos(a), v * np.sin(a)] for a, v in SHOTS])
    assert after[:, 0] == pytest.approx(-restitution * before[:, 0], rel=0.01, abs=1e-9)
    assert after[:, 1] == pytest.approx(before[:, 1], rel=1e-9)


def test_a_surface_with_its_own_restitution_decides():
    after, _ = shots_at_a_wall(0.9, 0.0, surface_restitution=0.4)
    before = np.array([v * np.cos(a) for a, v in SHOTS])
    assert -after[:, 0] / before == pytest.approx(0.4, rel=0.01)


@pytest.mark.parametrize("friction", [0.1, 0.2, 0.5])
def test_friction_in_a_bounce_is_coulombs(friction):
    """Rigid Coulomb impact: the tangent loses min(μ(1+e)·normal, 2/7·tangent), and spin takes it up."""
    e = 0.8
    after, spin = shots_at_a_wall(e, friction)
    normal = np.array([v * np.cos(a) for a, v in SHOTS])
    tangent = np.array([v * np.sin(a) for a, v in SHOTS])
    lost = np.minimum(friction * (1 + e) * normal, 2 / 7 * tangent)
    assert after[:, 0] == pytest.approx(-e * normal, rel=0.05)
    assert after[:, 1] == pytest.approx(tangent - lost, rel=0.05)
    assert spin == pytest.approx(-2.5 * lost / RADIUS, rel=0.05)


@pytest.mark.parametrize("arm", [0.0005, 0.001, 0.002])
def test_rolling_decelerates_as_it_should(arm):
    carpet = Material(friction=0.5, rolling=arm)
    world = World(
        mjcf(floor(), ball("ball", RADIUS)),
        [Body("floor", Role.STATIC, carpet, floor=True), Body("ball", Role.PASSIVE, Material(mass=MASS))],
    )
    slot = world.slot("ball")
    row = world.initial.copy()
    row[slot.qvel], row[slot.qvel + 4] = 3.0, 3.0 / RADIUS
    engine = Engine(world)
    speeds = []
    for _ in range(100):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
        speeds.append(row[slot.qvel])
    seconds = (len(speeds) - 11) * world.step_seconds
    assert (speeds[10] - speeds[-1]) / seconds == pytest.approx(5 / 7 * arm * 9.81 / RADIUS, rel=0.02)


@pytest.mark.parametrize(
    ("field", "value"),
    [("mass", 0.0), ("mass", -1.0), ("restitution", 1.2), ("friction", -0.1), ("rolling", np.nan)],
)
def test_a_material_that_cannot_be_is_refused_by_name(field, value):
    with pytest.raises(BadInput, match=rf"body ball, material\.{field}"):
        World(mjcf(ball("ball")), [Body("ball", Role.PASSIVE, Material(**{field: value}))])


def test_a_heavier_mass_scales_the_inertia():
    one, two = (
        World(mjcf(ball("ball")), [Body("ball", Role.PASSIVE, Material(mass=m))]).model for m in (0.1, 0.2)
    )
    assert two.body_inertia[1] == pytest.approx(2 * one.body_inertia[1])


def test_mjcf_that_does_not_parse_is_refused_in_one_line():
    with pytest.raises(BadInput, match="MJCF: does not parse"):
        World("<mujoco><worldbody>", [])


def test_unknown_bodies_are_named():
    with pytest.raises(BadInput, match="body bat: is not in the MJCF"):
        World(mjcf(ball("ball")), [Body("bat", Role.PASSIVE)])
    with pytest.raises(BadInput, match="collision of ball and bat: no such body"):
        World(mjcf(ball("ball")), [Body("ball", Role.PASSIVE)], [("ball", "bat")])
