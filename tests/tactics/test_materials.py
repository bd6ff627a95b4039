"""The numbers of a material mean what they say: measured against closed forms."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Body, Engine, Material, Role, World
from swerve.tactics.domains.build import ball, floor, mjcf, robot, walls

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


def test_two_restitutions_count_by_their_mean():
    after, _ = shots_at_a_wall(0.9, 0.0, surface_restitution=0.4)
    before = np.array([v * np.cos(a) for a, v in SHOTS])
    assert -after[:, 0] / before == pytest.approx(0.65, rel=0.01)


def moving(bodies, *parts, gravity=0.0, steps=30, speeds=()):
    """A world of `parts` and its last row, after some steps from velocities ((body, velocity), ...)."""
    world = World(mjcf(*parts, gravity=gravity), bodies)
    row = world.initial.copy()
    for name, velocity in speeds:
        at = world.slot(name).qvel
        row[at : at + len(velocity)] = velocity
    engine = Engine(world)
    for _ in range(steps):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
    return world, row


@pytest.mark.parametrize(("one", "other"), [(0.9, 0.3), (0.3, 0.9)])
@pytest.mark.parametrize("speed", [0.05, 0.19, 3.0])
def test_the_mean_restitution_counts_at_any_speed(one, other, speed):
    bodies = [
        Body("wall", Role.STATIC, Material(restitution=other)),
        Body("ball", Role.PASSIVE, Material(mass=MASS, restitution=one)),
    ]
    near = 0.1 * speed + RADIUS
    parts = walls("wall", [(near, -30.0, 9.0, 30.0)]), ball("ball", RADIUS)
    world, row = moving(bodies, *parts, speeds=[("ball", [speed])])
    assert row[world.slot("ball").qvel] == pytest.approx(-0.6 * speed, rel=1e-6)


@pytest.mark.parametrize(("one", "other"), [(0.8, 0.2), (0.2, 0.8)])
def test_two_restitutions_of_robots_and_walls_count_by_their_mean(one, other):
    bodies = [
        Body("wall", Role.STATIC, Material(restitution=other)),
        Body("first", Role.CONTROLLED, Material(mass=1.0, restitution=one)),
        Body("second", Role.CONTROLLED, Material(mass=1.0, restitution=other)),
    ]
    parts = [walls("wall", [(1.0, -5.0, 1.2, 5.0)]), robot("first"), robot("second")]
    world, row = moving(bodies[:2], *parts[:2], speeds=[("first", [2.0])], steps=60)
    assert row[world.slot("first").qvel] == pytest.approx(-1.0, rel=0.03)
    bodies[2] = Body("second", Role.CONTROLLED, Material(mass=1.0, restitution=other))
    world = World(mjcf(*parts[1:], gravity=0.0), bodies[1:])
    a, b = world.slot("first"), world.slot("second")
    row = world.initial.copy()
    row[a.qvel], row[b.qpos] = 2.0, 0.5
    engine = Engine(world)
    for _ in range(60):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
    assert row[b.qvel] - row[a.qvel] == pytest.approx(1.0, rel=0.03)


SPHERE = (
    f'<body name="ball" pos="0 0 {RADIUS}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="1"/></body>'
)
BOX = '<body name="box" pos="0.7 0 0"><freejoint/><geom type="box" size=".5 5 5" mass="1e5"/></body>'


@pytest.mark.parametrize(("mine", "its"), [(0.2, 0.2), (0.0, 0.4), (None, 0.3), (0.2, 0.0)])
def test_a_ball_leaves_a_free_box_as_it_leaves_a_wall(mine, its):
    """At any angle with e times the speed, and less min(μ(1+e)·normal, 2/7·tangent) along it."""
    bodies = [
        Body("box", Role.PASSIVE, Material(restitution=0.8, friction=its)),
        Body("ball", Role.PASSIVE, Material(mass=MASS, restitution=0.8, friction=mine)),
    ]
    mu = its if mine is None else (mine + its) / 2
    for angle in (0.0, 0.8, 1.2, 1.4):
        normal, tangent = 3.0 * np.cos(angle), 3.0 * np.sin(angle)
        speeds = [("ball", [normal, tangent])]
        world, row = moving(bodies, BOX, SPHERE, speeds=speeds, steps=60)
        at = world.slot("ball").qvel
        assert row[at] == pytest.approx(-0.8 * normal, rel=0.02)
        assert row[at + 1] == pytest.approx(tangent - min(mu * 1.8 * normal, 2 / 7 * tangent), rel=0.01)


SLIDE, PLANE = (
    '<joint type="slide" axis="1 0 0"/>',
    ('<joint type="slide" axis="{}"/>' * 2).format("1 0 0", "0 1 0"),
)
PLATE = '<body name="{}" pos="0 0 -0.1">{}<geom type="box" size="20 5 0.1" mass="1e5"/>{}</body>'


@pytest.mark.parametrize(
    ("joints", "inner"),
    [
        (SLIDE, ""),
        (PLANE + '<joint type="hinge" axis="0 0 1"/>', ""),
        (SLIDE, '<body name="link" pos="0 0 0.1">{}<geom type="box" size="9 4 0.1" mass="1"/></body>'),
    ],
)
def test_a_ball_is_dragged_along_by_what_it_lies_on(joints, inner):
    """A plate that runs at u makes a ball roll at 2/7·u, whatever joint carries it, or the plate below it."""
    bodies = [Body("plate", Role.FOREIGN, Material(friction=0.5))]
    bodies += [Body("link", Role.FOREIGN, Material(friction=0.5))] if inner else []
    bodies += [Body("ball", Role.PASSIVE, Material(mass=MASS, friction=0.5))]
    text = PLATE.format("plate", joints, inner.format('<joint type="slide" axis="0 1 0"/>'))
    world = World(mjcf(text, SPHERE), bodies)
    row, slot = world.initial.copy(), world.slot("ball")
    row[slot.qpos + 2] = RADIUS + (0.2 if inner else 0.0)
    row[world.slot("plate").qvel] = 1.0
    engine = Engine(world)
    for _ in range(60):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
    assert row[slot.qvel : slot.qvel + 2] == pytest.approx([2 / 7, 0.0], rel=0.01, abs=1e-3)
    assert row[slot.qvel + 4] == pytest.approx(-5 / 7 / RADIUS, rel=0.01)


def test_a_turning_link_and_a_turning_box_take_a_ball_along():
    """Sideways, by what their surfaces do where they touch the ball: ω·r, not what their middles do."""
    link = (
        '<body name="base"><joint type="slide" axis="0 0 1"/><geom type="sphere" size="0.01" mass="1e5"/>'
        '<body name="box"><joint type="hinge" axis="0 1 0"/>'
        '<geom type="box" size="0.5 5 0.5" mass="1e5"/></body></body>'
    )
    for model, rates in ((link, [-0.2]), (BOX.replace("0.7 0 0", "0 0 0"), [0, 0, 0, 0, -0.2, 0])):
        carried = model is link
        bodies = [Body("base", Role.FOREIGN)] if carried else []
        bodies += [
            Body("box", Role.FOREIGN, Material(friction=0.5)),
            Body("ball", Role.PASSIVE, Material(mass=MASS, restitution=1.0)),
        ]
        world = World(mjcf(model, SPHERE, gravity=0.0), bodies)
        row, slot = world.initial.copy(), world.slot("ball")
        row[slot.qpos], row[slot.qvel] = -0.5 - RADIUS - 0.001, 0.3
        box = world.slot("box")
        row[box.qvel : box.qvel + len(rates)] = rates
        row = Engine(world).step(row[None], np.zeros((1, world.model.nv)))[0][0]
        # at x = -0.5 the face moves up or down at 0.2·0.5: 2/7 of that is passed on
        assert row[slot.qvel + 2] == pytest.approx(-0.1 * 2 / 7, rel=0.05)


def test_sensors_of_a_users_model_are_not_taken_for_collisions():
    model = mjcf(walls("wall", [(1.0, -5.0, 1.2, 5.0)]), ball("ball", RADIUS), gravity=0.0)
    own = '<sensor><framepos objtype="body" objname="wall"/><clock/></sensor></mujoco>'
    bodies = [Body("wall", Role.STATIC), Body("ball", Role.PASSIVE)]
    world = World(model.replace("</mujoco>", own), bodies, [("ball", "wall")])
    row = world.initial.copy()
    row[world.slot("ball").qpos] = 0.5
    assert not Engine(world).step(row[None], np.zeros((1, world.model.nv)))[1].any()


def test_a_ball_turns_round_where_it_touches():
    """Two shots at a wall, one a hundredth of a substep further on, are as far apart afterwards: where the
    ball turns round does not depend on where the substeps fall."""
    material = Material(mass=MASS, restitution=0.8)
    model = mjcf(walls("wall", [(1.0, -30.0, 1.2, 30.0)]), ball("ball", RADIUS), gravity=0.0)
    world = World(model, [Body("wall", Role.STATIC), Body("ball", Role.PASSIVE, material)])
    slot = world.slot("ball")
    rows = np.tile(world.initial, (50, 1))
    rows[:, slot.qpos] = 0.7 + np.linspace(0.0, 5.0 / 240, 50)
    rows[:, slot.qvel] = 5.0
    way = 1.0 - RADIUS - rows[:, slot.qpos]
    engine = Engine(world, len(rows))
    for _ in range(12):
        rows, _ = engine.step(rows, np.zeros((len(rows), world.model.nv)))
    back = 0.8 * (5.0 * 12 / 60 - way)
    assert rows[:, slot.qpos] == pytest.approx(1.0 - RADIUS - back, abs=1e-6)


def two_balls(speed, offsets, friction=None, timestep=1 / 240):
    """One ball shot at another that lies, passing its middle by `offsets` (n,) of two radii; the velocities
    (n, 2) of both afterwards, and the spin (n,) of the second about the vertical."""
    ivory = Material(mass=MASS, restitution=0.9, friction=friction)
    model = mjcf(ball("one", RADIUS, MASS), ball("two", RADIUS, MASS), gravity=0.0)
    bodies = [Body(name, Role.PASSIVE, ivory) for name in ("one", "two")]
    world = World(model, bodies, [("one", "two")], timestep, round(1 / 60 / timestep))
    one, two = world.slot("one"), world.slot("two")
    rows = np.tile(world.initial, (len(offsets), 1))
    rows[:, one.qpos] = -0.3 - 0.011 * np.arange(len(offsets)) % 0.05
    rows[:, one.qpos + 1] = offsets * 2 * RADIUS
    rows[:, one.qvel] = speed
    engine = Engine(world, len(rows))
    hit = np.zeros(len(rows), dtype=bool)
    for _ in range(20):
        rows, touched = engine.step(rows, np.zeros((len(rows), world.model.nv)))
        hit |= touched[:, 0]
    assert (hit == (np.abs(offsets) < 1)).all()
    return rows[:, one.qvel : one.qvel + 2], rows[:, two.qvel : two.qvel + 2], rows[:, two.qvel + 5]


@pytest.mark.parametrize("speed", [1.0, 4.0, 8.0])
def test_a_ball_that_is_hit_leaves_along_the_line_of_the_middles(speed):
    """At any angle, at the default step: 0.5 degrees are asked for, and there is no error but rounding."""
    offsets = np.linspace(-0.98, 0.98, 99)
    first, second, spin = two_balls(speed, offsets)
    angle = np.arctan2(second[:, 1], second[:, 0])
    assert np.degrees(angle + np.arcsin(offsets)) == pytest.approx(0.0, abs=0.01)
    along = speed * np.sqrt(1 - offsets**2)
    assert np.hypot(*second.T) == pytest.approx(0.95 * along)  # (1 + e)/2
    assert first + second == pytest.approx(np.tile([speed, 0.0], (99, 1)))
    assert spin == pytest.approx(0.0, abs=1e-9)


def test_balls_that_rub_throw_and_spin_each_other():
    """Coulomb's law across the blow: μ·(1 + e)/2 of the normal speed, or 1/7 of the tangent's."""
    offsets = np.linspace(0.05, 0.9, 18)
    mu = 0.06
    first, second, spin = two_balls(3.0, offsets, friction=mu)
    normal, tangent = 3.0 * np.sqrt(1 - offsets**2), 3.0 * offsets
    thrown = np.minimum(mu * 0.95 * normal, tangent / 7)
    line = -np.arcsin(offsets)
    across = -np.sin(line) * second[:, 0] + np.cos(line) * second[:, 1]
    assert across == pytest.approx(thrown, rel=1e-6)
    assert np.abs(spin) == pytest.approx(2.5 * thrown / RADIUS, rel=1e-6)
    assert first + second == pytest.approx(np.tile([3.0, 0.0], (18, 1)))


def test_a_row_of_touching_balls_passes_a_blow_on():
    ivory = Material(mass=MASS, restitution=1.0)
    names = [f"ball {k}" for k in range(5)]
    world = World(
        mjcf(*(ball(name, RADIUS, MASS) for name in names), gravity=0.0),
        [Body(name, Role.PASSIVE, ivory) for name in names],
    )
    row = world.initial.copy()
    for k, name in enumerate(names):
        row[world.slot(name).qpos] = k * 2 * RADIUS * (1 + 1e-9)
    row[world.slot(names[0]).qpos] -= 0.1
    row[world.slot(names[0]).qvel] = 3.0
    engine = Engine(world)
    for _ in range(10):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
    speeds = [row[world.slot(name).qvel] for name in names]
    assert speeds == pytest.approx([0, 0, 0, 0, 3.0], abs=1e-6)


@pytest.mark.parametrize(("pull", "rolls"), [(0.35, True), (0.65, False)])
def test_static_friction_lets_a_ball_roll_where_it_would_slide(pull, rolls):
    """A force of `pull` times the weight at the middle needs 2/7 of it as friction: it rolls while that is
    less than the coefficient of sticking, 0.15, though that of sliding is 0.05."""
    floor_of = Material(friction=0.05, static_friction=0.15)
    world = World(
        mjcf(floor(), ball("ball", RADIUS)),
        [
            Body("floor", Role.STATIC, floor_of, floor=True),
            Body("ball", Role.CONTROLLED, Material(mass=MASS)),
        ],
    )
    slot = world.slot("ball")
    row, force = world.initial.copy(), np.zeros((1, world.model.nv))
    force[0, slot.dof] = pull * MASS * 9.81
    engine = Engine(world)
    for _ in range(30):
        row = engine.step(row[None], force)[0][0]
    turned = np.hypot(*row[slot.qvel + 3 : slot.qvel + 5]) * RADIUS
    assert (abs(row[slot.qvel] - turned) < 0.02 * row[slot.qvel]) == rolls


def test_roles_kept_apart_pass_through_each_other():
    names = ("one", "two")
    parts = mjcf(
        *(ball(name, RADIUS, MASS) for name in names), walls("wall", [(1.0, -1.0, 1.2, 1.0)]), gravity=0.0
    )
    for apart, stopped in (((), True), (((Role.PASSIVE, Role.STATIC), (Role.PASSIVE, Role.PASSIVE)), False)):
        bodies = [Body("wall", Role.STATIC), *(Body(name, Role.PASSIVE) for name in names)]
        world = World(parts, bodies, apart=apart)
        row = world.initial.copy()
        row[world.slot("one").qpos], row[world.slot("one").qvel] = 0.4, 4.0
        row[world.slot("two").qpos] = 0.7
        engine = Engine(world)
        for _ in range(30):
            row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
        assert (row[world.slot("one").qpos] < 1.0) == stopped
        assert (row[world.slot("two").qpos] != 0.7) == stopped


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


def test_friction_up_and_down_is_a_share_and_that_of_two_their_mean():
    from swerve.tactics.materials import pair_upright

    assert pair_upright(Material(), Material()) == 1.0
    assert pair_upright(Material(), Material(upright=0.2)) == 0.2
    assert pair_upright(Material(upright=0.0), Material(upright=1.0)) == 0.5
    with pytest.raises(BadInput, match="upright"):
        Material(upright=1.5).validate("wall")
