"""The vehicle: a point mass on four wheels with a drive, brakes, tyres and a height.

Shiller and Gwo's model is kept because it is what makes a speed limit computable in closed form: reaction
and friction act below the centre of mass, which lies in the middle between the wheels; its height matters for
tip-over, pitch-over and the loads of the wheels. Drag, downforce, engine power and a
drive force that depends on speed are additions; all are off by default.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require

FORCE_TABLE_STEP = 0.5  # [m/s] between entries of the tabulated drive force
FASTEST = 200.0  # [m/s] where the table ends; faster motion uses its last entry

# rows of the packed array that kernels read
(
    MASS,
    GRAVITY,
    FRICTION,
    BRAKE,
    TIP,
    DRAG,
    DOWNFORCE,
    HALF_LENGTH,
    SIN_STEER,
    TOP,
    LENGTH,
    WIDTH,
    BEND_RATE,
    PITCH,
    LEAST_LOAD,
) = range(15)


@dataclass(frozen=True)
class Vehicle:
    """Defaults are table I of the paper, with its steering limit read as 30°.

    >>> Vehicle().height_to_half_width
    2.0
    """

    mass: float = 2000.0  # [kg]
    engine_force: float = 3000.0  # [N] largest drive force
    brake_force: float = 15000.0  # [N] largest braking force, given as a positive number
    friction: float = 0.7  # between tyre and ground of mobility one
    half_length: float = 2.0  # [m] d, half the distance between the axles
    height_to_half_width: float = 2.0  # h / b; zero turns tip-over and pitch-over off
    max_steer: float = math.radians(30.0)  # [rad]
    drag: float = 0.0  # [kg/m] force is drag·v²
    downforce: float = 0.0  # [kg/m] added load is downforce·v²
    power: float = math.inf  # [W] of the engine
    top_speed: float = math.inf  # [m/s]
    force_curve: tuple[tuple[float, float], ...] = ()  # (speed [m/s], drive force [N]), rising speeds
    gravity: float = 9.81  # [m/s²]
    length: float = 0.0  # [m] of the body; zero stands for the distance between the axles
    width: float = 0.0  # [m] of the body; zero stands for half that distance
    steer_rate: float = math.inf  # [rad/s] of the wheels
    least_wheel_load: float = 0.0  # share of its load at rest that every wheel keeps; zero lets wheels lift

    def __post_init__(self) -> None:
        for name in ("mass", "half_length", "gravity", "top_speed", "power", "steer_rate"):
            value = getattr(self, name)
            require(value > 0.0, f"vehicle {name}", value, "must be above zero")
        for name in (
            *("engine_force", "brake_force", "friction", "height_to_half_width"),
            *("drag", "downforce", "length", "width"),
        ):
            value = getattr(self, name)
            require(0.0 <= value < math.inf, f"vehicle {name}", value, "must be finite and not negative")
        for name in ("mass", "half_length", "gravity"):
            require(
                math.isfinite(getattr(self, name)), f"vehicle {name}", getattr(self, name), "must be finite"
            )
        require(
            0.0 < self.max_steer <= math.pi / 2, "vehicle max_steer", self.max_steer, "must be in (0, π/2]"
        )
        require(
            0.0 <= self.least_wheel_load < 1.0,
            "vehicle least_wheel_load",
            self.least_wheel_load,
            "must be from 0 to below 1",
        )
        curve = np.asarray(self.force_curve, dtype=float)
        if curve.size:
            good = curve.ndim == 2 and curve.shape[1] == 2 and np.isfinite(curve).all()
            good = good and bool((np.diff(curve[:, 0]) > 0).all() and (curve[:, 1] >= 0).all())
            require(
                good, "vehicle force_curve", self.force_curve, "must be (speed, force) with rising speeds"
            )

    @property
    def tip_ratio(self) -> float:
        """β = b / h, the lateral over normal force at which the wheels of one side lift."""
        return 1.0 / self.height_to_half_width if self.height_to_half_width else math.inf

    @property
    def tips_first(self) -> bool:
        """Whether side forces can lift the wheels of one side before they make tyres slide."""
        return 0.0 < self.tip_ratio < self.friction

    @property
    def pitch_ratio(self) -> float:
        """κ = h / d, the normal over lengthwise force at which the wheels of one axle lift."""
        return self.size[2] / self.half_length if self.height_to_half_width else 0.0

    @property
    def tightest_bend(self) -> float:
        """[1/m] the largest curvature of a path that the wheels can be turned for."""
        sine = self._steered_sine
        return sine / self.half_length if sine < 0.999 else 1e3

    @property
    def _steered_sine(self) -> float:
        """Of the angle between the body and its path when the wheels are turned as far as they go."""
        return math.sin(math.atan(0.5 * math.tan(self.max_steer)))

    @property
    def bend_rate(self) -> float:
        """[1/(m·s)] how fast the path's curvature may change: the wheels' rate over the wheelbase."""
        return self.steer_rate / (2 * self.half_length)

    @property
    def size(self) -> tuple[float, float, float]:
        """Length, width and height [m] of the body."""
        length, width = self.length or 2 * self.half_length, self.width or self.half_length
        return length, width, 0.5 * width * (self.height_to_half_width or 1.0)

    @classmethod
    def racing_car(cls) -> Vehicle:
        """The car of TUMFTM's global_racetrajectory_optimization: 12 m/s² of grip, 1200 kg, 70 m/s."""
        acceleration = (  # [m/s], [m/s²] its ax_max_machines
            *((0.0, 5.3), (36.0, 5.3), (40.0, 5.1), (44.0, 5.0), (48.0, 4.6)),
            *((52.0, 4.1), (56.0, 3.7), (60.0, 2.7), (66.0, 2.2), (72.0, 1.5)),
        )
        mass, gravity = 1200.0, 9.81
        return cls(
            mass=mass,
            engine_force=acceleration[0][1] * mass,
            brake_force=2 * 12.0 * mass,  # grip, not the brakes, decides
            friction=12.0 / gravity,
            half_length=1.5,
            height_to_half_width=0.0,
            drag=0.75,
            top_speed=70.0,
            force_curve=tuple((v, a * mass) for v, a in acceleration),
            gravity=gravity,
        )

    @classmethod
    def read(cls, path: str | Path, otherwise: Vehicle | None = None) -> Vehicle:
        """From a YAML or TOML file with any of the fields, the others as `otherwise` has them (the vehicle of
        the paper); a field that does not exist is an error."""
        from swerve.core.scene_file import read_mapping

        return cls.given(read_mapping(path, "vehicle"), f"vehicle {path}", otherwise)

    @classmethod
    def given(cls, values: dict[str, Any], where: str, otherwise: Vehicle | None = None) -> Vehicle:
        """From fields by name; `where` they stand is named in errors. A `force_curve` or an `engine_force`
        alone is all that bounds the drive."""
        known = {field.name for field in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise BadInput(where, name, f"unknown field; known are {', '.join(sorted(known))}")
            if name == "force_curve":
                continue
            if isinstance(value, str):  # YAML takes 1e3 for text
                with suppress(ValueError):
                    value = float(value)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise BadInput(f"{where} field {name}", value, "must be a number")
            given[name] = value
        try:
            given = {name: float(value) for name, value in given.items()}
            if "force_curve" in values:
                given["force_curve"] = _pairs("vehicle force_curve", values["force_curve"])
                if len(given["force_curve"]):
                    given.setdefault("engine_force", max(force for _, force in given["force_curve"]))
            elif "engine_force" in given:
                given["force_curve"] = ()
            return replace(cls() if otherwise is None else otherwise, **given)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(where, None, str(error)) from error

    def packed(self) -> np.ndarray:
        """What kernels read, (15,); forces are divided by the mass."""
        return np.array(
            [
                self.mass,
                self.gravity,
                self.friction,
                self.brake_force / self.mass,
                self.tip_ratio,
                self.drag / self.mass,
                self.downforce / self.mass,
                self.half_length,
                self._steered_sine,
                self.top_speed**2,
                *self.size[:2],
                self.bend_rate,
                self.pitch_ratio,
                self.least_wheel_load * self.gravity,
            ]
        )

    def drive_table(self) -> np.ndarray:
        """Largest drive force over mass [m/s²] at speeds 0, 0.5, 1 … m/s; one entry when it is constant."""
        if not self.force_curve and math.isinf(self.power):
            return np.array([self.engine_force / self.mass])
        speeds = np.arange(0.0, min(self.top_speed, FASTEST) + 2 * FORCE_TABLE_STEP, FORCE_TABLE_STEP)
        force = np.full(len(speeds), self.engine_force)
        if self.force_curve:
            curve = np.asarray(self.force_curve, dtype=float)
            force = np.minimum(force, np.interp(speeds, curve[:, 0], curve[:, 1]))
        return np.minimum(force, self.power / np.maximum(speeds, 1e-9)) / self.mass


def _pairs(what: str, value: Any) -> tuple[tuple[float, float], ...]:
    """Rows of two numbers."""
    try:
        return tuple((float(speed), float(force)) for speed, force in value)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadInput(what, value, "must be pairs of a speed and a force") from error
