"""MJCF of a rider on a bicycle, from the definition of both.

Hands are tied to the bar and feet to the pedals by `connect` constraints, the chain ties the crank to the
rear wheel, and every joint of the rider has a controller: torque = stiffness (target − angle) − damping ·
rate, with the target set by `balance`. Nothing turns the bar or the wheels but the rider's own joints.
"""

from __future__ import annotations

import math

from .anatomy import RiderDefinition, Segment, hinges, numbers
from .bicycle import FRAME, FRONT_WHEEL, REAR_SPIN, REAR_WHEEL, machine_xml, world_xml

CRANK, SADDLE = "crank", "pelvis"  # joints
TIES = 2.5  # time constant of hands, feet and chain, in time steps


def cyclist_xml(rider: RiderDefinition, timestep: float) -> str:
    """MJCF of the rider on its bicycle at the origin, all angles zero."""
    limbs = rider.limbs()
    on_frame = _crank(rider) + _tubes(rider) + _limb(rider, limbs[0], limbs)
    return world_xml(
        rider.name,
        timestep,
        rider.machine.gravity,
        machine_xml(rider.machine, on_frame, _bar(rider)),
        _ties(rider, timestep) + _actuators(limbs) + _sensors(),
    )


def _limb(rider: RiderDefinition, limb: Segment, limbs: tuple[Segment, ...]) -> str:
    """A segment with everything that sits on it."""
    if limb.parent == "saddle":
        x, z = rider.fittings.saddle
        at, joints = (x + limb.at[0], limb.at[1], z + limb.at[2]), _seat(rider)
    else:
        at, joints = limb.at, "".join(_hinges(limb))
    solid = limb.solid()
    i = solid.inertia
    moments = numbers((i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))
    geoms = "".join(
        f'<geom name="{limb.name} {k}" class="limb" {shape.geom()}/>' for k, shape in enumerate(limb.shapes)
    )
    tip = "" if limb.tip is None else f'<site name="{limb.name}" pos="{numbers(limb.tip)}"/>'
    rest = "".join(_limb(rider, other, limbs) for other in limbs if other.parent == limb.name)
    return f"""<body name="{limb.name}" pos="{numbers(at)}">{joints}
      <inertial pos="{numbers(solid.middle)}" mass="{solid.mass:.12g}" fullinertia="{moments}"/>
      {geoms}{tip}{rest}</body>"""


def _seat(rider: RiderDefinition) -> str:
    f = rider.fittings
    return (
        f'<joint name="{SADDLE}" type="hinge" axis="0 1 0" stiffness="{f.saddle_stiffness}" '
        f'damping="{f.saddle_damping}"/>'
    )


def _hinges(limb: Segment) -> list[str]:
    directions = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    return [
        f'<joint name="{hinge.name}" type="hinge" axis="{directions[axis]}"'
        + (f' range="{numbers(hinge.reach)}"/>' if hinge.reach else "/>")
        for axis, hinge in zip(limb.axes, hinges(limb), strict=True)
    ]


def _crank(rider: RiderDefinition) -> str:
    """At angle zero the left pedal is on top; a positive angle drives forward."""
    f = rider.fittings
    x, z = f.axle
    moment = f.crank_mass * f.crank**2 / 3
    return f"""<body name="{CRANK}" pos="{x} 0 {z}">
      <joint name="{CRANK}" type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="{f.crank_mass}" diaginertia="{moment * 1.2} {moment} {moment * 0.3}"/>
      <geom name="left pedal" class="limb" type="box" pos="0 {f.pedal} {f.crank}" size="0.03 0.035 0.01"/>
      <geom name="right pedal" class="limb" type="box" pos="0 {-f.pedal} {-f.crank}" size="0.03 0.035 0.01"/>
      <geom class="part" type="capsule" fromto="0 0.06 0 0 0.06 {f.crank}" size="0.01"/>
      <geom class="part" type="capsule" fromto="0 -0.06 0 0 -0.06 {-f.crank}" size="0.01"/>
      <site name="left pedal" pos="0 {f.pedal} {f.crank}"/>
      <site name="right pedal" pos="0 {-f.pedal} {-f.crank}"/>
    </body>"""


