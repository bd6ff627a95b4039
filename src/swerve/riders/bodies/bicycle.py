"""A bicycle for MuJoCo: a frame on a free joint, two wheels, a fork that turns about a tilted axis.

The tyres are ellipsoids half a millimetre thick, because the edge of a cylinder gives a contact that jumps
and a sphere rolls sideways; and the contact stiffens with the time step, so that a shorter step is a truer
bicycle. x points forward, y left, z up; lean and steer are positive to the right, as in `whipple`.
"""

from __future__ import annotations

import math

from swerve.core.errors import require

from .whipple import BicycleParameters

TYRE = 0.0005  # [m] half the thickness of a wheel's rim
GRIP = 1.2  # coefficient of friction between tyre and ground
LONGEST_STEP = 0.005  # [s] beyond it the contact is too soft to roll on

STEER, REAR_SPIN, FRONT_SPIN = "steer", "rear spin", "front spin"  # joints
FRAME, FORK, REAR_WHEEL, FRONT_WHEEL = "frame", "fork", "rear wheel", "front wheel"  # bodies


def bicycle_xml(parameters: BicycleParameters | None = None, timestep: float = 0.0005) -> str:
    """MJCF of a bicycle that stands upright at the origin on flat ground.

    >>> import mujoco
    >>> model = mujoco.MjModel.from_xml_string(bicycle_xml())
    >>> model.nv, round(float(model.body_subtreemass[0]), 3)
    (9, 94.0)
    """
    p = parameters or BicycleParameters()
    return world_xml("bicycle", timestep, p.gravity, machine_xml(p))


def world_xml(name: str, timestep: float, gravity: float, bodies: str, more: str = "") -> str:
    """A flat ground with `bodies` on it; `more` holds equalities, actuators and sensors."""
    require(0.0 < timestep <= LONGEST_STEP, "timestep", timestep, f"must be in (0, {LONGEST_STEP}] s")
    # The full derivative keeps the weave speed true to 2e-5; at long steps it errs more than the quick one.
    integrator = "implicit" if timestep <= 0.001 else "implicitfast"
    return f"""<mujoco model="{name}">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="{timestep:g}" gravity="0 0 {-gravity:g}" integrator="{integrator}" cone="elliptic"
    solver="Newton" iterations="20" tolerance="1e-10" jacobian="dense">
    <flag autoreset="disable"/>
  </option>
  <default>
    <default class="tyre">
      <geom type="ellipsoid" mass="0" contype="1" conaffinity="0" condim="3" friction="{GRIP:g} 0 0"
        solref="{2 * timestep:g} 1" solimp="0.999 0.9999 0.001" priority="1"/>
    </default>
    <default class="limb">
      <geom mass="0" contype="1" conaffinity="0" condim="3" friction="0.7 0 0"/>
    </default>
    <default class="part">
      <geom contype="0" conaffinity="0" mass="0"/>
    </default>
  </default>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1" contype="0" conaffinity="1"/>
{bodies}
  </worldbody>
{more}
</mujoco>
"""


def machine_xml(p: BicycleParameters, on_frame: str = "", on_fork: str = "") -> str:
    """The bicycle's bodies. `on_frame` and `on_fork` are MJCF of whatever else is mounted there.

    Both are in coordinates whose origin is the point on the ground below the rear axle (`frame`), or the
    point where the steer axis cuts the ground (`fork`), with x forward and z up.
    """
    axis = f"{math.sin(p.tilt):.15g} 0 {-math.cos(p.tilt):.15g}"
    ahead = p.wheelbase + p.trail
    return f"""
    <body name="{FRAME}">
      <freejoint name="{FRAME}"/>
      {_inertial(p.body_x, -p.body_z, p.body_mass, p.body_ixx, p.body_iyy, p.body_izz, -p.body_ixz)}
      <body name="{REAR_WHEEL}" pos="0 0 {p.rear_radius:.15g}">
        <joint name="{REAR_SPIN}" type="hinge" axis="0 1 0"/>
        {_inertial(0, 0, p.rear_mass, p.rear_ixx, p.rear_iyy, p.rear_ixx, 0)}
        <geom name="{REAR_WHEEL}" class="tyre" size="{p.rear_radius:.15g} {TYRE} {p.rear_radius:.15g}"/>
      </body>
      <body name="{FORK}" pos="{ahead:.15g} 0 0">
        <joint name="{STEER}" type="hinge" axis="{axis}"/>
        {_inertial(p.fork_x - ahead, -p.fork_z, p.fork_mass, p.fork_ixx, p.fork_iyy, p.fork_izz, -p.fork_ixz)}
        <body name="{FRONT_WHEEL}" pos="{-p.trail:.15g} 0 {p.front_radius:.15g}">
          <joint name="{FRONT_SPIN}" type="hinge" axis="0 1 0"/>
          {_inertial(0, 0, p.front_mass, p.front_ixx, p.front_iyy, p.front_ixx, 0)}
          <geom name="{FRONT_WHEEL}" class="tyre" size="{p.front_radius:.15g} {TYRE} {p.front_radius:.15g}"/>
        </body>
        {on_fork}
      </body>
      {on_frame}
    </body>"""


def _inertial(x: float, z: float, mass: float, ixx: float, iyy: float, izz: float, ixz: float) -> str:
    moments = " ".join(f"{value:.15g}" for value in (ixx, iyy, izz, 0.0, ixz, 0.0))
    return f'<inertial pos="{x:.15g} 0 {z:.15g}" mass="{mass:.15g}" fullinertia="{moments}"/>'
