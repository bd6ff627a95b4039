"""The planar model takes no world of which it does not know all: what it takes moves as in the engine."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import SolveOptions, load_domain
from swerve.tactics.bodies import Body, Role, World
from swerve.tactics.domains import duel
from swerve.tactics.engine import Engine
from swerve.tactics.flat import strange
from swerve.tactics.loop import fit
from swerve.tactics.loop.episodes import Episode
from swerve.tactics.materials import Material
from swerve.tactics.planar import Planar, PlanarEngine

LEVEL = 'gravity="0 0 -9.81"'
BAR = (
    '<body name="bar" pos="{at} .1"><joint type="hinge" axis="0 0 1" {how}/>'
    '<geom type="box" size=".05 .5 .1" mass=".5" {geom}/></body>'
)
WALL = '<body name="wall"><geom type="box" pos="{at}" size=".05 .5 .1" {geom}/></body>'


def world_of(*, option=LEVEL, ball="", slide="", geom="", more="", after=""):
    """A ball that rolls over the ground, a puck that slides over it, and what else there is."""
    model = f"""<mujoco><option {option}/><worldbody>
<body name="ground"><geom type="plane" size="9 9 .1"/></body>
<body name="ball" pos="0 2 .0215"><joint name="b" type="free" {ball}/>
<geom type="sphere" size=".0215" mass=".046"/></body>
<body name="puck" pos="0 0 .075">
<joint name="x" type="slide" axis="1 0 0" {slide}/>
<joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>
<geom type="cylinder" size=".09 .07" mass="1" {geom}/></body>
{more}</worldbody>{after}</mujoco>"""
    bodies = [
        Body("ground", Role.STATIC, Material(friction=0.3, rolling=0.001), True),
        Body("ball", Role.PASSIVE, Material(restitution=0.8, friction=0.2)),
        Body("puck", Role.PASSIVE, Material(restitution=0.8)),
    ]
    for name, role in (("bar", Role.PASSIVE), ("wall", Role.STATIC)):
        if f'name="{name}"' in more:
            bodies.append(Body(name, role, Material(restitution=0.8, friction=0.0)))
    return World(model, bodies)


def apart(world, steps=70):
    """How far [m or rad] bodies end from each other on the two models."""
    row, none = world.initial.copy(), np.zeros((1, world.model.nv))
    row[world.slot("ball").qvel] = row[world.slot("puck").qvel] = 1.5
    ends = []
    for engine in (Engine(world, 1), PlanarEngine(world)):
        now = row[None].copy()
        for _ in range(steps):
            now, _ = engine.step(now, none)
        ends.append(now[0])
    slots = [world.slot(name) for name in world.slots if name not in ("ground", "wall")]
    columns = [s.qpos + k for s in slots for k in range(1 if s.motion.value == "turning" else 2)]
    return float(np.abs(ends[0] - ends[1])[columns].max())


KNOWN = {
    "alone": {},
    "a ball that the MJCF slows down": {"ball": 'damping="0.05"'},
    "a puck that it slows down": {"slide": 'damping="2"'},
    "a bar that nothing turns": {"more": BAR.format(at="1 .2", how='armature="1e4"', geom="")},
    "a wall": {"more": WALL.format(at="1 0 .1", geom="")},
    "a wall of air": {"more": WALL.format(at="1 0 .1", geom='contype="0" conaffinity="0"')},
}
STRANGE = {
    "a slope": {"option": 'gravity="0.5 0 -9.8"'},
    "water": {"option": f'{LEVEL} density="1000" viscosity="1"'},
    "friction of a joint": {"slide": 'frictionloss="1"'},
    "a spring": {"slide": 'stiffness="5"'},
    "an end": {"slide": 'range="-0.3 0.3" limited="true"'},
    "a ball that sticks": {"ball": 'frictionloss="0.05"'},
    "a puck beside its joint": {"geom": 'pos="0.3 0 0"', "more": WALL.format(at="1 0 .1", geom="")},
    "a bar that gives way": {"more": BAR.format(at="1 .2", how="", geom="")},
    "a door": {"more": BAR.format(at="1 .6", how='armature="1e4"', geom='pos="0 .5 0"')},
    "a bar that brakes": {"more": BAR.format(at="1 .2", how='armature="1e4" damping="1"', geom="")},
    "a bar that a wall stops": {
        "more": BAR.format(at="3 .2", how='armature="1e4"', geom="") + WALL.format(at="3.4 0 .1", geom="")
    },
    "a lintel": {"more": WALL.format(at="1 0 1", geom="")},
    "a wall that is not listed": {"more": '<geom type="box" pos="1 0 .1" size=".05 .5 .1"/>'},
    "a wall that stands aslant": {"more": WALL.format(at="1 0 .1", geom='euler="0 0 30"')},
    "a wall that is a plane": {
        "more": '<body name="wall"><geom type="plane" size="2 2 .1" pos="1 0 0" zaxis="-1 0 0"/></body>'
    },
    "a wall that it is to pass": {
        "more": WALL.format(at="1 0 .1", geom=""),
        "after": '<contact><exclude body1="puck" body2="wall"/></contact>',
    },
    "contacts switched off": {"option": f"{LEVEL}><flag contact='disable'/></option><option"},
    "a motor": {"after": '<actuator><position joint="x" kp="5"/></actuator>'},
}


@pytest.mark.parametrize("what", KNOWN)
def test_what_is_known_moves_as_in_the_engine(what):
    world = world_of(**KNOWN[what])
    assert Planar.fits(world) and apart(world) < 0.02


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_not_known_is_told(what):
    """It was taken for known, and moved otherwise: fits of users' domains hung on it."""
    assert strange(world_of(**STRANGE[what])) and not Planar.fits(world_of(**STRANGE[what]))


def test_shipped_worlds_of_the_games_are_known():
    for name in ("minigolf", "minigolf-one-bounce", "soccer", "hallway", "maze", "navigation"):
        assert strange(load_domain(name, 3).world) == ""
    assert strange(duel.build().world) == ""


def test_a_slope_is_fitted_in_the_engine():
    """A puck slides down it, braked by its damping: on level ground it would stand."""
    world = world_of(option='gravity="0.5 0 -9.8"', slide='damping="0.0001"')
    slot, row, way = world.slot("puck"), world.initial.copy(), []
    row[slot.qvel] = 0.3
    speed, place, damping = 0.3, 0.0, 0.8
    for _ in range(60):
        way.append((place, 0.0))
        for _ in range(100):  # of a kilogram, in sixty thousandths of a second
            speed += (0.5 - damping * speed) / 6000
            place += speed / 6000
    found = fit(
        world, [Episode("place", "puck", np.array(way), row)], {"puck.damping": (0.0, 2.0)}, evaluations=25
    )
    assert found.after["puck.damping"] == pytest.approx(damping, abs=0.02)


def test_who_asks_for_the_model_is_told_why_not():
    from swerve.tactics.search import Search

    with pytest.raises(BadInput, match="more than discs, upright boxes and one ball: more than one ball"):
        Search(load_domain("pool"), None, SolveOptions(fidelity="both"))