def _bar(rider: RiderDefinition) -> str:
    """In the fork's frame, whose origin is where the steer axis cuts the ground."""
    p, (x, half, z) = rider.machine, rider.fittings.bar
    ahead = p.wheelbase + p.trail
    stem = (-z * math.tan(p.tilt), 0.0, z)  # on the steer axis, at the height of the bar
    return f"""<geom name="bar" class="limb" type="capsule"
        fromto="{x - ahead} {half + 0.02} {z} {x - ahead} {-half - 0.02} {z}" size="0.015"/>
      <geom class="part" type="capsule" fromto="{numbers(stem)} {x - ahead} 0 {z}" size="0.015"/>
      <geom class="part" type="capsule"
        fromto="{numbers(stem)} {-p.trail} 0 {p.front_radius}" size="0.014"/>
      <site name="left grip" pos="{x - ahead} {half} {z}"/>
      <site name="right grip" pos="{x - ahead} {-half} {z}"/>"""


def _tubes(rider: RiderDefinition) -> str:
    """The frame's tubes: to be seen only."""
    p, f = rider.machine, rider.fittings
    top = 0.82 * f.bar[2]
    head = (p.wheelbase + p.trail - top * math.tan(p.tilt), 0.0, top)
    seat, axle, hub = (f.saddle[0], 0.0, f.saddle[1] - 0.03), (f.axle[0], 0.0, f.axle[1]), p.rear_radius
    lug = tuple(a + 0.75 * (b - a) for a, b in zip(axle, seat, strict=True))
    tubes = ((axle, seat), (axle, head), (lug, head), (axle, (0.0, 0.0, hub)), (lug, (0.0, 0.0, hub)))
    return "".join(
        f'<geom class="part" type="capsule" fromto="{numbers(a)} {numbers(b)}" size="0.015"/>'
        for a, b in tubes
    )


def _ties(rider: RiderDefinition, timestep: float) -> str:
    solver = f'solref="{TIES * timestep:g} 1" solimp="0.95 0.99 0.001"'
    ties = []
    for segment in rider.segments:
        place = {"bar": "grip", "pedal": "pedal"}.get(segment.grips or "")
        if place:
            ties += [
                f'<connect site1="{side} {segment.name}" site2="{side} {place}" {solver}/>'
                for side in ("left", "right")
            ]
    chain = (
        f'<joint joint1="{REAR_SPIN}" joint2="{CRANK}" polycoef="0 {rider.fittings.gear} 0 0 0" {solver}/>'
    )
    return f"<equality>{''.join(ties)}{chain}</equality>"


def _actuators(limbs: tuple[Segment, ...]) -> str:
    rows = [
        f'<general name="{hinge.name}" joint="{hinge.name}" biastype="affine" '
        f'gainprm="{hinge.stiffness}" biasprm="0 {-hinge.stiffness} {-hinge.damping}"'
        + (f' forcerange="{-hinge.strength} {hinge.strength}"/>' if hinge.strength else "/>")
        for limb in limbs
        for hinge in hinges(limb)
    ]
    return f"<actuator>{''.join(rows)}</actuator>"


def _sensors() -> str:
    ground = 'geom2="ground" data="found" num="1"'
    return f"""<sensor>
    <subtreecom name="centre" body="{FRAME}"/>
    <subtreelinvel name="velocity" body="{FRAME}"/>
    <contact name="touching" subtree1="{FRAME}" {ground}/>
    <contact name="rear touching" geom1="{REAR_WHEEL}" {ground}/>
    <contact name="front touching" geom1="{FRONT_WHEEL}" {ground}/>
  </sensor>"""
