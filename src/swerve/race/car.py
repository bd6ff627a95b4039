"""The sliding car: two axles, lateral tyre forces capped at the grip limit, a simple engine and brake.

The model is appendix A of Adam 2007, chosen over richer tyre models because its few saturating forces are
enough to make a car slide into a hairpin and cheap enough to simulate by the thousand. The appendix counts
its heading clockwise from +y and steers positive to the right; here the heading is counter-clockwise from
+x and steering positive to the left. The two agree step for step after that mirror.

Two things are added, neither of which touches the appendix above 2 m/s:

- at walking pace slip angles are ill-conditioned, so below 2 m/s the motion blends into a car whose wheels
  roll without slipping, and below 1 m/s it is that car;
- a reverse gear: when it is engaged and the car rolls backwards, slip is measured against |forward speed|.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.kernels import bare, inlined, inner, kernel
from swerve.core.seeding import generator

FRAME = 0.04  # [s] one frame of a recording: 25 a second, as in the seed
SUBSTEPS = 4  # physics steps in a frame
STATE = ("x", "y", "heading", "vx", "vy", "yaw_rate")
CONTROLS = ("steer", "throttle", "brake_input")
CONTROL_UNITS = {"steer": "rad", "throttle": "100 N", "brake_input": "100 N"}
MAX_STEER = 0.6  # [rad]
MAX_STEER_RATE = 4.0  # [rad/s] what a quick driver's hands do
MAX_DRIVE = 100.0  # [units of throttle or brake]
LENGTH, WIDTH, HEIGHT = 4.2, 1.8, 1.4  # [m] outline of the car

ROLLING_BELOW = 1.0  # [m/s] wheels roll without slip
SLIDING_ABOVE = 2.0  # [m/s] the appendix alone


@dataclass(frozen=True)
class CarParameters:
    """Constants of appendix A. Forces in newtons, lengths in metres, masses in kilograms."""

    drag: float = 4.0  # [N/(m/s)²] air resistance
    resistance: float = 20.0  # [N/(m/s)] rolling resistance
    rear_stiffness: float = -4.20  # [load/rad] cornering stiffness, rear
    front_stiffness: float = -4.0  # [load/rad] cornering stiffness, front
    max_grip: float = 3.0  # [load] cap of the lateral force
    front_axle: float = 1.0  # [m] centre of mass to front axle
    rear_axle: float = 1.0  # [m] centre of mass to rear axle
    mass: float = 1500.0  # [kg]
    inertia: float = 1500.0  # [kg m²]
    gravity: float = 9.8  # [m/s²]
    drive_gain: float = 100.0  # [N] force of one unit of throttle or brake

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not np.isfinite(value):
                raise BadInput(f"car parameter {item.name}", value, "must be finite")
        for name in ("mass", "inertia", "front_axle", "rear_axle", "max_grip", "gravity", "drive_gain"):
            if getattr(self, name) <= 0:
                raise BadInput(f"car parameter {name}", getattr(self, name), "must be positive")
        for name in ("drag", "resistance"):
            if getattr(self, name) < 0:
                raise BadInput(f"car parameter {name}", getattr(self, name), "must not be negative")
        for name in ("front_stiffness", "rear_stiffness"):
            if getattr(self, name) >= 0:
                raise BadInput(f"car parameter {name}", getattr(self, name), "must be negative")

    def packed(self) -> np.ndarray:
        """The constants as one array, in the order of the fields, for kernels."""
        return np.array(astuple(self), dtype=np.float64)


def different(parameters: CarParameters, mismatch: float, seed: int) -> CarParameters:
    """A car whose every constant is off by up to the fraction `mismatch`, drawn from `seed`."""
    rng = generator(seed, "mismatch")
    values = {f.name: getattr(parameters, f.name) for f in fields(parameters)}
    return replace(parameters, **{k: v * (1 + mismatch * rng.uniform(-1, 1)) for k, v in values.items()})


class Car:
    """Moves one car, or a batch of them, by one step of the physics.

    >>> car = Car()
    >>> state = np.array([0.0, 0.0, 0.0, 10.0, 0.0, 0.0])
    >>> car.step(state, steer=0.0, throttle=0.0, brake=0.0, dt=0.01).round(4)
    array([0.1  , 0.   , 0.   , 9.996, 0.   , 0.   ])
    """

    def __init__(self, parameters: CarParameters | None = None):
        self.parameters = parameters or CarParameters()
        self._packed = self.parameters.packed()

    def step(
        self,
        state: np.ndarray,
        steer: float | np.ndarray,
        throttle: float | np.ndarray,
        brake: float | np.ndarray,
        dt: float,
        reverse: bool | np.ndarray | None = None,
    ) -> np.ndarray:
        """The state after `dt` seconds; a new array of the same shape.

        `state` (..., 6): x, y [m], heading [rad], vx, vy [m/s] in the world, yaw_rate [rad/s].
        `steer` [rad], positive left; `throttle` and `brake` in the appendix's units: the drive force is
        100·(throttle − brake·sign of forward speed) newtons. All broadcast over the leading axes.
        `reverse`: whether the reverse gear is in; by default it is when the throttle is negative.
        """
        state = np.asarray(state, dtype=np.float64)
        if state.shape[-1:] != (6,):
            raise BadInput("state", state.shape, "must have 6 numbers on its last axis")
        if not dt > 0:
            raise BadInput("dt", dt, "must be positive")
        batch = state.shape[:-1]
        gear = np.asarray(throttle) < 0 if reverse is None else reverse
        inputs = np.empty((4, *batch))
        inputs[0], inputs[1], inputs[2], inputs[3] = steer, throttle, brake, gear
        out = np.empty(state.shape)
        _step_all(state.reshape(-1, 6), inputs.reshape(4, -1), float(dt), self._packed, out.reshape(-1, 6))
        return out


@kernel
def _step_all(states: np.ndarray, inputs: np.ndarray, dt: float, p: np.ndarray, out: np.ndarray) -> None:
    for i in range(states.shape[0]):
        s = states[i]
        steer, throttle, brake, reverse = inputs[0, i], inputs[1, i], inputs[2, i], inputs[3, i] != 0.0
        new = advance((s[0], s[1], s[2], s[3], s[4], s[5]), steer, throttle, brake, reverse, dt, p)
        for k in range(6):
            out[i, k] = new[k]


@bare
def advance(
    s: tuple[float, float, float, float, float, float],
    steer: float,
    throttle: float,
    brake: float,
    reverse: bool,
    dt: float,
    p: np.ndarray,
) -> tuple[float, float, float, float, float, float]:
    """One explicit step of the model; `p` is `CarParameters.packed()`.

    Slip angles  α_f = β + ρ − δ,  α_r = β − ρ  with  β = atan2(v, u),  ρ = atan2(½·wheelbase·ω, u)
    Lateral      F = clip(C·α, ±grip)·½·m·g on either axle
    Body         m·u̇ = 100·(throttle − brake·sign u) − R·u − D·u·|u|
                 m·v̇ = F_f·cos δ + F_r − R·v − D·v·|v|
                 I·ω̇ = b·F_f − c·F_r
    with u forward and v to the left, then velocities before positions, as the appendix integrates.
    """
    heading, vx, vy, yaw = s[2], s[3], s[4], s[5]
    cs, sn = np.cos(heading), np.sin(heading)
    u = cs * vx + sn * vy
    v = -sn * vx + cs * vy
    backwards = reverse and u < 0.0
    along = -u if backwards else u
    delta = -steer if backwards else steer
    turn = 0.0 if along == 0.0 else np.arctan2((p[5] + p[6]) * 0.5 * yaw, along)
    slip = 0.0 if along == 0.0 else np.arctan2(v, along)
    slid = sliding(vx, vy, yaw, cs, sn, turn, slip, delta, np.cos(steer), throttle, brake, dt, p)
    if vx * vx + vy * vy < SLIDING_ABOVE * SLIDING_ABOVE:
        slid = nearly_rolling(slid, vx, vy, yaw, cs, sn, steer, throttle, brake, dt, p)
    return s[0] + dt * slid[0], s[1] + dt * slid[1], heading + dt * slid[2], slid[0], slid[1], slid[2]


@inner
@inlined
def sliding(
    vx: float,
    vy: float,
    yaw: float,
    cs: float,
    sn: float,
    turn: float,
    slip: float,
    delta: float,
    ahead: float,
    throttle: float,
    brake: float,
    dt: float,
    p: np.ndarray,
) -> tuple[float, float, float]:
    """Velocities and yaw rate after a step of `advance` whose angles are known: cosine and sine of the
    heading, ρ, β, δ and cos δ. It branches nowhere: loops over many cars become vector instructions."""
    drag, resistance, c_rear, c_front, grip = p[0], p[1], p[2], p[3], p[4]
    b, c, mass, inertia, gravity, gain = p[5], p[6], p[7], p[8], p[9], p[10]
    u = cs * vx + sn * vy
    v = -sn * vx + cs * vy
    load = mass * gravity * 0.5
    front = min(grip, max(-grip, c_front * (slip + turn - delta))) * load
    rear = min(grip, max(-grip, c_rear * (slip - turn))) * load
    sign = 1.0 if u > 0.0 else (-1.0 if u < 0.0 else 0.0)
    force = gain * (throttle - brake * sign) - (resistance * u + drag * u * abs(u))
    side = ahead * front + rear - (resistance * v + drag * v * abs(v))
    du, dv = force / mass, side / mass
    dyaw = (b * front - c * rear) / inertia
    return vx + dt * (cs * du - sn * dv), vy + dt * (sn * du + cs * dv), yaw + dt * dyaw


@inner
@bare
def nearly_rolling(
    slid: tuple[float, float, float],
    vx: float,
    vy: float,
    yaw: float,
    cs: float,
    sn: float,
    steer: float,
    throttle: float,
    brake: float,
    dt: float,
    p: np.ndarray,
) -> tuple[float, float, float]:
    """What `sliding` gave, blended at walking pace into wheels that roll: brakes and resistance may stop the
    car, not push it through standstill."""
    drag, resistance, grip = p[0], p[1], p[4]
    b, c, mass, gravity, gain = p[5], p[6], p[7], p[9], p[10]
    u = cs * vx + sn * vy
    v = -sn * vx + cs * vy
    push = dt * gain * throttle / mass
    hold = dt * (gain * brake + resistance * abs(u) + drag * u * u) / mass
    free = u + push
    roll = max(0.0, free - hold) if free > 0.0 else min(0.0, free + hold)
    most = dt * grip * gravity  # tyres can change the sideways motion only so fast
    bend = np.tan(steer) / (b + c)
    v_roll = v + min(most, max(-most, roll * bend * c - v))
    yaw_roll = yaw + min(most / b, max(-most / b, roll * bend - yaw))
    share = max(0.0, (np.hypot(vx, vy) - ROLLING_BELOW) / (SLIDING_ABOVE - ROLLING_BELOW))
    share = share * share * (3.0 - 2.0 * share)
    # turn the rolled velocity into the world along with the body, so that v stays sideways
    return (
        share * slid[0] + (1.0 - share) * (cs * roll - sn * v_roll),
        share * slid[1] + (1.0 - share) * (sn * roll + cs * v_roll),
        share * slid[2] + (1.0 - share) * yaw_roll,
    )
